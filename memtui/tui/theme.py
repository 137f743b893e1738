"""Our colours as Textual's themes, and what a terminal may not be able to show.

State is never told by colour alone: each has a glyph and, in the row's details, a word.
"""

from typing import ClassVar

from textual.scrollbar import ScrollBarRender
from textual.theme import Theme
from textual.widget import Widget

from memtui.presentation import Tone
from memtui.tui.colours import ANSI, OURS, Colours, Palette, theme_for, theme_like
from memtui.tui.glyphs import PLAIN, UNICODE, Glyphs, glyphs_for

__all__ = [
    "ANSI",
    "PLAIN",
    "THEMES",
    "TONE_STYLES",
    "UNICODE",
    "Glyphs",
    "Palette",
    "PlainScrollBar",
    "glyphs_for",
    "glyphs_of",
    "theme_for",
    "theme_like",
]


TONE_STYLES: dict[Tone, str] = {
    "": "", "good": "$good", "warn": "$warn", "problem": "$problem", "dim": "$dim", "bold": "bold", "head": "$link",
    "link": "$link", "added": "$good", "removed": "$problem",
}  # fmt: skip
"""The style in which the screen shows each tone of a presented text."""


def _theme(name: str, colours: Colours) -> Theme:
    palette = colours.palette
    return Theme(
        name=name,
        primary=colours.primary,
        secondary=palette.link,
        accent=palette.mark,
        warning=palette.warn,
        error=palette.problem,
        success=palette.good,
        foreground=colours.foreground,
        background=colours.background,
        surface=colours.surface,
        panel=colours.panel,
        dark=colours.dark,
        variables={
            **palette.variables(),
            "block-cursor-background": colours.primary,
            "border": colours.border,
            "border-blurred": colours.border,
            "input-selection-background": f"{colours.primary} 40%",
        },
    )


THEMES = tuple(_theme(name, colours) for name, colours in OURS.items())


class PlainScrollBar(ScrollBarRender):
    """A scroll bar of blanks in two colours, for a terminal without block characters."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def glyphs_of(widget: Widget) -> Glyphs:
    """The set of the app that a widget is in."""
    glyphs = getattr(widget.app, "glyphs", UNICODE)
    return glyphs if isinstance(glyphs, Glyphs) else UNICODE
