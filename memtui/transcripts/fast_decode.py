"""Decode lines to entries fast: only the fields of the envelope are decoded, everything else is skipped.

Lines are decoded many at a time. Where one of them has fields of an unusual shape, is not UTF-8, or is not exactly one
object, each is tried alone, and that one is left to the careful decoder (`lines`, `entries`); tests compare both.
"""

import re
from codecs import utf_8_decode
from typing import Any, Final

import msgspec

from memtui.transcripts.entries import CHAIN_TYPES, KEPT_WHOLE, Content, Entry, by_person, entry_of, is_typed
from memtui.transcripts.records import Cursor, record_views

_DIGITS = re.compile(rb"[0-9]{4301}")
_SAMPLE = re.compile(rb"[0-9]{10}")
_SAMPLE_STEP_BYTES: Final = 400  # a number that is too long for the careful decoder shows in ten samples in a row


_OPEN: Final = ord("{")
_CLOSE: Final = ord("}")


class _Block(msgspec.Struct, gc=False):
    type: str = ""
    id: str | None = None
    tool_use_id: str | None = None
    text: str | None = None


class _Message(msgspec.Struct, gc=False):
    id: str | None = None
    model: str | None = None
    content: str | list[_Block] | None = None


class _Result(msgspec.Struct, gc=False):
    agentId: str | None = None


class _Origin(msgspec.Struct, gc=False):
    kind: str = ""


class _Row(msgspec.Struct, gc=False):
    type: str = ""
    origin: _Origin | None = None
    subtype: str = ""
    uuid: str = ""
    parentUuid: str | None = None
    logicalParentUuid: str | None = None
    timestamp: str = ""
    isSidechain: bool = False
    isMeta: bool = False
    isCompactSummary: bool = False
    agentId: str = ""
    message: _Message | None = None
    attachment: _Block | None = None
    toolUseResult: _Result | str | list[msgspec.Raw] | None = None


_decode_lines = msgspec.json.Decoder(_Row).decode_lines


def decode_entries(
    buffer: bytes | bytearray, stop: int | None = None, index: int = -1, number: int = 0, offset: int = 0
) -> list[Entry] | None:
    """The envelopes of whole lines, which a buffer begins with; None if one of them is not exactly one usual record.

    They end at `stop` in it. `index` records precede them in the file; the first line has this `number` and `offset`.
    """
    stop = len(buffer) if stop is None else stop
    ends = _ends(buffer, stop)
    rows = _rows(buffer, stop) if ends else None
    if rows is None or len(rows) != len(ends):
        return None
    found: list[Entry] = []
    start = 0
    for row, end in zip(rows, ends, strict=True):
        entry: Entry | None
        queued = row.attachment is not None and row.attachment.type == "queued_command"
        chained = row.type in CHAIN_TYPES
        if row.type in KEPT_WHOLE or row.subtype == "compact_boundary" or queued or (not row.uuid and chained):
            entry = _whole_entry(bytes(buffer[start:end]), index, number, offset + start)
            if entry is None:
                return None
        else:
            entry = _entry(row, index, number, offset + start, end - start)
        found.append(entry)
        index, number, start = index + 1, number + 1, end + 1
    return found


def _ends(buffer: bytes | bytearray, stop: int) -> list[int]:
    """Where the lines end; none if one of them doesn't begin and end as an object.

    The decoder takes any white space between records, or none: only where each line begins and ends an object, and
    there are as many records as lines, is each line one record.
    """
    found: list[int] = []
    find, start = buffer.find, 0
    while (end := find(b"\n", start, stop)) >= 0:
        if buffer[start] != _OPEN or buffer[end - 1] != _CLOSE:
            return []
        found.append(end)
        start = end + 1
    return found


def _rows(buffer: bytes | bytearray, stop: int) -> list[_Row] | None:
    lines = memoryview(buffer)[:stop]
    try:
        rows = _decode_lines(lines)
        if not buffer.isascii():
            utf_8_decode(lines, "strict", True)  # what is passed over isn't looked at
    except (ValueError, RecursionError):
        return None
    return None if _SAMPLE.search(buffer[:stop:_SAMPLE_STEP_BYTES]) and _DIGITS.search(buffer, 0, stop) else rows


def _whole_entry(line: bytes, index: int, number: int, offset: int) -> Entry | None:
    found = record_views(line, Cursor(offset), offset, number=number)
    return entry_of(found[0], index) if len(found) == 1 and not found[0].bad else None


def _entry(row: _Row, index: int, number: int, offset: int, length: int) -> Entry:
    kind, subtype, message = row.type, row.subtype, row.message
    content: Content = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    prompt = False
    message_id = model = ""
    if message is not None and kind in ("user", "assistant"):
        author = row.origin.kind if row.origin is not None else ""
        content, calls, answers, prompt = _content_fields(message.content, kind, author)
        prompt = prompt and not (row.isCompactSummary or row.isSidechain) and by_person(author, meta=row.isMeta)
        if kind == "assistant":
            message_id, model = message.id or "", message.model or ""
    elif kind == "attachment" and not subtype and row.attachment is not None:
        subtype = row.attachment.type
    result = row.toolUseResult
    return Entry(
        index, number, offset, length, kind, subtype, row.uuid, row.parentUuid or "", row.logicalParentUuid or "",
        row.timestamp, row.isSidechain, row.isMeta, row.isCompactSummary, row.agentId, content, message_id, model,
        calls, answers, prompt, (result.agentId or "") if isinstance(result, _Result) else "",
    )  # fmt: skip


def _content_fields(content: Any, kind: str, author: str) -> tuple[Content, tuple[str, ...], tuple[str, ...], bool]:
    """What there is to send, the ids of calls and answers, and whether a person typed it."""
    if isinstance(content, str):
        kind_of_content: Content = "usable" if content or kind == "user" else ""
        return kind_of_content, (), (), kind == "user" and bool(content.strip()) and bool(author or is_typed(content))
    if not content:
        return "" if content is None else "empty", (), (), False
    if len(content) == 1:  # nearly always
        block = content[0]
        of = block.type
        if of == "tool_result":
            return "usable", (), (block.tool_use_id,) if block.tool_use_id else (), False
        if of == "tool_use":
            return "usable", (block.id,) if block.id else (), (), False
        if of and kind == "assistant":
            return "textless" if of == "text" and block.text is None else "usable", (), (), False
    blocks = [block for block in content if block.type and not (block.type == "text" and block.text is None)]
    calls = tuple(block.id for block in blocks if block.type == "tool_use" and block.id)
    answers = tuple(block.tool_use_id for block in blocks if block.type == "tool_result" and block.tool_use_id)
    types = {block.type for block in blocks}
    prompt = False
    if kind == "user" and "tool_result" not in types:
        spoken = [block.text for block in blocks if block.type == "text" and block.text.strip()]
        prompt = any(author or is_typed(part) for part in spoken) if spoken else "image" in types
    textless = any(block.type for block in content)
    return "usable" if blocks else "textless" if textless else "", calls, answers, prompt
