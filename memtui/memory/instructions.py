r"""The CLAUDE.md family: which instruction files the agent client loads at start in a directory, in its order.

Recorded on Claude Code 2.1.332 (what only its documentation says is marked), one rule a line:
- First the managed file, beside the managed settings (documentation), then CLAUDE.md of the configuration folder and
  the rules in its `rules/`.
- Then every folder from the root of the file system down to the working directory: CLAUDE.md, `.claude/CLAUDE.md`, the
  rules in `.claude/rules/`, CLAUDE.local.md. Folders below are read only when the agent works there.
- Rules are the `*.md` files in any depth, hidden ones too, in the order in which the system lists them.
- A rule whose front matter has `paths` waits for a matching file.
- A file's imports follow it, each before the next, at most 4 hops deep; no file is loaded twice, so a cycle just ends.
- A relative import starts at the folder of the real file (links followed); `~/` is the home folder.
- An import, and a rule that is a link, is loaded from outside the working directory only if the user approved that
  for the project; the user's own files may import from anywhere.
- Front matter and comments that are blocks of their own don't count. Over 4 MiB a file is skipped whole.
- `claudeMdExcludes` of all settings add up; a pattern is matched with the whole path. Managed files can't be excluded
  (documentation). What an excluded file imports isn't loaded either.
- In a worktree inside its main repository, the files that the repository shares with it are read in the worktree only.
- `CLAUDE_CODE_DISABLE_CLAUDE_MDS` and `CLAUDE_CODE_SIMPLE` switch everything off.
"""

import os
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.environment import Env, parse_switch
from memtui.client.git import main_repository, worktree_root
from memtui.client.json_edit import InvalidJson, read_object
from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import read_small_file, real_path
from memtui.client.settings_files import effective_env
from memtui.memory.budget import counted_text, units
from memtui.memory.imports import ImportWord, find_imports, is_text
from memtui.memory.path_rules import glob_regex, rule_paths

MAX_IMPORT_HOPS = 4
MAX_FILE_BYTES = 4 << 20
"""The client skips a larger file whole."""
MAX_RULE_FILES = 2000

LayerName = Literal["managed", "user", "project", "local", "rule"]
"""Which kind of instruction; a rule of the user's folder has `owner` "user"."""

ImportState = Literal["loaded", "missing", "repeated", "too-deep", "outside", "not-text", "excluded", "skipped"]


class Import(Struct, frozen=True):
    """What became of one `@path`.

    `hops` counts from 1. `reason` says why nothing was loaded. The measures are those of the imported file alone.
    """

    written: str
    path: Path
    line: int
    hops: int
    state: ImportState
    reason: str = ""
    size: int = 0
    loaded_lines: int = 0
    loaded_chars: int = 0
    imports: tuple["Import", ...] = ()
    word: ImportWord | None = None


class Instruction(Struct, frozen=True):
    """One file of the family, loaded or not.

    `size` is in bytes. `loaded_lines` and `loaded_chars` (UTF-16 code units) are what the agent gets of the file
    itself, imports not included. `globs` are a rule's `paths`: with any, it waits for a matching file. `skipped` says
    in words why nothing of it is loaded, `None` if it is.
    """

    layer: LayerName
    path: Path
    exists: bool
    size: int = 0
    loaded_lines: int = 0
    loaded_chars: int = 0
    globs: tuple[str, ...] = ()
    imports: tuple[Import, ...] = ()
    skipped: str | None = None
    owner: Literal["managed", "user", "project"] = "project"
    mtime_ns: int = 0

    @property
    def loaded(self) -> bool:
        return self.exists and self.skipped is None and not self.globs

    @property
    def total_chars(self) -> int:
        """UTF-16 code units that are loaded because of it, its imports included."""
        return (self.loaded_chars if self.loaded else 0) + sum(each.loaded_chars for each in walk_imports(self.imports))


def walk_imports(imports: tuple[Import, ...]) -> Iterator[Import]:
    """Every import of a tree, each before what it imports itself."""
    for each in imports:
        yield each
        yield from walk_imports(each.imports)


def read_instructions(env: Env, location: MemoryLocation, *, exact: bool = True) -> tuple[Instruction, ...]:
    """The instruction files of a directory in the order in which the client loads them.

    The four usual files (user, project, local, and managed if its folder is there) are listed even if they don't exist,
    so that they can be written. Without `exact`, PyYAML isn't imported for the `paths` of rules.
    """
    return _InstructionReader(env, location, exact).read()


class _Parsed(Struct, frozen=True):
    lines: int
    chars: int
    words: tuple[ImportWord, ...]
    head: str


@lru_cache(maxsize=256)
def _parse(data: bytes) -> _Parsed:
    text = data.decode("utf-8", errors="replace")
    body = counted_text(text).text
    head = text[: 64 << 10] if text.startswith(("---", "\ufeff---")) else ""
    return _Parsed(body.count("\n") + 1 if body else 0, units(body), find_imports(text), head)


class _InstructionReader(Struct, dict=True):
    env: Env
    location: MemoryLocation
    exact: bool
    seen: set[str] = set()
    listed: set[str] = set()
    found: list[Instruction] = []

    def __post_init__(self) -> None:
        seen = effective_env(self.env, self.location.layers)
        switches = ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_SIMPLE")
        self.off = next((f"switched off by {name}" for name in switches if parse_switch(seen.get(name))), None)
        self.excludes = [
            (pattern, glob_regex(pattern), layer.source)
            for layer in self.location.layers
            for pattern in _texts(layer.data.get("claudeMdExcludes"))
        ]
        top = worktree_root(self.location.cwd)
        main = top if top is None else main_repository(top)
        self.shared = (main, top) if top is not None and main is not None and main in top.parents else None

    def read(self) -> tuple[Instruction, ...]:
        for folder in dict.fromkeys(path.parent for path in self.env.policy_files):
            if folder.is_dir():
                self.file("managed", folder / "CLAUDE.md", "managed", usual=True)
        self.managed_text()
        self.file("user", self.location.config / "CLAUDE.md", "user", usual=True)
        self.rules(self.location.config / "rules", "user", None)
        cwd = self.location.cwd
        for folder in (*reversed(cwd.parents), cwd):
            why = self.left_to_worktree(folder)
            here = folder == cwd
            other = folder / ".claude" / "CLAUDE.md"
            self.file("project", folder / "CLAUDE.md", usual=here and not other.exists(), why=why)
            self.file("project", other, why=why)
            self.rules(folder / ".claude" / "rules", "project", why)
            self.file("local", folder / "CLAUDE.local.md", usual=here)
        return tuple(self.found)

    def managed_text(self) -> None:
        """`claudeMd` of the managed settings: instructions without a file (documentation)."""
        for layer in self.location.layers:
            text = layer.data.get("claudeMd") if layer.name == "policy" else None
            if isinstance(text, str) and text.strip() and layer.path is not None:
                lines, chars = text.strip().count("\n") + 1, units(text.strip())
                item = Instruction("managed", layer.path, True, len(text.encode()), lines, chars, owner="managed")
                self.found.append(replace(item, skipped=self.off))

    def left_to_worktree(self, folder: Path) -> str | None:
        if self.shared is None:
            return None
        main, top = self.shared
        is_copied = folder.is_relative_to(main) and not folder.is_relative_to(top)
        return "left out: this worktree has its own copy" if is_copied else None

    def file(
        self,
        layer: LayerName,
        path: Path,
        owner: Literal["managed", "user", "project"] = "project",
        *,
        usual: bool = False,
        why: str | None = None,
    ) -> None:
        """Add a file with a fixed name; one of the four usual files even if it doesn't exist."""
        try:
            stat = path.stat()
        except (OSError, ValueError):
            if usual:
                self.found.append(Instruction(layer, path, False, skipped="does not exist", owner=owner))
            return
        if not path.is_file() or str(path) in self.seen | self.listed:
            return
        self.listed.add(str(path))
        item = Instruction(layer, path, True, stat.st_size, owner=owner, mtime_ns=stat.st_mtime_ns)
        self.found.append(self.filled(item, why))

    def filled(self, item: Instruction, why: str | None) -> Instruction:
        """The instruction with its measures and imports, or with the reason why it is skipped."""
        reason = self.off or why
        if reason is None and item.owner != "managed":
            reason = self.excluded(item.path)
        if reason is None and item.size > MAX_FILE_BYTES:
            reason = "larger than 4 MiB: the client skips the whole file"
        data = None if reason is not None else read_small_file(item.path, MAX_FILE_BYTES)
        if data is None:
            return replace(item, skipped=reason or "can't be read")
        real = real_path(item.path)
        self.seen |= {str(item.path), str(real)}
        parsed = _parse(data)
        item = replace(item, loaded_lines=parsed.lines, loaded_chars=parsed.chars)
        globs = rule_paths(parsed.head, exact=self.exact) if item.layer == "rule" else ()
        if globs:
            return replace(item, globs=globs)
        anywhere = item.owner in ("managed", "user")
        imports = tuple(self.one_import(real.parent, word, 1, anywhere) for word in parsed.words)
        return replace(item, imports=imports, skipped=None if parsed.chars else "nothing in it counts")

    def rules(self, folder: Path, owner: Literal["user", "project"], why: str | None) -> None:
        for path in _rule_files(folder):
            target = real_path(path)
            if str(target) in self.seen:
                continue
            try:
                stat = target.stat()
            except (OSError, ValueError):
                continue
            item = Instruction("rule", target, True, stat.st_size, owner=owner, mtime_ns=stat.st_mtime_ns)
            linked = path.is_symlink() or any(above.is_symlink() for above in path.parents if folder in above.parents)
            if why is None and owner == "project" and linked and self.is_outside(target):
                self.found.append(replace(item, skipped=OUTSIDE_REASON))
                continue
            self.found.append(self.filled(item, why))

    def one_import(self, folder: Path, word: ImportWord, hops: int, anywhere: bool) -> Import:
        path = self.resolved(folder, word.path)
        target = real_path(path)
        made = Import(word.path, path, word.line, hops, "missing", "no such file", word=word)
        if str(path) in self.seen or str(target) in self.seen:
            return replace(made, state="repeated", reason="loaded already")
        try:
            size = target.stat().st_size if target.is_file() else None
        except (OSError, ValueError):
            size = None
        if size is None:
            if word.trimmed and self.resolved(folder, word.trimmed).is_file():
                return replace(made, reason="the punctuation behind the path belongs to it: put a blank between")
            return made
        made = replace(made, size=size)
        if not is_text(word.path):
            return replace(made, state="not-text", reason="the client doesn't import files with this ending")
        if hops > MAX_IMPORT_HOPS:
            return replace(made, state="too-deep", reason=f"more than {MAX_IMPORT_HOPS} hops away")
        if not anywhere and self.is_outside(target):
            return replace(made, state="outside", reason=OUTSIDE_REASON)
        excluded = self.excluded(path)
        if excluded is not None:
            return replace(made, state="excluded", reason=excluded)
        data = read_small_file(target, MAX_FILE_BYTES)
        if data is None:
            return replace(made, state="skipped", reason="larger than 4 MiB, or can't be read")
        self.seen |= {str(path), str(target)}
        parsed = _parse(data)
        made = replace(made, state="loaded", reason="", loaded_lines=parsed.lines, loaded_chars=parsed.chars)
        return replace(
            made, imports=tuple(self.one_import(target.parent, word, hops + 1, anywhere) for word in parsed.words)
        )

    def resolved(self, folder: Path, written: str) -> Path:
        if written.startswith("~/"):
            return Path(os.path.normpath(self.env.home / written[2:]))
        return Path(os.path.normpath(folder / written))

    def is_outside(self, target: Path) -> bool:
        """Whether a file lies outside the working directory and the user didn't approve that."""
        return self.location.cwd not in target.parents and not self.approved

    @cached_property
    def approved(self) -> bool:
        """Whether the client's own state file has the user's yes to imports from outside, for this project."""
        given = self.env.get("CLAUDE_CONFIG_DIR")
        state = (self.location.config if given else self.env.home) / ".claude.json"
        data = read_small_file(state, 16 << 20)
        try:
            projects = read_object((data or b"{}").decode("utf-8", errors="replace")).get("projects")
        except InvalidJson:
            return False
        known = projects if isinstance(projects, dict) else {}
        entry = known.get(str(self.location.root)) or known.get(str(self.location.cwd))
        return isinstance(entry, dict) and entry.get("hasClaudeMdExternalIncludesApproved") is True

    def excluded(self, path: Path) -> str | None:
        spellings = {str(path), str(real_path(path))}
        for pattern, regex, source in self.excludes:
            if any(regex.fullmatch(name) for name in spellings):
                return f"excluded by claudeMdExcludes {pattern!r} in {source}"
        return None


OUTSIDE_REASON = "outside the working directory: the client asks before it loads it"


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _rule_files(folder: Path, trail: frozenset[str] = frozenset()) -> Iterator[Path]:
    """The `*.md` files below a rules folder; links are followed, a cycle of links once."""
    here = os.path.realpath(folder)
    if here in trail:
        return
    try:
        with os.scandir(folder) as entries:
            listed = list(entries)[:MAX_RULE_FILES]
    except OSError:
        return
    for entry in listed:
        try:
            if entry.is_dir():
                yield from _rule_files(Path(entry.path), trail | {here})
            elif entry.name.endswith(".md") and entry.is_file():
                yield Path(entry.path)
        except OSError:
            continue
