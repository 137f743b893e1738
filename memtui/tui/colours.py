"""The colours of our themes as plain numbers: Textual's themes and the first picture are both made from them.

Every text colour has at least 4.5:1 against the surfaces it stands on (tests/tui/test_theme.py).
"""

from msgspec import Struct
from msgspec.structs import asdict


class Palette(Struct, frozen=True):
    """The colours that stylesheets and panels name, each with a dollar sign in front."""

    problem: str
    warn: str
    good: str
    dim: str
    link: str
    code: str
    mark: str

    def variables(self) -> dict[str, str]:
        """As variables for a theme."""
        return asdict(self)


class Colours(Struct, frozen=True):
    """One theme of ours: text, and what it stands on. `border` is that of a pane without the focus."""

    palette: Palette
    dark: bool
    primary: str
    foreground: str
    background: str
    surface: str
    panel: str
    border: str


DARK = Palette("#ff8a8a", "#e8bd62", "#93c98a", "#9aa3b2", "#7cb7ff", "#d3a6e8", "#f0c674")
LIGHT = Palette("#b3261e", "#7a5200", "#1e6b31", "#565e6c", "#0b57b0", "#7a2f93", "#7a4d00")
DALTONIZED = Palette("#ffa64d", "#ffd27f", "#6fb7ff", "#a2aab8", "#8ec5ff", "#c7c7ff", "#ffd27f")
ANSI = Palette("ansi_red", "ansi_yellow", "ansi_green", "ansi_default", "ansi_blue", "ansi_magenta", "ansi_yellow")

OURS = {
    "memtui-dark": Colours(DARK, True, "#5fa3f5", "#dfe3ea", "#14171c", "#1a1e25", "#242a33", DARK.dim),
    "memtui-light": Colours(LIGHT, False, "#1a5fb4", "#1d2127", "#fbfbf9", "#f3f3ef", "#e7e7e1", LIGHT.dim),
    "memtui-daltonized": Colours(
        DALTONIZED, True, "#4d9de8", "#e4e7ee", "#12151b", "#191d25", "#232935", DALTONIZED.dim
    ),
}

_TERMINALS = ("ansi_blue", "ansi_default", "ansi_default", "ansi_default", "ansi_default")
TEXTUALS = {
    "ansi-dark": Colours(ANSI, True, *_TERMINALS, "ansi_black"),
    "ansi-light": Colours(ANSI, False, *_TERMINALS, "ansi_white"),
}
"""The two of Textual's own that may be chosen, as far as the first picture shows them."""


def theme_like(client: object) -> str:
    """Our theme that is like the agent client's: "light-daltonized" and its kin; dark if it has none."""
    words = client.split("-") if isinstance(client, str) else []
    if "ansi" in words:
        return "ansi-light" if "light" in words else "ansi-dark"
    return "memtui-daltonized" if "daltonized" in words else "memtui-light" if "light" in words else "memtui-dark"


def theme_for(wanted: str, client: object) -> str:
    """The theme that our setting asks for; "auto" follows the agent client's."""
    return theme_like(client) if wanted == "auto" else wanted
