"""Taking, checking and giving back the lock of a memory folder, and putting it right after a crash.

Every change is made under a kernel lock of ours (`file_lock`), after the journal entry that undoes it is on disk.
"""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from memtui.client.paths import LOCK_NAME
from memtui.dream.gates.base import lock_gate
from memtui.dream.lock.journal import LockEntry, LockJournal, lock_entries
from memtui.dream.lock.lock_file import (
    LockState,
    PriorLock,
    folder_keeping_mtime,
    parse_lock_pid,
    read_lock,
    read_prior_lock,
    restore_prior_lock,
)
from memtui.fs.atomic import make_folders, write_temp
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, Refused
from memtui.util.process import ProcessIdentity, current_process, is_alive

SETTLE_S = 0.05
"""Time between writing the lock and reading it back: another program may take as long between its two steps."""
_MTIME_TOLERANCE_S = 1e-3  # a float of seconds is coarser than the nanoseconds that the journal keeps


class DreamLock(Struct, dict=True):
    """The lock of a memory folder for a run, taken for the process `me`.

    The folder is created if absent, and removed by a rollback. `settle` is the wait in seconds before it is read back.
    """

    folder: Path
    dirs: Dirs
    me: ProcessIdentity = field(default_factory=current_process)
    run: str = ""
    now: Callable[[], float] = time.time
    fs: FileSystem = REAL
    settle: float = SETTLE_S

    def __post_init__(self) -> None:
        self.folder = Path(os.path.realpath(self.folder))
        self._journal = LockJournal(self.dirs, self.folder, fs=self.fs)

    def take(self) -> None:
        """Take the lock; if this raises, nothing has changed.

        Raises `Conflict` if another process holds it or was faster, `Refused` if what is there can't be a lock.
        """
        with file_lock(self._journal.guard, fs=self.fs):
            _end_dead_holder(self._journal, self.fs)
            left = self._journal.load()
            gate = lock_gate(_with_journal(read_lock(self.folder), left, self.me), self.now())
            if not gate.open:
                raise Conflict(f"the dream can't start: {gate.reason}", hint="memtui dream status shows who dreams")
            seen = read_prior_lock(self.folder, self.fs)
            # When it replaces an expired lock of another run of ours, what counts is what that run replaced.
            ours = left is not None and not left.done and seen.data.strip() == _lock_text(left.holder)
            before = left.before if left is not None and ours else seen
            entry = LockEntry(self.folder, self.me, self.run, before, _missing_folders(self.folder))
            self._journal.save(entry)
            try:
                make_folders(self.folder, fs=self.fs)
                self._write(seen)
            except BaseException:
                self._undo(entry)
                raise
            self.fs.wait(self.settle)
            winner = read_lock(self.folder)
            if winner.pid != self.me.pid:
                self._journal.remove()
                raise Conflict(f"the dream can't start: process {winner.pid} was faster", hint="memtui dream status")

    def check(self) -> None:
        """Raise `Conflict` if another process took the lock meanwhile."""
        now = read_lock(self.folder)
        if now.pid != self.me.pid:
            who = f"process {now.pid} took the lock" if now.pid is not None else "the lock is gone"
            raise Conflict(f"the dream stopped: {who}", hint="memtui dream status shows who dreams")

    def release(self) -> None:
        """Give the lock back after a success: its mtime becomes now. A lock that is no longer ours stays as it is."""
        with file_lock(self._journal.guard, fs=self.fs):
            entry = self._own_entry()
            if entry is None:
                return
            at_ns = int(self.now() * 1e9)
            _set_success_time(self._journal.mark_success(entry, at_ns), self.fs)
            self._journal.mark_success(entry, at_ns, done=True)

    def roll_back(self) -> PriorLock | None:
        """Put back what was there before and return it; `None` if the lock is no longer ours."""
        with file_lock(self._journal.guard, fs=self.fs):
            entry = self._own_entry()
            return None if entry is None else self._undo(entry)

    def _own_entry(self) -> LockEntry | None:
        entry = self._journal.load()
        return entry if entry is not None and entry.holder == self.me and not entry.done else None

    def _undo(self, entry: LockEntry) -> PriorLock | None:
        restored = _put_back(entry, self.fs)
        self._journal.remove()
        return restored

    def _write(self, seen: PriorLock) -> None:
        """Write our PID, provided that the lock is still what was read."""
        with folder_keeping_mtime(self.folder, self.fs) as fd:
            mode = seen.mode if seen.kind == "file" else self.fs.fstat(fd).st_mode & 0o666
            temp = write_temp(fd, LOCK_NAME, _lock_text(self.me), fs=self.fs, mode=mode)
            try:
                if seen.kind == "none":
                    self.fs.link(temp, LOCK_NAME, dir_fd=fd)
                elif read_prior_lock(self.folder, self.fs) == seen:
                    self.fs.replace(temp, LOCK_NAME, dir_fd=fd)
                else:
                    raise FileExistsError
            except FileExistsError:
                message = "the dream can't start: another process took the lock"
                raise Conflict(message, hint="memtui dream status") from None
            finally:
                with suppress(FileNotFoundError):
                    self.fs.unlink(temp, dir_fd=fd)


def effective_lock(folder: Path, dirs: Dirs) -> LockState:
    """The lock as it counts, with what a dead run of ours left in it corrected. Writes nothing."""
    entry = LockJournal(dirs, Path(os.path.realpath(folder))).load()
    return _with_journal(read_lock(folder), entry, current_process())


def lock_before_run(folder: Path, dirs: Dirs) -> LockState:
    """As `effective_lock`, but without a running dream of ours: its time is that of the last success."""
    state, entry = effective_lock(folder, dirs), our_lock_holder(folder, dirs)
    if entry is None or entry.success_ns is not None or state.pid != entry.holder.pid:
        return state
    return _prior_state(state, entry.before)


def recover_locks(dirs: Dirs) -> tuple[LockEntry, ...]:
    """Put right the locks of all runs that died, in any folder; returns their entries."""
    ended: list[LockEntry] = []
    for entry in lock_entries(dirs):
        if is_alive(entry.holder):
            continue
        journal = LockJournal(dirs, entry.folder)
        with file_lock(journal.guard):
            if left := _end_dead_holder(journal, REAL):
                ended.append(left)
    return tuple(ended)


def our_lock_holder(folder: Path, dirs: Dirs) -> LockEntry | None:
    """The journal entry of a folder's lock, if a living run of ours holds it."""
    entry = LockJournal(dirs, Path(os.path.realpath(folder))).load()
    return entry if entry is not None and not entry.done and is_alive(entry.holder) else None


def clear_stale_lock(folder: Path, dirs: Dirs, now: float) -> LockState:
    """Remove a lock that no process holds and return it; what a dead run of ours left is put back first.

    Raises `Conflict` if a process holds it, `Refused` if it is a folder with something in it.
    """
    real = Path(os.path.realpath(folder))
    journal = LockJournal(dirs, real)
    with file_lock(journal.guard):
        _end_dead_holder(journal, REAL)
        state = read_lock(real)
        known = _with_journal(state, journal.load(), current_process())
        if known.kind == "none":
            return known
        gate = lock_gate(known, now)
        if not gate.open and known.pid is not None:
            raise Conflict(f"the lock isn't cleared: {gate.reason}", hint="memtui kill ends a dream of ours")
        with folder_keeping_mtime(real, REAL) as fd:
            try:
                is_folder = stat.S_ISDIR(REAL.lstat(LOCK_NAME, dir_fd=fd).st_mode)
                (REAL.rmdir if is_folder else REAL.unlink)(LOCK_NAME, dir_fd=fd)
            except FileNotFoundError:
                return state
            except OSError as error:
                message = f"{real / LOCK_NAME} can't be removed: {error.strerror}"
                raise Refused(message, hint="remove it by hand") from error
    return state


def _with_journal(state: LockState, entry: LockEntry | None, me: ProcessIdentity) -> LockState:
    """Correct what a lock says by what our journal knows of it."""
    if entry is not None and state.pid == entry.holder.pid:
        if entry.done:
            same = state.at is not None and abs(state.at - (entry.success_ns or 0) / 1e9) < _MTIME_TOLERANCE_S
            return replace(state, gone=True) if same else state
        if is_alive(entry.holder):
            return state
        if entry.success_ns is not None:
            return replace(state, at=entry.success_ns / 1e9, gone=True)
        return _prior_state(state, entry.before)
    # Our own PID without an entry: this process is done with the lock, or an earlier process had the PID.
    return replace(state, gone=True) if state.pid == me.pid and entry is None else state


def _prior_state(state: LockState, before: PriorLock) -> LockState:
    if before.kind == "none":
        return LockState(state.path, "none")
    if before.kind == "link":
        return LockState(state.path, "foreign", before.mtime_ns / 1e9, link=True)
    pid = parse_lock_pid(before.data.strip())
    return LockState(state.path, "odd" if pid is None else "pid", before.mtime_ns / 1e9, pid)


def _end_dead_holder(journal: LockJournal, fs: FileSystem) -> LockEntry | None:
    """Finish or undo what a dead holder began, and return its entry. The caller holds the guard."""
    entry = journal.load()
    if entry is None or is_alive(entry.holder):
        return None
    if entry.success_ns is None:
        _put_back(entry, fs)
    elif not entry.done:
        _set_success_time(entry, fs)
    journal.remove()
    return None if entry.done else entry


def _set_success_time(entry: LockEntry, fs: FileSystem) -> None:
    """Give the lock the time of the success, if it is still the entry's."""
    if entry.success_ns is None or read_lock(entry.folder).pid != entry.holder.pid:
        return
    fd = fs.open(entry.folder / LOCK_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fs.utime(fd, entry.success_ns)
        fs.fsync(fd)
    finally:
        fs.close(fd)


def _put_back(entry: LockEntry, fs: FileSystem) -> PriorLock | None:
    """Put back what was there; `None` if another process has the lock by now."""
    before = entry.before
    try:
        if read_lock(entry.folder).pid == entry.holder.pid:
            with folder_keeping_mtime(entry.folder, fs) as fd:
                restore_prior_lock(fd, before, fs)
        elif read_prior_lock(entry.folder, fs) != before:
            return None
    except (FileNotFoundError, Refused):
        return None  # the memory folder is gone, or a folder is in the lock's place: nothing of ours is left
    for name in reversed(entry.made):
        try:
            fs.rmdir(name)
        except OSError:
            break
    return before


def _lock_text(holder: ProcessIdentity) -> bytes:
    return str(holder.pid).encode("ascii")


def _missing_folders(folder: Path) -> tuple[str, ...]:
    missing: list[str] = []
    while not folder.is_dir():
        missing.append(str(folder))
        folder = folder.parent
    return tuple(reversed(missing))
