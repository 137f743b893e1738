"""The write protocol of one folder, and the end of what a crash left.

`Store` decides what a file shall hold; here it comes to be. Everything in this module but `unchanged_outside` needs
`writing`. The package's docstring tells the order of the steps and what a crash between them means.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.fs.atomic import FileContent, digest, to_error
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.lock import file_lock
from memtui.history.database import DONE, HistoryDatabase, folder_id, put_blob, read_blob
from memtui.history.log import insert_operation, new_id
from memtui.history.snapshot import MAX_SIZE, FolderSnapshot, clear_folder, read_settled, scan
from memtui.history.transaction import Moved, Step, Transaction, look
from memtui.history.versions import FILES, FOUND, KEPT, OUTSIDE, FolderScope, FolderVersions, Operation, count_lines
from memtui.util.errors import Conflict, MemtuiError

MAX_TRIES = 5  # how often a write starts again because a file changed in the middle of it


class _Side(Struct, frozen=True):
    """A file before or after an operation, as far as it is there. `blob` is its row, where it has one."""

    data: bytes
    digest: str
    mtime_ns: int | None
    blob: int | None = None


_Sides = tuple[_Side | None, _Side | None]


class Entry(Struct, frozen=True):
    """What the log says of a write: who, why, a word for it, the operation that it takes back, more for the history."""

    who: str
    why: str
    kind: str
    undoes: str | None = None
    extra: Mapping[str, str] | None = None


class Writer:
    """Writes into one folder."""

    def __init__(
        self,
        root: Path,  # without links
        database: HistoryDatabase,
        *,
        scope: FolderScope,  # which of its files are recorded
        fs: FileSystem = REAL,
        now: Callable[[], float],  # seconds since 1970
        patience_s: float,  # to wait for another process of ours
        own: Sequence[Path] = (),  # as for `Store`
    ) -> None:
        self.root = root
        self.database = database
        self.versions = FolderVersions(database, root)
        self._scope = scope
        self._fs = fs
        self._own = own
        self._now = now
        self._patience_s = patience_s
        state = database.path.parent
        self._state = state
        self._lock = state / "locks" / f"{digest(os.fsencode(root))[:16]}.lock"
        # Stores of single files in one folder share its history, but each looks after its own files.
        single = (
            "" if scope.names is None else digest("\n".join(sorted(scope.names)).encode("utf-8", "surrogatepass"))[:8]
        )
        self.snapshot = FolderSnapshot(database, root, single)

    @contextmanager
    def writing(self, what: str) -> Iterator[None]:
        """Hold the lock that all processes of memtui share, with nothing left half done by an earlier one.

        Raises `Conflict` if another process of ours holds it for too long, and a `MemtuiError` about `what` in place of
        any `OSError` in the block.
        """
        try:
            with file_lock(self._lock, timeout=self._patience_s, fs=self._fs):
                self._finish()
                yield
        except OSError as error:
            ours = isinstance(error.filename, str) and error.filename.startswith(str(self._state))
            raise to_error(error, error.filename if ours else what) from error

    def carry_out(
        self, steps: Sequence[Step], entry: Entry, *, before_write: Callable[[], None] | None = None
    ) -> Operation | None:
        """Do some steps as one operation, in the order that the package's docstring tells; those that change nothing
        are only recorded.

        `before_write` is called right before files are replaced; what it raises stops the write. Returns `None` if
        there was nothing to do and it undoes nothing. Raises `Moved` if a file changed since it was read (nothing was
        written), `OSError` or `MemtuiError`: nothing was written, or the message says what was.
        """
        if not self.snapshot.looked:
            self.note()
        seen = {step.name: step.disk for step in steps}
        steps = [step for step in steps if step.changes]
        if not steps and entry.undoes is None:
            self.remember(seen)
            return None
        work = Transaction(self.root, steps, fs=self._fs, own=self._own)
        try:
            id = ""
            try:
                work.stage()
                with self.database.write():
                    self.remember(seen)
                    id = self._begin(steps, work.modified, entry)
                if before_write is not None:
                    before_write()
                work.check()
                work.replace()
            except BaseException as error:
                self._withdraw(work, id, steps, error)
                raise
        finally:
            work.close()
        with suppress(OSError, MemtuiError):  # files and versions are on the disk: the next writer marks it as done
            self._done(id)
        return self.versions.operation(id)

    def _withdraw(self, work: Transaction, id: str, steps: Sequence[Step], error: BaseException) -> None:
        """Take back what was done of an operation that failed."""
        try:
            work.roll_back()
        except OSError as second:
            cause = error if isinstance(error, OSError) else second
            names = ", ".join(step.name for step in steps)
            raise to_error(cause, names, outcome="it stopped half-way and is ended at the next start") from second
        if id:
            with suppress(OSError, MemtuiError):  # the next writer sees that nothing was begun, and drops it
                self._drop(id)

    def _begin(self, steps: Sequence[Step], modified: Mapping[str, int], entry: Entry) -> str:
        files = {}
        for step in steps:
            after = None
            if step.data is not None:
                after = _Side(step.data, digest(step.data), modified[step.name])
            files[step.name] = (_side(step.disk), after)
        return self._insert(files, entry, finished=False)

    def _insert(self, files: Mapping[str, _Sides], entry: Entry, *, finished: bool = True) -> str:
        with self.database.write() as connection:
            id = new_id(connection)
            folder = folder_id(connection, self.root, create=True)
            operation = insert_operation(
                connection, id, FILES, entry.kind, folder, entry.who, entry.why, self._now(),
                undoes=entry.undoes, extra=entry.extra, finished=finished,
            )  # fmt: skip
            for name, (before, after) in files.items():
                old = new = near = None
                if before is not None:
                    old = before.blob
                    if old is None:
                        old = put_blob(connection, before.data, before.digest)
                    near = (old, before.data)
                if after is not None:
                    new = put_blob(connection, after.data, after.digest, near)
                what = "added" if before is None else "removed" if after is None else "changed"
                added, removed = count_lines(before.data if before else b"", after.data if after else b"")
                connection.execute(
                    "insert into changes (operation, name, kind, added, removed, before, after, before_mtime_ns, "
                    "after_mtime_ns) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        operation, os.fsencode(name), KEPT if entry.kind == KEPT else what, added, removed, old, new,
                        before and before.mtime_ns, after and after.mtime_ns,
                    ),
                )  # fmt: skip
            if finished:
                self._take_over(connection, operation)
        return id

    def _done(self, id: str) -> None:
        """Say that an operation has happened. A power cut may take that: then it is found out again."""
        with self.database.write(durable=False) as connection:
            [operation] = connection.execute("select id from operations where name = ?", (id,)).fetchone()
            connection.execute("update operations set state = ? where id = ?", (DONE, operation))
            self._take_over(connection, operation)

    @staticmethod
    def _take_over(connection: sqlite3.Connection, operation: int) -> None:
        """Make what an operation left the last that the history has of these files."""
        connection.execute(
            "delete from files where (folder, name) in (select o.folder, c.name from changes c "
            "join operations o on o.id = c.operation where o.id = ? and c.kind != ?)",
            (operation, KEPT),
        )
        connection.execute(
            "insert into files (folder, name, blob, mtime_ns) select o.folder, c.name, c.after, c.after_mtime_ns "
            "from changes c join operations o on o.id = c.operation "
            "where o.id = ? and c.kind != ? and c.after is not null",
            (operation, KEPT),
        )

    def _drop(self, id: str) -> None:
        with self.database.write(durable=False) as connection:
            connection.execute("delete from operations where name = ?", (id,))

    def _finish(self) -> None:
        """End what a crash interrupted: onward if files had been changed, else as if it had never been."""
        for operation in self.versions.interrupted():
            if operation.folder != str(self.root):
                continue
            id = operation.id
            for _ in range(MAX_TRIES):
                try:
                    end = self._end(operation)
                    break
                except Moved as moved:
                    name = str(moved)
            else:
                raise Conflict(f"{name} keeps changing", hint="try again in a moment")
            if end == "drop":
                self._drop(id)
                continue
            if end == "keep":
                with self.database.write() as connection:
                    connection.execute("update operations set kind = ? where name = ?", (KEPT, id))
                    connection.execute(
                        "update changes set kind = ? where operation = (select id from operations where name = ?)",
                        (KEPT, id),
                    )
            self._done(id)

    def _end(self, operation: Operation) -> Literal["done", "drop", "keep"]:
        """Bring the files to where an operation wants them, if it had begun to change them.

        Returns whether it is done; or has never happened; or can't be told, because others have changed all of its
        files since: then its texts are kept, since somebody may have been told that they were written.
        """
        begun, odd = not operation.files, False
        rest: list[Step] = []
        for change in operation.files:
            try:
                disk = look(self.root, change.name, self._fs, (change.before, change.after), self._own)
            except MemtuiError:
                odd = True  # somebody put something else there; what was wanted is in the history
                continue
            now = disk.digest if disk is not None else None
            if now == change.after:
                begun = True
            elif now == change.before:
                data = self.versions.read(operation.id, change.name)
                rest.append(Step(change.name, disk, data, change.after_mtime_ns))
            else:
                odd = True
        if begun:
            work = Transaction(self.root, rest, fs=self._fs, own=self._own)
            try:
                work.stage()
                work.replace()
            finally:
                work.close()
            return "done"
        return "keep" if odd else "drop"

    def remember(
        self, files: Mapping[str, FileContent | None], edit: Entry | None = None, *, first: bool = False
    ) -> Operation | None:
        """Record what others made of some files (`None`: not there); the operation made, if they did.

        `edit` is what the log says of it where a person is known to have done it: undo takes that back. `first`: nobody
        has looked before, so that nobody can be said to have changed something.
        """
        known = self.snapshot.files(files)
        found: dict[str, _Sides] = {}
        outside: dict[str, _Sides] = {}
        for name, content in files.items():
            last = known.get(name)
            if (content.digest if content is not None else None) == (last.digest if last is not None else None):
                continue
            new = last is None or last.blob is None
            (found if first and new else outside)[name] = (None, _side(content))
        if not found and not outside:
            return None
        id = ""
        with self.database.write() as connection:
            for name in outside:
                last = known.get(name)
                if last is not None and last.blob is not None and last.digest is not None:
                    data = read_blob(connection, last.blob, self.database.path)
                    outside[name] = (_Side(data, last.digest, last.mtime_ns, last.blob), outside[name][1])
            if found:
                id = self._insert(found, Entry(OUTSIDE, "as found", FOUND))
            if outside and edit is not None:
                id = self._insert(outside, edit)
            elif outside:
                id = self._insert(outside, Entry(OUTSIDE, "changed outside: " + ", ".join(outside), OUTSIDE))
                folder = folder_id(connection, self.root)
                for name, (_, after) in outside.items():
                    connection.execute("delete from unseen where folder = ? and name = ?", (folder, os.fsencode(name)))
                    if after is not None:
                        row = (folder, os.fsencode(name), after.digest)
                        connection.execute("insert into unseen (folder, name, digest) values (?, ?, ?)", row)
        return self.versions.operation(id)

    def keep(self, name: str, data: bytes, why: str) -> Operation:
        """Put a text into the history without touching its file."""
        known = self.snapshot.files([name]).get(name)
        with self.database.write() as connection:
            before = None
            if known is not None and known.blob is not None and known.digest is not None:
                old = read_blob(connection, known.blob, self.database.path)
                before = _Side(old, known.digest, known.mtime_ns, known.blob)
            id = self._insert({name: (before, _Side(data, digest(data), None))}, Entry("you", why, KEPT))
        return self.versions.operation(id)

    def unchanged_outside(self) -> bool:
        """Whether surely nobody else touched a file since the last `note`, by a `stat` for each file, without a lock.
        Raises `OSError` if the folder can't be listed.
        """
        return self.snapshot.unchanged(scan(self.root, self._scope.names, self._fs, self._own), self._scope.covers)

    def note(self, edit: Entry | None = None) -> Operation | None:
        """Record what others changed since the last time, as `edit` where given; at first, all as it was found. Returns
        `None` if all was as the history has it.
        """
        first = not self.snapshot.looked and edit is None
        known = {name: file for name, file in self.snapshot.files().items() if self._scope.covers(name)}
        at = self._fs.now()
        stamps = scan(self.root, self._scope.names, self._fs, self._own)
        same = {name for name, stamp in stamps.items() if name in known and known[name].unchanged(stamp)}
        other = [name for name, stamp in stamps.items() if name not in same and stamp.size <= MAX_SIZE]
        heads = {name: file.digest for name, file in known.items() if file.digest is not None}
        read = read_settled(self.root, other, heads, self._fs, self._own)
        now: dict[str, FileContent | None] = {**read, **dict.fromkeys(known.keys() - stamps.keys())}
        changed = any((content and content.digest) != heads.get(name) for name, content in now.items())
        with self.database.write(durable=changed) as connection:
            operation = self.remember(now, edit, first=first)
            rows = {name: file.blob for name, file in self.snapshot.files().items()}
            # A file that couldn't be read is looked at again once its stamp changes.
            known_now = same | read.keys()
            looks = {name: (stamp, rows.get(name)) for name, stamp in stamps.items() if name not in known_now}
            looks |= {name: (content.stamp, rows.get(name)) for name, content in read.items()}
            self.snapshot.save(connection, looks, at)
            for name in known.keys() - stamps.keys():
                folder = folder_id(connection, self.root)
                connection.execute("delete from files where folder = ? and name = ?", (folder, os.fsencode(name)))
        return operation

    def clear(self) -> tuple[str, ...]:
        """Remove the temporary files that dead processes left; with the lock held, our own as well."""
        return tuple(clear_folder(self.root, self._scope.names, self._fs, ours=True, own=self._own))


def _side(content: FileContent | None) -> _Side | None:
    return None if content is None else _Side(content.data, content.digest, content.stamp.mtime_ns)
