"""Every text colour of ours has 4.5:1 on each ground that it stands on."""

import pytest
from msgspec.structs import astuple
from textual.color import Color

from memtui.tui.theme import PLAIN, THEMES, UNICODE, glyphs_for, theme_for


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_contrast(theme: object) -> None:
    assert hasattr(theme, "variables")
    names = ("problem", "warn", "good", "dim", "link", "code", "mark")
    texts = {name: theme.variables[name] for name in names} | {"foreground": theme.foreground}  # type: ignore[attr-defined]
    for ground in (theme.background, theme.surface, theme.panel):  # type: ignore[attr-defined]
        for name, colour in texts.items():
            ratio = _ratio(colour, ground)
            assert ratio >= 4.5, f"{name} on {ground}: {ratio:.2f}"


def _ratio(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [c / 255 for c in Color.parse(colour).rgb]
        r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    a, b = sorted((light(one), light(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def test_glyphs_follow_the_stream() -> None:
    assert glyphs_for("auto", "utf-8", ascii_only=False) is UNICODE
    assert glyphs_for("auto", "UTF8", ascii_only=False) is UNICODE
    assert glyphs_for("auto", "latin-1", ascii_only=False) is PLAIN
    assert glyphs_for("auto", None, ascii_only=False) is PLAIN
    assert glyphs_for("unicode", "latin-1", ascii_only=False) is UNICODE
    assert glyphs_for("ascii", "utf-8", ascii_only=False) is PLAIN
    assert glyphs_for("unicode", "utf-8", ascii_only=True) is PLAIN
    assert all(mark.isascii() for mark in astuple(PLAIN))


@pytest.mark.parametrize(
    ("client", "ours"),
    [
        (None, "memtui-dark"),
        ("light", "memtui-light"),
        ("dark-daltonized", "memtui-daltonized"),
        ("light-ansi", "ansi-light"),
    ],
)
def test_the_clients_theme_is_followed(client: str | None, ours: str) -> None:
    assert theme_for("auto", client) == ours
