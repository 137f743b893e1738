"""The lines of a difference, with their numbers and tones."""

from collections.abc import Iterator

from memtui.presentation import LabeledText, Tone
from memtui.util.diff import DiffKind, parse_diff, unified_diff

__all__ = ["diff_text", "unified_diff"]

_TONES: dict[DiffKind, Tone] = {
    "file": "bold", "hunk": "head", "context": "", "added": "added", "removed": "removed", "note": "dim",
}  # fmt: skip


def diff_text(diff: str) -> Iterator[LabeledText]:
    """Each line of a unified diff, labelled with its number in the new file, or in the old one if it is removed."""
    for line in parse_diff(diff):
        number = line.old if line.new is None else line.new
        yield LabeledText("" if number is None else str(number), line.text, _TONES[line.kind])
