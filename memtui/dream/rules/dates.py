"""Relative dates made absolute, where the day on which a text was written makes them certain.

The date replaces the phrase only where it fits the same grammar: behind a preposition, as a possessive, alone in
brackets, before a Korean particle that doesn't depend on how the word sounds. Everywhere else the phrase stays behind
it, "2026-03-01 (yesterday)", since no rule can tell whether "yesterday" is an adverb, which a bare date isn't. Either
form is no relative date to `memory.dates`, so it is not touched again.

Left alone, because not certain:
- "today" and "오늘", which mean "nowadays" more often than a day; "last Friday", "in 3 days", "a month ago", quarters,
  seasons, sprints, "3일 전" (before what?);
- week words in a file of a Sunday, since weeks begin on Sunday in half of the world;
- a phrase below or beside another date, in a quotation, a heading or a link.
"""

import re
from datetime import date, timedelta

from msgspec import Struct

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.memory.dates import relative_dates
from memtui.memory.frontmatter import read_frontmatter, set_field
from memtui.memory.markdown import apply_edits, find_links, headings, is_inside

MAX_COUNTED_DAYS = 14  # above it, "20 days ago" is a round number
MAX_COUNTED_WEEKS = 8

_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
_DAYS = {
    "yesterday": -1, "tomorrow": 1, "the day before yesterday": -2, "the day after tomorrow": 2,
    "어제": -1, "그저께": -2, "그제": -2, "내일": 1, "명일": 1, "내일모레": 2, "모레": 2, "글피": 3, "금일": 0,
}  # fmt: skip
_TIMES = {"this morning": 0, "this afternoon": 0, "this evening": 0, "tonight": 0, "last night": -1}
_STEPS = {"last": -1, "this": 0, "next": 1, "지난": -1, "저번": -1, "이번": 0, "다음": 1}
_YEARS = {"작년": -1, "지난해": -1, "재작년": -2, "올해": 0, "금년": 0, "내년": 1}
_COUNTED = re.compile(r"(\d{1,4}|[a-z]+) (day|week)s? (ago|from now)")
_SPAN = re.compile(r"(last|this|next) (week|month|year)")
_KOREAN_SPAN = re.compile(r"(지난|저번|이번|다음)(주|달)(?:([월화수목금토일])요일)?")
_WEEKDAYS = "월화수목금토일"

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    r"(?:\d{4}[-./]\d{1,2}(?:[-./]\d{1,2})?|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}[ \t]+" + _MONTH + r"\b|\b" + _MONTH
    + r"[ \t]+\d{1,2}|\d{4}년|\d{1,2}월[ \t]*\d{1,2}일)"
)  # fmt: skip
_ANY_DATE = re.compile(_DATE, re.IGNORECASE)
_OPENS_WITH_DATE = re.compile(rf"[\s>#*_\-+\d.)(\[`|]*?{_DATE}", re.IGNORECASE)
_PREPOSITION = re.compile(r"\b(?:since|until|till|from|by|before|after|of|for|on|through)[ \t]\Z", re.IGNORECASE)
_PARTICLE = re.compile(r"부터|까지|에|의|도|만|보다")
_QUOTES = {"“": "”", "‘": "’", "「": "」", "『": "』", "«": "»"}


class _Date(Struct, frozen=True):
    """A date in words; `part` tells that the phrase says more (the time of day) and has to stay."""

    words: str
    part: bool = False


def make_dates_absolute(text: str, day: date) -> tuple[str, list[tuple[str, str]]]:
    """Make the relative dates below the front matter of a text of that day absolute; also gives each phrase's date."""
    edits: list[tuple[int, int, str]] = []
    found: list[tuple[str, str]] = []
    for start, end, phrase in _certain_phrases(text):
        when = meaning(phrase, day)
        if when is not None and (written := _replacement(text, start, end, when)) is not None:
            edits.append((start, end, written))
            found.append((phrase, when.words))
    return apply_edits(text, edits), found


def date_files(context: RuleContext) -> None:
    """Make the relative dates absolute in the text and description of each file with a day of its own."""
    for file in context.topics:
        day = context.day(file)
        if day is None:
            continue
        text, dates = make_dates_absolute(context.text(file.name), day)
        if file.description is not None and file.front.verdict != "invalid":
            description, more = make_dates_absolute(file.description, day)
            text = set_field(text, "description", description) if more else text
            dates += more
        meanings = ", ".join(dict.fromkeys(f'"{phrase}" is {when}' for phrase, when in dates))
        context.change("relative-date", file.name, f"{file.name} of {day.isoformat()}: {meanings}", {file.name: text})


def depends_on_its_day(text: str) -> bool:
    """Whether a text would mean something else in a file with another date."""
    some_day = date(2026, 3, 4)
    return any(meaning(phrase, some_day) is not None for _, _, phrase in relative_dates(text))


def meaning(phrase: str, day: date) -> _Date | None:
    """The date that a phrase means in a text of that day; `None` if that isn't certain."""
    words = " ".join(phrase.lower().split())
    if not words.isascii():
        words = words.replace(" ", "")
    if words in _DAYS:
        return _Date(_iso(day, _DAYS[words]))
    if words in _TIMES:
        return _Date(_iso(day, _TIMES[words]), part=True)
    if words in _YEARS:
        return _Date(f"{day.year + _YEARS[words]}년")
    if match := _COUNTED.fullmatch(words):
        count = int(match[1]) if match[1].isdigit() else _COUNTS.get(match[1], 0)
        sign = -1 if match[3] == "ago" else 1
        if match[2] == "day":
            return _Date(_iso(day, sign * count)) if 0 < count <= MAX_COUNTED_DAYS else None
        return _week(day, sign * count, "the week of {}") if 0 < count <= MAX_COUNTED_WEEKS else None
    if match := _SPAN.fullmatch(words):
        step = _STEPS[match[1]]
        if match[2] == "week":
            return _week(day, step, "the week of {}")
        return _Date(_month(day, step) if match[2] == "month" else str(day.year + step))
    if match := _KOREAN_SPAN.fullmatch(words):
        step = _STEPS[match[1]]
        if match[2] == "달":
            return _Date(_month(day, step)) if match[3] is None else None
        return _week(day, step, "{}", _WEEKDAYS.index(match[3])) if match[3] else _week(day, step, "{} 주")
    return None


def _iso(day: date, step: int) -> str:
    return (day + timedelta(days=step)).isoformat()


def _week(day: date, step: int, words: str, weekday: int = 0) -> _Date | None:
    if day.weekday() == 6:
        return None
    return _Date(words.format(_iso(day, 7 * step - day.weekday() + weekday)))


def _month(day: date, step: int) -> str:
    month = day.year * 12 + day.month - 1 + step
    return f"{month // 12}-{month % 12 + 1:02}"


def _replacement(text: str, start: int, end: int, when: _Date) -> str | None:
    phrase, behind = text[start:end], text[end : end + 2]
    words = when.words
    if phrase[0].isupper():
        words = words[0].upper() + words[1:]
    korean = not phrase.isascii()
    if behind in ("'s", "’s"):
        return None if when.part else words
    fits = _PARTICLE.match(text, end) if korean else _PREPOSITION.search(text, max(0, start - 9), start)
    alone = text[start - 1 : start] == "(" and behind[:1] == ")"
    if (fits or alone) and not when.part:
        return words
    return f"{words}({phrase})" if korean else f"{words} ({phrase})"


def _certain_phrases(text: str) -> list[tuple[int, int, str]]:
    """The phrases whose day can only be that of the file."""
    body = read_frontmatter(text).body_start
    hits = [hit for hit in relative_dates(text) if hit[0] >= body]
    if not hits:
        return []
    closed = [(link.start, link.end) for link in find_links(text)]
    closed += [(heading.start, heading.end) for heading in headings(text)]
    closed.sort()
    free = _undated_paragraphs(text, body)
    return [
        (start, end, phrase)
        for start, end, phrase in hits
        for first, last in free
        if first <= start < last and not is_inside(closed, start) and not _is_quoted(text, first, start, end)
    ]


def _undated_paragraphs(text: str, body: int) -> list[tuple[int, int]]:
    """The paragraphs without a date of their own and not below a line that begins with one."""
    free: list[tuple[int, int]] = []
    start = at = body
    has_date = opened = False
    for line in text[body:].split("\n"):
        if not line.strip():
            if start < at and not has_date:
                free.append((start, at))
            start, has_date = at + len(line) + 1, opened
        else:
            is_heading = line.lstrip().startswith("#")
            dated = _ANY_DATE.search(line) is not None
            opened = opened or (dated and (is_heading or _OPENS_WITH_DATE.match(line) is not None))
            has_date = has_date or dated or opened
        at += len(line) + 1
    if start < at and not has_date:
        free.append((start, at))
    return free


def _is_quoted(text: str, paragraph: int, start: int, end: int) -> bool:
    """Whether a phrase is in a quotation or part of a longer name (`notes-yesterday`, `/yesterday`)."""
    line = text.rfind("\n", 0, start) + 1
    if text.startswith(">", line + len(text[line:start]) - len(text[line:start].lstrip())):
        return True
    before = text[paragraph:start]
    if before.count('"') % 2 or any(before.count(left) > before.count(right) for left, right in _QUOTES.items()):
        return True
    if text[start - 1 : start] in ("-", "/", "\\", "@", "#", "=", "'", "&", "?", ".", "~"):
        return True
    behind = text[end : end + 2]
    return behind[:1] in ("-", "/", "=", "\\", "@") or (behind[:1] == "." and behind[1:].isalnum())


STEP = RuleStep((date_files,), order=10)
