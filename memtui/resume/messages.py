"""What is sent of the rows on the way: messages of two sides, calls and results in pairs.

Rules, each as client 2.1.332 was seen to follow it:

1. A user's or an assistant's row is sent if it has blocks of a known shape; blocks that are no objects, have no
   type, or are texts without text are passed over, and a row of nothing else as if it weren't there. An answer of
   nothing but empty lists becomes "(no content)".
2. A local command (a system row) is sent as a user's text, "(no content)" if it has none; an error that the client
   itself wrote isn't sent.
3. Attachments become reminders, that go up to the last answer or result that is sent. Older models get one at the end
   of that result, if results are all that the user's message has so far; else it is a text of its own.
4. Rows of one answer become one message (`answers`). Neighbouring user's messages are one, results first; so is the
   last of them where a row of an answer that began before it comes last, because the next prompt joins it. Commands
   that come last, behind a user's row or an attachment, stay by themselves: the client puts a filler before them.
5. Thinking that is signed is sent only to the model that thought it; a message of nothing but thinking or white space
   isn't sent, unless another one with its id says something. White space beside something else is, if the answer is a
   single row.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from memtui.resume.content_blocks import (
    NO_CONTENT,
    TASK_TOOLS,
    THINKING,
    TOOL_LOADED,
    TOOLS,
    ApiConversation,
    Block,
    DroppedBlock,
    Message,
    cleaned,
    is_blank,
    is_reminder,
    is_thought,
    is_told,
    looks_up,
)
from memtui.resume.reminders import reminders_of
from memtui.resume.tool_calls import one_per_answer, paired, without_open_calls
from memtui.transcripts.entries import Entry, blocks_of, text
from memtui.transcripts.lines import Record

SYNTHETIC: Final = "<synthetic>"
"""The model of what the client wrote itself."""

FILLER: Final = "No response requested."

DEFAULT_MODEL: Final = "claude-opus-5-5"
_RESUMABLE: Final = re.compile(r"claude-(?:opus-(?:4-[5-8]|5)|sonnet-(?:4-6|5)|haiku-4-5|fable-5)")
"""Models that the client resumes with; instead of any other it takes `DEFAULT_MODEL`."""

_REMINDED_IN_RESULTS: Final = re.compile(r"claude-(?:opus-4-[5-7]|sonnet-4-6|haiku-4-5)")
"""Models that get a reminder at the end of the result before it; newer ones get it in a message of its own."""


def conversation(
    rows: Sequence[Entry], says: Iterable[Record], *, start: int = 0, over: bool = False
) -> ApiConversation:
    """Turn rows into what is sent.

    Args:
        rows: The rows on the way, oldest first.
        says: What they say, one at a time: of each only what is sent is held.
        start: The first of them that is sent; of those before it only calls that are still open are answered.
        over: Whether no call at the end is one that was interrupted.
    """
    result = ApiConversation(model=resumed_model(rows))
    separate = _REMINDED_IN_RESULTS.match(result.model) is None
    parts: list[Message] = []
    for entry, data in zip(rows, says, strict=True):
        if entry.type == "attachment":
            told = reminders_of(data, separate=separate)
            if told:
                parts.append(Message("user", [Block({"type": "text", "text": said}, entry, True) for said in told]))
        else:
            parts += _parts(entry, data, result, TOOLS if separate else TASK_TOOLS)
    parts, made_up = without_open_calls(parts, result, _last_turn(rows), over=over)
    before = {id(entry) for entry in rows[:start]}
    parts = _raised([part for part in parts if id(part.blocks[0].entry) not in before])
    end = len(parts) - _behind_all(parts, rows)
    parts, commands = parts[:end], parts[end:]
    if made_up:
        parts.append(Message("user", made_up))
    messages = _joined(_without_thoughts(one_per_answer(parts), result))
    joined = bool(messages) and messages[-1].role == "user" and _is_answer_last(parts)
    if joined:
        messages[-1].blocks.sort(key=_is_no_result)
    result.messages = paired(messages, result, joined=joined) + _joined(commands)
    return result


def resumed_model(entries: Iterable[Entry]) -> str:
    """The model that a resume goes on with: that of the last answer, if the client still resumes with it."""
    model = ""
    for entry in entries:
        if entry.model and entry.model != SYNTHETIC:
            model = entry.model
    return model if _RESUMABLE.match(model) else DEFAULT_MODEL


def _raised(parts: list[Message]) -> list[Message]:
    """The messages with reminders behind the last answer or result before them (rule 3)."""
    found: list[Message] = []
    at = 0  # behind that, and the reminders there
    for part in parts:
        if is_reminder(part):
            found.insert(at, part)
            at += 1
            continue
        found.append(part)
        if part.role == "assistant" or is_told(part):
            at = len(found)
    return found


def _is_answer_last(parts: list[Message]) -> bool:
    """Whether the last row that is sent is the model's."""
    spoken = {part.id for part in parts if not is_thought(part)} - {""}
    sent = (part for part in reversed(parts) if not is_reminder(part) and (part.id in spoken or not is_thought(part)))
    return next((part.role for part in sent), "") == "assistant"


def _behind_all(parts: list[Message], entries: Sequence[Entry]) -> int:
    """How many commands come last, behind a row that isn't the model's (rule 4)."""
    last = list(takewhile(lambda entry: entry.type == "system", reversed(entries)))
    if len(last) == len(entries) or entries[-1 - len(last)].type == "assistant":
        return 0
    commands = {id(entry) for entry in last}
    return sum(id(part.blocks[0].entry) in commands for part in parts)


def _last_turn(entries: Iterable[Entry]) -> list[Entry]:
    """The rows behind the last prompt or note, be that an empty one."""
    found: list[Entry] = []
    for entry in entries:
        found.append(entry)
        if entry.type == "user" and entry.counts and not entry.answers:
            found.clear()
    return found


def _parts(entry: Entry, data: Record, result: ApiConversation, tools: frozenset[str]) -> list[Message]:
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
        result.dropped.append(DroppedBlock(entry, "an error that the client wrote"))
        return []
    if entry.content == "empty" and entry.type == "assistant":
        return [Message("assistant", [Block({"type": "text", "text": NO_CONTENT}, entry)], entry.message_id)]
    if not entry.speaks:
        result.dropped.append(DroppedBlock(entry, "no content that can be sent"))
        unsaid = [Block({"type": "text", "text": ""}, entry)]
        return [Message("user", unsaid)] if entry.content == "empty" else []
    origin = data.get("origin")
    notice = entry.type == "user" and isinstance(origin, dict) and origin.get("kind") == "task-notification"
    blocks = [Block(cleaned(block, tools), entry, notice) for block in blocks_of(message)]
    if entry.type == "user" and any(looks_up(block.data) for block in blocks):
        blocks.append(Block({"type": "text", "text": TOOL_LOADED}, entry))
    bare = isinstance(message.get("content"), str)
    return [Message(entry.type, blocks, entry.message_id, bare)]


def _without_thoughts(messages: list[Message], result: ApiConversation) -> list[Message]:
    """Rule 5."""
    spoken = {message.id for message in messages if not is_thought(message)} - {""}
    for message in messages:
        if message.role != "assistant":
            continue
        kept = []
        for block in message.blocks:
            if _is_thought_of_another(block, result.model):
                result.dropped.append(DroppedBlock(block.entry, "thinking of another model"))
            else:
                kept.append(block)
        own = [block for block in kept if not _stands_in(block)]
        if message.id not in spoken and all(block.type in THINKING or is_blank(block) for block in own):
            result.dropped += [DroppedBlock(block.entry, "nothing but thinking or white space") for block in own]
            kept = [block for block in kept if _stands_in(block)]
        joined = any(block.entry is not kept[0].entry for block in kept)
        said = [block for block in kept if not (is_blank(block) and (joined or not block.data["text"]))]
        message.blocks = [block for block in said if not _stands_in(block)] or said[:1]
        sent = {id(block.entry) for block in message.blocks}
        result.dropped += [DroppedBlock(block.entry, "nothing to say") for block in kept if id(block.entry) not in sent]
    return [message for message in messages if message.blocks]


def _is_thought_of_another(block: Block, model: str) -> bool:
    """Whether a model other than this one thought it; only what is signed or hidden tells."""
    if block.type not in THINKING or block.entry.model in (model, SYNTHETIC):
        return False
    return block.type == "redacted_thinking" or bool(block.data.get("signature"))


def _stands_in(block: Block) -> bool:
    """Whether a block stands for an assistant's empty list."""
    return block.entry.type == "assistant" and block.entry.content == "empty"


def _joined(parts: list[Message]) -> list[Message]:
    """Rules 3 and 4 for what the user says."""
    messages: list[Message] = []
    for part in parts:
        if part.role != "user" or not messages or messages[-1].role != "user":
            messages.append(Message(part.role, list(part.blocks), part.id, part.bare))
            continue
        last = messages[-1]
        last.bare = last.bare and part.bare
        last.blocks.sort(key=_is_no_result)
        if is_reminder(part) and last.blocks[-1].type == "tool_result":
            last.blocks[-1] = _reminded(last.blocks[-1], part.blocks)
        else:
            last.blocks = sorted([*last.blocks, *part.blocks], key=_is_no_result)
    return messages


def _is_no_result(block: Block) -> bool:
    return block.type != "tool_result"


def _reminded(result: Block, reminders: list[Block]) -> Block:
    """A result with reminders at its end."""
    content = result.data.get("content")
    said = [text(block.data["text"]) for block in reminders]
    if isinstance(content, list):
        for words in said:
            content = [*_ended(content), {"type": "text", "text": words}]
    else:
        content = "\n\n".join([content, *said] if isinstance(content, str) and content else said)
    return Block({**result.data, "content": content}, result.entry)


def _ended(content: list[Record]) -> list[Record]:
    """Blocks of which the last, if it is a text, ends its line."""
    last = content[-1] if content else None
    if not isinstance(last, dict) or not isinstance(last.get("text"), str):
        return content
    return [*content[:-1], {**last, "text": last["text"] + "\n"}]
