"""What a resume sends: the agent client's own answer, and what it leaves out.

`plan_resume` follows the client's rules (`rows`, `leaf`, `find_path`, `messages` state them); at a message that you
choose it
is what the client would send if that message were the leaf. Where the client loses turns nothing is repaired here:
`left_out` names every such row with the reason, so that a person can choose another leaf, or a fork.

Source:
    Recordings of client 2.1.332; DESIGN.md D9.
"""

from typing import Any

from msgspec import Struct, field

from memtui.resume.content_blocks import ApiConversation, Message, shortened
from memtui.resume.leaf import ResumePoint, find_resume_point
from memtui.resume.messages import FILLER, conversation
from memtui.resume.omitted import Defect, OmittedRecord, find_defects, find_omitted
from memtui.resume.path import find_path, trailing, with_parallel
from memtui.resume.rows import Rows, rows_of
from memtui.transcripts.entries import Entry, result_text
from memtui.transcripts.transcript import Transcript
from memtui.util.errors import NotFound


class ResumePlan(Struct, frozen=True):
    """The client's answer. `messages` is None if it finds no conversation.

    `way` are the rows that it goes through, oldest first.
    """

    leaf: ResumePoint
    way: tuple[Entry, ...] = ()
    messages: tuple[Message, ...] | None = None
    model: str = ""
    left_out: tuple[OmittedRecord, ...] = ()
    defects: tuple[Defect, ...] = ()
    rows: Rows = field(default_factory=Rows)

    def blocks(self) -> list[list[Any]] | None:
        """The blocks in the flat form of the recordings; None if there is no conversation.

        Left out, as there: reminders, and the client's own filler reply. Texts are stripped.
        """
        return None if self.messages is None else flat_blocks(self.messages)


def plan_resume(transcript: Transcript, at: str = "", *, brief: bool = False) -> ResumePlan:
    """What the client sends when it resumes a session.

    Args:
        transcript: The session, read.
        at: The uuid of a record to go on from; "" for the client's own choice.
        brief: For who doesn't send it: long texts in the messages are cut, so that no conversation is held whole.

    Raises:
        NotFound: If there is no such record.
    """
    known = transcript.known()
    rows = rows_of(known)
    children = rows.children()
    leaf = find_resume_point(rows, known, children)
    if at:
        leaf = _chosen(rows, known, at)
    found = ApiConversation() if leaf.reason == "emptied" else None
    way: list[Entry] = []
    if at or (leaf.uuid and not rows.by_uuid[leaf.uuid].sidechain):
        uuids = with_parallel(rows, find_path(rows, leaf.uuid), children)
        behind = [] if at else trailing(rows, uuids, leaf.uuid, children)
        way = [rows.by_uuid[uuid] for uuid in (*uuids, *behind)]
        start = max((len(uuids) + place for place, uuid in enumerate(behind) if rows.by_uuid[uuid].boundary), default=0)
        says = transcript.each(way)
        found = conversation(way, map(shortened, says) if brief else says, start=start, over=_is_over(leaf, way))
        way = way[start:]
    return ResumePlan(
        leaf,
        tuple(way),
        tuple(found.messages) if found else None,
        found.model if found else "",
        find_omitted(
            transcript,
            rows,
            way,
            found.dropped if found else [],
            wanted=leaf.reason in ("chosen", "pinned-back", "emptied"),
        ),
        find_defects(transcript, rows, way),
        rows,
    )


def flat_blocks(messages: tuple[Message, ...]) -> list[list[Any]]:
    """Messages as a flat list of blocks, in the form of the recordings.

    `[role, "text", text]`, `[role, "tool_use", id, name, input]`, `[role, "tool_result", id, text]` or `[role, kind]`.
    """
    found: list[list[Any]] = []
    for message in messages:
        for block in message.blocks:
            data = block.data
            if block.type == "text":
                said = data["text"].strip()
                alone = message.bare and len(message.blocks) == 1  # an empty prompt is sent as it is
                if block.reminder or said.startswith("<system-reminder>") or said == FILLER:
                    continue
                if said or alone or message.role == "assistant":
                    found.append([message.role, "text", said])
            elif block.type == "tool_use":
                found.append([message.role, "tool_use", data.get("id"), data.get("name"), data.get("input")])
            elif block.type == "tool_result":
                found.append(
                    [message.role, "tool_result", data.get("tool_use_id"), result_text(data.get("content")).strip()]
                )
            else:
                found.append([message.role, block.type])
    return found


def _is_over(leaf: ResumePoint, way: list[Entry]) -> bool:
    """Whether no call at the end of a way is open, for a person went back to its last message."""
    answered = {call for entry in way for call in entry.answers}
    sent = [entry for entry in way if not entry.calls or not answered.isdisjoint(entry.calls)]
    return leaf.rewound and leaf.uuid in (_last_message(way), _last_message(sent))


def _last_message(rows: list[Entry]) -> str:
    """The last row of the last message, that is where its first row is; "" if there is none."""
    messages = {entry.message_id or entry.uuid: entry.uuid for entry in rows if entry.counts}
    return next(reversed(messages.values()), "")


def _chosen(rows: Rows, known: list[Entry], at: str) -> ResumePoint:
    if at not in rows.by_uuid:
        if at in rows.gone or any(entry.uuid == at for entry in known):
            rows_before = rows_of(entry for entry in known if not entry.boundary)
            if at in rows_before.by_uuid:
                rows.by_uuid, rows.parent = rows_before.by_uuid, rows_before.parent
                rows.place, rows.gone, rows.kept = rows_before.place, frozenset(), ()
                return ResumePoint(at, "chosen", at)
        raise NotFound(f"No message {at} in this session", hint="`memtui sessions tree` lists them")
    return ResumePoint(at, "chosen", at)
