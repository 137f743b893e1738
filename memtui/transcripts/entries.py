"""The envelope of a record: what a tree, a path and a list need of it, without its text.

A record of an unknown type, or with fields of another shape than expected, becomes an `Entry` too: the fields that
can't be read are empty, and the record itself is still in the file at its offset.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

from memtui.client.session_files import MACHINE_TEXT, typed_words
from memtui.transcripts.lines import Record
from memtui.transcripts.records import RecordView
from memtui.util.text import replace_surrogates

CHAIN_TYPES: Final = frozenset({"user", "assistant", "system", "attachment", "progress"})
"""Types that are linked by uuid and parentUuid; every other type is a note about the session."""

IMAGE: Final = "[image]"  # stands for what was typed where that is a picture without words

KEPT_WHOLE: Final = ("last-prompt", "queue-operation", "ended-by-model")  # an entry keeps the whole record
Content = Literal["", "textless", "empty", "usable"]


class Entry(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A record's envelope and place. Compared by identity: two records may have the same uuid."""

    index: int  # counts records from 0
    line: int
    offset: int
    length: int
    type: str
    subtype: str = ""
    uuid: str = ""
    parent: str = ""
    logical_parent: str = ""
    stamp: str = ""  # the timestamp as written
    sidechain: bool = False
    meta: bool = False
    summary: bool = False
    agent: str = ""
    content: Content = ""  # has it blocks to send; "empty": an empty list, "textless": only text blocks without text
    message_id: str = ""
    model: str = ""
    calls: tuple[str, ...] = ()  # ids of its tool_use blocks
    answers: tuple[str, ...] = ()  # ids of the calls that its tool_result blocks answer
    prompt: bool = False  # a person typed it
    agent_run: str = ""  # the sub-agent of which a tool's result tells
    salvaged: bool = False
    shared: bool = False
    pending: bool = False
    note: Record | None = None  # all of a boundary and of kinds kept whole; of a record without a uuid its parentUuid

    @property
    def time(self) -> float | None:
        """Seconds since the epoch; None without a readable timestamp."""
        return parse_timestamp(self.stamp)

    @property
    def chained(self) -> bool:
        """Whether it is part of the tree."""
        return bool(self.uuid) and self.type in CHAIN_TYPES

    @property
    def boundary(self) -> bool:
        """Whether a compaction begins here."""
        return self.type == "system" and self.subtype == "compact_boundary"

    @property
    def is_message(self) -> bool:
        """Whether it is a user's or an assistant's message, even an empty one."""
        return self.content != ""

    @property
    def counts_as_turn(self) -> bool:
        """Whether it is such a message, and has more than text blocks without text."""
        return self.content not in ("", "textless")

    @property
    def has_content(self) -> bool:
        """Whether it is a user's or an assistant's message with blocks that can be sent."""
        return self.content == "usable"


def entry_of(found: RecordView, index: int) -> Entry:
    """The envelope of a record; fields of an unexpected shape count as absent."""
    data = found.data
    kind, subtype, message = text(data.get("type")), text(data.get("subtype")), data.get("message")
    content: Record = message if kind in ("user", "assistant") and isinstance(message, dict) else {}
    blocks = list(blocks_of(content))
    attached, result = data.get("attachment"), data.get("toolUseResult")
    if kind == "attachment" and isinstance(attached, dict):
        subtype = subtype or text(attached.get("type"))
    answer = content if kind == "assistant" else {}
    return Entry(
        index, found.line, found.offset, found.length, kind, subtype,
        uuid_text(data.get("uuid"), index), uuid_text(data.get("parentUuid"), index),
        text(data.get("logicalParentUuid")), text(data.get("timestamp")),
        data.get("isSidechain") is True, data.get("isMeta") is True, data.get("isCompactSummary") is True,
        text(data.get("agentId")), _content(content, blocks, kind), text(answer.get("id")), text(answer.get("model")),
        _ids(blocks, "tool_use", "id"), _ids(blocks, "tool_result", "tool_use_id"), is_prompt(data),
        text(result.get("agentId")) if isinstance(result, dict) else "",
        found.salvaged, found.shared, found.pending, _note(data, kind, subtype),
    )  # fmt: skip


def _note(data: Record, kind: str, subtype: str) -> Record | None:
    if kind in KEPT_WHOLE or subtype == "compact_boundary":
        return data
    if kind in CHAIN_TYPES and not data.get("uuid"):  # its parent, and whether the record names one
        return {key: data[key] for key in ("parentUuid",) if key in data}
    return None


def blocks_of(message: object) -> Iterator[Record]:
    """The blocks of a message that have a type; a bare string is one text block. What is no block is skipped."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and isinstance(block.get("type"), str):
                kind = block["type"]
                if kind == "text" and not isinstance(block.get("text"), str):
                    continue
                yield block


def is_prompt(data: Record) -> bool:
    """Whether a person typed it: a user's message that answers no call and wasn't made by a machine.

    The kind of its `origin` decides ("human", or "channel": a person's message from a phone); the words by which
    machines begin only where there is none. So does what a person typed while the model worked.
    """
    if is_queued_prompt(data):
        return bool(prompt_texts(data))
    if data.get("type") != "user" or data.get("isCompactSummary") or data.get("isSidechain"):
        return False
    origin = data.get("origin")
    author = text(origin.get("kind")) if isinstance(origin, dict) else ""
    if not by_person(author, meta=bool(data.get("isMeta"))):
        return False
    return any(author or is_typed(part) for part in prompt_texts(data))


def by_person(author: str, *, meta: bool) -> bool:
    """Whether a user's record may be a person's, by the kind of its origin ("" if it has none)."""
    return author == "channel" or (author in ("", "human") and not meta)


def is_typed(prompt_text: str) -> bool:
    """Whether a person typed something of a user's text: a slash command and bash mode are typed too."""
    return MACHINE_TEXT.match(prompt_text) is None or typed_words(prompt_text) != ""


def is_queued_prompt(data: Record) -> bool:
    """Whether a person typed it while the model worked; older clients don't write who it was."""
    queued = data.get("attachment")
    if data.get("type") != "attachment" or not isinstance(queued, dict) or queued.get("type") != "queued_command":
        return False
    origin = queued.get("origin")
    author = text(origin.get("kind")) if isinstance(origin, dict) else ""
    typed = by_person(author, meta=bool(queued.get("isMeta"))) and data.get("isSidechain") is not True
    return typed and queued.get("commandMode") == "prompt"


def message_of(data: Record) -> object:
    """The message of a record; of a prompt that was queued while the model worked, what was typed."""
    return {"content": data["attachment"].get("prompt")} if is_queued_prompt(data) else data.get("message")


def is_machine_text(prompt_text: str) -> bool:
    """Whether a user's text was made by a machine: a command's output, a notification, a hook."""
    return MACHINE_TEXT.match(prompt_text) is not None


def prompt_texts(data: Record) -> tuple[str, ...]:
    """The texts of a user's message or of a queued prompt; none if it answers a call."""
    message = message_of(data)
    if not isinstance(message, dict):
        return ()
    content = message.get("content")
    if isinstance(content, str):
        return (content,) if content.strip() else ()
    blocks = list(blocks_of(message))
    if any(block["type"] == "tool_result" for block in blocks):
        return ()
    found = tuple(block["text"] for block in blocks if block["type"] == "text" and block["text"].strip())
    return found or ((IMAGE,) if any(block["type"] == "image" for block in blocks) else ())


def text(value: object) -> str:
    """A field that should be text; anything else is ""."""
    return value if isinstance(value, str) else ""


def uuid_text(value: object, index: int) -> str:
    """A uuid, or that of a parent. A value that is no text equals only the same number or `true` elsewhere."""
    if isinstance(value, str):
        return value
    if value is None or value == 0:
        return ""
    record = f" in record {index}" if isinstance(value, dict | list) else ""
    return f"not text: {json.dumps(value)}{record}"


def parse_timestamp(stamp: str) -> float | None:
    """An ISO timestamp as seconds since 1970, None if it is invalid; without a zone it is UTC."""
    if not stamp:
        return None
    try:
        moment = datetime.fromisoformat(stamp)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _content(message: Record, blocks: list[Record], kind: str) -> Content:
    content = message.get("content")
    if blocks:
        return "usable" if content or kind == "user" else ""
    if not isinstance(content, list):
        return ""
    if not content:
        return "empty"
    return "textless" if any(isinstance(part, dict) and part.get("type") == "text" for part in content) else ""


def _ids(blocks: list[Record], kind: str, key: str) -> tuple[str, ...]:
    return tuple(value for block in blocks if block["type"] == kind and (value := text(block.get(key))))


def result_text(content: object) -> str:
    """The text of a tool's result: a string, or its text blocks joined."""
    if isinstance(content, str):
        return replace_surrogates(content)
    if not isinstance(content, list):
        return ""
    parts = [text(part.get("text")) for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return replace_surrogates("".join(parts))


def began_by_machine(rows: Iterable[Entry]) -> bool:
    """Whether no person began a turn: before its first answer stands a user's message, none of them typed."""
    found = False
    for row in rows:
        if row.prompt or row.summary or row.boundary:
            return False
        if row.type == "assistant" and row.is_message:
            break
        found = found or (row.type == "user" and row.has_content and not row.answers)
    return found


def find_cycles(entries: Iterable[Entry]) -> list[Entry]:
    """One record of each cycle of parents, the first in the file."""
    by_uuid: dict[str, Entry] = {}
    for entry in entries:
        if entry.chained:
            by_uuid.setdefault(entry.uuid, entry)
    state: dict[str, int] = {}
    found: list[Entry] = []
    for number, start in enumerate(by_uuid, 1):
        uuid = start
        while uuid in by_uuid and uuid not in state:
            state[uuid] = number
            uuid = by_uuid[uuid].parent
        if uuid in by_uuid and state[uuid] == number:
            ring = [uuid]
            following = by_uuid[uuid].parent
            while following != uuid:
                ring.append(following)
                following = by_uuid[following].parent
            found.append(min((by_uuid[row] for row in ring), key=lambda entry: entry.index))
            for row in ring:
                state[row] = 0
    return found
