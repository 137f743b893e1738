"""What happened to a memory folder: a version for each deed, with who and why, and every byte before and after it.

A version is a commit. Its tree is the whole folder as memtui knows it, its message is for people in the first line and
for us in the trailers below, so that a log needs no diffing. The author line names nobody.

    saved feedback_testing.md

    Memtui-Kind: edit
    Memtui-Who: "you"
    Memtui-When: 1764473040.25
    Memtui-File: {"name": "feedback_testing.md", "kind": "changed", "added": 3, "removed": 1, "before": …, "after": …}

Source: DESIGN.md D7.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from memtui.fs.atomic import digest
from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.database import Repository
from memtui.util.resolve import matches_prefix, resolve_one

if TYPE_CHECKING:
    from dulwich.objects import Commit, ObjectID, ShaFile

FOUND = "found"
"""Kind of the first version: the files as they were when memtui came."""
OUTSIDE = "outside"
"""Kind of a change that somebody else made."""
KEPT = "kept"
"""Kind of a text that was put by without touching the file: the side that lost a conflict."""
UNDO, REDO = "undo", "redo"
MOVED = "moved"
"""Kind of memory that came from another folder or went to one: only both sides together are taken back."""

_AUTHOR = b"memtui <memtui@localhost>"
_TRAILER = "Memtui-"
_DIFF_LINES = 2000


class FileChange(Struct, frozen=True):
    """One file in a version.

    `kind` is "added", "changed", "removed" or "kept"; `before` and `after` are SHA-256 digests, or
    `None` where there was no file.
    """

    name: str
    kind: str
    added: int
    removed: int
    before: str | None
    after: str | None


class Version(Struct, frozen=True):
    """One deed.

    `when` is in seconds since 1970 by the clock of that moment; the order of versions doesn't depend on it.
    `kind` is a word of the deed ("edit", "new", "delete", "rename", "restore", "adopt", …) or one of our constants.
    `undoes` is the version that this one takes back; `undone` says whether it was taken back itself, and still is.
    """

    id: str
    when: float
    who: str
    why: str
    kind: str
    files: tuple[FileChange, ...]
    undoes: str | None = None
    undone: bool = False
    extra: Mapping[str, str] | None = None

    @property
    def undoable(self) -> bool:
        """Whether plain undo may take this one: a deed of ours in this folder alone, not itself an undo or redo."""
        return self.kind not in (FOUND, OUTSIDE, KEPT, UNDO, REDO, MOVED)

    def file(self, name: str) -> FileChange | None:
        """What happened to one file in this version."""
        return next((change for change in self.files if change.name == name), None)


class _Record(Struct, frozen=True):
    version: Version
    tree: str
    parents: tuple[str, ...]


class History:
    """The versions of one memory folder. Writing needs the store's lock; reading needs none.

    Args:
        path: The folder of the history, created with the first version.
    """

    def __init__(self, path: Path, *, fs: FileSystem = REAL) -> None:
        self.repository = Repository(path, fs=fs)
        self._records: dict[str, _Record] = {}

    def commit(
        self,
        files: Mapping[str, bytes | None],
        *,
        who: str,
        why: str,
        when: float,
        kind: str = "edit",
        undoes: str | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> Version:
        """Record a deed: prepare it and make it the newest version. Arguments as for `prepare`."""
        prepared = self.prepare(files, who=who, why=why, when=when, kind=kind, undoes=undoes, extra=extra)
        self.repository.move_head(prepared.id)
        return prepared

    def prepare(
        self,
        files: Mapping[str, bytes | None],
        *,
        who: str,
        why: str,
        when: float,
        kind: str = "edit",
        undoes: str | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> Version:
        """Put a version on the disk, durably, without making it the newest.

        Args:
            files: Relative name to the bytes after the deed; `None` for a file that goes away.
            who: "you", "dream", "outside", ….
            why: One line for people.
            when: Seconds since 1970.
            undoes: The version that this one takes back.
            extra: Words of the caller's, such as the run that an adoption came from.

        Raises:
            OSError: If something can't be written. Nothing refers to what was.
            MemtuiError: If the history is damaged.
        """
        from dulwich.objects import Blob, Commit

        repository = self.repository
        repository.create()
        parent = repository.head()
        tree = self._record(parent).tree if parent is not None else None
        changes: list[FileChange] = []
        blobs: dict[str, str | None] = {}
        objects: list[ShaFile] = []
        for name, data in files.items():
            old = repository.find(tree, name)
            changes.append(describe(name, repository.blob(old) if old is not None else None, data))
            blobs[name] = None
            if data is not None:
                blob = Blob.from_string(data)
                blobs[name] = blob.id.decode("ascii")
                objects.append(blob)
        version = Version("", when, who, why, kind, tuple(changes), undoes, extra=extra)
        if kind == KEPT:  # the texts hang on a side commit: the folder never was in that state
            version = replace(version, files=tuple(replace(change, kind=KEPT) for change in changes))
            side = Commit()
            objects += self._fill(side, tree, blobs, version, [parent])
            objects += self._fill(commit := Commit(), tree, {}, version, [parent, side.id.decode("ascii")])
        else:
            objects += self._fill(commit := Commit(), tree, blobs, version, [parent])
        identity = commit.id.decode("ascii")
        repository.record(identity, parent, objects)
        return replace(version, id=identity)

    def _fill(
        self,
        commit: "Commit",
        tree: str | None,
        blobs: Mapping[str, str | None],
        version: Version,
        parents: list[str | None],
    ) -> "list[ShaFile]":
        """Complete a commit; the objects to write for it, itself last."""
        from dulwich.objects import Tree

        after, trees = self.repository.changed_tree(tree, blobs)
        if after is None:
            empty = Tree()
            after, trees = empty.id.decode("ascii"), [*trees, empty]
        commit.tree = _id(after)
        commit.parents = [_id(parent) for parent in parents if parent is not None]
        commit.author = commit.committer = _AUTHOR
        commit.author_time = commit.commit_time = min(max(int(version.when), 0), 2**40)
        commit.author_timezone = commit.commit_timezone = 0
        commit.encoding = b"UTF-8"
        commit.message = _message(version)
        return [*trees, commit]

    def pending(self) -> Version | None:
        """The version that a writer prepared and that hasn't happened yet; `None` if all is done. Needs the lock."""
        name = self.repository.pending()
        return self._record(name).version if name is not None else None

    def log(self, name: str | None = None, limit: int | None = 100) -> tuple[Version, ...]:
        """The versions, newest first.

        Args:
            name: Only those in which this file changed.
            limit: How many at most.

        Raises:
            MemtuiError: If the history is damaged.
        """
        found: list[Version] = []
        for version in self.walk():
            if limit is not None and len(found) >= limit:
                break
            if name is None or version.file(name) is not None:
                found.append(version)
        return tuple(found)

    def version(self, word: str) -> Version:
        """The version whose id starts with `word` (4 characters or more).

        Raises:
            NotFound: If there is none.
            Usage: If there are several.
        """
        found = [version for version in self.walk() if matches_prefix(version.id, word)]
        return resolve_one(found, word, "version", lists="memtui history lists them")

    def read(self, version_id: str, name: str) -> bytes | None:
        """A file as it was after a version; `None` if it wasn't there."""
        record = self._record(version_id)
        tree = record.tree
        if record.version.kind == KEPT and record.version.file(name) is not None:
            tree = self._record(record.parents[-1]).tree
        return self._bytes(tree, name)

    def before(self, version_id: str, name: str) -> bytes | None:
        """A file as it was before a version; `None` if it wasn't there."""
        parents = self._record(version_id).parents
        return self._bytes(self._record(parents[0]).tree, name) if parents else None

    def head(self, name: str) -> bytes | None:
        """A file as the newest version has it; `None` if it isn't there."""
        newest = self.repository.head()
        return self._bytes(self._record(newest).tree, name) if newest is not None else None

    def head_blob(self, name: str) -> str | None:
        """Git's name of the bytes that a file has in the newest version."""
        newest = self.repository.head()
        return self.repository.find(self._record(newest).tree, name) if newest is not None else None

    def head_blobs(self) -> dict[str, str]:
        """Every file of the newest version: relative name to git's name of its bytes."""
        newest = self.repository.head()
        return self.repository.files(self._record(newest).tree) if newest is not None else {}

    def find_bytes(self, name: str, wanted: str) -> bytes | None:
        """The bytes of a file by their SHA-256 digest, if some version of it had them."""
        for version in self.walk():
            change = version.file(name)
            if change is not None and change.after == wanted:
                return self.read(version.id, name)
            if change is not None and change.before == wanted:
                return self.before(version.id, name)
        return None

    def walk(self) -> Iterator[Version]:
        """All versions, newest first, read as they are asked for."""
        # What undoes something always comes after it, so that one pass tells what is undone.
        taken_back: set[str] = set()
        at = self.repository.head()
        while at is not None:
            record = self._record(at)
            version = record.version
            undone = version.id in taken_back
            if version.undoes is not None and not undone:
                taken_back.add(version.undoes)
            yield replace(version, undone=True) if undone else version
            at = record.parents[0] if record.parents else None

    def _record(self, identity: str) -> _Record:
        record = self._records.get(identity)
        if record is None:
            commit = self.repository.commit(identity)
            record = _Record(_read_message(identity, commit.message), commit.tree, commit.parents)
            self._records[identity] = record
        return record

    def _bytes(self, tree: str, name: str) -> bytes | None:
        blob = self.repository.find(tree, name)
        return self.repository.blob(blob) if blob is not None else None


def describe(name: str, before: bytes | None, after: bytes | None) -> FileChange:
    """What a step from one content to another means, with the lines that came and went."""
    kind = "added" if before is None else "removed" if after is None else "changed"
    added, removed = count_lines(before or b"", after or b"")
    return FileChange(name, kind, added, removed, _digest(before), _digest(after))


def count_lines(before: bytes, after: bytes) -> tuple[int, int]:
    """Lines added and removed, as a diff shows them; in very large texts, as a comparison of sets with repetitions."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = 0
    while start < len(old) and start < len(new) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if not old or not new:
        return len(new), len(old)
    if max(len(old), len(new)) > _DIFF_LINES:
        return (Counter(new) - Counter(old)).total(), (Counter(old) - Counter(new)).total()
    same = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
    return len(new) - same, len(old) - same


def _message(version: Version) -> bytes:
    """The text of a commit: JSON in the trailers, so that no name can make a line of its own."""
    lines = [" ".join(version.why.split()) or version.kind, "", f"{_TRAILER}Kind: {json.dumps(version.kind)}"]
    lines += [f"{_TRAILER}Who: {json.dumps(version.who)}", f"{_TRAILER}When: {json.dumps(version.when)}"]
    if version.undoes is not None:
        lines.append(f"{_TRAILER}Undoes: {json.dumps(version.undoes)}")
    if version.extra:
        lines.append(f"{_TRAILER}Extra: {json.dumps(dict(version.extra))}")
    for change in version.files:
        entry = {
            "name": change.name, "kind": change.kind, "added": change.added, "removed": change.removed,
            "before": change.before, "after": change.after,
        }  # fmt: skip
        lines.append(f"{_TRAILER}File: {json.dumps(entry)}")
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def _read_message(identity: str, message: bytes) -> Version:
    """The version that a commit's text tells of. A commit that isn't ours is shown by its first line."""
    why, _, rest = message.decode("utf-8", "replace").partition("\n\n")
    found: dict[str, object] = {}
    files: list[FileChange] = []
    for line in rest.splitlines():
        key, _, value = line.partition(": ")
        try:
            content = json.loads(value) if key.startswith(_TRAILER) else None
            if key == _TRAILER + "File":
                files.append(FileChange(**(content or {})))
            elif content is not None:
                found[key.removeprefix(_TRAILER)] = content
        except (ValueError, TypeError):
            continue
    when, undoes, extra = found.get("When"), found.get("Undoes"), found.get("Extra")
    return Version(
        identity,
        float(when) if isinstance(when, int | float) else 0.0,
        str(found.get("Who", "unknown")),
        why.partition("\n")[0],
        str(found.get("Kind", "edit")),
        tuple(files),
        undoes if isinstance(undoes, str) else None,
        extra={str(key): str(value) for key, value in extra.items()} if isinstance(extra, dict) else None,
    )


def _digest(data: bytes | None) -> str | None:
    return digest(data) if data is not None else None


def _id(name: str) -> "ObjectID":
    from dulwich.objects import ObjectID

    return ObjectID(name.encode("ascii"))
