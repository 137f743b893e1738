"""A dream that another program runs, as far as the folder tells: who holds the lock, since when, what changed since.

The folder doesn't say who wrote a file: what is listed changed while the lock was held.
"""

from collections.abc import Collection

from msgspec import Struct

from memtui.client.paths import config_dir
from memtui.client.running import running_sessions_in
from memtui.dream.lock.lock import effective_lock, our_lock_holder
from memtui.dream.lock.lock_file import LOCK_EXPIRY_S
from memtui.dream.run.events import File
from memtui.history.snapshot import scan
from memtui.memory.workspace import Workspace
from memtui.util.errors import NotFound


class ExternalRun(Struct, frozen=True):
    """A lock holder that is no run of ours; `names` are the files at our first look, `files` those changed since."""

    pid: int
    since: float
    session: str = ""
    names: frozenset[str] = frozenset()
    files: tuple[File, ...] = ()


def find_external_run(workspace: Workspace, now: float, known: ExternalRun | None = None) -> ExternalRun | None:
    """Find a dream of another program; a lock older than an hour counts as left behind. `known` is the last find."""
    folder = workspace.location.folder
    lock = effective_lock(folder, workspace.dirs)
    since = lock.since(now)
    if lock.pid is None or lock.at is None or not lock.holder_is_alive or since is None or since >= LOCK_EXPIRY_S:
        return None
    ours = our_lock_holder(folder, workspace.dirs)
    if ours is not None and ours.holder.pid == lock.pid:
        return None
    same = known if known is not None and (known.pid, known.since) == (lock.pid, lock.at) else None
    clients = running_sessions_in(config_dir(workspace.env)).values()
    session = next((one.session for one in clients if one.pid == lock.pid), "")
    times = {name: stamp.mtime_ns / 1e9 for name, stamp in scan(folder, None).items()}
    first = same.names if same is not None else frozenset(times)
    return ExternalRun(lock.pid, lock.at, session, first, tuple(_changed(times, first, lock.at)))


def _changed(times: dict[str, float], first: Collection[str], since: float) -> list[File]:
    found = [
        File(name=name, kind="changed" if name in first else "added", at=at)
        for name, at in times.items()
        if at >= since or name not in first
    ]
    found += [File(name=name, kind="removed") for name in first if name not in times]
    return sorted(found, key=lambda file: file.name)


def text_before_run(workspace: Workspace, name: str, since: float) -> bytes | None:
    """A file's content before a time, `None` for no file; `NotFound` if history first recorded it after that time."""
    store = workspace.store(workspace.location.folder)
    first = None
    for version in store.log(name):  # newest first
        if version.when < since:
            return store.history.read(version.id, name)
        first = version
    if first is None or store.history.before(first.id, name) is None:
        raise NotFound(f"what {name} was before is not known", hint="memtui records each change from now on")
    return store.history.before(first.id, name)
