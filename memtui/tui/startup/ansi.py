"""Rows of styled text as escape sequences, in the colours that the terminal has."""

from collections.abc import Mapping, Sequence

from memtui.tui.colours import OURS, TEXTUALS, Colours
from memtui.tui.startup.frame import Run

CURSOR = 0.45
"""How much of the primary colour the stylesheet of `Lines` gives the row with the cursor while it has the focus."""

_MARKS = {"bold": "1", "reverse": "7"}
_NAMED = {"default": 9, "black": 0, "red": 1, "green": 2, "yellow": 3, "blue": 4, "magenta": 5, "white": 7}
_DEPTHS = {"256color": "256", "kitty": "256"}


def depth(environ: Mapping[str, str]) -> str:
    """How many colours there are, as Textual decides it: "true", "256" or "16"."""
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return "true"
    return _DEPTHS.get(environ.get("TERM", "").strip().lower().rpartition("-")[2], "16")


class Painter:
    """Draws in the colours of one theme.

    Args:
        theme: Its name: one of ours, or of the terminal's own colours.
        depth: As `depth` gives it.
        grey: No colours (NO_COLOR).

    Raises:
        KeyError: If there is no such theme, or it can't be told what Textual makes of it.
    """

    def __init__(self, theme: str, depth: str, *, grey: bool) -> None:
        self._colours: Colours = OURS[theme] if grey else (OURS | TEXTUALS)[theme]
        self._depth = depth
        self._grey = grey
        self._known: dict[tuple[str, str], str] = {}

    def draw(self, rows: Sequence[Sequence[Run]]) -> str:
        """All rows, from the first line of the screen on."""
        pieces: list[str] = []
        last = ""
        for number, row in enumerate(rows, 1):
            pieces.append(f"\x1b[{number};1H")
            for piece, style, ground in row:
                if piece:
                    codes = self._style(style, ground)
                    pieces += [codes, piece] if codes != last else [piece]
                    last = codes
        return "".join([*pieces, "\x1b[0m"])

    def _style(self, style: str, ground: str) -> str:
        codes = self._known.get((style, ground))
        if codes is None:
            codes = self._known[style, ground] = self._codes(style, ground)
        return codes

    def _codes(self, style: str, ground: str) -> str:
        words = style.split()
        ink = next((word[1:] for word in words if word.startswith("$")), "foreground")
        marks = sorted(_MARKS[word] for word in words if word in _MARKS)
        return f"\x1b[{';'.join(['0', *marks, self._number(self._of(ink), 30), self._number(self._of(ground), 40)])}m"

    def _of(self, name: str) -> str:
        colours = self._colours
        if name == "cursor":
            return _over(colours.surface, colours.primary)
        found: str = getattr(colours.palette, name, "") or getattr(colours, name)
        return found

    def _number(self, colour: str, base: int) -> str:
        """The code of a colour, as ink (30) or ground (40)."""
        if not colour.startswith("#"):
            return str(base + _NAMED[colour.removeprefix("ansi_")])
        rgb = _parts(colour)
        if self._grey:
            red, green, blue = rgb
            rgb = (round(red * 0.2126 + green * 0.7152 + blue * 0.0722),) * 3
        if self._depth == "true":
            return f"{base + 8};2;{rgb[0]};{rgb[1]};{rgb[2]}"
        if self._depth == "256":
            return f"{base + 8};5;{_of_256(rgb)}"
        from rich.color import Color, ColorSystem

        return ";".join(Color.from_rgb(*rgb).downgrade(ColorSystem.STANDARD).get_ansi_codes(foreground=base == 30))


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def _over(ground: str, colour: str) -> str:
    """A component's colour over its widget's, as Textual mixes them: first with black, then with what is below.

    The terminal's own colours can't be mixed; there the upper one counts.
    """
    if not ground.startswith("#"):
        return colour
    dark = [int(part * (1 - CURSOR)) for part in _parts(colour)]
    share = CURSOR * (1 - CURSOR)
    mixed = (int(low + (high - low) * share) for low, high in zip(_parts(ground), dark, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _of_256(rgb: tuple[int, ...]) -> int:
    """The nearest of the 256 colours, by the rule of rich, which Textual asks."""
    from colorsys import rgb_to_hls

    _, light, saturation = rgb_to_hls(*(part / 255 for part in rgb))
    if saturation < 0.15:
        grey = round(light * 25)
        return 16 if grey == 0 else 231 if grey == 25 else 231 + grey
    red, green, blue = (round(part / 95 if part < 95 else 1 + (part - 95) / 40) for part in rgb)
    return 16 + 36 * red + 6 * green + blue
