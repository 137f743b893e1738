"""What is sent of the records on the path: user's and assistant's messages in turn, calls and results in pairs.

The steps, in order: a message for each record, open calls taken out, reminders moved, rows of one answer joined,
thinking taken out, neighbours of one role joined, calls and results paired.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from memtui.resume.conversation import NO_CONTENT, THINKING, ApiConversation, Block, DroppedBlock, Message, ResumePoint
from memtui.resume.family import RuleSet
from memtui.resume.v2_1.content_blocks import TASK_TOOLS, TOOL_LOADED, TOOLS, clean_block, has_tool_reference
from memtui.resume.v2_1.reminders import own_note, reminders_of
from memtui.resume.v2_1.tool_calls import drop_open_calls, join_answers, pair_calls
from memtui.transcripts.entries import Entry, blocks_of, text
from memtui.transcripts.lines import Record

SYNTHETIC_MODEL: Final = "<synthetic>"  # the model of what the client wrote itself
API_ERROR: Final = "an error that the client wrote"
DEFAULT_MODEL: Final = "claude-opus-5-5"
_RESUMABLE_MODELS: Final = re.compile(r"claude-(?:opus-(?:4-[5-8]|5)|sonnet-(?:4-6|5)|haiku-4-5|fable-5)")
"""Models that the client resumes with; instead of any other it takes `DEFAULT_MODEL`."""

_REMINDED_IN_RESULTS: Final = re.compile(r"claude-(?:opus-4-[5-7]|sonnet-4-6|haiku-4-5)")
"""Models that get a reminder at the end of the result before it; newer ones get it in a message of its own."""


def build_conversation(
    path: Sequence[Entry], records: Iterator[Record], start: int, point: ResumePoint, rules: RuleSet
) -> ApiConversation:
    """Turn the records on the path into what is sent.

    The records come one at a time: of each only what is sent is held. The first `start` of them are not sent; calls
    that they leave open are answered all the same. `point` is the resume point at the end of the path.
    """
    result = ApiConversation(model=resumed_model(path))
    separate = _REMINDED_IN_RESULTS.match(result.model) is None
    messages: list[Message] = []
    for entry, data in zip(path, records, strict=True):
        if entry.type == "attachment":
            told = reminders_of(entry, data, separate=separate, rules=rules)
            if entry.prompt and not told:
                result.dropped.append(DroppedBlock(entry, "typed while the model worked, sent in the system's role"))
            messages += told
        else:
            messages += messages_of(entry, data, result, TOOLS if separate else TASK_TOOLS, rules)
    closed = is_closed(point, path) and "calls.rewound" in rules
    closed = closed or (_ends_with_error(path, result) and "calls.api-error" in rules)
    messages, made_up = drop_open_calls(messages, result, _last_turn(path), rules, closed=closed)
    unsent = {id(entry) for entry in path[:start]}
    messages = [message for message in messages if id(message.blocks[0].entry) not in unsent]
    if "messages.reminder-order" in rules:
        messages = move_reminders_up(messages)
    end = len(messages) - (trailing_commands(messages, path) if "messages.trailing-command" in rules else 0)
    messages, commands = messages[:end], messages[end:]
    if made_up:
        messages.append(Message("user", made_up))
    joined = join_answers(messages, rules)
    joined = join_user_messages(drop_thinking(joined, result, rules), rules)
    joins_prompt = bool(joined) and joined[-1].role == "user" and _ends_with_answer(messages)
    if joins_prompt:
        joined[-1].blocks.sort(key=_is_no_result)
    paired = pair_calls(joined, result, rules, joins_prompt=joins_prompt)
    result.messages = paired + join_user_messages(commands, rules)
    return result


def resumed_model(entries: Iterable[Entry]) -> str:
    """The model that a resume goes on with: that of the last answer, if the client still resumes with it."""
    model = ""
    for entry in entries:
        if entry.model and entry.model != SYNTHETIC_MODEL:
            model = entry.model
    return model if _RESUMABLE_MODELS.match(model) else DEFAULT_MODEL


def is_closed(point: ResumePoint, path: Sequence[Entry]) -> bool:
    """Whether no call at the end of the path is open, because a person went back to its last message."""
    answered = {call for entry in path for call in entry.answers}
    sent = [entry for entry in path if not entry.calls or not answered.isdisjoint(entry.calls)]
    return point.rewound and point.uuid in (_last_message(path), _last_message(sent))


def _ends_with_error(path: Sequence[Entry], result: ApiConversation) -> bool:
    """Whether the last message is an error that the client wrote: no call before it is open."""
    last = next((entry for entry in reversed(path) if entry.is_message), None)
    return any(item.entry is last and item.why == API_ERROR for item in result.dropped)


def _last_message(path: Sequence[Entry]) -> str:
    """The last row of the message whose first row comes last; "" if there is none."""
    messages = {entry.message_id or entry.uuid: entry.uuid for entry in path if entry.counts_as_turn}
    return next(reversed(messages.values()), "")


def move_reminders_up(messages: list[Message]) -> list[Message]:
    """Put reminders behind the last answer or result before them."""
    found: list[Message] = []
    at = 0  # behind that answer or result, and the reminders that are there already
    for message in messages:
        if message.is_reminder:
            found.insert(at, message)
            at += 1
            continue
        found.append(message)
        if message.role == "assistant" or message.has_result:
            at = len(found)
    return found


def _ends_with_answer(messages: list[Message]) -> bool:
    ids = _ids_beyond_thinking(messages)
    spoken = (message for message in reversed(messages) if not message.is_reminder)
    roles = (message.role for message in spoken if message.id in ids or not message.is_thinking)
    return next(roles, "") == "assistant"


def _ids_beyond_thinking(messages: list[Message]) -> set[str]:
    """Ids of answers of which some part is more than thinking or white space."""
    return {message.id for message in messages if not message.is_thinking} - {""}


def trailing_commands(messages: list[Message], path: Sequence[Entry]) -> int:
    """How many local commands come last, behind a row that is not the model's."""
    last = list(takewhile(lambda entry: entry.type == "system", reversed(path)))
    if len(last) == len(path) or path[-1 - len(last)].type == "assistant":
        return 0
    commands = {id(entry) for entry in last}
    return sum(id(message.blocks[0].entry) in commands for message in messages)


def _last_turn(path: Iterable[Entry]) -> list[Entry]:
    """The rows behind the last prompt or note, even an empty one."""
    found: list[Entry] = []
    for entry in path:
        found.append(entry)
        if entry.type == "user" and entry.counts_as_turn and not entry.answers:
            found.clear()
    return found


def messages_of(
    entry: Entry, data: Record, result: ApiConversation, tools: frozenset[str], rules: RuleSet
) -> list[Message]:
    """The message that a record makes, if it makes one."""
    if entry.type == "system":
        if entry.subtype != "local_command" or "messages.local-command" not in rules:
            return []
        content = text(data.get("content")) or NO_CONTENT
        return [Message("user", [Block({"type": "text", "text": content}, entry)], bare=True)]
    message = data.get("message")
    if not isinstance(message, dict):
        return []
    if entry.type == "user" and "messages.own-note" in rules and (note := own_note(data)):
        return [Message("user", [Block({"type": "text", "text": note}, entry, True)])]
    is_error = data.get("isApiErrorMessage") and message.get("model") == SYNTHETIC_MODEL
    if is_error and "messages.api-error" in rules:
        result.dropped.append(DroppedBlock(entry, API_ERROR))
        return []
    if entry.content == "empty" and entry.type == "assistant" and "messages.empty-answer" in rules:
        return [Message("assistant", [Block({"type": "text", "text": NO_CONTENT}, entry)], entry.message_id)]
    if not entry.has_content:
        result.dropped.append(DroppedBlock(entry, "no content that can be sent"))
        empty = [Block({"type": "text", "text": ""}, entry)]
        return [Message("user", empty)] if entry.content == "empty" and entry.type == "user" else []
    origin = data.get("origin")
    notice = entry.type == "user" and isinstance(origin, dict) and origin.get("kind") == "task-notification"
    blocks = [Block(clean_block(block, tools, rules), entry, notice) for block in blocks_of(message)]
    if entry.type == "user" and any(has_tool_reference(block.data) for block in blocks) and "blocks.loaded" in rules:
        blocks.append(Block({"type": "text", "text": TOOL_LOADED}, entry))
    return [Message(entry.type, blocks, entry.message_id, isinstance(message.get("content"), str))]


def drop_thinking(messages: list[Message], result: ApiConversation, rules: RuleSet) -> list[Message]:
    """Take out thinking of other models, answers of nothing but thinking, and white space beside other rows."""
    ids = _ids_beyond_thinking(messages)
    for message in messages:
        if message.role != "assistant":
            continue
        kept = []
        for block in message.blocks:
            if "thinking.other-model" in rules and _is_foreign_thinking(block, result.model):
                result.dropped.append(DroppedBlock(block.entry, "thinking of another model"))
            else:
                kept.append(block)
        own = [block for block in kept if not _is_placeholder(block)]
        thinking_only = message.id not in ids and all(block.type in THINKING or block.blank for block in own)
        if thinking_only and "thinking.alone" in rules:
            result.dropped += [DroppedBlock(block.entry, "nothing but thinking or white space") for block in own]
            kept = [block for block in kept if _is_placeholder(block)]
        joined = any(block.entry is not kept[0].entry for block in kept) and "messages.blank-text" in rules
        sent = [block for block in kept if not (block.blank and (joined or not block.data["text"]))]
        message.blocks = [block for block in sent if not _is_placeholder(block)] or sent[:1]
        entries = {id(block.entry) for block in message.blocks}
        result.dropped += [DroppedBlock(block.entry, "blank text") for block in kept if id(block.entry) not in entries]
    return [message for message in messages if message.blocks]


def _is_foreign_thinking(block: Block, model: str) -> bool:
    """Whether a model other than this one thought it; only signed or encrypted thinking is bound to its model."""
    if block.type not in THINKING or block.entry.model in (model, SYNTHETIC_MODEL):
        return False
    return block.type == "redacted_thinking" or bool(block.data.get("signature"))


def _is_placeholder(block: Block) -> bool:
    """Whether a block is sent instead of an answer's empty list."""
    return block.entry.type == "assistant" and block.entry.content == "empty"


def join_user_messages(messages: list[Message], rules: RuleSet) -> list[Message]:
    """Join neighbouring user's messages, results first, and put reminders into the result before them."""
    found: list[Message] = []
    for message in messages:
        neighbours = message.role == "user" and found and found[-1].role == "user" and "messages.join-user" in rules
        if not neighbours:
            found.append(Message(message.role, list(message.blocks), message.id, message.bare))
            continue
        last = found[-1]
        last.bare = last.bare and message.bare
        last.blocks.sort(key=_is_no_result)
        at = sum(block.type == "tool_result" for block in last.blocks) - 1
        folded = message.is_reminder and all(block.reminder for block in message.blocks)
        if folded and at >= 0 and all(_is_typed(block) for block in last.blocks[at + 1 :]):
            last.blocks[at] = _with_reminders(last.blocks[at], message.blocks)
        else:
            last.blocks = sorted([*last.blocks, *message.blocks], key=_is_no_result)
    return found


def _is_typed(block: Block) -> bool:
    """Whether a person typed it while the model worked, or it is a picture of that."""
    return block.entry.type == "attachment" and not block.reminder


def _is_no_result(block: Block) -> bool:
    return block.type != "tool_result"


def _with_reminders(result: Block, reminders: list[Block]) -> Block:
    """A result with reminders at its end."""
    content = result.data.get("content")
    reminder_texts = [text(block.data["text"]) for block in reminders]
    if isinstance(content, list):
        for reminder in reminder_texts:
            content = [*_with_line_end(content), {"type": "text", "text": reminder}]
    else:
        first = [content.strip()] if isinstance(content, str) and content.strip() else []
        content = "\n\n".join([*first, *reminder_texts])
    return Block({**result.data, "content": content}, result.entry)


def _with_line_end(content: list[Record]) -> list[Record]:
    """Blocks of which the last, if it is a text, ends its line."""
    last = content[-1] if content else None
    if not isinstance(last, dict) or not isinstance(last.get("text"), str):
        return content
    return [*content[:-1], {**last, "text": last["text"] + "\n"}]
