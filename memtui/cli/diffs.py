"""Differences in the terminal's colours."""

from collections.abc import Iterator

from memtui.cli.output import Line, StyledText
from memtui.presentation.diff import diff_text


def diff_lines(diff: str, *, numbered: bool = False) -> Iterator[Line]:
    """The lines of a unified diff, coloured; `numbered` says which hunk of its file each is."""
    return (StyledText(line.text, line.tone) for line in diff_text(diff, numbered=numbered))
