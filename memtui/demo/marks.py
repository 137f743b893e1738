"""Placeholders in the data files, filled in for a given time: `{{-12d}}` is the date twelve days ago.

Data files are plain text. What depends on the time or the home folder is a placeholder:

    {{-12d}} {{+6d}}      a date, as 2026-11-18
    {{-2d3h iso}}         a time, as Claude Code writes it: 2026-11-28T01:12:00.000Z
    {{-3d ko}}            a date as Korean prose: 11월 27일
    {{session:NAME}}      the id of the session that sessions/NAME.txt becomes
    {{cwd}} {{memory}}    folders, where the caller knows them
    {{secret}}            something that looks like a credential and isn't one

Anything else in double braces stays, because templates of other programs occur in transcripts.
"""

import hashlib
import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

_MARK = re.compile(
    r"\{\{(?:(?P<sign>[+-])(?P<span>(?:\d+[dhm])+)(?: (?P<form>iso|ko))?"
    r"|session:(?P<session>[\w-]+)|(?P<name>[a-z]+))\}\}"
)
_MODIFIED = re.compile(r"^\s*modified: \{\{-((?:\d+[dhm])+) iso\}\}$", re.MULTILINE)
_UNITS = {"d": 86_400, "h": 3_600, "m": 60}

FAKE_SECRET = "moru_sandbox_" + hashlib.sha256(b"not a credential").hexdigest()[:40]
"""Looks like a token, so that the secret scanner finds it, and is none."""


def span_seconds(span: str) -> int:
    """The length of a span such as "2d3h" or "45m"."""
    return sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([dhm])", span))


def iso_timestamp(when: float) -> str:
    """Format a time as Claude Code does, UTC with milliseconds."""
    moment = datetime.fromtimestamp(round(when * 1000) / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def made_uuid(*words: object) -> str:
    """A UUID that looks random and is the same each time for the same words."""
    return str(uuid.UUID(bytes=hashlib.sha256("\0".join(map(str, words)).encode()).digest()[:16], version=4))


def demo_session_id(name: str) -> str:
    return made_uuid("session", name)


def fill(text: str, now: float, names: Mapping[str, str] | None = None) -> str:
    """Fill in every mark that is known; `names` says what `{{cwd}}` and the like stand for."""
    known = {"secret": FAKE_SECRET, **(names or {})}

    def word(match: re.Match[str]) -> str:
        if match["session"]:
            return demo_session_id(match["session"])
        if match["name"]:
            return known.get(match["name"], match[0])
        when = now + span_seconds(match["span"]) * (1 if match["sign"] == "+" else -1)
        if match["form"] == "iso":
            return iso_timestamp(when)
        moment = datetime.fromtimestamp(when, UTC)
        return f"{moment.month}월 {moment.day}일" if match["form"] == "ko" else f"{moment:%Y-%m-%d}"

    return _MARK.sub(word, text)


def age_in(text: str) -> int | None:
    """The age in seconds that a topic file gives itself by `modified: {{-2d iso}}`, if it has one."""
    found = _MODIFIED.search(text)
    return span_seconds(found[1]) if found else None
