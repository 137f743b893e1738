"""The marks that a terminal may not be able to show, in two sets."""

from msgspec import Struct


class Glyphs(Struct, frozen=True):
    """The marks of one character set; each takes one cell, those of a tree two."""

    problem: str
    unlisted: str
    changed: str
    unsaved: str
    pinned: str
    opened: str
    closed: str
    full: str
    empty: str
    left: str
    right: str
    rule: str
    bullet: str
    quote: str
    dash: str
    ellipsis: str
    arrow: str
    tick: str
    cross: str
    separator: str
    fork: str
    corner: str
    spinner: str
    border: str
    """Textual's name of the border of a pane, and of the focused one."""
    heavy: str

    def spell(self, words: str) -> str:
        """Words of ours (key names, hints, titles) in this set; foreign text is never spelled anew."""
        return words if self.border != "ascii" else words.translate(_SPELLED)


_SPELLED = str.maketrans(
    {"⏎": "Enter", "←": "Left", "→": "Right", "↑": "Up", "↓": "Down", "⇧": "S-", "·": "-", "…": "~", "–": "-", "—": "-"}
)

UNICODE = Glyphs(
    "!", "○", "●", "*", "◆", "▾", "▸", "█", "░", "▐", "▌", "─", "•", "│", "–", "…", "→", "✓", "✗", "·", "├ ", "└ ",
    "◐◓◑◒", "round", "heavy",
)  # fmt: skip
PLAIN = Glyphs(
    "!", "o", "@", "*", "^", "v", ">", "#", "-", "[", "]", "-", "*", "|", "-", "~", ">", "+", "x", "-", "|-", "`-",
    "|/-\\", "ascii", "ascii",
)  # fmt: skip


def glyphs_for(encoding: str, *, ascii_only: bool) -> Glyphs:
    """The set that the stream can carry: a stream that is not UTF-8 would turn box lines into escapes."""
    return PLAIN if ascii_only or encoding.lower().replace("-", "") != "utf8" else UNICODE


def wanted_glyphs(setting: str, encoding: str | None, *, ascii_only: bool) -> Glyphs:
    """The set that our setting asks for ("auto", "unicode" or "ascii"); "auto" asks the stream."""
    stream = "utf-8" if setting == "unicode" else (encoding or "ascii")
    return glyphs_for(stream, ascii_only=ascii_only or setting == "ascii")
