"""A fork: a new session file with the path of another session up to one of its messages. The other file is only read.

The records on the path are written one after another, so that the client finds the same path without recovering or
bridging anything, and sends the same blocks. As in a fork by the client's SDK they get new uuids, the new session id
and `forkedFrom`, lose team, agent name, slug and the source of a result, and the last one gets the present time;
replaced contents are copied, and the title ends in " (fork)".
"""

import json
import math
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.fs.atomic import replace_file, to_error
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.transcripts.entries import Entry, text
from memtui.transcripts.lines import Record, map_values
from memtui.transcripts.summary import title_from_records
from memtui.transcripts.transcript import Transcript
from memtui.util.errors import Conflict, MemtuiError

DROPPED_FIELDS: Final = (
    "teamName", "agentName", "agentColor", "slug", "sourceToolAssistantUUID", "agentId", "logicalParentUuid",
)  # fmt: skip
_TITLE_AND_COPIED_TYPES: Final = ("user", "custom-title", "ai-title", "last-prompt", "summary", "content-replacement")
PRESERVED_FIELDS: Final = ("preservedMessages", "preservedSegment")


class Fork(Struct, frozen=True):
    """A fork that was written; `resume` is the plan that it was made of."""

    id: str
    path: Path
    title: str
    resume: ResumePlan
    operation: str = ""  # the id of its operation in the history, once it is there


def write_forked_session(
    transcript: Transcript,
    at: str = "",  # the uuid of the last message that the fork has; "": the client's own leaf
    *,
    now: float,  # seconds since 1970, the time of its last row
    folder: Path | None = None,  # beside the session if left out
    new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
) -> Fork:
    """Write a fork of a session; `NotFound` if there is no such message, `MemtuiError` if there is nothing to fork."""
    plan = plan_resume(transcript, at)
    if not plan.path or plan.messages is None:
        raise MemtuiError("There is no conversation to fork", hint="`memtui sessions tree` shows what there is")
    identity = new_id()
    path = (folder or transcript.path.parent) / f"{identity}.jsonl"
    if path.exists():
        raise Conflict(f"{path.name} exists already")
    told = list(transcript.each(entry for entry in transcript.entries if entry.type in _TITLE_AND_COPIED_TYPES))
    title = f"{title_from_records(told) or transcript.path.stem} (fork)"
    rows = forked_rows(plan.path, list(transcript.each(plan.path)), transcript.path.stem, identity, new_id)
    rows[-1]["timestamp"] = (
        datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{int(now * 1000) % 1000:03d}Z"
    )
    rows += [{**data, "sessionId": identity} for data in told if data.get("type") == "content-replacement"]
    rows.append({"type": "custom-title", "customTitle": title, "sessionId": identity})
    try:
        replace_file(path, b"".join(encode_line(row) for row in rows), mode=0o600)
    except OSError as error:
        raise to_error(error, str(path)) from error
    return Fork(identity, path, title, plan)


def forked_rows(
    path: tuple[Entry, ...], records: list[Record], source: str, identity: str, new_id: Callable[[], str]
) -> list[Record]:
    """The records of a path (envelopes oldest first) as a session of their own, each the child of the one before."""
    found: list[Record] = []
    above: str | None = None
    for entry, data in zip(path, records, strict=True):
        row = {key: value for key, value in data.items() if key not in DROPPED_FIELDS}
        row |= {"uuid": new_id(), "parentUuid": above, "sessionId": identity, "isSidechain": False}
        row["forkedFrom"] = {"sessionId": source, "messageUuid": entry.uuid}
        if entry.boundary and isinstance(row.get("compactMetadata"), dict):
            meta = row["compactMetadata"]
            row["compactMetadata"] = {key: value for key, value in meta.items() if key not in PRESERVED_FIELDS}
        found.append(row)
        above = text(row["uuid"])
    return found


def encode_line(row: Record) -> bytes:
    """A record as a line: ASCII, so that half surrogate pairs survive; a number that is not finite becomes null."""
    finite = map_values(row, lambda value: None if isinstance(value, float) and not math.isfinite(value) else value)
    return json.dumps(finite, separators=(",", ":"), allow_nan=False).encode() + b"\n"
