"""The last line: what the keys do here, cut at whole hints so that nothing is half said."""

from collections.abc import Sequence

from memtui.tui.glyphs import Glyphs
from memtui.tui.segments import Line, joined
from memtui.util import text


def hint_line(hints: Sequence[str], width: int, glyphs: Glyphs) -> Line:
    """As many hints as fit, in order; the last ones (keys, quit) always stay."""
    spelled = [glyphs.spell(hint) for hint in hints]
    always = [hint for hint in spelled if hint.startswith(("?", "q "))]
    room = width - 1 - sum(text.cells(hint) + 2 for hint in always)
    shown: list[str] = []
    for hint in spelled:
        if hint in always:
            continue
        if (room := room - text.cells(hint) - 2) < 0:
            break
        shown.append(hint)
    pieces: list[Line] = []
    for hint in [*shown, *always]:
        key, _, words = hint.partition(" ")
        pieces.append([(key, "bold $link"), (" ", ""), (words, "$dim")])
    return [(" ", ""), *joined(pieces, "  ")]
