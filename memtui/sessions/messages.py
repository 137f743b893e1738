"""What is sent of the rows on the way: messages of two sides, calls and results in pairs.

Rules, each as client 2.1.332 was seen to follow it:

1. A user's or an assistant's row is sent if it has blocks of a known shape; blocks that are no objects, have no
   type, or are texts without text are passed over. An answer of nothing but empty lists becomes "(no content)".
2. A local command (a system row) is sent as a user's text, "(no content)" if it has none. Attachments become reminders,
   which older models get at the end of the result before them, and so does a row whose origin is a task's notification;
   an error that the client itself wrote isn't sent.
3. Rows with one message id are one assistant message, at the place of the first, also across other answers and results,
   with its calls behind everything else. Neighbouring user's messages are one, results first.
4. Thinking that is signed is sent only to the model that thought it; a message of nothing but thinking or white space isn't sent.
   White space beside something else is, if the answer is a single row.
5. A row whose calls were all never answered is taken out. Not so where nothing but answers and results follows the
   last prompt: then it stays, if there is a result among them, else if it belongs to the last answer.
   A call id counts once. Results stand in the message right behind their calls: a call without one there gets a made-up
   result that says it was interrupted, a result anywhere else is taken out. Where nothing is left of a message a
   stand-in text is. A call that the server answers is taken out if its result isn't in the same answer.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from memtui.sessions.blocks import TOOL_LOADED, cleaned, looks_up
from memtui.sessions.entries import Entry, blocks_of, text
from memtui.sessions.lines import Record
from memtui.sessions.reminders import reminder_of

INTERRUPTED: Final = "<interrupted>"
"""Stands for the result that the client makes up for a call that wasn't answered."""

NO_CONTENT: Final = "(no content)"
ORPHANED: Final = "[Orphaned tool result removed due to conversation resume]"
CALL_INTERRUPTED: Final = "[Tool use interrupted]"
SYNTHETIC: Final = "<synthetic>"
"""The model of what the client wrote itself."""

FILLER: Final = "No response requested."

DEFAULT_MODEL: Final = "claude-opus-5-5"
_RESUMABLE: Final = re.compile(r"claude-(?:opus-(?:4-[5-8]|5)|sonnet-(?:4-6|5)|haiku-4-5|fable-5)")
"""Models that the client resumes with; instead of any other it takes `DEFAULT_MODEL`."""

_REMINDED_IN_RESULTS: Final = re.compile(r"claude-(?:opus-4-[5-7]|sonnet-4-6|haiku-4-5)")
"""Models that get a reminder at the end of the result before it; newer ones get it in a message of its own."""

_THINKING: Final = ("thinking", "redacted_thinking")
_SERVED: Final = ("server_tool_use", "mcp_tool_use")
"""Calls that the server answers itself, within the answer."""


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
    separate = _REMINDED_IN_RESULTS.match(result.model) is None
    parts: list[Message] = []
    for entry, data in rows:
        if entry.type == "attachment":
            _add_reminder(parts, reminder_of(data, separate=separate), entry)
        else:
            parts += _parts(entry, data, result)
    parts = _without_thoughts(_one_per_answer(parts), result)
    parts = _without_open_calls(parts, result)
    result.messages = _paired(_joined(parts), result)
    return result


def resumed_model(entries: Iterable[Entry]) -> str:
    """The model that a resume goes on with: that of the last answer, if the client still resumes with it."""
    model = ""
    for entry in entries:
        if entry.model and entry.model != SYNTHETIC:
            model = entry.model
    return model if _RESUMABLE.match(model) else DEFAULT_MODEL


def _parts(entry: Entry, data: Record, result: Conversation) -> list[Message]:
    """The message that a row makes, by rules 1 and 2."""
    if entry.type == "system":
        if entry.subtype != "local_command":
            return []
        said = text(data.get("content")) or NO_CONTENT
        return [Message("user", [Block({"type": "text", "text": said}, entry)], bare=True)]
    message = data.get("message")
    if not isinstance(message, dict):
        return []
    if data.get("isApiErrorMessage") and message.get("model") == SYNTHETIC:
        result.dropped.append(Dropped(entry, "an error that the client wrote"))
        return []
    if entry.content == "empty" and entry.type == "assistant":
        return [Message("assistant", [Block({"type": "text", "text": NO_CONTENT}, entry)], entry.message_id)]
    if not entry.speaks:
        result.dropped.append(Dropped(entry, "no content that can be sent"))
        return []
    origin = data.get("origin")
    notice = entry.type == "user" and isinstance(origin, dict) and origin.get("kind") == "task-notification"
    blocks = [Block(cleaned(block), entry, notice) for block in blocks_of(message)]
    if entry.type == "user" and any(looks_up(block.data) for block in blocks):
        blocks.append(Block({"type": "text", "text": TOOL_LOADED}, entry))
    bare = isinstance(message.get("content"), str)
    return [Message(entry.type, blocks, entry.message_id, bare)]


def _add_reminder(parts: list[Message], said: str, entry: Entry) -> None:
    """A reminder behind a result becomes the end of that result."""
    before = parts[-1].blocks[-1] if parts and parts[-1].blocks else None
    if not said or before is None or before.type != "tool_result":
        return
    content = before.data.get("content")
    if isinstance(content, list):
        content = [*_ended(content), {"type": "text", "text": said}]
    else:
        content = f"{content}\n\n{said}" if isinstance(content, str) and content else said
    parts[-1].blocks[-1] = Block({**before.data, "content": content}, before.entry)


def _ended(content: list[Record]) -> list[Record]:
    """Blocks of which the last text ends its line."""
    last = content[-1] if content else None
    if not isinstance(last, dict) or not isinstance(last.get("text"), str):
        return content
    return [*content[:-1], {**last, "text": last["text"] + "\n"}]


def _one_per_answer(parts: list[Message]) -> list[Message]:
    """Rule 3 for answers: rows of one id at the place of the first, calls behind everything else."""
    messages: list[Message] = []
    reachable: dict[str, Message] = {}  # answers with nothing but answers and results of calls behind them
    told = True  # whether a result is among what the user said last
    for part in parts:
        if part.role == "user":
            said = bool(messages) and messages[-1].role == "user"
            told = (said and told) or any(block.type == "tool_result" for block in part.blocks)
        elif not told:
            reachable.clear()
        earlier = reachable.get(part.id) if part.id else None
        if earlier is not None:
            earlier.blocks += part.blocks
            continue
        message = Message(part.role, list(part.blocks), part.id, part.bare)
        messages.append(message)
        if part.role == "assistant":
            told = True
        if part.id:
            reachable[part.id] = message
    for message in messages:
        if message.role == "assistant":
            message.blocks.sort(key=lambda block: block.type == "tool_use")
    return messages


def _joined(parts: list[Message]) -> list[Message]:
    """Rule 3 for what the user says; where rows are joined, results come first."""
    messages: list[Message] = []
    for part in parts:
        if part.role == "user" and messages and messages[-1].role == "user":
            last = messages[-1]
            last.blocks += part.blocks
            last.blocks.sort(key=lambda block: block.type != "tool_result")
            last.bare = last.bare and part.bare
        elif part.blocks:
            messages.append(Message(part.role, list(part.blocks), part.id, part.bare))
    return messages


def _without_thoughts(messages: list[Message], result: Conversation) -> list[Message]:
    """Rule 4."""
    for message in messages:
        if message.role != "assistant":
            continue
        kept = []
        for block in message.blocks:
            if _is_thought_of_another(block, result.model):
                result.dropped.append(Dropped(block.entry, "thinking of another model"))
            else:
                kept.append(block)
        own = [block for block in kept if not _stands_in(block)]
        if all(block.type in _THINKING or _is_blank(block) for block in own):
            result.dropped += [Dropped(block.entry, "nothing but thinking or white space") for block in own]
            kept = [block for block in kept if _stands_in(block)]
        joined = any(block.entry is not kept[0].entry for block in kept)
        message.blocks = [
            block for block in kept if not (_is_blank(block) and (joined or not block.data["text"]))
        ]
    return [message for message in messages if message.blocks]


def _is_thought_of_another(block: Block, model: str) -> bool:
    """Whether a model other than this one thought it; only what is signed or hidden tells."""
    if block.type not in _THINKING or block.entry.model in (model, SYNTHETIC):
        return False
    return block.type == "redacted_thinking" or bool(block.data.get("signature"))


def _stands_in(block: Block) -> bool:
    """Whether a block stands for an assistant's empty list."""
    return block.entry.type == "assistant" and block.entry.content == "empty"


def _is_blank(block: Block) -> bool:
    return block.type == "text" and not block.data["text"].strip()


def _without_open_calls(messages: list[Message], result: Conversation) -> list[Message]:
    """Rule 5: take out rows of which no call was answered anywhere, unless they are the end of the conversation."""
    answered = {text(block.data.get("tool_use_id")) for message in messages for block in message.blocks} - {""}
    end = _open_end(messages)
    for message in messages[:end]:
        if message.role != "assistant":
            continue
        calls: dict[int, bool] = {}
        for block in message.blocks:
            if block.type == "tool_use":
                known = text(block.data.get("id")) in answered
                calls[id(block.entry)] = calls.get(id(block.entry), False) or known
        kept = []
        for block in message.blocks:
            if calls.get(id(block.entry), True):
                kept.append(block)
            else:
                result.dropped.append(Dropped(block.entry, "a call that was never answered"))
        message.blocks = kept
    for message in messages:
        message.blocks = [block for block in message.blocks if not _stands_in(block)] or message.blocks[:1]
    return [message for message in messages if message.blocks]


def _open_end(messages: list[Message]) -> int:
    """Where the end begins that is still open: what follows the last prompt if results are among it, else the last
    answer; nowhere if the last answer calls nothing, or something else was said since."""
    last = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=0)
    ends = last + 1 == len(messages) and not any(block.type == "tool_use" for block in messages[last].blocks)
    if ends or any(map(_is_said, messages[last:])):
        return len(messages)
    start = 1 + max((index for index, message in enumerate(messages) if _is_said(message)), default=-1)
    told = any(block.type == "tool_result" for message in messages[start:] for block in message.blocks)
    return start if told else last


def _is_said(message: Message) -> bool:
    """Whether it is a prompt or a note: a user's row without a result."""
    entry = message.blocks[0].entry
    return message.role == "user" and entry.type == "user" and not entry.answers


def _paired(messages: list[Message], result: Conversation) -> list[Message]:
    """Rule 5: each call once, each with a result in the very next message, and no other results."""
    found: list[Message] = []
    called: set[str] = set()
    waiting = deque(messages)
    while waiting:
        message = waiting.popleft()
        if message.role != "assistant":
            found.append(_orphaned(message, result, first=not found))
            continue
        calls = _calls_once(message, called, result)
        found.append(message)
        if not calls:
            if waiting and waiting[0].role == "user":
                found.append(_orphaned(waiting.popleft(), result, first=False))
            continue
        following = waiting.popleft() if waiting and waiting[0].role == "user" else Message("user", [])
        found.append(_answering(following, calls, result, ends=not waiting))
    return found


def _calls_once(message: Message, called: set[str], result: Conversation) -> dict[str, Block]:
    """Take out calls whose id was used before; the calls that stay."""
    calls: dict[str, Block] = {}
    served = {text(block.data.get("tool_use_id")) for block in message.blocks}
    kept = []
    for block in message.blocks:
        if block.type in _SERVED and text(block.data.get("id")) not in served:
            result.dropped.append(Dropped(block.entry, "a call that was never answered"))
            continue
        if block.type == "tool_use":
            call = text(block.data.get("id"))
            if not call or call in called:
                result.dropped.append(Dropped(block.entry, "a call made twice" if call else "a call without an id"))
                continue
            called.add(call)
            calls[call] = block
        kept.append(block)
    message.blocks = kept or [Block({"type": "text", "text": CALL_INTERRUPTED}, message.blocks[0].entry)]
    return calls


def _answering(message: Message, calls: dict[str, Block], result: Conversation, *, ends: bool) -> Message:
    """The message behind calls: their results, made up where there is none, and what else was said.

    Made-up results come first, in the conversation's last message after the others.
    """
    kept, done = [], set()
    for block in message.blocks:
        call = text(block.data.get("tool_use_id"))
        if block.type == "tool_result":
            if call not in calls or call in done:
                why = "a result given twice" if call in done else "a result without its call"
                result.dropped.append(Dropped(block.entry, why))
                continue
            done.add(call)
        kept.append(block)
    made_up = [_interruption(call, block.entry) for call, block in calls.items() if call not in done]
    at = sum(block.type == "tool_result" for block in kept) if ends else 0
    return Message("user", [*kept[:at], *made_up, *kept[at:]] if made_up else kept)


def _orphaned(message: Message, result: Conversation, *, first: bool) -> Message:
    """A user's message that answers no call: results are taken out, and a stand-in text says so if nothing is left."""
    kept = [block for block in message.blocks if block.type != "tool_result"]
    result.dropped += [
        Dropped(block.entry, "a result without its call") for block in message.blocks if block not in kept
    ]
    if kept and (message.bare or not all(map(_is_blank, kept))):
        return Message("user", kept, bare=message.bare)
    stand_in = ORPHANED if first and not kept else NO_CONTENT
    return Message("user", [Block({"type": "text", "text": stand_in}, message.blocks[0].entry)])


def _interruption(call: str, entry: Entry) -> Block:
    return Block({"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}, entry)
