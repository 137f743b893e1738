"""Operands: whether they lie in the folders that may be read, and what a wildcard stands for.

Wildcards are expanded here and nowhere else, so that what runs is what was judged. A name found that way gets "./" in
front, because a file may be called `-n.md`.
"""

import fnmatch
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.agent.shell.grammar import Denied, Word
from memtui.fs.boundary import Actor, PathVerdict, check_path, has_more_names, is_sensitive

MAX_MATCHES = 1000  # names that one wildcard may stand for
_MAX_LISTED = 50_000  # names that are examined for one wildcard


class AllowedFolders(Struct, frozen=True):
    """The folders that an agent was given: only `root` may be written, and relative paths and commands start there."""

    root: Path
    reads: tuple[Path, ...] = ()  # more that may be read: transcripts, the project
    actor: Actor = "dream"  # whose rules apply to writing
    casefold: bool = False  # the file system ignores case
    cwd: Path | None = None  # where a command line has gone with `cd`, links resolved

    def verdict(self, path: object) -> PathVerdict:
        """Check whether `path` may be read, relative to `cwd`."""
        if self.cwd is not None and isinstance(path, str) and path and not path.startswith("/"):
            path = f"{self.cwd}/{path}"
        return check_path(self.root, path, op="read", actor=self.actor, reads=self.reads, casefold=self.casefold)

    def place(self, path: str) -> Path:
        """Resolve an operand; raises `Denied` if it may not be read."""
        verdict = self.verdict(path)
        if not verdict.allowed or verdict.base is None or verdict.name is None:
            raise Denied(f"{path or 'an empty operand'}: {verdict.reason}")
        return verdict.base / verdict.name

    def operands(self, word: Word) -> list[str]:
        """The operand itself, or the names that its wildcard stands for; raises `Denied` if one may not be read."""
        if word.text == "-":
            return ["-"]
        if word.text.startswith("+"):
            raise Denied(f"{word.text}: some programs take it for an option; write ./{word.text}")
        names = [word.text] if word.pattern is None else self.expand(word.pattern) or [word.text]
        for name in names:
            self.place(name)
        return names

    def hard_links(self, names: Sequence[str]) -> list[str]:
        """The names of files below some folders that have more than one hard link; raises `Denied` if too many."""
        found: set[str] = set()
        room = _MAX_LISTED
        for top in names or ["."]:
            for _, folders, files, fd in os.fwalk(self.place(top), follow_symlinks=False):
                folders[:] = [name for name in folders if not is_sensitive(name)]
                room -= len(files)
                if room < 0:
                    raise Denied(f"{top} holds more than {_MAX_LISTED:,} files: name a folder further down")
                for name in files:
                    with suppress(OSError):
                        if has_more_names(os.stat(name, dir_fd=fd, follow_symlinks=False)):
                            found.add(name)
        if len(found) > MAX_MATCHES:
            raise Denied(f"more than {MAX_MATCHES} files have a second name, maybe outside: name a folder further down")
        return sorted(found)

    def literal(self, word: Word) -> str:
        """The text of a word that is no path; raises `Denied` if a shell would have replaced it by file names."""
        if word.pattern is not None and self.expand(word.pattern):
            raise Denied(f"{word.text} is a pattern for file names here: put it in quotes")
        return word.text

    def expand(self, pattern: str) -> list[str]:
        """The sorted names that match a `Word.pattern`, with "./" in front of relative ones; or `Denied`."""
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        above = "/" if pattern.startswith("/") else "./"
        while (plain := _plain(parts[0])) is not None:
            above += plain + "/"
            del parts[0]
        found, room = [above], [_MAX_LISTED]
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            found = [name for above in found for name in self._below(above, part, room, last=last)]
            if len(found) > MAX_MATCHES:
                raise Denied(f"a wildcard stands for more than {MAX_MATCHES} names: use find or grep -r")
        return [name + ("/" if pattern.endswith("/") else "") for name in found]

    def _below(self, above: str, part: str, room: list[int], *, last: bool) -> list[str]:
        place = self.place(above)
        plain = _plain(part)
        if plain is not None:
            names = [plain] if os.path.lexists(place / plain) else []
        else:
            matches = re.compile(fnmatch.translate(part)).match
            names = [name for name in _names(place, room) if matches(name) and (part[0] == "." or name[0] != ".")]
        if last:
            return [above + name for name in names]
        return [f"{above}{name}/" for name in names if (place / name).is_dir()]


def _names(folder: Path, room: list[int]) -> list[str]:
    """The names in a folder; `room` is how many more may be examined."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names, not paths
    except OSError:
        return []
    room[0] -= len(names)
    if room[0] < 0:
        raise Denied("a wildcard in folders with too many names: use find")
    return sorted(names)


def _plain(part: str) -> str | None:
    """The text of a pattern without wildcards, `None` if there is one."""
    if re.search(r"[*?]", re.sub(r"\[[*?[]\]", "", part)):
        return None
    return re.sub(r"\[([*?[])\]", r"\1", part)
