"""One line of a transcript: usually one JSON object, sometimes torn, glued or no JSON at all.

A writer that was killed leaves half a record, and the next writer's first record is then on the same line.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn

from msgspec import Struct, field

MAX_LINE_BYTES = 32 << 20  # a longer line is skipped without being held in memory
MAX_RECORDS_PER_LINE = 64  # records taken from one line at most
JSON_WHITE_SPACE = b" \t\r\n"
Record = dict[str, Any]

MAX_RECOVERY_TRIES = 1_000  # offsets in one torn line at which a record is tried
_OBJECT = re.compile(r'\{\s*"')
_JSON_KINDS = {str: "text", bool: "true or false", int: "a number", float: "a number", list: "a list"}
_ENVELOPE = ("uuid", "sessionId", "messageId", "leafUuid", "timestamp", "parentUuid")


class ParsedLine(Struct):
    """The objects of a line, how many don't begin it, what is wrong with the rest, and whether bytes were no UTF-8."""

    objects: list[Record] = field(default_factory=list)
    bad: str = ""
    salvaged: int = 0
    lossy: bool = False


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse)


def map_values(value: Any, change: Callable[[Any], Any]) -> Any:
    """A JSON value in which every text, number and other scalar is changed, and every key."""
    if isinstance(value, dict):
        return {change(key): map_values(part, change) for key, part in value.items()}
    return [map_values(part, change) for part in value] if isinstance(value, list) else change(value)


def parse_line(line: bytes) -> ParsedLine:
    """The records of a line without its end; one that doesn't parse as a whole is searched for whole records."""
    parsed = ParsedLine()
    stripped = line.strip(JSON_WHITE_SPACE)
    if not stripped:
        return parsed
    try:
        text = stripped.decode()
    except UnicodeDecodeError:
        text = stripped.decode(errors="replace")
        parsed.lossy = True
    try:
        value, end = _decoder.raw_decode(text)
    except (ValueError, RecursionError) as error:
        parsed.bad = _why(text, error)
        _recover(text, 0, parsed)
        return parsed
    if not isinstance(value, dict):
        parsed.bad = f"{_JSON_KINDS.get(type(value), 'null')}, not an object"
        return parsed
    parsed.objects.append(value)
    if end < len(text):
        _recover(text, end, parsed)
    return parsed


def awaits_value(line: bytes) -> bool:
    """Whether a line is cut off where any value could follow."""
    text = line.decode(errors="replace").strip() + " 0"
    try:
        _decoder.raw_decode(text)
    except json.JSONDecodeError as error:
        return text.startswith("{") and error.pos >= len(text)
    except (ValueError, RecursionError):
        return False
    return False


def _recover(text: str, at: int, parsed: ParsedLine) -> None:
    clean = at > 0
    tries = MAX_RECOVERY_TRIES
    while at < len(text):
        while at < len(text) and text[at] in " \t\r\n":
            at += 1
        if at == len(text):
            return
        if len(parsed.objects) >= MAX_RECORDS_PER_LINE:
            parsed.bad = f"more than {MAX_RECORDS_PER_LINE} records on one line"
            return
        value, end = _object_at(text, at)
        if value is not None and (clean or _is_record(value, text, end)):
            parsed.objects.append(value)
            parsed.salvaged += 1
            at, clean = end, True
            continue
        clean = False
        parsed.bad = parsed.bad or "cut off"
        tries -= 1
        following = _OBJECT.search(text, at + 1) if tries and end >= 0 else None
        if following is None:
            return
        at = following.start()


def _object_at(text: str, at: int) -> tuple[Record | None, int]:
    """The object at an offset, and its end; an end of -1 says that it is nested too deep."""
    if text[at] != "{":
        return None, at
    try:
        value, end = _decoder.raw_decode(text, at)
    except RecursionError:
        return None, -1
    except ValueError:
        return None, at
    return (value, end) if isinstance(value, dict) else (None, at)


def _is_record(value: Record, text: str, end: int) -> bool:
    """Whether an object behind garbage is a record: part of a torn one has no envelope, or a comma or bracket next."""
    rest = text[end : end + 64].lstrip(" \t\r\n")
    return isinstance(value.get("type"), str) and any(key in value for key in _ENVELOPE) and rest[:1] in ("", "{")


def _why(text: str, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deep"
    if not text.strip("\0"):
        return "zero bytes"
    if not isinstance(error, json.JSONDecodeError):
        return "a number too long to read" if "digits" in str(error) else str(error)
    return "cut off" if text.startswith("{") else "not JSON"
