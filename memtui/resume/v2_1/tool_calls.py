"""Rows of one answer as one message, and calls and results in pairs, as the API wants them.

Calls that were never answered are dropped, but not at the end of a turn that was interrupted: see `drop_open_calls`.
"""

from collections import deque
from operator import and_
from typing import Final

from memtui.resume.conversation import INTERRUPTED, NO_CONTENT, THINKING, ApiConversation, Block, DroppedBlock, Message
from memtui.resume.family import RuleSet
from memtui.transcripts.entries import Entry, text

RESULT_REMOVED: Final = "[Orphaned tool result removed due to conversation resume]"
CALL_REMOVED: Final = "[Tool use interrupted]"
_SERVER_CALLS: Final = ("server_tool_use", "mcp_tool_use")  # calls that the server answers itself, within the answer


def pair_calls(
    messages: list[Message], result: ApiConversation, rules: RuleSet, *, joins_prompt: bool = False
) -> list[Message]:
    """Leave each call once, each with a result in the very next message, and no other results.

    The messages are of the two roles in turn; `joins_prompt`: the next prompt joins the last of them.
    """
    found: list[Message] = []
    seen: set[str] = set()
    queue = deque(messages)
    while queue:
        message = queue.popleft()
        if message.role != "assistant":
            joins = joins_prompt and not queue
            found.append(without_results(message, result, rules, first=not found, joins_prompt=joins))
            continue
        calls = take_calls_once(message, seen, result, rules)
        found.append(message)
        if calls:
            following = queue.popleft() if queue and queue[0].role == "user" else Message("user", [])
            found.append(answer_calls(following, calls, result, rules))
        elif queue and queue[0].role == "user":
            following = queue.popleft()
            joins = joins_prompt and not queue
            found.append(without_results(following, result, rules, first=False, joins_prompt=joins))
    return [message for message in found if message.blocks]


def take_calls_once(message: Message, seen: set[str], result: ApiConversation, rules: RuleSet) -> dict[str, Block]:
    """Take out calls made before, and the server's without a result in the same answer; those that stay, by id."""
    calls: dict[str, Block] = {}
    served = {text(block.data.get("tool_use_id")) for block in message.blocks}
    kept = []
    for block in message.blocks:
        call = text(block.data.get("id"))
        if block.type in _SERVER_CALLS and call not in served and "calls.server" in rules:
            result.dropped.append(DroppedBlock(block.entry, "a call that was never answered"))
            continue
        if block.type == "tool_use":
            if not call or (call in seen and "calls.once" in rules):
                why = "a call made twice" if call else "a call without an id"
                result.dropped.append(DroppedBlock(block.entry, why))
                continue
            seen.add(call)
            calls[call] = block
        kept.append(block)
    message.blocks = kept or [Block({"type": "text", "text": CALL_REMOVED}, message.blocks[0].entry)]
    return calls


def answer_calls(message: Message, calls: dict[str, Block], result: ApiConversation, rules: RuleSet) -> Message:
    """The message behind calls: their results, made up where there is none, and what else it holds."""
    kept, done = [], set()
    for block in message.blocks:
        call = text(block.data.get("tool_use_id"))
        if block.type == "tool_result":
            if (call not in calls or call in done) and "calls.stray-result" in rules:
                why = "a result given twice" if call in done else "a result without its call"
                result.dropped.append(DroppedBlock(block.entry, why))
                continue
            done.add(call)
        kept.append(block)
    missing = {call: block for call, block in calls.items() if call not in done} if "calls.missing" in rules else {}
    return Message("user", [*(interrupted_result(call, block.entry) for call, block in missing.items()), *kept])


def without_results(
    message: Message, result: ApiConversation, rules: RuleSet, *, first: bool, joins_prompt: bool
) -> Message:
    """A user's message that answers no call, its results taken out; never empty unless the next prompt joins it."""
    if "calls.stray-result" not in rules:
        return message
    kept = [block for block in message.blocks if block.type != "tool_result"]
    result.dropped += [
        DroppedBlock(block.entry, "a result without its call") for block in message.blocks if block not in kept
    ]
    if joins_prompt or (kept and (message.bare or not all(block.blank for block in kept))):
        return Message("user", kept, bare=message.bare)
    substitute = RESULT_REMOVED if first and not kept else NO_CONTENT
    return Message("user", [Block({"type": "text", "text": substitute}, message.blocks[0].entry)])


def interrupted_result(call: str, entry: Entry) -> Block:
    """The result that is made up for a call, attributed to a record."""
    return Block({"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}, entry)


def join_answers(messages: list[Message], rules: RuleSet) -> list[Message]:
    """Make the rows of each answer one message, at the place of the first; the messages, one a row, stay as they are.

    They are joined across other answers, and across user's messages if there is a result among them.
    """
    found: list[Message] = []
    open_answers: dict[str, Message] = {}
    has_result: bool | None = None  # whether the user's messages since the last answer hold a result; None: no message
    for message in messages:
        if message.role == "user":
            has_result = bool(has_result) or message.has_result
        elif message.role == "assistant" and has_result is False:
            open_answers.clear()
        earlier = open_answers.get(message.id) if message.id and "calls.one-message" in rules else None
        if earlier is not None:
            earlier.blocks = with_calls_last([*earlier.blocks, *message.blocks], rules)
            continue
        blocks = with_calls_last(message.blocks, rules) if message.role == "assistant" else message.blocks
        joined = Message(message.role, list(blocks), message.id, message.bare)
        found.append(joined)
        if message.role == "assistant":
            has_result = None
        if message.id:
            open_answers[message.id] = joined
    return found


def with_calls_last(blocks: list[Block], rules: RuleSet) -> list[Block]:
    """Blocks with the calls behind everything else, unless that brings thinking next to other thinking."""
    if "calls.last" not in rules:
        return blocks
    found = sorted(blocks, key=lambda block: block.type == "tool_use")
    return blocks if _thinking_pairs(found) > _thinking_pairs(blocks) else found


def _thinking_pairs(blocks: list[Block]) -> int:
    """How often thinking follows thinking; white space between is not sent of an answer of several rows."""
    joined = any(block.entry is not blocks[0].entry for block in blocks)
    thinking = [block.type in THINKING for block in blocks if not (joined and block.blank)]
    return sum(map(and_, thinking, thinking[1:]))


def drop_open_calls(
    messages: list[Message], result: ApiConversation, last_turn: list[Entry], rules: RuleSet, *, closed: bool = False
) -> tuple[list[Message], list[Block]]:
    """Take out rows of which no call was answered anywhere, unless they are the open end of the conversation.

    The end is open if only answers, results and commands follow the last prompt, and the last answer has such a call or
    a result comes after it. Then the rows of that answer stay. So do all others behind that prompt, if a result or any
    attachment follows it, and no row of an answer without a call follows both it and the last of its results.

    The messages are one a row, also for a user's empty list, that is not sent; `last_turn` are the rows behind the last
    prompt or note, even an empty one; `closed`: nothing at the end is open, because a person went back to it. With the
    messages come the results that are made up for the open calls of the last answer.
    """
    answered = {text(block.data.get("tool_use_id")) for message in messages for block in message.blocks} - {""}
    if answered.issuperset(call for message in messages for call in _calls_of(message)):
        return [message for message in messages if not _is_empty_prompt(message)], []
    held, final = set[int](), set[int]()
    if not closed and "calls.open-end" in rules:
        held, final = open_end(messages, answered, last_turn, rules)
    kept: list[Message] = []
    made_up: list[Block] = []
    for message in messages:
        if _is_empty_prompt(message):
            continue
        calls = [block for block in message.blocks if block.type == "tool_use"]
        opened = [block for block in calls if text(block.data.get("id")) not in answered]
        entry = id(message.blocks[0].entry)
        if entry in final:
            made_up += [interrupted_result(text(block.data.get("id")), block.entry) for block in opened]
        elif opened and len(opened) == len(calls) and entry not in held and "calls.unanswered" in rules:
            result.dropped += [DroppedBlock(block.entry, "a call that was never answered") for block in calls]
            continue
        kept.append(message)
    return kept, made_up


def open_end(
    messages: list[Message], answered: set[str], last_turn: list[Entry], rules: RuleSet
) -> tuple[set[int], set[int]]:
    """The rows (by `id`) of an end that is open, and those of them that belong to its last answer."""
    visible = [message for message in messages if not message.is_reminder and not message.is_thinking]
    last_answer = max((at for at, message in enumerate(visible) if message.role == "assistant"), default=-1)
    after = visible[1 + last_answer :]
    if len(after) == len(visible) or any(map(_is_prompt_or_note, after)):
        return set(), set()
    answers = join_answers([message for message in messages if not message.is_reminder], rules)
    joined = [message for message in answers if not message.is_thinking]
    last = max(at for at, message in enumerate(joined) if message.role == "assistant")
    if answered.issuperset(_calls_of(joined[last])) and not any(message.has_result for message in joined[last:]):
        return set(), set()
    late = {id(entry) for entry in last_turn}
    work = [message for message in visible if id(message.blocks[0].entry) in late]
    last_result = max((at for at, message in enumerate(work) if message.has_result), default=-1)
    aided = last_result >= 0 or any(entry.type == "attachment" for entry in last_turn)
    only_calls = all(_calls_of(message) for message in work[last_result + 1 :] if message.role == "assistant")
    final = late.intersection(id(block.entry) for block in joined[last].blocks)
    return {id(message.blocks[0].entry) for message in work} | final if aided and only_calls else final, final


def _calls_of(message: Message) -> list[str]:
    return [text(block.data.get("id")) for block in message.blocks if block.type == "tool_use"]


def _is_empty_prompt(message: Message) -> bool:
    return message.role == "user" and message.blocks[0].entry.content == "empty"


def _is_prompt_or_note(message: Message) -> bool:
    entry = message.blocks[0].entry
    return message.role == "user" and entry.type == "user" and not entry.answers
