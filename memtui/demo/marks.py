"""Placeholders in the data files, filled in for a given time: `{{-12d}}` is the date twelve days ago.

Data files are plain text. What depends on the time or the home folder is a placeholder:

    {{-12d}} {{+6d}}      a date, as 2026-11-18
    {{-2d3h1.5s iso}}     a time, as Claude Code writes it: 2026-11-28T01:11:58.500Z
    {{-3d ko}}            a date as Korean prose: 11월 27일
    {{cwd}} {{memory}}    folders, where the caller knows them
    {{secret}}            something that looks like a credential and isn't one

Anything else in double braces stays, because templates of other programs occur in transcripts.
"""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime

_SPAN = r"(?:\d+(?:\.\d+)?[dhms])+"
_MARK = re.compile(rf"\{{\{{(?:(?P<sign>[+-])(?P<span>{_SPAN})(?: (?P<form>iso|ko))?|(?P<name>[a-z]+))\}}\}}")
_MODIFIED = re.compile(rf"^\s*modified: \{{\{{-({_SPAN}) iso\}}\}}$", re.MULTILINE)
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}

FAKE_SECRET = "moru_sandbox_" + hashlib.sha256(b"not a credential").hexdigest()[:40]
"""Looks like a token, so that the secret scanner finds it, and is none."""


def span_seconds(span: str) -> float:
    """The length of a span such as "2d3h" or "45m1.5s"."""
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+)([dhms])", span))


def iso_timestamp(when: float) -> str:
    """Format a time as Claude Code does, UTC with milliseconds."""
    moment = datetime.fromtimestamp(round(when * 1000) / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def fill(text: str, now: float, names: Mapping[str, str] | None = None) -> str:
    """Fill in every mark that is known; `names` says what `{{cwd}}` and the like stand for."""
    known = {"secret": FAKE_SECRET, **(names or {})}

    def word(match: re.Match[str]) -> str:
        if match["name"]:
            return known.get(match["name"], match[0])
        when = now + span_seconds(match["span"]) * (1 if match["sign"] == "+" else -1)
        if match["form"] == "iso":
            return iso_timestamp(when)
        moment = datetime.fromtimestamp(when, UTC)
        return f"{moment.month}월 {moment.day}일" if match["form"] == "ko" else f"{moment:%Y-%m-%d}"

    return _MARK.sub(word, text)


def age_in(text: str) -> float | None:
    """The age in seconds that a topic file gives itself by `modified: {{-2d iso}}`, if it has one."""
    found = _MODIFIED.search(text)
    return span_seconds(found[1]) if found else None
