"""A day by which something was to be over, long past ("freeze until 2024-03-01"), and "for now" in an old file."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem, TextHit
from memtui.memory.markdown import code_spans, is_inside
from memtui.util.text import age

LONG_PAST = timedelta(days=30)
STALE_WORDS_S = 180 * 86_400.0  # age of a file from which "for now" is doubtful
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DATE = re.compile(
    r"\b(?:until|till|valid (?:until|through|to)|expires?(?: on)?|deadline(?: is)?:?|due(?: on| by)?:?|no later than"
    r"|freezes? through|ends on)\s+(?:the\s+)?"
    r"(?:(?P<iso>20\d\d-\d\d?-\d\d?)|(?P<month>[A-Za-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>20\d\d))\b",
    re.IGNORECASE,
)
_OVER_ALREADY = re.compile(
    r"\b(?:was|were|used|had|did|ran|been|kept|lasted|worked|existed|stayed|expired|resolved|fixed|done|merged|over)\b",
    re.IGNORECASE,
)
"""A sentence that tells of the past says nothing wrong."""
_FOR_NOW = re.compile(
    r"\b(?:for now|for the time being|for the moment|temporarily|next (?:sprint|release|milestone|iteration))\b",
    re.IGNORECASE,
)


def find_in_text(text: str) -> tuple[TextHit, ...]:
    """Find both outside code; `rule` of a hit is its day, "" for words without one."""
    lower = text.lower()
    found = [(match, _day(match)) for match in _DATE.finditer(text)] if "20" in text else []
    found = [(match, day) for match, day in found if day and not _OVER_ALREADY.search(_sentence(text, match))]
    is_vague = any(word in lower for word in ("for now", "for the ", "temporarily", "next "))
    words = [(match, "") for match in _FOR_NOW.finditer(text)] if is_vague else []
    if not found and not words:
        return ()
    code = code_spans(text)
    hits = [_hit(text, match, day) for match, day in (*found, *words) if not is_inside(code, match.start())]
    return tuple(sorted(hits, key=lambda hit: (hit.line, hit.column)))


def _hit(text: str, match: re.Match[str], day: str) -> TextHit:
    at = match.start()
    return TextHit(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), " ".join(match[0].split()), day)


def _day(match: re.Match[str]) -> str:
    try:
        if match["iso"]:
            return str(date(*map(int, match["iso"].split("-"))))
        return str(date(int(match["year"]), _MONTHS.index(match["month"][:3].lower()) + 1, int(match["day"])))
    except ValueError:
        return ""


def _sentence(text: str, match: re.Match[str]) -> str:
    """What stands around a match, from the last end of a sentence or line to the next."""
    start = max(text.rfind(end, 0, match.start()) for end in ("\n", ". ", "; "))
    ends = [at for end in ("\n", ". ", "; ") if (at := text.find(end, match.end())) >= 0]
    return text[start + 1 : min(ends, default=len(text))]


def find(file: CheckedFile) -> Iterator[Problem]:
    folder = file.folder
    if folder is None or not folder.now:
        return
    today = datetime.fromtimestamp(folder.now).date()
    for hit in file.hits("past-date"):
        if hit.rule and date.fromisoformat(hit.rule) + LONG_PAST < today:
            message = f'"{hit.words}" is long past: does the rest still hold?'
            yield file.problem("past-date", "info", message, hit.line, hit.column, subject=hit.rule)
        elif not hit.rule and file.age_s > STALE_WORDS_S:
            message = f'"{hit.words}" was written {age(file.age_s)} ago or earlier: does it still hold?'
            yield file.problem("past-date", "info", message, hit.line, hit.column)


CHECK = Check(("past-date",), TOPICS, find, find_in_text=find_in_text, order=270)
"""Of an index the same words are in the topics; a daily log has its date."""
