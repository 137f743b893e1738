"""How the screen looks: colours as Textual's themes, and the marks of the two character sets.

State is never shown by colour alone: each has a glyph and, in the row's details, a word. Every text colour has at least
4.5:1 against the surfaces it stands on (tests/tui/test_theme.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import asdict
from textual.scrollbar import ScrollBarRender
from textual.theme import Theme
from textual.widget import Widget

from memtui.presentation import Tone

if TYPE_CHECKING:
    from memtui.memory.checks.base import Severity


class Palette(Struct, frozen=True):
    """The colours that stylesheets and panels name, each with a dollar sign in front."""

    problem: str
    warn: str
    good: str
    dim: str
    link: str
    code: str
    mark: str


TONE_STYLES: dict[Tone, str] = {
    "": "", "good": "$good", "warn": "$warn", "problem": "$problem", "dim": "$dim", "bold": "bold", "head": "$link",
    "link": "$link", "added": "$good", "removed": "$problem",
}  # fmt: skip
"""The style in which the screen shows each tone of a presented text."""

DARK = Palette("#ff8a8a", "#e8bd62", "#93c98a", "#9aa3b2", "#7cb7ff", "#d3a6e8", "#f0c674")
LIGHT = Palette("#b3261e", "#7a5200", "#1e6b31", "#565e6c", "#0b57b0", "#7a2f93", "#7a4d00")
DALTONIZED = Palette("#ffa64d", "#ffd27f", "#6fb7ff", "#a2aab8", "#8ec5ff", "#c7c7ff", "#ffd27f")
ANSI = Palette("ansi_red", "ansi_yellow", "ansi_green", "ansi_default", "ansi_blue", "ansi_magenta", "ansi_yellow")


def _theme(
    name: str, palette: Palette, primary: str, foreground: str, grounds: tuple[str, str, str], *, dark: bool = True
) -> Theme:
    """A theme; `grounds` are those of the screen, of lists and texts in it, and of the lines above and below."""
    background, surface, panel = grounds
    variables = {
        **asdict(palette), "border": palette.dim, "border-blurred": palette.dim,
        "block-cursor-background": primary, "input-selection-background": f"{primary} 40%",
    }  # fmt: skip
    return Theme(
        name, primary, palette.link, palette.warn, palette.problem, palette.good, palette.mark, foreground,
        background, surface, panel, dark=dark, variables=variables,
    )  # fmt: skip


THEMES = (
    _theme("memtui-dark", DARK, "#5fa3f5", "#dfe3ea", ("#14171c", "#1a1e25", "#242a33")),
    _theme("memtui-light", LIGHT, "#1a5fb4", "#1d2127", ("#fbfbf9", "#f3f3ef", "#e7e7e1"), dark=False),
    _theme("memtui-daltonized", DALTONIZED, "#4d9de8", "#e4e7ee", ("#12151b", "#191d25", "#232935")),
)


def theme_for(wanted: str, client: object) -> str:
    """The theme that our setting asks for; "auto" is like Claude Code's ("light-daltonized"), dark if it has none."""
    if wanted != "auto":
        return wanted
    words = client.split("-") if isinstance(client, str) else []
    if "ansi" in words:
        return "ansi-light" if "light" in words else "ansi-dark"
    return "memtui-daltonized" if "daltonized" in words else "memtui-light" if "light" in words else "memtui-dark"


class PlainScrollBar(ScrollBarRender):
    """A scroll bar of blanks in two colours, for a terminal without block characters."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


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
    border: str  # Textual's name of the border of a pane, and of the focused one
    heavy: str

    def of_severity(self, severity: Severity) -> str:
        """The mark of a problem: what is only a hint has the small one."""
        return self.separator if severity == "info" else self.problem

    def spell(self, words: str) -> str:
        """Words of ours (key names, hints, titles) in this set; foreign text is never spelled again."""
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


def glyphs_for(setting: str, encoding: str | None, *, ascii_only: bool) -> Glyphs:
    """The set that our setting asks for: "unicode", "ascii", or "auto" for what the stream's encoding can carry."""
    utf8 = (encoding or "").lower().replace("-", "") == "utf8"
    return PLAIN if ascii_only or setting == "ascii" or (setting == "auto" and not utf8) else UNICODE


def glyphs_of(widget: Widget) -> Glyphs:
    glyphs = getattr(widget.app, "glyphs", UNICODE)
    return glyphs if isinstance(glyphs, Glyphs) else UNICODE
