"""The fast way from a line to an `Entry`: only the fields of the envelope are decoded, everything else is passed over.

Without msgspec, and for every line whose fields have another shape than usual, that is no UTF-8, or that
holds more than one object, the careful way is taken (`lines`, `entries`); tests compare both.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from memtui.sessions.entries import CHAIN_TYPES, Content, Entry, is_machine

try:
    import msgspec
except ImportError:  # written in C: where there is no wheel for a Python yet, the careful way says the same, slower
    msgspec = None  # type: ignore[assignment, unused-ignore]

_DIGITS = re.compile(rb"[0-9]{4301}")
_SAMPLE = re.compile(rb"[0-9]{10}")
_STEP: Final = 400
"""Bytes between samples: a number that the careful way refuses as too long shows at least ten times in a row."""


NOTED: Final = ("last-prompt", "queue-operation")
"""Types of which an entry keeps the whole record."""

if TYPE_CHECKING or msgspec is not None:

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

    class _Row(msgspec.Struct, gc=False):
        type: str = ""
        subtype: str = ""
        uuid: str = ""
        parentUuid: str | None = None
        logicalParentUuid: str | None = None
        timestamp: str = ""
        isSidechain: bool = False
        isMeta: bool = False
        isCompactSummary: bool = False
        agentId: str = ""
        sourceToolAssistantUUID: str = ""
        message: _Message | None = None
        attachment: _Block | None = None
        toolUseResult: _Result | str | list[msgspec.Raw] | None = None


def _decoder() -> Callable[[bytes], Any] | None:
    return None if msgspec is None else msgspec.json.Decoder(_Row).decode


_decode = _decoder()


def quick_entry(line: bytes, index: int = -1, number: int = 0, offset: int = 0) -> Entry | None:
    """The envelope of a line that is one usual record; None if the careful way has to be taken.

    Args:
        line: Without its line end.
        index: How many records precede it.
        number: The line's, from 1.
        offset: Its first byte.
    """
    row = _row(line)
    if row is None:
        return None
    kind, subtype, message = row.type, row.subtype, row.message
    content: Content = ""
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    prompt = False
    message_id = model = ""
    if message is not None and kind in ("user", "assistant"):
        content, calls, answers, prompt = _said(message.content, kind)
        prompt = prompt and not (row.isMeta or row.isCompactSummary or row.isSidechain)
        if kind == "assistant":
            message_id, model = message.id or "", message.model or ""
    elif kind == "attachment" and not subtype and row.attachment is not None:
        subtype = row.attachment.type
    result = row.toolUseResult
    return Entry(
        index,
        number,
        offset,
        len(line),
        kind,
        subtype,
        row.uuid,
        row.parentUuid or "",
        row.logicalParentUuid or "",
        row.timestamp,
        row.isSidechain,
        row.isMeta,
        row.isCompactSummary,
        row.agentId,
        content,
        message_id,
        model,
        calls,
        answers,
        row.sourceToolAssistantUUID,
        prompt,
        (result.agentId or "") if isinstance(result, _Result) else "",
    )


def _row(line: bytes) -> Any:
    """What is needed of a record; None if it isn't a usual one."""
    if _decode is None:
        return None
    try:
        row = _decode(line)
        if not line.isascii():
            line.decode()
    except (ValueError, RecursionError):
        return None
    if row.type in NOTED or row.subtype == "compact_boundary" or (not row.uuid and row.type in CHAIN_TYPES):
        return None
    if len(line) > 4300 and _SAMPLE.search(line[::_STEP]) and _DIGITS.search(line):
        return None
    return row


def _said(content: Any, kind: str) -> tuple[Content, tuple[str, ...], tuple[str, ...], bool]:
    """Whether there is something to send, the ids of calls and answers, and whether a person typed it."""
    if isinstance(content, str):
        return "usable", (), (), kind == "user" and bool(content.strip()) and not is_machine(content)
    if content is None:
        return "", (), (), False
    if not content:
        return "empty", (), (), False
    if len(content) == 1:  # nearly always, and nearly always a call or its result
        block = content[0]
        if block.type == "tool_result":
            return "usable", (), (block.tool_use_id,) if block.tool_use_id else (), False
        if block.type == "tool_use":
            return "usable", (block.id,) if block.id else (), (), False
    usable = False
    calls: list[str] = []
    answers: list[str] = []
    texts: list[str] = []
    image = result = False
    for block in content:
        of = block.type
        if not of or (of == "text" and block.text is None):
            continue
        usable = True
        if of == "text":
            texts.append(block.text)
        elif of == "tool_use":
            if block.id:
                calls.append(block.id)
        elif of == "tool_result":
            result = True
            if block.tool_use_id:
                answers.append(block.tool_use_id)
        elif of == "image":
            image = True
    prompt = False
    if kind == "user" and not result:
        spoken = [part for part in texts if part.strip()]
        prompt = any(not is_machine(part) for part in spoken) if spoken else image
    return "usable" if usable else "", tuple(calls), tuple(answers), prompt
