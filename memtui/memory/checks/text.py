"""What a text says by itself, whatever folder it is in; kept with its digest, so that a file is judged once."""

import re

from msgspec import Struct

from memtui.memory.markdown import code_spans


class Phrase(Struct, frozen=True):
    """A relative date: line and column count from 1, in characters."""

    line: int
    column: int
    words: str


class Secret(Struct, frozen=True):
    """A finding of the secret scan, masked."""

    rule: str
    line: int
    column: int
    masked: str
    fingerprint: str


class TextFindings(Struct, frozen=True):
    """What was found in a text of that digest (SHA-256 of the file's bytes; "" for a text that isn't saved)."""

    digest: str
    secrets: tuple[Secret, ...] = ()
    dates: tuple[Phrase, ...] = ()


def find_in_text(text: str, digest: str = "", *, dates: bool = True) -> TextFindings:
    """Look through a text.

    Args:
        text: The whole file.
        digest: Of its bytes.
        dates: Also relative dates; a daily log may speak of "yesterday".
    """
    from memtui.secrets.scanner import scan  # its patterns take as long to compile as a first picture may

    secrets = tuple(Secret(f.rule, f.line, f.column, f.masked, f.fingerprint) for f in scan(text))
    return TextFindings(digest, secrets, _dates(text) if dates else ())


_ENGLISH = ("yesterday", "today", "tomorrow", "tonight", "last", "next", "this", "earlier", "later", " ago", "from now")
_IN_SOME = re.compile(r"(?<![a-z])in[ \t]+(?:\d|an? |one|two|three|four|five|six|seven|eight|nine|ten|several)")
_KOREAN = (
    *(
        "지난",
        "저번",
        "이번",
        "다음",
        "오늘",
        "그저께",
        "그제",
        "엊그",
        "어젯",
        "어제",
        "내일",
        "모레",
        "글피",
        "방금",
        "아까",
    ),
    *("작년", "올해", "내년", "내후년", "금년", "금주", "금일", "명일", "익일", "전날"),
)
_KOREAN_AGO = re.compile("[분간일주달월해년루틀흘새름칠쯤도][ \t]?[전후뒤]")


def _dates(text: str) -> tuple[Phrase, ...]:
    """Relative dates; only lines that hold a word of one are looked at closely."""
    from memtui.memory.dates import relative_dates  # as above

    low = text.lower()
    words = [word for word in _ENGLISH if word in low]
    ascii_only = text.isascii()
    if not ascii_only:
        words += [word for word in _KOREAN if word in low]
    loose = _IN_SOME.search(low) is not None or (not ascii_only and _KOREAN_AGO.search(text) is not None)
    if not words and not loose:
        return ()
    found: list[Phrase] = []
    blocks: list[tuple[int, int]] | None = None
    at = 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        small = line.lower()
        if any(word in small for word in words) or (loose and (_IN_SOME.search(small) or _KOREAN_AGO.search(line))):
            bare = line.strip(" \t")
            behind = lines[number].strip()[:24] if number < len(lines) else ""  # its date may stand there
            indent = len(line) - len(line.lstrip(" \t"))
            for start, _end, phrase in relative_dates(f"{bare}\n{behind}"):
                if start >= len(bare):
                    break
                if blocks is None:
                    blocks = code_spans(text)
                if not any(first <= at + indent + start < last for first, last in blocks):
                    found.append(Phrase(number, indent + start + 1, phrase))
        at += len(line) + 1
    return tuple(found)
