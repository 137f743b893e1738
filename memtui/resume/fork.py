"""A fork: a new session file that begins as another session was at one of its messages. The other file is only read.

The rows on the way to that message are written one behind the other, so that the client finds the same way without
having to recover or to bridge anything, and sends the same blocks.

Source:
    FORMATS 2.7 (what the SDK's own fork changes): new uuids and session id, `forkedFrom`, no team, agent name, slug or
    source of a result; the last row is of now; replaced contents are copied; the title ends in " (fork)".
"""

import json
import math
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from memtui.fs.atomic import replace_file, to_error
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.transcripts.entries import Entry, text
from memtui.transcripts.lines import Record
from memtui.transcripts.summary import title_of
from memtui.transcripts.transcript import Transcript
from memtui.util.errors import Conflict, MemtuiError

DROPPED: Final = (
    "teamName",
    "agentName",
    "agentColor",
    "slug",
    "sourceToolAssistantUUID",
    "agentId",
    "logicalParentUuid",
)
PRESERVING: Final = ("preservedMessages", "preservedSegment")


class Fork(Struct, frozen=True):
    """A fork that was written. `resume` is what a resume of it sends."""

    id: str
    path: Path
    title: str
    resume: ResumePlan


def fork(
    transcript: Transcript,
    at: str = "",
    *,
    now: float,
    folder: Path | None = None,
    new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
) -> Fork:
    """Write a fork of a session.

    Args:
        transcript: The session, read.
        at: The uuid of the last message that the fork has; "" for the client's own leaf.
        now: Seconds since the epoch, for the last row.
        folder: Where the new file goes; beside the session if left out.
        new_id: Makes uuids.

    Raises:
        NotFound: If there is no such message.
        MemtuiError: If there is no conversation to fork, or it can't be written.
    """
    told = plan_resume(transcript, at)
    if not told.way or told.messages is None:
        raise MemtuiError("There is no conversation to fork", hint="`memtui sessions tree` shows what there is")
    identity = new_id()
    path = (folder or transcript.path.parent) / f"{identity}.jsonl"
    if path.exists():
        raise Conflict(f"{path.name} exists already")
    title = f"{title_of(_records(transcript)) or transcript.path.stem} (fork)"
    rows = forked_rows(told.way, list(transcript.each(told.way)), transcript.path.stem, identity, new_id)
    rows[-1]["timestamp"] = (
        datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{int(now * 1000) % 1000:03d}Z"
    )
    rows += [
        {**data, "sessionId": identity} for data in _records(transcript) if data.get("type") == "content-replacement"
    ]
    rows.append({"type": "custom-title", "customTitle": title, "sessionId": identity})
    try:
        replace_file(path, b"".join(line_of(row) for row in rows), mode=0o600)
    except OSError as error:
        raise to_error(error, str(path)) from error
    return Fork(identity, path, title, told)


def forked_rows(
    way: tuple[Entry, ...], records: list[Record], source: str, identity: str, new_id: Callable[[], str]
) -> list[Record]:
    """The rows of a way as a session of their own, each behind the one before.

    Args:
        way: The rows, oldest first.
        records: What they say.
        source: The id of the session that they come from.
        identity: The id of the new one.
        new_id: Makes uuids.
    """
    found: list[Record] = []
    above: str | None = None
    for entry, data in zip(way, records, strict=True):
        row = {key: value for key, value in data.items() if key not in DROPPED}
        row["uuid"] = new_id()
        row["parentUuid"] = above
        row["sessionId"] = identity
        row["isSidechain"] = False
        row["forkedFrom"] = {"sessionId": source, "messageUuid": entry.uuid}
        if entry.boundary and isinstance(row.get("compactMetadata"), dict):
            meta = row["compactMetadata"]
            row["compactMetadata"] = {key: value for key, value in meta.items() if key not in PRESERVING}
        found.append(row)
        above = text(row["uuid"])
    return found


def line_of(row: Record) -> bytes:
    """A record as a line: ASCII, so that half characters survive; what is no finite number becomes null."""
    return json.dumps(_finite(row), separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return value


def _records(transcript: Transcript) -> list[Record]:
    """The notes and user's records of a session: what a title is made of, and what a fork copies."""
    kinds = ("user", "custom-title", "ai-title", "last-prompt", "summary", "content-replacement")
    return list(transcript.each(entry for entry in transcript.entries if entry.type in kinds))
