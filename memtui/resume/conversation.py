"""The values that a resume is made of: the rows that the client loads, its resume point, and the messages it sends.

They are the same for every client version; what is done with them is the matter of a version family.
"""

from typing import Any, Final, Literal

from msgspec import Struct, field

from memtui.transcripts.entries import CHAIN_TYPES, Entry
from memtui.transcripts.lines import Record

NO_UUID: Final = "no uuid"  # the key of records that have no uuid: the client counts all of them as one row
NO_CONTENT: Final = "(no content)"  # sent instead of a message without content
INTERRUPTED: Final = "<interrupted>"  # result that the client makes up for a call without one, as recordings have it
FILLER: Final = "No response requested."  # an answer that the client makes up where two user's messages would meet
THINKING: Final = ("thinking", "redacted_thinking")

CUT_LENGTH: Final = 2000  # of a text in a plan that nobody sends: no rule about a message looks further
Reason = Literal[
    "last-record", "latest-below", "latest-end", "preserved", "pinned", "pinned-back", "emptied", "no-message",
    "chosen", "ended", "none",
]  # fmt: skip

RESUME_POINT_REASONS: dict[Reason, str] = {
    "last-record": "last record in the file",
    "latest-below": "latest record below the last one in the file, which is not the latest itself",
    "latest-end": "latest end of all branches: the last record in the file leads to no message",
    "preserved": "last record after the compaction that kept messages",
    "pinned": "a last-prompt record points to it, and it is on another branch",
    "pinned-back": "a rewind points to it (last-prompt, explicit), and nothing was written since",
    "emptied": "a rewind to the beginning (last-prompt, explicit), and nothing was written since",
    "no-message": "no record leads to a message",
    "chosen": "you chose it",
    "ended": "Claude ended this conversation, and Claude Code refuses to resume it; a fork at a message goes on",
    "none": "the file has no main conversation",
}


class ResumePoint(Struct, frozen=True):
    """The row from which a session continues (the leaf)."""

    uuid: str  # "" if there is none
    reason: Reason
    selected_by: str = ""  # the row that led to it
    rewound: bool = False  # a person went back to it and wrote nothing since, so its turn was not interrupted


class Rows(Struct):
    """The records that the client's loader keeps, by uuid, in the order of each uuid's last place in the file."""

    by_uuid: dict[str, Entry] = field(default_factory=dict)
    parent: dict[str, str] = field(default_factory=dict)
    position: dict[str, int] = field(default_factory=dict)  # the order of each uuid's first place
    dropped: frozenset[str] = frozenset()  # removed by a compaction
    preserved: tuple[str, ...] = ()  # kept by it, in their new order
    anchored: bool = False  # the row before the preserved ones is in the file
    _timeline: list[tuple[float, int, str]] | None = None

    def timeline(self) -> list[tuple[float, int, str]]:
        """Time, negative position (of equal times the first in the file comes last) and uuid of each row, sorted."""
        if self._timeline is None:
            timed = ((entry.time, -self.position[uuid], uuid) for uuid, entry in self.by_uuid.items())
            self._timeline = sorted((time, position, uuid) for time, position, uuid in timed if time is not None)
        return self._timeline

    def children(self) -> dict[str, list[str]]:
        """Uuids by the uuid of their parent, in file order."""
        found: dict[str, list[str]] = {}
        for uuid in self.in_file_order():
            if self.parent[uuid] in self.by_uuid:
                found.setdefault(self.parent[uuid], []).append(uuid)
        return found

    def in_file_order(self) -> list[str]:
        return sorted(self.by_uuid, key=self.position.__getitem__)

    def row_for(self, entry: Entry) -> Entry | None:
        """The record that counts for the uuid of another."""
        return self.by_uuid.get(entry.uuid or NO_UUID) if entry.type in CHAIN_TYPES else None

    def nearest_message(self, uuid: str) -> str:
        """The nearest message at or above a row; "" if there is none up to the root."""
        seen: set[str] = set()
        while uuid in self.by_uuid and uuid not in seen:
            if self.by_uuid[uuid].is_message:
                return uuid
            seen.add(uuid)
            uuid = self.parent[uuid]
        return ""


class Block(Struct):
    """A content block as it is sent, and the record it comes from. `reminder`: a text that no person wrote."""

    data: Record
    entry: Entry
    reminder: bool = False

    @property
    def type(self) -> str:
        return str(self.data["type"])

    @property
    def blank(self) -> bool:
        return self.type == "text" and not self.data["text"].strip()


class Message(Struct):
    """A message of one role. `id` is the API's id of an answer ("" for a user's); `bare`: the content is one string."""

    role: str
    blocks: list[Block]
    id: str = ""
    bare: bool = False

    @property
    def is_reminder(self) -> bool:
        return self.blocks[0].entry.type == "attachment"

    @property
    def has_result(self) -> bool:
        return any(block.type == "tool_result" for block in self.blocks)

    @property
    def is_thinking(self) -> bool:
        """Whether it is an answer of nothing but thinking or white space."""
        return self.role == "assistant" and all(block.type in THINKING or block.blank for block in self.blocks)


class DroppedBlock(Struct):
    """A record of which something is not sent, and why."""

    entry: Entry
    why: str


class ApiConversation(Struct):
    """The messages of a resume, and what is on its path but is not sent."""

    messages: list[Message] = field(default_factory=list)
    dropped: list[DroppedBlock] = field(default_factory=list)
    model: str = ""


def shorten(value: Any) -> Any:
    """Cut the long texts of a record or a part of one; one that begins blank stays whole, because blankness matters."""
    if isinstance(value, str):
        return value[:CUT_LENGTH] if len(value) > CUT_LENGTH and value[:CUT_LENGTH].strip() else value
    if isinstance(value, dict):
        return {key: shorten(part) for key, part in value.items()}
    return list(map(shorten, value)) if isinstance(value, list) else value
