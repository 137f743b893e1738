"""Differences in the terminal's colours."""

from collections.abc import Iterator

from memtui.cli.output import Line, StyledText
from memtui.presentation.diff import diff_text


def diff_lines(diff: str) -> Iterator[Line]:
    """The lines of a unified diff, coloured."""
    return (StyledText(line.text, line.tone) for line in diff_text(diff))
