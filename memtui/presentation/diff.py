"""The lines of a difference, with their numbers and tones."""

from collections.abc import Iterator

from memtui.presentation import LabeledText, Tone
from memtui.util.diff import DiffKind, parse_diff, unified_diff

__all__ = ["diff_text", "unified_diff"]

_TONES: dict[DiffKind, Tone] = {
    "file": "bold", "hunk": "head", "context": "", "added": "added", "removed": "removed", "note": "dim",
}  # fmt: skip


def diff_text(diff: str, *, numbered: bool = False) -> Iterator[LabeledText]:
    """Each line of a unified diff, labelled with its number in the new file, or in the old one if it is removed.

    `numbered` says at the head of each hunk which one of its file it is, from 1.
    """
    hunk = 0
    for line in parse_diff(diff):
        number = line.old if line.new is None else line.new
        hunk = 0 if line.kind == "file" else hunk + (line.kind == "hunk")
        words = f"  hunk {hunk}" if numbered and line.kind == "hunk" else ""
        yield LabeledText("" if number is None else str(number), line.text + words, _TONES[line.kind])
