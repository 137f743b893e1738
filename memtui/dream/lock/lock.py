"""The lock that all who consolidate share: `.consolidate-lock` in the memory folder.

It holds its holder's process number, and its mtime is when the last consolidation succeeded. It may be taken when it is
absent, its process is gone, or it is older than an hour (`gates.lock_gate`); it is written, then read back to see who
won. That excludes nobody for sure, so our own processes stand in line behind a lock of the kernel first, and whoever
holds it looks again before it writes memory (`check`). What was there before is in a journal of ours, and comes back to
the nanosecond when the run fails, is killed, or has died.

Nothing is ever signalled because of what a lock says, and nothing in its place is followed.

Source: DESIGN.md D2; SAFETY.md section 0 (2, 3), F14 to F20.
"""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from memtui.client.paths import LOCK_NAME
from memtui.dream.gates.base import LockState, lock_gate, lock_pid, read_lock
from memtui.dream.lock.journal import Before, LockEntry, LockJournal, entries
from memtui.dream.lock.lock_file import look, opened, restore
from memtui.fs.atomic import make_folders, write_temp
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, Refused
from memtui.util.process import ProcessIdentity, current_process, is_alive

SETTLE = 0.05
"""Seconds between writing the lock and reading it back: as long as another program may take between the two."""

_SAME_TIME = 1e-3
"""Seconds by which two readings of one time may differ: a float of seconds is coarser than nanoseconds."""


class Lock:
    """Takes the lock of one memory folder and gives it back.

    Args:
        folder: The memory folder; made if it isn't there, and removed again if that was for nothing.
        dirs: Ours.
        me: The process that takes it.
        run: The run that it is for.
        now: The clock, in seconds since 1970.
        settle: Seconds to wait before reading it back.
    """

    def __init__(
        self,
        folder: Path,
        dirs: Dirs,
        *,
        me: ProcessIdentity | None = None,
        run: str = "",
        now: Callable[[], float] = time.time,
        fs: FileSystem = REAL,
        settle: float = SETTLE,
    ) -> None:
        self.folder = Path(os.path.realpath(folder))
        self.path = self.folder / LOCK_NAME
        self._me = me or current_process()
        self._run = run
        self._now = now
        self._fs = fs
        self._settle = settle
        self._journal = LockJournal(dirs, self.folder, fs=fs)

    def take(self) -> None:
        """Take it.

        Raises:
            Conflict: If somebody holds it or was faster; the message says who. Nothing has changed then.
            Refused: If what is in its place can't be a lock.
            OSError: If the system refuses; nothing has changed then.
        """
        with file_lock(self._journal.guard, fs=self._fs):
            _end_left(self._journal, self._fs)
            left = self._journal.load()
            gate = lock_gate(_known(read_lock(self.folder), left, self._me), self._now())
            if not gate.open:
                raise Conflict(f"no dream starts: {gate.reason}", hint="memtui dream status shows who dreams")
            seen = look(self.folder, self._fs)
            # Taken over from a run of ours that is too old: what counts is what was there before that one.
            ours = left is not None and not left.done and seen.data.strip() == _word(left.holder)
            before = left.before if left is not None and ours else seen
            entry = LockEntry(self.folder, self._me, self._run, before, _missing(self.folder))
            self._journal.save(entry)
            try:
                make_folders(self.folder, fs=self._fs)
                self._put(seen)
            except BaseException:
                self._give_back(entry)
                raise
            self._fs.wait(self._settle)
            winner = read_lock(self.folder)
            if winner.pid != self._me.pid:
                self._journal.remove()
                raise Conflict(f"no dream starts: process {winner.pid} was faster", hint="memtui dream status")

    def check(self) -> None:
        """Whether it is still ours.

        Raises:
            Conflict: If somebody else took it.
        """
        now = read_lock(self.folder)
        if now.pid != self._me.pid:
            who = f"process {now.pid} took the lock" if now.pid is not None else "the lock is gone"
            raise Conflict(f"the dream stopped: {who}", hint="memtui dream status shows who dreams")

    def release(self) -> None:
        """Give it back after a success: its time becomes now. If it isn't ours any more, it is left alone."""
        with file_lock(self._journal.guard, fs=self._fs):
            entry = self._own()
            if entry is None:
                return
            at_ns = int(self._now() * 1e9)
            _finish(self._journal.mark_success(entry, at_ns), self._fs)
            self._journal.mark_success(entry, at_ns, done=True)

    def roll_back(self) -> Before | None:
        """Put back what was there before, to the nanosecond; what that was. `None` if it isn't ours any more."""
        with file_lock(self._journal.guard, fs=self._fs):
            entry = self._own()
            return None if entry is None else self._give_back(entry)

    def _own(self) -> LockEntry | None:
        entry = self._journal.load()
        return entry if entry is not None and entry.holder == self._me and not entry.done else None

    def _give_back(self, entry: LockEntry) -> Before | None:
        back = _put_back(entry, self._fs)
        self._journal.remove()
        return back

    def _put(self, seen: Before) -> None:
        """Write our number, if what is there is still what was looked at."""
        with opened(self.folder, self._fs) as fd:
            mode = seen.mode if seen.kind == "file" else self._fs.fstat(fd).st_mode & 0o666
            temp = write_temp(fd, LOCK_NAME, _word(self._me), fs=self._fs, mode=mode)
            try:
                if seen.kind == "none":
                    self._fs.link(temp, LOCK_NAME, dir_fd=fd)
                elif look(self.folder, self._fs) == seen:
                    self._fs.replace(temp, LOCK_NAME, dir_fd=fd)
                else:
                    raise FileExistsError
            except FileExistsError:
                raise Conflict("no dream starts: somebody else took the lock", hint="memtui dream status") from None
            finally:
                with suppress(FileNotFoundError):
                    self._fs.unlink(temp, dir_fd=fd)


def seen_lock(folder: Path, dirs: Dirs) -> LockState:
    """The lock as it counts: what a run of ours that died left there is not what it seems. Nothing is written."""
    real = Path(os.path.realpath(folder))
    return _known(read_lock(folder), LockJournal(dirs, real).load(), current_process())


def idle_lock(folder: Path, dirs: Dirs) -> LockState:
    """As `seen_lock`, but as it was before a run of ours that is on took it: its time is that of the last success."""
    state, entry = seen_lock(folder, dirs), holder_of(folder, dirs)
    if entry is None or entry.success_ns is not None or state.pid != entry.holder.pid:
        return state
    return _before(state, entry.before)


def recover_locks(dirs: Dirs, *, fs: FileSystem = REAL) -> tuple[LockEntry, ...]:
    """Put back what runs that died left in locks, in whatever folder; those that were put back. For the start."""
    ended: list[LockEntry] = []
    for entry in entries(dirs):
        if is_alive(entry.holder):
            continue
        journal = LockJournal(dirs, entry.folder, fs=fs)
        with file_lock(journal.guard, fs=fs):
            left = _end_left(journal, fs)
            if left is not None:
                ended.append(left)
    return tuple(ended)


def holder_of(folder: Path, dirs: Dirs) -> LockEntry | None:
    """What our journal knows of the lock of a folder, if one of ours holds it and lives."""
    entry = LockJournal(dirs, Path(os.path.realpath(folder))).load()
    return entry if entry is not None and not entry.done and is_alive(entry.holder) else None


def clear_stale_lock(folder: Path, dirs: Dirs, now: float, *, fs: FileSystem = REAL) -> LockState:
    """Remove a lock that nobody holds; what it was. What a run of ours left there is put back first.

    Args:
        now: Seconds since 1970.

    Raises:
        Conflict: If a process holds it.
        Refused: If it is a folder with something in it.
    """
    real = Path(os.path.realpath(folder))
    journal = LockJournal(dirs, real, fs=fs)
    with file_lock(journal.guard, fs=fs):
        _end_left(journal, fs)
        entry, state = journal.load(), read_lock(real)
        known = _known(state, entry, current_process())
        gate = lock_gate(known, now)
        if known.kind == "none" or (not gate.open and known.kind != "foreign"):
            if known.kind == "none":
                return known
            raise Conflict(f"the lock isn't cleared: {gate.reason}", hint="memtui kill ends a dream of ours")
        with opened(real, fs) as fd:
            try:
                folder_there = stat.S_ISDIR(fs.lstat(LOCK_NAME, dir_fd=fd).st_mode)
                (fs.rmdir if folder_there else fs.unlink)(LOCK_NAME, dir_fd=fd)
            except FileNotFoundError:
                return state
            except OSError as error:
                raise Refused(
                    f"{real / LOCK_NAME} can't be removed: {error.strerror}", hint="remove it by hand"
                ) from error
    return state


def _known(state: LockState, entry: LockEntry | None, me: ProcessIdentity) -> LockState:
    """A lock with what our journal knows of it."""
    if entry is not None and state.pid == entry.holder.pid:
        if entry.done:
            same = state.at is not None and abs(state.at - (entry.success_ns or 0) / 1e9) < _SAME_TIME
            return replace(state, gone=True) if same else state
        if is_alive(entry.holder):
            return state
        if entry.success_ns is not None:
            return replace(state, at=entry.success_ns / 1e9, gone=True)
        return _before(state, entry.before)
    # Our own number without an entry of ours: this process is done with it, or an earlier one had the number.
    return replace(state, gone=True) if state.pid == me.pid and entry is None else state


def _before(state: LockState, before: Before) -> LockState:
    """What was in a lock's place before it was taken."""
    if before.kind == "none":
        return LockState(state.path, "none")
    if before.kind == "link":
        return LockState(state.path, "foreign", before.mtime_ns / 1e9, link=True)
    pid = lock_pid(before.data.strip())
    return LockState(state.path, "odd" if pid is None else "pid", before.mtime_ns / 1e9, pid)


def _end_left(journal: LockJournal, fs: FileSystem) -> LockEntry | None:
    """End what a holder that is gone left; its entry, if there was one. Needs the guard."""
    entry = journal.load()
    if entry is None or is_alive(entry.holder):
        return None
    if entry.success_ns is None:
        _put_back(entry, fs)
    elif not entry.done:
        _finish(entry, fs)
    journal.remove()
    return None if entry.done else entry


def _finish(entry: LockEntry, fs: FileSystem) -> None:
    """Give the lock the time of the success, if it still is the entry's."""
    if entry.success_ns is None or read_lock(entry.folder).pid != entry.holder.pid:
        return
    fd = fs.open(entry.folder / LOCK_NAME, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fs.utime(fd, entry.success_ns)
        fs.fsync(fd)
    finally:
        fs.close(fd)


def _put_back(entry: LockEntry, fs: FileSystem) -> Before | None:
    """Put back what was there, in one step that a crash can't tear; `None` if somebody else has the lock by now."""
    before = entry.before
    try:
        if read_lock(entry.folder).pid == entry.holder.pid:
            with opened(entry.folder, fs) as fd:
                restore(fd, before, fs)
        elif look(entry.folder, fs) != before:
            return None
    except (FileNotFoundError, Refused):
        return None  # the folder itself is gone, or somebody put a folder there: nothing of ours is left in it
    for name in reversed(entry.made):
        try:
            fs.rmdir(name)
        except OSError:
            break
    return before


def _word(holder: ProcessIdentity) -> bytes:
    return str(holder.pid).encode("ascii")


def _missing(folder: Path) -> tuple[str, ...]:
    """The folders that aren't there, outermost first."""
    missing: list[str] = []
    while not folder.is_dir():
        missing.append(str(folder))
        folder = folder.parent
    return tuple(reversed(missing))
