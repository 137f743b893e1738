"""The objects and the one branch of a history: git's format on disk, written by us.

dulwich makes and reads the objects; the bytes reach the disk through our own `FileSystem`, each object synced with its
folder entry before anything refers to it. There is no index, no working tree, no hook and no configuration of the
user's; plain `git --git-dir=FOLDER log -p` reads it.

dulwich takes a while to import, so it is loaded in the methods that need it, never with this module.
"""

import hashlib
import os
import stat
import threading
import weakref
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memtui.base.errors import MemtuiError
from memtui.base.files import REAL, FileSystem, clear_temps, make_folders, replace_file, sync_folder, write_temp

if TYPE_CHECKING:
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import ObjectID, ShaFile, Tree

FILE = stat.S_IFREG | 0o644
FOLDER = stat.S_IFDIR

_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = true\n[gc]\n\tauto = 0\n"
_BRANCH = "refs/heads/main"
_NEXT = "refs/heads/next"

MANY = 64
"""More new objects than this go into a pack instead of a file each."""


class Repository:
    """A bare git repository. Writers hold the store's lock; readers need none, since objects never change.

    Args:
        path: Its folder; created with the first write.
    """

    def __init__(self, path: Path, *, fs: FileSystem = REAL) -> None:
        self.path = path
        self._fs = fs
        self._trees: dict[str, Tree] = {}
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
        commit = self._ref(_BRANCH)
        if commit == "":
            raise self._damaged()
        return commit

    def move_head(self, commit: str) -> None:
        """Make a commit the newest, durably. Its objects are there already."""
        self._set(_BRANCH, commit)

    def next(self) -> str | None:
        """The commit that was announced and has neither happened nor been withdrawn."""
        return self._ref(_NEXT) or None

    def announce(self, commit: str) -> None:
        """Write down, durably, which commit is about to become the newest."""
        self._set(_NEXT, commit)

    def take_next(self) -> None:
        """Make the announced commit the newest. Needs no room on the disk."""
        self._fs.replace(self.path / _NEXT, self.path / _BRANCH)
        sync_folder((self.path / _BRANCH).parent, fs=self._fs)

    def withdraw(self) -> None:
        """Forget what was announced."""
        with suppress(OSError):  # if it stays, the next writer finds that nothing was begun
            self._fs.unlink(self.path / _NEXT)

    def _set(self, ref: str, commit: str) -> None:
        self._put_file(self.path / ref, f"{commit}\n".encode(), 0o600)
        sync_folder((self.path / ref).parent, fs=self._fs)

    def _ref(self, ref: str) -> str | None:
        """What a branch file holds; "" if that is no commit."""
        try:
            text = (self.path / ref).read_bytes().strip()
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

    def put(self, objects: Iterable["ShaFile"]) -> None:
        """Write objects and sync them with their folder entries. Those already there whole are left alone."""
        named = {item.id.decode("ascii"): item for item in objects}
        folders = dict.fromkeys(self._loose(name).parent for name in named)
        missing = {name: item for name, item in named.items() if self._read_loose(name) is None}
        if len(missing) > MANY:
            # Looking for likeness among so many strangers costs seconds and finds little.
            self._put_pack(list(missing.values()), deltas=False)
            return
        for name, item in missing.items():
            # Level 1: five times as fast as the default for a tenth more room.
            self._put_file(self._loose(name), item.as_legacy_object(compression_level=1), 0o400)
        for folder in folders:
            if folder.is_dir():
                sync_folder(folder, fs=self._fs)

    def compact(self) -> int:
        """Move loose objects into one pack, where similar texts and folders take next to no room. Needs the lock.

        Returns:
            How many were moved; 0 as long as there are few.
        """
        objects = self.path / "objects"
        # A sixteenth of the folders tells how many there are, as in git's own housekeeping.
        sample = sum(len(self._listing(objects / f"{number:x}7")) for number in range(16))
        if sample * 16 < MANY * 4:
            return 0
        found: dict[Path, ShaFile] = {}
        for number in range(256):
            for leaf in self._listing(objects / f"{number:02x}"):
                name = f"{number:02x}{leaf}"
                if self._read_loose(name) is not None:
                    found[self._loose(name)] = self.get(name)
        self._put_pack(list(found.values()), deltas=True)
        for path in found:
            self._fs.unlink(path)
        return len(found)

    def _put_pack(self, objects: "Sequence[ShaFile]", *, deltas: bool) -> None:
        """One file for many objects: one sync instead of one each. The index comes last: without it it is no pack."""
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

    def _put_file(self, target: Path, data: bytes, mode: int) -> None:
        """Put a whole, synced file in place; the caller syncs its folder."""
        tmp = self.path / "tmp"
        dir_fd = self._fs.open(tmp, os.O_RDONLY | os.O_DIRECTORY)
        try:
            staged = tmp / write_temp(dir_fd, target.name, data, fs=self._fs, mode=mode)
        finally:
            self._fs.close(dir_fd)
        try:
            try:
                self._fs.replace(staged, target)
            except FileNotFoundError:
                make_folders(target.parent, fs=self._fs)
                self._fs.replace(staged, target)
        except BaseException:
            with suppress(OSError):  # cleared at the next start
                self._fs.unlink(staged)
            raise

    def _listing(self, folder: Path) -> list[str]:
        try:
            return self._fs.listdir(folder)
        except FileNotFoundError:
            return []

    def get(self, name: str) -> "ShaFile":
        """Read an object.

        Raises:
            MemtuiError: If it is missing or broken.
        """
        from dulwich.errors import ChecksumMismatch
        from dulwich.objects import ObjectID, ShaFile

        found = self._read_loose(name)
        try:
            if found is None:
                found = self._read_packed(name)
            return ShaFile.from_raw_string(found[0], found[1], ObjectID(name.encode("ascii")))
        except (KeyError, OSError, ValueError, zlib.error, ChecksumMismatch) as error:
            raise self._damaged() from error

    def _read_packed(self, name: str) -> tuple[int, bytes]:
        from dulwich.object_store import DiskObjectStore
        from dulwich.objects import ObjectID

        with self._lock:  # a pack is one open file with one position
            if self._packs is None:
                self._packs = DiskObjectStore(self.path / "objects")
                weakref.finalize(self, self._packs.close)
            return self._packs.get_raw(ObjectID(name.encode("ascii")))

    def blob(self, name: str) -> bytes:
        """The bytes of a file as it was."""
        from dulwich.objects import Blob

        found = self.get(name)
        if not isinstance(found, Blob):
            raise self._damaged()
        return found.as_raw_string()

    def tree(self, name: str) -> "Tree":
        """A folder as it was. Shared: copy before changing."""
        from dulwich.objects import Tree

        tree = self._trees.get(name)
        if tree is None:
            found = self.get(name)
            if not isinstance(found, Tree):
                raise self._damaged()
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
        for entry in self.tree(tree).items():
            name, mode, blob = above + os.fsdecode(entry.path), entry.mode, entry.sha.decode("ascii")
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
        if tree is not None:
            after = cast(Tree, self.tree(tree).copy())
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
        identity = after.id.decode("ascii")
        self._trees[identity] = after
        return identity, [*new, after]

    def _entry(self, tree: str, name: str) -> tuple[int, str | None]:
        try:
            mode, found = self.tree(tree)[os.fsencode(name)]
        except KeyError:
            return 0, None
        return mode, _text(found)

    def _loose(self, name: str) -> Path:
        return self.path / "objects" / name[:2] / name[2:]

    def _read_loose(self, name: str) -> tuple[int, bytes] | None:
        """Type number and bytes of a loose object; `None` when there is none that is whole."""
        try:
            raw = zlib.decompress(self._loose(name).read_bytes())
        except (OSError, zlib.error):
            return None
        head, _, body = raw.partition(b"\0")
        kind, _, size = head.partition(b" ")
        number = {b"commit": 1, b"tree": 2, b"blob": 3}.get(kind)
        return (number, body) if number is not None and size == str(len(body)).encode() else None

    def _damaged(self) -> MemtuiError:
        return MemtuiError(
            "The history of this folder is damaged: nothing was written",
            hint=f"move {self.path} elsewhere to start a new one; the memory files are not touched",
        )


def _text(name: "ObjectID") -> str:
    return name.decode("ascii")


def blob_id(data: bytes) -> str:
    """The name that git gives to these bytes; without loading dulwich."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

