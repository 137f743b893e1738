"""Foreign text made visible, and the short words for ages, sizes and widths.

`visible` is the one sanitiser: a terminal obeys escape, C1 and bidi characters wherever they come from, and Textual
passes them on. Everything from disk or a model goes through it before a widget or a terminal sees it.
"""

import re

JS_SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # noqa: E501
"""What JavaScript counts as white space: the agent client cuts its texts by it."""

_FORMAT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{_FORMAT}]")
# A joiner inside an emoji sequence is part of one drawn character, but whether a terminal draws it as one cell pair or
# as several is anybody's guess: shown apart, widths stay true.


def visible(text: str, *, keep: str = "\n\t") -> str:
    """Replace every character that a terminal would obey or hide by a visible mark.

    Args:
        text: Anything, lone surrogates included.
        keep: Control characters to leave as they are; a caller that draws single lines passes "".

    Returns:
        Text in which controls stand as control pictures (ESC is "␛") and format characters as "‹U+202E›".
        `visible(visible(s)) == visible(s)`.
    """
    if text.isascii() and text.isprintable():
        return text

    def mark(match: re.Match[str]) -> str:
        char = match[0]
        if char in keep:
            return char
        code = ord(char)
        if code < 0x20:
            return chr(0x2400 + code)
        return "\u2421" if code == 0x7F else f"‹U+{code:04X}›"

    return _UNSAFE.sub(mark, text)


def is_plain(text: str) -> bool:
    """Whether `visible` would leave the text as it is, tabs and line ends apart."""
    return visible(text) == text


def age(seconds: float) -> str:
    """A short age: "now", "5m", "1h", "2d", "3w", "4mo", "1y". A time in the future counts as now."""
    if seconds < 86_400:
        return "now" if seconds < 60 else f"{int(seconds // 60)}m" if seconds < 3600 else f"{int(seconds // 3600)}h"
    days = int(seconds // 86_400)
    if days < 60:
        return f"{days}d" if days < 14 else f"{days // 7}w"
    return f"{days // 30}mo" if days < 365 else f"{days // 365}y"


def time_ago(seconds: float) -> str:
    """An age as part of a sentence: "just now", "5m ago"."""
    return "just now" if seconds < 60 else f"{age(seconds)} ago"


def duration(seconds: float) -> str:
    """How long: "8s", "2m14s", "1h05m"."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    return f"{whole // 60}m{whole % 60:02}s" if whole < 3600 else f"{whole // 3600}h{whole // 60 % 60:02}m"


def size(number: int) -> str:
    """A short size in bytes or units where 1k is 1,000: "340", "1.1k", "25k", "1.2M"."""
    if number < 1000:
        return str(number)
    unit, word = (1000, "k") if number < 1_000_000 else (1_000_000, "M") if number < 1_000_000_000 else (10**9, "G")
    value = number / unit
    return f"{value:.1f}{word}" if value < 99.95 else f"{value:.0f}{word}"


def pluralize(number: int, word: str) -> str:
    """So many of a thing whose plural ends in s: "1 file", "2,000 files"."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def cells(text: str) -> int:
    """How many terminal cells the text takes; combining marks take none, East Asian wide characters two."""
    if text.isascii():
        return len(text)
    sure = _sure_cells(text)
    if sure is not None:
        return sure
    from rich.cells import cell_len

    return cell_len(text)


_SURE = (
    ("\x20", "\x7e", 1), ("\xa0", "\xac", 1), ("\xae", "\u02ff", 1), ("\u0370", "\u0482", 1),
    ("\u2010", "\u2027", 1), ("\u2190", "\u21ff", 1), ("\u2500", "\u25fc", 1), ("\u23ce", "\u23ce", 1),
    ("\u3041", "\u3096", 2), ("\u30a1", "\u30fa", 2), ("\u4e00", "\u9fff", 2), ("\uac00", "\ud7a3", 2),
)  # fmt: skip
"""First and last character of blocks in which all are as wide; enough for most names and all our own marks."""


_NEVER = -1 << 30
"""Less than any text is wide."""


class _Widths(dict[str, int]):
    """The width of every character that was asked for; `_NEVER` for one whose width needs a table."""

    def __missing__(self, char: str) -> int:
        self[char] = found = next((width for first, last, width in _SURE if first <= char <= last), _NEVER)
        return found


_widths = _Widths()


def _sure_cells(text: str) -> int | None:
    """The width, if every character is one whose width needs no table: the table's import costs a tenth of a start."""
    total = sum(map(_widths.__getitem__, text))
    return total if total >= 0 else None


def clip(text: str, width: int, *, ellipsis: str = "…") -> str:
    """The text in at most `width` cells; what is cut shows as an ellipsis."""
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    room = width - cells(ellipsis)
    if room < 0:
        return ""
    if text.isascii():
        return text[:room] + ellipsis
    if _sure_cells(text) is not None:
        return _first_cells(text, room).rstrip(" ") + ellipsis
    from rich.cells import set_cell_size

    return set_cell_size(text, room).rstrip(" ") + ellipsis if room else ellipsis


def _first_cells(text: str, room: int) -> str:
    """As many whole characters as fit; all of them of a sure width."""
    for number, char in enumerate(text):
        room -= _sure_cells(char) or 0
        if room < 0:
            return text[:number]
    return text


def pad(text: str, width: int, *, right: bool = False, ellipsis: str = "…") -> str:
    """The text in exactly `width` cells, clipped or filled with blanks; `right` puts the blanks in front."""
    cut = clip(text, width, ellipsis=ellipsis)
    room = " " * (width - cells(cut))
    return room + cut if right else cut + room


def nfc(text: str) -> str:
    """Composed form, so that two spellings of one name compare equal."""
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)
