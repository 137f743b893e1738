"""Which file a word means, and what a file is called.

A file is called by its path in the memory folder ("feedback_testing.md", "team/build.md"), one of another folder with
its scope in front ("agent:user:reviewer/MEMORY.md"), an instruction by its path.
"""

import os
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct

from memtui.memory.frontmatter import TYPES
from memtui.memory.instructions import Import, Instruction
from memtui.memory.scope import Scope
from memtui.memory.snapshot import Snapshot
from memtui.memory.topic import MemoryFile
from memtui.presentation.context_text import shown_imports
from memtui.util.errors import NotFound, Refused, UsageError
from memtui.util.paths import expand_tilde
from memtui.util.text import nfc, visible

_SHOWN = 8


class NamedFile(Struct, frozen=True):
    """A file under the name that people use for it: one of a scope, an instruction, or what that imports."""

    name: str
    path: Path
    scope: Scope | None = None
    file: MemoryFile | None = None
    instruction: Instruction | None = None
    imported: Import | None = None

    @property
    def stem(self) -> str:
        """The last part of the name without its ending."""
        return self.name.rpartition("/")[2].removesuffix(".md")

    @property
    def short(self) -> str:
        """The stem without the type that it begins with: "testing" of feedback_testing.md."""
        head, _, rest = self.stem.partition("_")
        return rest if rest and head in TYPES else self.stem


def all_named(snapshot: Snapshot) -> Iterator[NamedFile]:
    """Every file of a snapshot: memory first, then instructions that are there."""
    folder = snapshot.location.folder
    for scope in snapshot.scopes:
        for file in scope.files:
            yield NamedFile(shown_name(scope.root, scope.id, folder, file.name), file.path, scope, file)
    imports = list(shown_imports(snapshot.instructions))
    for instruction in snapshot.instructions:
        if instruction.exists:
            yield NamedFile(instruction_name(instruction.path, snapshot), instruction.path, instruction=instruction)
        for item, each in imports:
            if item is instruction:
                name = instruction_name(each.path, snapshot)
                yield NamedFile(name, each.path, instruction=instruction, imported=each)


def shown_name(root: Path, scope: str, folder: Path, name: str) -> str:
    if root == folder:
        return name
    if root.is_relative_to(folder):
        return f"{root.relative_to(folder).as_posix()}/{name}"
    return f"{scope}/{name}"


def instruction_name(path: Path, snapshot: Snapshot) -> str:
    """What an instruction file is called: relative to the directory or the home, where it lies in one of them."""
    cwd, home = snapshot.location.cwd, snapshot.location.config.parent
    if path.is_relative_to(cwd) and cwd != Path("/"):
        return path.relative_to(cwd).as_posix()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)


def find(snapshot: Snapshot, word: str, cwd: Path) -> NamedFile:
    """The file that a word means.

    `word` is a name, its stem with or without the type in front, its `name` field, the unique beginning of one of
    these, or a path, which may be relative to `cwd`. `NotFound` if nothing fits (the hint names what comes near),
    `UsageError` if several do (the message lists them).
    """
    listed = [one for one in all_named(snapshot) if one.imported is None or one.imported.state != "missing"]
    if not word.strip():
        raise UsageError("no file was named", hint="memtui ls lists them")
    path = os.path.abspath(cwd / expand_tilde(word))  # noqa: PTH100 - resolve() would follow links
    key = nfc(word)
    folded = key.casefold()
    for fits in (
        [one for one in listed if nfc(one.name) in (key, key + ".md")],
        [one for one in listed if str(one.path) in (path, path + ".md")],
        [one for one in listed if nfc(one.stem) == key.removesuffix(".md")],
        [one for one in listed if _folded(one.name) in (folded, folded + ".md")],
        [one for one in listed if _folded(one.stem) == folded.removesuffix(".md")],
        [one for one in listed if one.file is not None and _folded(one.file.front.name or "") == folded],
        [one for one in listed if _folded(one.short) == folded.removesuffix(".md")],
        [one for one in listed if _folded(one.name).startswith(folded)],
        [one for one in listed if _folded(one.stem).startswith(folded)],
        [one for one in listed if _folded(one.short).startswith(folded)],
    ):
        own = [one for one in fits if one.scope is not None and one.scope.root == snapshot.location.folder]
        if len(fits) == 1 or len(own) == 1:
            return own[0] if len(own) == 1 else fits[0]
        if fits:
            raise UsageError(f"{visible(word, keep='')!r} means several: {_listed(fits)}", hint="give more of the name")
    raise NotFound(f"there is no file {visible(word, keep='')!r}", hint=_near(listed, word))


def find_all(snapshot: Snapshot, words: Sequence[str], cwd: Path) -> list[NamedFile]:
    """The files that some words mean, each once."""
    return list({one.path: one for one in (find(snapshot, word, cwd) for word in words)}.values())


def memory_file(named: NamedFile) -> MemoryFile:
    """The file of a memory folder that a name stands for; `Refused` if it stands for an instruction file."""
    if named.file is None:
        raise Refused(f"{named.name} is an instruction file, not memory", hint=f"memtui edit {named.name} edits it")
    return named.file


def _folded(text: str) -> str:
    return nfc(text).casefold()


def _listed(fits: Sequence[NamedFile]) -> str:
    more = len(fits) - _SHOWN
    words = ", ".join(visible(one.name, keep="") for one in fits[:_SHOWN])
    return words + (f" and {more} more" if more > 0 else "")


def _near(listed: Sequence[NamedFile], word: str) -> str:
    stems = {one.stem: one for one in listed}
    near = [visible(stems[stem].name, keep="") for stem in get_close_matches(word.removesuffix(".md"), stems, 3)]
    return f"did you mean {' or '.join(near)}?" if near else "memtui ls lists the files"
