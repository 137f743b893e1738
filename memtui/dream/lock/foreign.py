"""A dream that another program runs, as far as the folder tells: who holds the lock, since when, what changed since.

Nothing says who wrote a file: what is listed changed while the lock was held. Nobody is signalled because of it.

Source: DESIGN.md D3; UX.md 5.5.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from memtui.client.paths import config_dir
from memtui.client.running import running_sessions_in
from memtui.dream.gates.base import HELD
from memtui.dream.lock.lock import holder_of, seen_lock
from memtui.dream.run.events import File
from memtui.history.snapshot import walk
from memtui.memory.workspace import Workspace
from memtui.util.errors import NotFound


@dataclass(frozen=True, slots=True)
class ExternalRun:  # a dataclass, because `names` is left out of comparison
    """Whoever holds the lock and is none of ours.

    `since` is when the lock was taken, in seconds since 1970. `session` is the id of the session that its process has
    open, "" if it is no agent client that we know of. `names` are the memory files of now; `files` are those that
    changed, came, or went since, by name.
    """

    pid: int
    since: float
    session: str = ""
    names: frozenset[str] = field(default=frozenset(), compare=False)
    files: tuple[File, ...] = ()


def find_external_run(workspace: Workspace, now: float, known: ExternalRun | None = None) -> ExternalRun | None:
    """The dream of another program, if one is on; a lock older than an hour counts as left behind.

    Args:
        now: Seconds since 1970.
        known: What was found last time: files that are gone since its first look are known from it.
    """
    folder = workspace.location.folder
    lock = seen_lock(folder, workspace.dirs)
    if lock.kind != "pid" or lock.pid is None or lock.at is None or not lock.held_by_life or now - lock.at >= HELD:
        return None
    ours = holder_of(folder, workspace.dirs)
    if ours is not None and ours.holder.pid == lock.pid:
        return None
    same = known if known is not None and (known.pid, known.since) == (lock.pid, lock.at) else None
    clients = running_sessions_in(config_dir(workspace.env)).values()
    session = next((one.session for one in clients if one.pid == lock.pid), "")
    times = _times(folder)
    first = same.names if same is not None else frozenset(times)
    return ExternalRun(lock.pid, lock.at, session, first, tuple(_changed(times, first, lock.at)))


def _times(folder: Path) -> dict[str, float]:
    """The memory files by name, each with when it was written, in seconds since 1970."""
    found: dict[str, float] = {}
    for above, _, entries in walk(folder):
        for entry in entries:
            if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # gone between the two looks
                    found[above + entry.name] = entry.stat(follow_symlinks=False).st_mtime
    return found


def _changed(times: dict[str, float], first: Collection[str], since: float) -> list[File]:
    found = [
        File(name=name, kind="changed" if name in first else "added", at=at)
        for name, at in times.items()
        if at >= since or name not in first
    ]
    found += [File(name=name, kind="removed") for name in first if name not in times]
    return sorted(found, key=lambda file: file.name)


def text_before(workspace: Workspace, name: str, since: float) -> bytes | None:
    """What a file was before a time, in seconds since 1970; `None` if history knows that it was not there.

    Raises:
        NotFound: If history doesn't know: it saw the file for the first time after that.
    """
    store = workspace.store(workspace.location.folder)
    first = None
    for version in store.log(name):  # newest first
        if version.when < since:
            return store.history.read(version.id, name)
        first = version
    if first is None or store.history.before(first.id, name) is None:
        raise NotFound(f"what {name} was before is not known", hint="memtui records each change from now on")
    return store.history.before(first.id, name)
