"""The rows of one answer as one message, and the calls that stay open.

Rules, each as client 2.1.332 was seen to follow it:

1. Rows with one message id become one message, at the place of the first: across other answers, and across what the
   user said or was told in between if a result is among it. With each row that is added its calls go behind everything
   else, unless that would bring thinking next to thinking that it didn't stand next to: then all stay where they are.
2. Before, a row whose calls were all never answered is taken out. Not so where nothing but answers, results and
   commands follows the last prompt, be that an empty one, and the last answer by rule 1 has such a call or a result
   stands behind it: then its rows stay. So do all others behind that prompt, if a result or any attachment follows it
   and no answer's row without a call follows both it and the last of its results. To each call of that last answer
   that stays so a result is made up at the end. None stays where a `last-prompt` that is `rewound` names the last
   message, with or without the rows whose calls were never answered, and no main row was written since.

Calls and results in pairs, as the API wants them.

Rules, each as client 2.1.332 was seen to follow it:

1. A call id counts once. Results stand in the message right behind their calls: a call without one there gets a made-up
   result that says it was interrupted, a result anywhere else is taken out. Made-up ones come first.
2. A call that the server answers is taken out if its result isn't in the same answer.
3. Where nothing is left of a message a stand-in text is, if the next prompt doesn't join it.
"""

from collections import deque
from operator import and_
from typing import Final

from memtui.resume.content_blocks import (
    NO_CONTENT,
    THINKING,
    ApiConversation,
    Block,
    DroppedBlock,
    Message,
    is_blank,
    is_reminder,
    is_thought,
    is_told,
)
from memtui.transcripts.entries import Entry, text

INTERRUPTED: Final = "<interrupted>"
"""Stands for the result that the client makes up for a call that wasn't answered."""
ORPHANED: Final = "[Orphaned tool result removed due to conversation resume]"
CALL_INTERRUPTED: Final = "[Tool use interrupted]"
_SERVED: Final = ("server_tool_use", "mcp_tool_use")
"""Calls that the server answers itself, within the answer."""


def paired(messages: list[Message], result: ApiConversation, *, joined: bool = False) -> list[Message]:
    """Each call once, each with a result in the very next message, and no other results.

    Args:
        messages: Messages of the two sides in turn.
        result: Where to name what is taken out.
        joined: Whether the next prompt joins the last of them.
    """
    found: list[Message] = []
    called: set[str] = set()
    waiting = deque(messages)
    while waiting:
        message = waiting.popleft()
        if message.role != "assistant":
            found.append(_orphaned(message, result, first=not found, joined=joined and not waiting))
            continue
        calls = _calls_once(message, called, result)
        found.append(message)
        if not calls:
            if waiting and waiting[0].role == "user":
                following = waiting.popleft()
                found.append(_orphaned(following, result, first=False, joined=joined and not waiting))
            continue
        following = waiting.popleft() if waiting and waiting[0].role == "user" else Message("user", [])
        found.append(_answering(following, calls, result))
    return [message for message in found if message.blocks]


def _calls_once(message: Message, called: set[str], result: ApiConversation) -> dict[str, Block]:
    """Take out calls whose id was used before; the calls that stay."""
    calls: dict[str, Block] = {}
    served = {text(block.data.get("tool_use_id")) for block in message.blocks}
    kept = []
    for block in message.blocks:
        if block.type in _SERVED and text(block.data.get("id")) not in served:
            result.dropped.append(DroppedBlock(block.entry, "a call that was never answered"))
            continue
        if block.type == "tool_use":
            call = text(block.data.get("id"))
            if not call or call in called:
                result.dropped.append(
                    DroppedBlock(block.entry, "a call made twice" if call else "a call without an id")
                )
                continue
            called.add(call)
            calls[call] = block
        kept.append(block)
    message.blocks = kept or [Block({"type": "text", "text": CALL_INTERRUPTED}, message.blocks[0].entry)]
    return calls


def _answering(message: Message, calls: dict[str, Block], result: ApiConversation) -> Message:
    """The message behind calls: their results, made up where there is none, and what else was said."""
    kept, done = [], set()
    for block in message.blocks:
        call = text(block.data.get("tool_use_id"))
        if block.type == "tool_result":
            if call not in calls or call in done:
                why = "a result given twice" if call in done else "a result without its call"
                result.dropped.append(DroppedBlock(block.entry, why))
                continue
            done.add(call)
        kept.append(block)
    made_up = [interruption(call, block.entry) for call, block in calls.items() if call not in done]
    return Message("user", [*made_up, *kept])


def _orphaned(message: Message, result: ApiConversation, *, first: bool, joined: bool) -> Message:
    """A user's message that answers no call: results are taken out, and a stand-in text says so if nothing is left, but
    where the next prompt joins it."""
    kept = [block for block in message.blocks if block.type != "tool_result"]
    result.dropped += [
        DroppedBlock(block.entry, "a result without its call") for block in message.blocks if block not in kept
    ]
    if joined or (kept and (message.bare or not all(map(is_blank, kept)))):
        return Message("user", kept, bare=message.bare)
    stand_in = ORPHANED if first and not kept else NO_CONTENT
    return Message("user", [Block({"type": "text", "text": stand_in}, message.blocks[0].entry)])


def interruption(call: str, entry: Entry) -> Block:
    """The result that is made up for a call, in the name of a row."""
    return Block({"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}, entry)


def one_per_answer(parts: list[Message]) -> list[Message]:
    """Make the rows of each answer one message (rule 1).

    Args:
        parts: A message for each row; they stay as they are.
    """
    messages: list[Message] = []
    reachable: dict[str, Message] = {}
    told: bool | None = None  # whether a result is among what the user said since the last answer
    for part in parts:
        if part.role == "user":
            told = bool(told) or is_told(part)
        elif part.role == "assistant" and told is False:
            reachable.clear()
        earlier = reachable.get(part.id) if part.id else None
        if earlier is not None:
            earlier.blocks = _calls_last([*earlier.blocks, *part.blocks])
            continue
        blocks = _calls_last(part.blocks) if part.role == "assistant" else part.blocks
        message = Message(part.role, list(blocks), part.id, part.bare)
        messages.append(message)
        if part.role == "assistant":
            told = None
        if part.id:
            reachable[part.id] = message
    return messages


def _calls_last(blocks: list[Block]) -> list[Block]:
    """Blocks of an answer with its calls behind everything else, unless that brings thinking next to other thinking."""
    found = sorted(blocks, key=lambda block: block.type == "tool_use")
    return blocks if _thoughts_met(found) > _thoughts_met(blocks) else found


def _thoughts_met(blocks: list[Block]) -> int:
    """How often thinking follows thinking; white space between isn't sent of an answer of several rows."""
    joined = any(block.entry is not blocks[0].entry for block in blocks)
    thought = [block.type in THINKING for block in blocks if not (joined and is_blank(block))]
    return sum(map(and_, thought, thought[1:]))


def without_open_calls(
    parts: list[Message], result: ApiConversation, turn: list[Entry], *, over: bool = False
) -> tuple[list[Message], list[Block]]:
    """Take out rows of which no call was answered anywhere, unless they are the end of the conversation (rule 2).

    Args:
        parts: A message for each row, be it a user's empty list, that isn't sent.
        result: Where to name what is taken out.
        turn: The rows behind the last prompt or note, be that an empty one.
        over: Whether nothing in this end is open, because a person went back to it.

    Returns:
        The messages, and the results that are made up for the open calls of the last answer.
    """
    answered = {text(block.data.get("tool_use_id")) for part in parts for block in part.blocks} - {""}
    if answered.issuperset(call for part in parts for call in _calls_of(part)):
        return [part for part in parts if not _is_unsaid(part)], []
    held, last = (set(), set()) if over else _open_end(parts, answered, turn)
    kept: list[Message] = []
    made_up: list[Block] = []
    for part in parts:
        if _is_unsaid(part):
            continue
        calls = [block for block in part.blocks if block.type == "tool_use"]
        opened = [block for block in calls if text(block.data.get("id")) not in answered]
        if id(part.blocks[0].entry) in last:
            made_up += [interruption(text(block.data.get("id")), block.entry) for block in opened]
        elif opened and len(opened) == len(calls) and id(part.blocks[0].entry) not in held:
            result.dropped += [DroppedBlock(block.entry, "a call that was never answered") for block in calls]
            continue
        kept.append(part)
    return kept, made_up


def _open_end(parts: list[Message], answered: set[str], turn: list[Entry]) -> tuple[set[int], set[int]]:
    """The rows (by `id`) of an end that is still open, and those of them that are its last answer."""
    spoken = [part for part in parts if not is_reminder(part) and not is_thought(part)]
    after = spoken[1 + max((at for at, part in enumerate(spoken) if part.role == "assistant"), default=-1) :]
    if len(after) == len(spoken) or any(map(_is_said, after)):
        return set(), set()
    answers = one_per_answer([part for part in parts if not is_reminder(part)])
    messages = [part for part in answers if not is_thought(part)]
    last = max(at for at, part in enumerate(messages) if part.role == "assistant")
    if answered.issuperset(_calls_of(messages[last])) and not any(map(is_told, messages[last:])):
        return set(), set()
    late = {id(entry) for entry in turn}
    work = [part for part in spoken if id(part.blocks[0].entry) in late]
    told = max((at for at, part in enumerate(work) if is_told(part)), default=-1)
    aided = told >= 0 or any(entry.type == "attachment" for entry in turn)
    silent = all(_calls_of(part) for part in work[told + 1 :] if part.role == "assistant")
    final = late.intersection(id(block.entry) for block in messages[last].blocks)
    return {id(part.blocks[0].entry) for part in work} | final if aided and silent else final, final


def _calls_of(message: Message) -> list[str]:
    return [text(block.data.get("id")) for block in message.blocks if block.type == "tool_use"]


def _is_unsaid(message: Message) -> bool:
    """Whether it stands for a user's empty list."""
    return message.role == "user" and message.blocks[0].entry.content == "empty"


def _is_said(message: Message) -> bool:
    """Whether it is a prompt or a note: a user's row without a result."""
    entry = message.blocks[0].entry
    return message.role == "user" and entry.type == "user" and not entry.answers
