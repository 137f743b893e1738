"""The mechanics of a write: the lock, the history first, the files, the version, and the end of what a
crash left.

`Store` decides what a file shall hold; here it comes to be. Everything in this module but `changed_outside` needs
`writing`.

Source: SAFETY.md section 2.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from memtui.fs.atomic import digest, to_error
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.history.database import blob_id
from memtui.history.snapshot import MAX_SIZE, FolderSnapshot, Unseen, clear_folder, read_settled, scan
from memtui.history.transaction import Moved, Step, Transaction, look
from memtui.history.versions import FOUND, KEPT, OUTSIDE, FileChange, History, Version
from memtui.util.errors import Conflict, MemtuiError

TRIES = 5
"""How often a write starts again because a file changed in the middle of it."""

NOTHING = "nothing was written"


class Writer:
    """Writes into one folder.

    Args:
        root: The folder, with links in its own path resolved.
        home: Our folder for it: history, lock, ledger.
        allow: The exact names that belong to it; `None` for all memory files.
        now: The clock, in seconds since 1970.
        patience: Seconds to wait for another process of ours.
    """

    def __init__(
        self,
        root: Path,
        home: Path,
        *,
        allow: frozenset[str] | None,
        fs: FileSystem = REAL,
        now: Callable[[], float],
        patience: float,
    ) -> None:
        self.root = root
        self.home = home
        self.history = History(home, fs=fs)
        self.unseen = Unseen(home / "unseen.json", fs)
        self._allow = allow
        self._fs = fs
        self._now = now
        self._patience = patience
        # Stores of single files in one folder share its history, but each looks after its own files.
        own = "" if allow is None else "-" + digest("\n".join(sorted(allow)).encode())[:8]
        self._ledger = home / f"seen{own}.json"

    @contextmanager
    def writing(self, what: str, outcome: str = NOTHING) -> Iterator[None]:
        """Hold the lock that all our processes share, with nothing left half done by an earlier one.

        Args:
            what: What the write is about, for messages.
            outcome: What a fault of the system's means.

        Raises:
            Conflict: If another process of ours holds it for too long.
            MemtuiError: In place of any `OSError` in the block.
        """
        try:
            with file_lock(self.home / "lock", timeout=self._patience, fs=self._fs):
                self._finish()
                yield
        except OSError as error:
            ours = isinstance(error.filename, str) and error.filename.startswith(str(self.home))
            raise to_error(error, error.filename if ours else what, outcome=outcome) from error

    def carry_out(
        self,
        steps: Sequence[Step],
        who: str,
        why: str,
        kind: str,
        *,
        undoes: str | None = None,
        extra: Mapping[str, str] | None = None,
        before_write: Callable[[], None] | None = None,
    ) -> Version | None:
        """What is there into the history, then the files, then the version.

        Args:
            steps: What was read, and what it shall become. Those that change nothing are only remembered.
            who, why, kind, undoes, extra: As in `History.prepare`.
            before_write: Called right before files are replaced; what it raises stops the write.

        Returns:
            The version; `None` if there was nothing to do and it undoes nothing.

        Raises:
            Moved: If a file changed since it was read; nothing was written.
            OSError, MemtuiError: Nothing was written, or the message says what was.
        """
        self.remember({step.name: step.disk.data if step.disk is not None else None for step in steps})
        steps = [step for step in steps if step.changes]
        if not steps and undoes is None:
            return None
        files = {step.name: step.data for step in steps}
        version = self.history.prepare(files, who=who, why=why, when=self._now(), kind=kind, undoes=undoes, extra=extra)
        work = Transaction(self.root, steps, fs=self._fs)
        try:
            self._replace(work, version, before_write)
        finally:
            work.close()
        try:
            self.history.repository.move_head(version.id)
        except OSError as error:
            raise to_error(error, "the history", outcome="the file is written, the history follows later") from error
        return version

    def _replace(self, work: Transaction, version: Version, before_write: Callable[[], None] | None) -> None:
        try:
            work.stage()
            if before_write is not None:
                before_write()
            work.check()
            work.replace()
        except BaseException as error:
            try:
                work.roll_back()
            except OSError as second:
                cause = error if isinstance(error, OSError) else second
                names = ", ".join(change.name for change in version.files)
                raise to_error(cause, names, outcome="it stopped half-way and is ended at the next start") from second
            self.history.repository.withdraw(version.id)
            raise

    def _finish(self) -> None:
        """End a step that a crash interrupted: onward if it had begun to change files, else as if it had never been."""
        version = self.history.pending()
        if version is None:
            return
        for _ in range(TRIES):
            try:
                done = self._end(version)
                break
            except Moved as moved:
                name = str(moved)
        else:
            raise Conflict(f"{name} keeps changing", hint="try again in a moment")
        if done:
            self.history.repository.move_head(version.id)
        else:
            self.history.repository.withdraw(version.id)

    def _end(self, version: Version) -> bool:
        """Bring the files to where a version wants them if it had begun to; whether it had."""
        if version.kind in (FOUND, OUTSIDE, KEPT):
            return True  # tells only what others did
        begun = not version.files
        rest: list[Step] = []
        for change in version.files:
            try:
                disk = look(self.root, change.name, self._fs, (change.before, change.after))
            except MemtuiError:
                continue  # somebody put something else there; what we wanted is in the history
            now = disk.digest if disk is not None else None
            if now == change.after:
                begun = True
            elif now == change.before:
                rest.append(Step(change.name, disk, self.history.read(version.id, change.name)))
        if begun:
            work = Transaction(self.root, rest, fs=self._fs)
            try:
                work.stage()
                work.replace()
            finally:
                work.close()
        return begun

    def remember(self, files: Mapping[str, bytes | None], who: str = OUTSIDE) -> Version | None:
        """Put into the history what others made of some files; the version made, if they did.

        Args:
            files: Name to the bytes that are there; `None` for a file that isn't.
        """
        first = not self._ledger.exists()
        found: dict[str, bytes | None] = {}
        outside: dict[str, bytes | None] = {}
        for name, data in files.items():
            head = self.history.head_blob(name)
            if head == (blob_id(data) if data is not None else None):
                continue
            (found if first and head is None else outside)[name] = data
        version = None
        if found:
            version = self.history.commit(found, who=who, why="as found", when=self._now(), kind=FOUND)
        if outside:
            why = "changed outside: " + ", ".join(outside)
            version = self.history.commit(outside, who=who, why=why, when=self._now(), kind=OUTSIDE)
            self.unseen.change(
                {name: digest(data) for name, data in outside.items() if data is not None},
                [name for name, data in outside.items() if data is None],
            )
        return version

    def unchanged_outside(self) -> bool:
        """Whether surely nobody else touched a file since the last `note`. A `stat` for each file, no lock, no import.

        Raises:
            OSError: If the folder can't be listed.
        """
        ledger = FolderSnapshot.load(self._ledger)
        stamps = scan(self.root, self._allow, self._fs)
        head = self.history.repository.head()
        if ledger is None:
            return not stamps and head is None
        return (
            ledger.head == head
            and ledger.files.keys() == stamps.keys()
            and all(ledger.known(name, stamp) is not None for name, stamp in stamps.items())
        )

    def note(self, who: str) -> Version | None:
        """Record what others changed since the last time; the first time, everything as it was found.

        Returns:
            The version made; `None` if all was as the history has it.
        """
        ledger = FolderSnapshot.load(self._ledger) or FolderSnapshot()
        at = self._fs.now()
        heads = {name: blob for name, blob in self.history.head_blobs().items() if self.looks_after(name)}
        stamps = scan(self.root, self._allow, self._fs)
        same = {name: ledger.known(name, stamp) for name, stamp in stamps.items()}
        same = {name: blob for name, blob in same.items() if blob is not None and blob == heads.get(name)}
        other = [name for name in stamps if name not in same and stamps[name].size <= MAX_SIZE]
        read = read_settled(self.root, other, heads, self._fs)
        now: dict[str, bytes | None] = {name: content.data for name, content in read.items()}
        now |= dict.fromkeys(heads.keys() - stamps.keys())
        version = self.remember(now, who)
        # A file that couldn't be read is looked at again once its stamp changes.
        files = {name: (stamp, same.get(name) or "") for name, stamp in stamps.items()}
        files |= {name: (content.stamp, blob_id(content.data)) for name, content in read.items()}
        FolderSnapshot(self.history.repository.head(), at, files).save(self._ledger, self._fs)
        self.history.repository.compact()
        return version

    def clear(self) -> tuple[str, ...]:
        """Remove the temporary files that dead processes left; with the lock held, our own as well."""
        self.history.repository.clear()
        return tuple(clear_folder(self.root, self._allow, self._fs, own=True))

    def looks_after(self, name: str) -> bool:
        """Whether a file of this name is among those that this store records."""
        if self._allow is not None:
            return name in self._allow
        return name.endswith(".md") and not any(part.startswith(".") for part in name.split("/"))


class Known:
    """Digests of contents that are whole for sure: what the caller saw, and what recent versions hold."""

    def __init__(self, history: History, base: str | None) -> None:
        self._history = history
        self._base = base

    def __contains__(self, wanted: object) -> bool:
        if wanted == self._base:
            return True
        recent: Iterator[FileChange] = (file for one in islice(self._history.walk(), 20) for file in one.files)
        return any(wanted == file.after for file in recent)
