"""What is sent of the rows on the way: messages of two sides, calls and results in pairs.

Rules, each as client 2.1.332 was seen to follow it:

1. A user's or an assistant's row is sent if it has blocks of a known shape; blocks that are no objects, have no type, or are
   texts without text are passed over. An assistant's empty list becomes "(no content)".
2. A local command (a system row) is sent as a user's text, "(no content)" if it has none. Attachments become reminders,
   and so does a row whose origin is a task's notification; an error that the client itself wrote isn't sent.
3. Rows with one message id are one assistant message, at the place of the first, also across results of its calls.
   Neighbouring user's messages are one.
4. Thinking is sent only to the model that thought it; a message of nothing but thinking or white space isn't sent.
5. A call id counts once, and so does its result. A result without a call is taken out; if nothing is left of its message
   a stand-in text is. A call without a result is taken out, except in the last answer if nothing but its other
   results follows: then a made-up result says that it was interrupted.
6. The tool `Task` is called `Agent` now. A tool that was looked up adds the text "Tool loaded." to its result.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from memtui.sessions.entries import Entry, blocks_of, text
from memtui.sessions.lines import Record
from memtui.sessions.reminders import reminder_of

INTERRUPTED: Final = "<interrupted>"
"""Stands for the result that the client makes up for a call that wasn't answered."""

NO_CONTENT: Final = "(no content)"
ORPHANED: Final = "[Orphaned tool result removed due to conversation resume]"
TOOL_LOADED: Final = "Tool loaded."
FILLER: Final = "No response requested."

DEFAULT_MODEL: Final = "claude-opus-5-5"
RETIRED: Final = ("claude-3", "claude-sonnet-4-2", "claude-sonnet-4-5", "claude-opus-4-2", "claude-opus-4-1", "claude-2")
"""Beginnings of models that the client no longer resumes with; it takes `DEFAULT_MODEL` instead."""

RENAMED: Final = {"Task": "Agent"}

_THINKING = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class Block:
    """A block as it is sent, and the row that it comes from. `reminder`: part of a text that isn't the person's."""

    data: Record
    entry: Entry
    reminder: bool = False

    @property
    def type(self) -> str:
        return str(self.data["type"])


@dataclass(slots=True)
class Message:
    """What one side says. `id` is the answer's own id, "" for a user's; `bare`: the content is one string."""

    role: str
    blocks: list[Block]
    id: str = ""
    bare: bool = False


@dataclass(slots=True)
class Dropped:
    """A row of which something isn't sent, and why."""

    entry: Entry
    why: str


@dataclass(slots=True)
class Conversation:
    """The messages of a resume, and what is on the way but isn't sent."""

    messages: list[Message] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    model: str = DEFAULT_MODEL


def conversation(rows: Iterable[tuple[Entry, Record]]) -> Conversation:
    """Turn rows into what is sent.

    Args:
        rows: The rows on the way, oldest first, with what they say.
    """
    rows = list(rows)
    result = Conversation(model=resumed_model(entry for entry, _ in rows))
    parts = [part for entry, data in rows for part in _parts(entry, data, result)]
    messages = _joined(parts)
    _drop_thoughts(messages, result)
    messages = _pair(messages, result)
    result.messages = _joined(messages)
    return result


def resumed_model(entries: Iterable[Entry]) -> str:
    """The model that a resume goes on with: that of the last answer, unless it is retired."""
    model = ""
    for entry in entries:
        if entry.model and entry.model != "<synthetic>":
            model = entry.model
    return DEFAULT_MODEL if not model or model.startswith(RETIRED) else model


def _parts(entry: Entry, data: Record, result: Conversation) -> list[Message]:
    """The message that a row makes, by rules 1 and 2."""
    if entry.type == "system":
        if entry.subtype != "local_command":
            return []
        said = text(data.get("content")) or NO_CONTENT
        return [Message("user", [Block({"type": "text", "text": said}, entry)], bare=True)]
    if entry.type == "attachment":
        said = reminder_of(data)
        return [Message("user", [Block({"type": "text", "text": said}, entry, reminder=True)])] if said else []
    message = data.get("message")
    if not isinstance(message, dict):
        return []
    if data.get("isApiErrorMessage") and message.get("model") == "<synthetic>":
        result.dropped.append(Dropped(entry, "an error that the client wrote"))
        return []
    if entry.content == "empty" and entry.type == "assistant":
        return [Message("assistant", [Block({"type": "text", "text": NO_CONTENT}, entry)], entry.message_id)]
    if not entry.speaks:
        result.dropped.append(Dropped(entry, "no content that can be sent"))
        return []
    origin = data.get("origin")
    notice = entry.type == "user" and isinstance(origin, dict) and origin.get("kind") == "task-notification"
    blocks = [Block(_clean(block), entry, notice) for block in blocks_of(message)]
    if entry.type == "user" and any(map(_looks_up, blocks)):
        blocks.append(Block({"type": "text", "text": TOOL_LOADED}, entry))
    bare = isinstance(message.get("content"), str)
    return [Message(entry.type, blocks, entry.message_id, bare)]


def _clean(block: Record) -> Record:
    """A block as it is written to the API: half characters become U+FFFD, renamed tools their new name."""
    if block["type"] == "text":
        return {**block, "text": whole_characters(block["text"])}
    if block["type"] == "tool_use":
        name = block.get("name")
        cleaned = {**block, "name": RENAMED.get(name, name)} if isinstance(name, str) else block
        known = _KNOWN_INPUT.get(name) if isinstance(name, str) else None
        given = block.get("input")
        if known and isinstance(given, dict):
            cleaned = {**cleaned, "input": {key: value for key, value in given.items() if key in known}}
        return cleaned
    return block


_KNOWN_INPUT: Final = {"SendMessage": ("to", "summary", "message")}


def whole_characters(value: str) -> str:
    """Half surrogate pairs as U+FFFD, as every encoder of the client writes them."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _looks_up(block: Block) -> bool:
    content = block.data.get("content")
    return (
        block.type == "tool_result"
        and isinstance(content, list)
        and any(isinstance(part, dict) and part.get("type") == "tool_reference" for part in content)
    )


def _joined(parts: list[Message]) -> list[Message]:
    """Rule 3; results stand in front of what else the user says in one message."""
    messages: list[Message] = []
    for part in parts:
        if part.role == "assistant":
            earlier = _same_answer(messages, part.id)
            if earlier is not None:
                earlier.blocks += part.blocks
                continue
        elif messages and messages[-1].role == "user":
            messages[-1].blocks += part.blocks
            messages[-1].bare = messages[-1].bare and part.bare
            continue
        messages.append(Message(part.role, list(part.blocks), part.id, part.bare))
    for message in messages:
        if message.role == "user":
            message.blocks.sort(key=lambda block: block.type != "tool_result")
    return messages


def _same_answer(messages: list[Message], message_id: str) -> Message | None:
    for message in reversed(messages):
        if message.role == "assistant":
            if message_id and message.id == message_id:
                return message
        elif any(block.type != "tool_result" and not block.reminder for block in message.blocks):
            return None
    return None


def _drop_thoughts(messages: list[Message], result: Conversation) -> None:
    """Rule 4."""
    for message in messages:
        if message.role != "assistant":
            continue
        kept = []
        for block in message.blocks:
            if block.type in _THINKING and block.entry.model != result.model:
                result.dropped.append(Dropped(block.entry, "thinking of another model"))
            else:
                kept.append(block)
        if all(block.type in _THINKING or _is_blank(block) for block in kept):
            result.dropped += [Dropped(block.entry, "nothing but thinking or white space") for block in kept]
            kept = []
        message.blocks = [block for block in kept if not _is_blank(block)]


def _is_blank(block: Block) -> bool:
    return block.type == "text" and not block.data["text"].strip()


def _pair(messages: list[Message], result: Conversation) -> list[Message]:
    """Rule 5."""
    messages = _joined([message for message in messages if message.blocks])
    last = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=-1)
    open_end = all(
        block.type == "tool_result" or block.reminder for message in messages[last + 1 :] for block in message.blocks
    )
    answered = {text(block.data.get("tool_use_id")) for block in _all(messages, "tool_result")}
    called: set[str] = set()
    made_up: list[Block] = []
    for index, message in enumerate(messages):
        kept = []
        for block in message.blocks:
            if block.type == "tool_use":
                call = text(block.data.get("id"))
                if not call or call in called or (call not in answered and not (index == last and open_end)):
                    result.dropped.append(Dropped(block.entry, "a call without a result" if call else "a call without id"))
                    continue
                called.add(call)
                if call not in answered:
                    made_up.append(_interruption(call, block.entry))
            kept.append(block)
        message.blocks = kept
    _drop_results(messages, called, result)
    if made_up:
        if last + 1 < len(messages):
            messages[last + 1].blocks += made_up
        else:
            messages.append(Message("user", made_up))
    return [message for message in messages if message.blocks]


def _drop_results(messages: list[Message], called: set[str], result: Conversation) -> None:
    """Take out results whose call isn't sent, or that were given already; say what stays of an emptied message."""
    open_calls: set[str] = set()
    done: set[str] = set()
    for index, message in enumerate(messages):
        if message.role == "assistant":
            open_calls |= {text(block.data.get("id")) for block in message.blocks if block.type == "tool_use"}
            continue
        kept = []
        for block in message.blocks:
            call = text(block.data.get("tool_use_id"))
            if block.type == "tool_result":
                if call not in open_calls or call in done:
                    result.dropped.append(Dropped(block.entry, "a result given twice" if call in done else "a result without its call"))
                    continue
                done.add(call)
            kept.append(block)
        if kept and (message.bare or not all(map(_is_blank, kept))):
            message.blocks = kept
        elif message.blocks:
            stand_in = ORPHANED if index == 0 and not kept else NO_CONTENT
            message.blocks = [Block({"type": "text", "text": stand_in}, message.blocks[0].entry)]


def _interruption(call: str, entry: Entry) -> Block:
    return Block({"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}, entry)


def _all(messages: list[Message], kind: str) -> list[Block]:
    return [block for message in messages for block in message.blocks if block.type == kind]
