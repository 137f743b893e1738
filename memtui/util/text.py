"""Foreign text made visible; ages, sizes and widths of text.

`visible` is the one sanitiser: a terminal obeys escape, C1 and bidi characters wherever they come from, and Textual
passes them on. Everything from disk or a model goes through it before a widget or a terminal sees it.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

JS_SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # noqa: E501
"""What JavaScript counts as white space, and so Claude Code where it trims text."""
_FORMAT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{_FORMAT}]")
# A joiner inside an emoji sequence is part of one drawn character, but terminals differ in how many cells they draw it
# in: shown apart, widths stay true.


def replace_surrogates(value: str) -> str:
    """Replace half surrogate pairs by U+FFFD, as the agent client does: no request can hold one."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def visible(text: str, *, keep: str = "\n\t") -> str:
    """Replace every character that a terminal would obey or hide by a visible mark.

    Controls become control pictures (ESC is "␛"), format characters and lone surrogates "‹U+202E›"; those in `keep`
    stay, and a caller that draws single lines passes "". `visible(visible(s)) == visible(s)`.
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
    """Format an age: "now", "5m", "1h", "2d", "3w", "4mo", "1y". A time in the future counts as now."""
    if seconds < 86_400:
        return "now" if seconds < 60 else f"{int(seconds // 60)}m" if seconds < 3600 else f"{int(seconds // 3600)}h"
    days = int(seconds // 86_400)
    if days < 60:
        return f"{days}d" if days < 14 else f"{days // 7}w"
    return f"{days // 30}mo" if days < 365 else f"{days // 365}y"


def time_ago(seconds: float) -> str:
    """Format an age for a sentence: "just now", "5m ago"."""
    return "just now" if seconds < 60 else f"{age(seconds)} ago"


def duration(seconds: float) -> str:
    """Format a duration: "8s", "2m14s", "1h05m"."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    return f"{whole // 60}m{whole % 60:02}s" if whole < 3600 else f"{whole // 3600}h{whole // 60 % 60:02}m"


def size(number: int) -> str:
    """Format a size, with 1k for 1,000: "340", "1.1k", "25k", "1.2M"."""
    for unit, word in ((10**9, "G"), (10**6, "M"), (1000, "k")):
        if number >= unit:
            value = number / unit
            return f"{value:.1f}{word}" if value < 99.95 else f"{value:.0f}{word}"
    return str(number)


def pluralize(number: int, word: str) -> str:
    """Format a count of something whose plural ends in s: "1 file", "2,000 files"."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def break_path(path: str, width: int, *, ellipsis: str = "…") -> list[str]:
    """A path as lines of at most `width` cells that end behind a slash; the middle of a longer name is left out."""
    lines = [""]
    for part in re.findall(r"[^/]*/|[^/]+", path):
        if cells(part) > width:
            half = (width - 1) // 2
            end = next(part[at:] for at in range(len(part) + 1) if cells(part[at:]) <= half)
            part = clip(part, width - half, ellipsis=ellipsis) + end
        if lines[-1] and cells(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return lines


def sentence(words: str) -> str:
    """Words of ours with a capital in front; not for what may begin with the name of a file."""
    return words[:1].upper() + words[1:]


def first_lines(lines: Sequence[str], most: int) -> Sequence[str]:
    """At most so many lines; where some are left out, the last one says how many."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"and {len(lines) - most + 1:,} more"]


def cells(text: str) -> int:
    """How many terminal cells the text takes; combining marks take none, East Asian wide characters two."""
    if text.isascii():
        return len(text)
    known = _known_cells(text)
    if known is not None:
        return known
    from rich.cells import cell_len  # 3 ms, and few names need its table

    return cell_len(text)


_WIDTH_RANGES = (
    ("\x20", "\x7e", 1), ("\xa0", "\xac", 1), ("\xae", "\u02ff", 1), ("\u0370", "\u0482", 1),
    ("\u2010", "\u2027", 1), ("\u2190", "\u21ff", 1), ("\u2500", "\u25fc", 1), ("\u23ce", "\u23ce", 1),
    ("\u3041", "\u3096", 2), ("\u30a1", "\u30fa", 2), ("\u4e00", "\u9fff", 2), ("\uac00", "\ud7a3", 2),
)  # fmt: skip
"""First and last character of ranges of one width; enough for most names and all our own glyphs."""
_UNKNOWN_WIDTH = -1 << 30  # so small that the sum of a text with one such character is negative


@cache
def _width(char: str) -> int:
    return next((width for first, last, width in _WIDTH_RANGES if first <= char <= last), _UNKNOWN_WIDTH)


def _known_cells(text: str) -> int | None:
    total = sum(map(_width, text))
    return total if total >= 0 else None


def clip(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Cut text to `width` cells; an ellipsis stands for the rest."""
    if width <= 0:
        return ""
    if cells(text) <= width:
        return text
    if (room := width - cells(ellipsis)) < 0:
        return ""
    if text.isascii():
        return text[:room] + ellipsis
    if _known_cells(text) is not None:
        fitting = sum(taken <= room for taken in accumulate(map(_width, text)))
        return text[:fitting].rstrip(" ") + ellipsis
    from rich.cells import set_cell_size

    return set_cell_size(text, room).rstrip(" ") + ellipsis if room else ellipsis


def pad(text: str, width: int, *, right: bool = False, ellipsis: str = "…") -> str:
    """Clip or fill text to exactly `width` cells; `right` aligns it to the right."""
    cut = clip(text, width, ellipsis=ellipsis)
    room = " " * (width - cells(cut))
    return room + cut if right else cut + room


def nfc(text: str) -> str:
    """Compose text (NFC), so that two spellings of one name compare equal."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def lower(text: str) -> str:
    """A text in lower case, as long as before: a capital whose small form is longer stays."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
