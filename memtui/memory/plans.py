"""A plan: what would be written, shown before it is done. Making one reads files and writes nothing.

`Sheets` collects edits of a folder's files: each is read once, its bytes and digest kept, so that `Store.apply` can
tell whether somebody else changed it meanwhile. Bytes that are no UTF-8 survive an edit unharmed.
"""

import difflib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from memtui.base.errors import MemtuiError, NotFound, Refused
from memtui.base.files import digest, read_stable
from memtui.memory.store import Change


class Plan(Struct, frozen=True):
    """Changes that belong together, for one store.

    `root` and `allow` say which store carries it out. `notes` are for people. `before` holds the bytes that the changes
    were made from. `renamed` lists (old, new) names, for whoever keeps something under the old one.
    """

    title: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    root: Path = Path()
    allow: frozenset[str] | None = None
    before: Mapping[str, bytes | None] = field(default_factory=dict)
    renamed: tuple[tuple[str, str], ...] = ()

    def diff(self) -> str:
        """The changes as one unified diff, renames said and shown as such."""
        parts: list[str] = []
        moved = dict(self.renamed)
        sources = {new: old for old, new in self.renamed}
        for change in self.changes:
            if change.data is None and change.name in moved:
                continue  # shown with the new name
            old_name = sources.get(change.name, change.name)
            parts += _diff(old_name, change.name, self.before.get(old_name), change.data)
        return "".join(parts)


def _diff(old_name: str, new_name: str, before: bytes | None, after: bytes | None) -> list[str]:
    parts = [f"rename from {old_name}\n", f"rename to {new_name}\n"] if old_name != new_name else []
    old = f"a/{old_name}" if before is not None else "/dev/null"
    new = f"b/{new_name}" if after is not None else "/dev/null"
    for line in difflib.unified_diff(_lines(before), _lines(after), old, new):
        parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return parts


def _lines(data: bytes | None) -> list[str]:
    """Lines with their ends; only LF ends a line, so that a lone CR stays visible in its line."""
    if not data:
        return []
    lines = data.decode("utf-8", "replace").split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


class Sheets:
    """The files of a folder while a plan is made.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}

    def text(self, name: str) -> str:
        """A file's text as edited so far; bytes that are no UTF-8 as lone surrogates.

        Raises:
            NotFound: If it is gone.
            Refused: If it is no file that can be edited.
        """
        data = self._read(name)
        if data is None:
            raise NotFound(f"{name} is gone", hint="look again")
        return data.decode("utf-8", "surrogateescape")

    def text_or(self, name: str, default: str) -> str:
        """The same; `default` if there is no such file."""
        return default if self._read(name) is None else self.text(name)

    def exists(self, name: str) -> bool:
        """Whether the file is there, edits so far included."""
        return self._read(name) is not None

    def put(self, name: str, text: str) -> None:
        """Let a file hold this text."""
        self._read(name)
        self._after[name] = text.encode("utf-8", "surrogateescape")

    def drop(self, name: str) -> None:
        """Let a file go."""
        self._read(name)
        self._after[name] = None

    def move(self, old: str, new: str) -> None:
        """Let a file have another name; what it held under the new one is gone."""
        self.put(new, self.text(old))
        self.drop(old)

    def plan(
        self,
        title: str,
        notes: list[str] | tuple[str, ...] = (),
        *,
        renamed: tuple[tuple[str, str], ...] = (),
        allow: frozenset[str] | None = None,
    ) -> Plan:
        """What all this comes to; files that end as they were are left out."""
        changes = []
        for name, after in self._after.items():
            before = self._before[name]
            if after != before:
                changes.append(Change(name, after, None if before is None else digest(before), before))
        before_all = MappingProxyType({change.name: self._before[change.name] for change in changes})
        return Plan(title, tuple(changes), tuple(notes), self.root, allow, before_all, renamed)

    def _read(self, name: str) -> bytes | None:
        if name in self._after:
            return self._after[name]
        if name not in self._before:
            path = self.root / name
            if path.is_symlink():
                raise Refused(f"{name} is a link: memtui doesn't write through links")
            try:
                self._before[name] = read_stable(path)
            except (FileNotFoundError, NotADirectoryError):
                self._before[name] = None
            except OSError as error:
                raise MemtuiError(f"{name} can't be read: {error.strerror}") from error
        return self._before[name]
