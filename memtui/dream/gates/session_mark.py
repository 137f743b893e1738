"""Which sessions have been read: a mark of our own, since the lock's time can't tell.

The lock's mtime is the agent client's: it says when a consolidation last succeeded. A run that starts at 3:00 and ends
at 3:40 has not read what was said at 3:20, and one without a model has read no session at all. So a run that read
sessions, and whose result was taken, keeps when it started in `<state>/read/<hash>.json`; no other run moves that mark.
"""

import json
import os
from pathlib import Path

from msgspec import Struct, convert, to_builtins

from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import project_name
from memtui.dream.lock.lock import lock_before_run
from memtui.dream.lock.lock_file import MAX_CLOCK_SKEW_S
from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.memory.workspace import Workspace
from memtui.util.json_object import json_object, read_plain

_MTIME_TOLERANCE_S = 1e-3  # a float of seconds is coarser than an mtime


class SessionMark(Struct, frozen=True):
    """Sessions changed until `until` have been read, by a run that ended at `ended`."""

    until: float
    ended: float


def session_folders(location: MemoryLocation) -> tuple[Path, ...]:
    """The folders with sessions that fill this memory: the directory's, and that of its repository's root."""
    if location.project_dir == project_name(str(location.cwd)) and location.root != location.cwd:
        return (location.transcripts, location.transcripts.with_name(project_name(str(location.root))))
    return (location.transcripts,)


def sessions_key(location: MemoryLocation) -> str:
    """A file name for each set of session folders: seen from another directory, a memory has other sessions."""
    folders = (Path(os.path.realpath(location.folder)), *session_folders(location))
    return digest(b"\0".join(os.fsencode(folder) for folder in folders))[:16] + ".json"


def unread_since(workspace: Workspace, now: float) -> float | None:
    """Since when sessions are unread: by our mark, or by a later time of the lock; `None` if none was ever read."""
    mark = _load(workspace)
    last = lock_before_run(workspace.location.folder, workspace.dirs).last(now)
    if mark is None or not mark.until <= mark.ended <= now + MAX_CLOCK_SKEW_S:
        return last
    return mark.until if last is None or last <= mark.ended + _MTIME_TOLERANCE_S else last


def mark_sessions_read(workspace: Workspace, until: float, now: float) -> None:
    """Keep that sessions changed until a time have been read; `OSError` if the disk refuses. It never goes back."""
    known = _load(workspace)
    if known is not None and known.until <= now:
        until = max(until, known.until)
    path = _path(workspace)
    make_folders(path.parent)
    replace_file(path, json.dumps(to_builtins(SessionMark(until, now))).encode("ascii"))


def _path(workspace: Workspace) -> Path:
    return workspace.dirs.state / "read" / sessions_key(workspace.location)


def _load(workspace: Workspace) -> SessionMark | None:
    try:
        return convert(json_object(read_plain(_path(workspace))), SessionMark)
    except (OSError, ValueError):
        return None
