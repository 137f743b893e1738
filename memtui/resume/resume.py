"""What the agent client sends when it resumes a session, and what it leaves out.

`plan_resume` follows the rules of a family of client versions. Where the client loses turns nothing is repaired:
`omitted` names every such record with the reason, so that a person can choose another resume point, or a fork.
"""

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from memtui.resume.conversation import FILLER, ApiConversation, Message, Reason, ResumePoint, Rows, shorten
from memtui.resume.family import ClientFamily, RuleSet
from memtui.resume.omitted import Defect, OmittedRecord, find_defects, find_omitted
from memtui.resume.v2_1.family import FAMILY as V2_1
from memtui.transcripts.entries import Entry, result_text, text
from memtui.transcripts.transcript import Transcript
from memtui.util.errors import NotFound

FAMILIES: Final = (V2_1,)  # oldest first; the newest is used for unknown versions
LEFT_ON_PURPOSE: Final[tuple[Reason, ...]] = ("chosen", "pinned-back", "emptied")
"""Reasons of a resume point that a person chose: what comes behind it is not lost."""

ENDED: Final = "Claude ended this conversation, and Claude Code refuses to resume it"
MAX_VERSION_RECORD_BYTES: Final = 1 << 16  # a longer record is not read only to find its version


class ResumePlan(Struct, frozen=True):
    """What a resume sends."""

    leaf: ResumePoint
    path: tuple[Entry, ...] = ()  # the records from the beginning down to the resume point `leaf`
    messages: tuple[Message, ...] | None = None  # None if the client finds no conversation, or refuses it
    model: str = ""
    omitted: tuple[OmittedRecord, ...] = ()
    defects: tuple[Defect, ...] = ()
    rows: Rows = field(default_factory=Rows)
    family: ClientFamily = V2_1

    def blocks(self) -> list[list[Any]] | None:
        """The blocks in the flat form of the recordings; None if there is no conversation.

        `[role, "text", text]`, `[role, "tool_use", id, name, input]`, `[role, "tool_result", id, text]` or
        `[role, kind]`, without reminders and the client's own filler answer, texts stripped.
        """
        if self.messages is None:
            return None
        found: list[list[Any]] = []
        for message in self.messages:
            for block in message.blocks:
                data = block.data
                if block.type == "text":
                    stripped = data["text"].strip()
                    alone = message.bare and len(message.blocks) == 1  # an empty prompt is sent as it is
                    if block.reminder or stripped.startswith("<system-reminder>") or stripped == FILLER:
                        continue
                    if stripped or alone or message.role == "assistant":
                        found.append([message.role, "text", stripped])
                elif block.type == "tool_use":
                    found.append([message.role, "tool_use", data.get("id"), data.get("name"), data.get("input")])
                elif block.type == "tool_result":
                    result = result_text(data.get("content")).strip()
                    found.append([message.role, "tool_result", data.get("tool_use_id"), result])
                else:
                    found.append([message.role, block.type])
        return found


def family_of(version: str) -> ClientFamily:
    """The rules for a client version; those of the newest family for one that is not known."""
    return next((one for one in FAMILIES if version.startswith(f"{one.name}.")), FAMILIES[-1])


def client_version(transcript: Transcript) -> str:
    """The client version that wrote the end of a session; "" if its last records do not tell."""
    rows = (row for row in reversed(transcript.entries) if row.chained and row.length <= MAX_VERSION_RECORD_BYTES)
    last = next(rows, None)
    return text(transcript.data(last).get("version")) if last else ""


def is_ended(transcript: Transcript) -> bool:
    """Whether the model ended the session: a record anywhere in the file says so of its session id."""
    ends = (entry.note for entry in transcript.known() if entry.type == "ended-by-model")
    return any(note is not None and note.get("sessionId") == transcript.path.stem for note in ends)


def plan_resume(
    transcript: Transcript, at: str = "", *, brief: bool = False, without_rules: Iterable[str] = ()
) -> ResumePlan:
    """Work out what the client sends when it resumes a session.

    `at` is the uuid of a record to continue from, "" for the client's own choice (`NotFound` if there is none);
    `brief`, for a caller that doesn't send it, cuts long texts in the messages, to hold less in memory; `without_rules`
    are ids of rules to switch off, to see what depends on them.
    """
    family = family_of(client_version(transcript))
    rules = family.without(without_rules)
    entries = transcript.known()
    rows = family.load_rows(entries, rules)
    if at:
        rows = _rows_with(rows, family, entries, at, rules)
    children = rows.children()
    leaf = ResumePoint(at, "chosen", at) if at else family.find_resume_point(rows, entries, children, rules)
    conversation = ApiConversation() if leaf.reason == "emptied" else None
    path, start = family.records_to_send(rows, leaf, children, rules)
    if path:
        records = transcript.each(path)
        conversation = family.build_conversation(path, map(shorten, records) if brief else records, start, leaf, rules)
    if not at and "leaf.ended" in rules and is_ended(transcript):
        leaf, conversation = replace(leaf, reason="ended"), None
    sent = path[start:]
    dropped = conversation.dropped if conversation else []
    return ResumePlan(
        leaf,
        tuple(sent),
        tuple(conversation.messages) if conversation else None,
        conversation.model if conversation else "",
        find_omitted(transcript, rows, sent, dropped, on_purpose=leaf.reason in LEFT_ON_PURPOSE),
        find_defects(transcript, rows, family.parent_substitute),
        rows,
        family,
    )


def _rows_with(rows: Rows, family: ClientFamily, entries: list[Entry], at: str, rules: RuleSet) -> Rows:
    """The rows in which a record is found: those before a compaction if it was dropped by it."""
    if at in rows.by_uuid:
        return rows
    if at in rows.dropped or any(entry.uuid == at for entry in entries):
        before = family.load_rows((entry for entry in entries if not entry.boundary), rules)
        if at in before.by_uuid:
            return before
    raise NotFound(f"No message {at} in this session", hint="`memtui sessions tree` lists them")
