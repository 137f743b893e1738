"""Calls and results in pairs, as the API wants them.

Rules, each as client 2.1.332 was seen to follow it:

1. A call id counts once. Results stand in the message right behind their calls: a call without one there gets a made-up
   result that says it was interrupted, a result anywhere else is taken out. Made-up ones come first.
2. A call that the server answers is taken out if its result isn't in the same answer.
3. Where nothing is left of a message a stand-in text is, if the next prompt doesn't join it.
"""

from collections import deque
from typing import Final

from memtui.sessions.entries import Entry, text
from memtui.sessions.parts import NO_CONTENT, Block, Conversation, Dropped, Message, is_blank

INTERRUPTED: Final = "<interrupted>"
"""Stands for the result that the client makes up for a call that wasn't answered."""

ORPHANED: Final = "[Orphaned tool result removed due to conversation resume]"
CALL_INTERRUPTED: Final = "[Tool use interrupted]"

_SERVED: Final = ("server_tool_use", "mcp_tool_use")
"""Calls that the server answers itself, within the answer."""


def paired(messages: list[Message], result: Conversation, *, joined: bool = False) -> list[Message]:
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


def _answering(message: Message, calls: dict[str, Block], result: Conversation) -> Message:
    """The message behind calls: their results, made up where there is none, and what else was said."""
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
    made_up = [interruption(call, block.entry) for call, block in calls.items() if call not in done]
    return Message("user", [*made_up, *kept])


def _orphaned(message: Message, result: Conversation, *, first: bool, joined: bool) -> Message:
    """A user's message that answers no call: results are taken out, and a stand-in text says so if nothing is left, but
    where the next prompt joins it."""
    kept = [block for block in message.blocks if block.type != "tool_result"]
    result.dropped += [
        Dropped(block.entry, "a result without its call") for block in message.blocks if block not in kept
    ]
    if joined or (kept and (message.bare or not all(map(is_blank, kept)))):
        return Message("user", kept, bare=message.bare)
    stand_in = ORPHANED if first and not kept else NO_CONTENT
    return Message("user", [Block({"type": "text", "text": stand_in}, message.blocks[0].entry)])


def interruption(call: str, entry: Entry) -> Block:
    """The result that is made up for a call, in the name of a row."""
    return Block({"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}, entry)
