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
"""

from operator import and_

from memtui.sessions.entries import Entry, text
from memtui.sessions.pairs import interruption
from memtui.sessions.parts import (
    THINKING,
    Block,
    Conversation,
    Dropped,
    Message,
    is_blank,
    is_reminder,
    is_thought,
    is_told,
)


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
    parts: list[Message], result: Conversation, turn: list[Entry], *, over: bool = False
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
            result.dropped += [Dropped(block.entry, "a call that was never answered") for block in calls]
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
