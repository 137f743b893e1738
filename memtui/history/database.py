"""The objects and the one branch of a history: git's format on disk, written by us.

dulwich makes the objects and reads packs; the bytes reach the disk through our own `FileSystem`, each object synced
with its folder entry before anything refers to it. There is no index, no working tree, no hook and no configuration of
the user's; plain `git --git-dir=FOLDER log -p` reads it.

dulwich takes a while to import, so it is loaded in the methods that need it, never with this module; what every start
reads, `objects` reads without it.
"""

import hashlib
import os
import stat
import struct
import threading
import weakref
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.fs.atomic import clear_temps, make_folders, replace_file, sync_folder, write_all, write_temp
from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.objects import CommitRead, Entries, read_commit, read_tree
from memtui.history.recent import Recent
from memtui.util.errors import MemtuiError

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import ShaFile, Tree

FILE = stat.S_IFREG | 0o644
FOLDER = stat.S_IFDIR

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = true\n[gc]\n\tauto = 0\n"
_WORDS = {1: b"commit", 2: b"tree", 3: b"blob"}
_BRANCH = "refs/heads/main"

MANY = 64
"""More new objects than this go into a pack at once."""

ENOUGH = 1 << 20
"""Bytes of recent versions from which on a pack is made of them."""


class Repository:
    """A bare git repository. Writers hold the store's lock; readers need none, since objects never change.

    Args:
        path: Its folder; created with the first write.
    """

    def __init__(self, path: Path, *, fs: FileSystem = REAL) -> None:
        self.path = path
        self._fs = fs
        self.recent = Recent(path / "recent", fs=fs)
        self._trees: dict[str, Entries] = {}
        self._packs: DiskObjectStore | None = None
        self._lock = threading.Lock()

    def create(self) -> None:
        """Make the folder ready for writing. HEAD comes last: where it is, the rest is."""
        try:
            self._fs.lstat(self.path / "HEAD")
            return
        except FileNotFoundError:
            pass
        for folder in ("objects/pack", "refs/heads", "tmp"):
            make_folders(self.path / folder, fs=self._fs)
        replace_file(self.path / "config", _CONFIG, fs=self._fs)
        replace_file(self.path / "HEAD", f"ref: {_BRANCH}\n".encode(), fs=self._fs)

    def head(self) -> str | None:
        """The newest commit, or `None` before the first."""
        commit = self._branch()
        if commit == "":  # a power cut took it, and no writer has been here since
            records = self.recent.records()
            if not records:
                raise self._damaged()
            return records[-1].parent
        return commit

    def move_head(self, commit: str) -> None:
        """Make a recorded commit the newest. Needs no sync: after a power cut, `pending` finds out how far it was."""
        self._put_file(self.path / _BRANCH, f"{commit}\n".encode(), 0o600, sync=False)

    def pending(self) -> str | None:
        """The commit that was recorded last and isn't the newest: a writer didn't get to its end. Needs the lock.

        Puts right what a power cut did to the branch: all records but the last were complete before it was made.
        """
        records = self.recent.records()
        if not records:
            return None
        last, head = records[-1], self._branch()
        if head == last.version:
            return None
        if head != last.parent:
            if head not in ("", None, *(record.parent for record in records)):
                return None  # newer than the file: all in it became a pack
            if last.parent is not None:
                self.move_head(last.parent)
            elif head == "":
                self._fs.unlink(self.path / _BRANCH)
        return last.version

    def withdraw(self, commit: str) -> None:
        """Forget a commit that was recorded last: it didn't happen."""
        self.recent.cut(commit)

    def _branch(self) -> str | None:
        """What the branch holds; "" if that is no commit."""
        try:
            text = (self.path / _BRANCH).read_bytes().strip()
        except FileNotFoundError:
            return None
        return text.decode("ascii") if len(text) == 40 and text.isalnum() else ""

    def clear(self) -> list[str]:
        """Remove what dead processes left half-written. Needs the lock."""
        removed: list[str] = []
        for folder in (self.path, self.path / "tmp"):
            with suppress(FileNotFoundError):
                removed += clear_temps(folder, fs=self._fs, own=True)
        return removed

    def record(self, commit: str, parent: str | None, objects: Iterable["ShaFile"]) -> None:
        """Put a commit on the disk, durably, with the objects that are new in it. `move_head` makes it the newest.

        Raises:
            OSError: If something can't be written.
        """
        new = {item.id.decode("ascii"): item for item in objects}
        if len(new) > MANY:
            # Looking for likeness among so many strangers costs seconds and finds little.
            self._put_pack(list(new.values()), deltas=False)
            new = {}
        # Level 1: five times as fast as the default for a tenth more room.
        stored = [(name, item.as_legacy_object(compression_level=1)) for name, item in new.items()]
        self.recent.append(commit, parent, stored)
        for name, data in stored:
            self._put_loose(name, data)

    def _put_loose(self, name: str, data: bytes) -> None:
        """A recorded object as a file of its own, for plain git. Broken or missing, it is read from the record."""
        path = f"{self.path}/objects/{name[:2]}/{name[2:]}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with suppress(OSError):
            try:
                fd = self._fs.open(path, flags, 0o400)
            except FileNotFoundError:
                self._fs.mkdir(f"{self.path}/objects/{name[:2]}", 0o700)
                fd = self._fs.open(path, flags, 0o400)
            try:
                write_all(fd, data, fs=self._fs)
            finally:
                self._fs.close(fd)

    def compact(self, *, limit: int = ENOUGH) -> int:
        """Move recent objects into one pack, where similar texts and folders take next to no room. Needs the lock.

        Args:
            limit: Bytes of recent versions that are not worth the trouble; one for each 4 KiB if they are small.

        Returns:
            How many objects were moved.
        """
        names = self.recent.names()
        head = self._branch()
        few = self.recent.size() <= limit and len(names) <= limit // 4096
        if few or self.pending() is not None or not head:
            return 0
        self._put_pack([self.get(name) for name in names], deltas=True)
        self._put_file(self.path / _BRANCH, f"{head}\n".encode(), 0o600)
        sync_folder((self.path / _BRANCH).parent, fs=self._fs)
        self.recent.remove()
        for name in names:
            with suppress(FileNotFoundError):
                self._fs.unlink(self._loose(name))
        return len(names)

    def _put_pack(self, objects: "Sequence[ShaFile]", *, deltas: bool) -> None:
        """One file for many objects. Its index comes last: without it, it is no pack."""
        from dulwich.object_format import DEFAULT_OBJECT_FORMAT
        from dulwich.pack import write_pack_index, write_pack_objects

        pack, index = BytesIO(), BytesIO()
        entries, checksum = write_pack_objects(
            pack, [(item, None) for item in objects], DEFAULT_OBJECT_FORMAT, deltify=deltas, compression_level=1
        )
        write_pack_index(index, sorted((name, offset, crc) for name, (offset, crc) in entries.items()), checksum)
        folder = self.path / "objects" / "pack"
        for kind, data in (("pack", pack.getvalue()), ("idx", index.getvalue())):
            self._put_file(folder / f"pack-{checksum.hex()}.{kind}", data, 0o400)
            sync_folder(folder, fs=self._fs)

    def _put_file(self, target: Path, data: bytes, mode: int, *, sync: bool = True) -> None:
        """Put a whole file in place; the caller syncs its folder if it matters."""
        tmp = self.path / "tmp"
        dir_fd = self._fs.open(tmp, os.O_RDONLY | os.O_DIRECTORY)
        try:
            staged = tmp / write_temp(dir_fd, target.name, data, fs=self._fs, mode=mode, sync=sync)
        finally:
            self._fs.close(dir_fd)
        try:
            self._fs.replace(staged, target)
        except BaseException:
            with suppress(OSError):  # cleared at the next start
                self._fs.unlink(staged)
            raise

    def get(self, name: str) -> "ShaFile":
        """Read an object.

        Raises:
            MemtuiError: If it is missing or broken.
        """
        from dulwich.objects import ObjectID, ShaFile

        return ShaFile.from_raw_string(*self._read(name), ObjectID(name.encode("ascii")))

    def _read(self, name: str) -> tuple[int, bytes]:
        """Type number and bytes of an object."""
        return self._read_recent(name) or self._read_packed(name)

    def _read_as(self, kind: bytes, name: str) -> bytes:
        """The bytes of an object of this kind."""
        number, body = self._read(name)
        if _WORDS.get(number) != kind:
            raise self._damaged()
        return body

    def _read_packed(self, name: str) -> tuple[int, bytes]:
        from dulwich.errors import ApplyDeltaError, ChecksumMismatch, FileFormatException
        from dulwich.object_store import DiskObjectStore
        from dulwich.objects import ObjectID

        with self._lock:  # a pack is one open file with one position
            if self._packs is None:
                self._packs = DiskObjectStore(self.path / "objects")
                weakref.finalize(self, self._packs.close)
            try:
                kind, body = self._packs.get_raw(ObjectID(name.encode("ascii")))
            # All that dulwich has been seen to raise over a pack of zeros or a cut one.
            except (LookupError, OSError, ValueError, AssertionError, struct.error, zlib.error) as error:
                raise self._damaged() from error
            except (ApplyDeltaError, ChecksumMismatch, FileFormatException) as error:
                raise self._damaged() from error
        if hashlib.sha1(b"%s %d\0" % (_WORDS[kind], len(body)) + body, usedforsecurity=False).hexdigest() != name:
            raise self._damaged()
        return kind, body

    def blob(self, name: str) -> bytes:
        """The bytes of a file as it was."""
        return self._read_as(b"blob", name)

    def commit(self, name: str) -> CommitRead:
        """A version.

        Raises:
            MemtuiError: If it is missing, broken, or none.
        """
        try:
            return read_commit(self._read_as(b"commit", name))
        except ValueError as error:
            raise self._damaged() from error

    def tree(self, name: str) -> Entries:
        """A folder as it was. Shared: copy before changing."""
        tree = self._trees.get(name)
        if tree is None:
            try:
                found = read_tree(self._read_as(b"tree", name))
            except ValueError as error:
                raise self._damaged() from error
            if len(self._trees) > 200:
                self._trees.clear()
            tree = self._trees[name] = found
        return tree

    def find(self, tree: str | None, name: str) -> str | None:
        """The blob of a file in a folder as it was; `name` is relative, with slashes."""
        for number, part in enumerate(parts := name.split("/")):
            if tree is None:
                return None
            mode, found = self._entry(tree, part)
            last = number == len(parts) - 1
            if found is None or stat.S_ISDIR(mode) == last:
                return None
            tree = found
        return tree

    def files(self, tree: str | None, above: str = "") -> dict[str, str]:
        """Every file in a folder as it was: relative name to blob."""
        if tree is None:
            return {}
        found: dict[str, str] = {}
        for leaf, (mode, blob) in self.tree(tree).items():
            name = above + os.fsdecode(leaf)
            if stat.S_ISDIR(mode):
                found |= self.files(blob, name + "/")
            else:
                found[name] = blob
        return found

    def changed_tree(self, tree: str | None, blobs: Mapping[str, str | None]) -> tuple[str | None, list["Tree"]]:
        """A folder with some files put in or taken out.

        Args:
            tree: The folder before.
            blobs: Relative name to blob; `None` takes the file out.

        Returns:
            The folder after (`None` when nothing is left in it), and the new tree objects, not written yet.
        """
        from dulwich.objects import ObjectID, Tree

        after = Tree()
        for leaf, (mode, one) in self.tree(tree).items() if tree is not None else ():
            after.add(leaf, mode, ObjectID(one.encode("ascii")))
        below: dict[str, dict[str, str | None]] = {}
        here: dict[bytes, str | None] = {}
        for name, blob in blobs.items():
            first, _, rest = name.partition("/")
            if rest:
                below.setdefault(first, {})[rest] = blob
            else:
                here[os.fsencode(first)] = blob
        new: list[Tree] = []
        for leaf, blob in here.items():
            if blob is None and leaf in after:
                del after[leaf]
        for folder, inner in below.items():
            mode, old = self._entry(tree, folder) if tree is not None else (0, None)
            got, more = self.changed_tree(old if stat.S_ISDIR(mode) else None, inner)
            new += more
            key = os.fsencode(folder)
            if got is not None:
                after.add(key, FOLDER, ObjectID(got.encode("ascii")))
            elif key in after and stat.S_ISDIR(mode):
                del after[key]
        for leaf, blob in here.items():
            if blob is not None:
                after.add(leaf, FILE, ObjectID(blob.encode("ascii")))
        if not len(after):
            return None, new
        return after.id.decode("ascii"), [*new, after]

    def _entry(self, tree: str, name: str) -> tuple[int, str | None]:
        return self.tree(tree).get(os.fsencode(name), (0, None))

    def _loose(self, name: str) -> Path:
        return self.path / "objects" / name[:2] / name[2:]

    def _read_recent(self, name: str) -> tuple[int, bytes] | None:
        """Type number and bytes of a recent object; `None` when there is none that is whole."""
        try:
            found = _unpack(name, self._loose(name).read_bytes())
        except OSError:
            found = None
        if found is None and (stored := self.recent.read(name)) is not None:
            found = _unpack(name, stored)
        return found

    def _damaged(self) -> MemtuiError:
        return MemtuiError(
            "The history of this folder is damaged: nothing was written",
            hint=f"move {self.path} elsewhere to start a new one; the memory files are not touched",
        )


def _unpack(name: str, stored: bytes) -> tuple[int, bytes] | None:
    """Type number and bytes of an object as git stores it alone; `None` if it is not whole, or another one."""
    try:
        raw = zlib.decompress(stored)
    except zlib.error:
        return None
    if hashlib.sha1(raw, usedforsecurity=False).hexdigest() != name:
        return None
    head, _, body = raw.partition(b"\0")
    number = {word: number for number, word in _WORDS.items()}.get(head.partition(b" ")[0])
    return (number, body) if number is not None else None


def blob_id(data: bytes) -> str:
    """The name that git gives to these bytes; without loading dulwich."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
