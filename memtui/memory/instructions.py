r"""The instruction files that Claude Code loads at the start of a session in a directory, in its order.

Recorded on Claude Code 2.1.332, one rule a line:
- First the managed files: CLAUDE.md beside the managed settings, the rules in `.claude/rules/` there, the text
  `claudeMd` of the strongest managed settings. Then CLAUDE.md of the configuration folder, the rules in its `rules/`.
- Then every folder from the root of the file system down to the working directory: CLAUDE.md, `.claude/CLAUDE.md`,
  the rules in `.claude/rules/`, CLAUDE.local.md. Folders below are read only when the agent works there.
- AGENTS.md and `.claude/AGENTS.md` of these folders are read only if no CLAUDE.md, `.claude/CLAUDE.md` or
  CLAUDE.local.md of them counts: the user's own file doesn't count, nor one that is excluded, empty, left to a worktree
  or over 4 MiB. They are read after all others and stand before what belongs to a folder below theirs; a rule that only
  waits can still be imported by them.
- Rules are the `*.md` files in any depth, hidden ones too, in the order in which the system lists them.
- A rule, or what a rule imports, waits for a matching file if its front matter has `paths`; what it imports does not.
- A file's imports follow it, each before the next, at most 4 hops deep; no file is loaded twice, by whatever link it is
  reached, so a cycle just ends.
- A relative import starts at the folder of the real file (links followed); `~/` is the home folder.
- An import, and a rule that is a link, is loaded from outside the working directory only if the user approved that for
  the repository; only the user's own files import from anywhere.
- Front matter and comments that are blocks of their own don't count, nor blanks at both ends; a file in which nothing
  else stands isn't loaded. Over 4 MiB a file is skipped whole.
- `claudeMdExcludes` of all settings add up; a pattern is matched with the whole path as it was reached (of a rule that
  is a link, also with its target's), and once more with the links before its first wildcard resolved. Managed files
  can't be excluded. What an excluded file imports isn't loaded either.
- In a worktree inside its main repository, the files that the repository shares with it are read in the worktree only.
- `CLAUDE_CODE_DISABLE_CLAUDE_MDS`, `CLAUDE_CODE_SIMPLE` and `CLAUDE_CODE_SAFE_MODE` switch everything off, the index
  of the memory included.
"""

# ruff: noqa: PTH110, PTH112, PTH113
# What may not be looked at counts as not there; pathlib raises PermissionError.

import os
import re
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
from memtui.fs.links import link_target, why_not_written
from memtui.memory.budget import counted_text, units
from memtui.memory.imports import ImportWord, find_imports, is_text
from memtui.memory.path_rules import glob_regex, rule_paths
from memtui.util.text import JS_SPACE

MAX_IMPORT_HOPS = 4
MAX_FILE_BYTES = 4 << 20  # the client skips a larger file whole
MAX_RULE_FILES = 2000  # entries of one rules folder that are looked at
ADVISED_LINES = 200  # lines that Claude Code's documentation advises to stay below in a CLAUDE.md
MANAGED_TEXT = "<managed-settings>"  # what Claude Code calls the file of a text that stands in managed settings

NO_FILE = "no such file"
OUTSIDE_REASON = "outside the working directory: the client asks before it loads it"
ENDING_REASON = "Claude Code doesn't load files with this ending"
_DRIVE = re.compile(r"[A-Za-z]:")
_WILDCARD = re.compile(r"[*?\[\]{}()!+@]")

LayerName = Literal["managed", "user", "project", "local", "rule"]
"""Which kind of instruction; a rule of the user's folder has `owner` "user"."""

ContextType = Literal["Managed", "User", "Project", "Local", "AutoMem"]
"""What Claude Code calls the kinds of files that it loads."""

Owner = Literal["managed", "user", "project"]

ImportState = Literal[
    "loaded", "missing", "repeated", "too-deep", "outside", "not-text", "excluded", "skipped", "waiting"
]


class Import(Struct, frozen=True):
    """What became of one `@path`: `hops` from 1, `size` in bytes, the text that the agent gets, or why it gets none."""

    written: str
    path: Path
    line: int
    hops: int
    state: ImportState
    reason: str = ""
    size: int = 0
    text: str = ""
    imports: tuple["Import", ...] = ()
    word: ImportWord | None = None
    mtime_ns: int = 0

    @property
    def is_meant(self) -> bool:
        """Whether a file was meant: `@scope/package` and `@name` that lead to none are just words."""
        return self.reason != NO_FILE or (self.word is not None and self.word.means_a_file)


class Instruction(Struct, frozen=True):
    """One file of the family, loaded or not."""

    layer: LayerName
    path: Path
    exists: bool
    size: int = 0  # in bytes
    text: str = ""  # what the agent gets of the file itself
    globs: tuple[str, ...] = ()  # a rule's `paths`: with any, it waits for a matching file
    imports: tuple[Import, ...] = ()
    skipped: str | None = None  # why nothing of it is loaded
    owner: Owner = "project"
    mtime_ns: int = 0
    link: Path | None = None  # the link in a rules folder that led to it; `path` is the target then
    lies_at: Path | None = None  # where another file that is a link leads
    readonly: str | None = None  # why nothing is written through it

    @property
    def loaded(self) -> bool:
        """Whether the agent gets it at the start of a session."""
        return self.exists and self.skipped is None and not self.globs

    @property
    def type(self) -> ContextType:
        return "Local" if self.layer == "local" else self.owner.capitalize()  # type: ignore[return-value]

    @property
    def why_not(self) -> str:
        """Why it isn't loaded at start, in words; "" if it is."""
        return self.skipped or (f"waits for a file that matches {', '.join(self.globs)}" if self.globs else "")

    def lies_below(self, folder: Path) -> bool:
        """Whether it is the project's and belongs to a folder below another; `.claude` belongs to the one around it."""
        if self.owner != "project":
            return False
        parts = self.path.parent.parts
        own = parts[: len(parts) - parts[::-1].index(".claude") - 1] if ".claude" in parts else parts
        return len(own) > len(folder.parts) and own[: len(folder.parts)] == folder.parts

    @property
    def loaded_lines(self) -> int:
        return line_count(self.text) if self.loaded else 0

    @property
    def loaded_chars(self) -> int:
        """UTF-16 code units of the file itself that the agent gets."""
        return units(self.text) if self.loaded else 0

    @property
    def total_chars(self) -> int:
        """UTF-16 code units that are loaded because of it, its imports included."""
        return self.loaded_chars + sum(units(each.text) for each in walk_imports(self.imports))

    @property
    def is_long(self) -> bool:
        return self.loaded_lines > ADVISED_LINES


def line_count(text: str) -> int:
    return text.count("\n") + 1 if text else 0


def walk_imports(imports: tuple[Import, ...]) -> Iterator[Import]:
    """Every import of a tree, each before what it imports itself."""
    for each in imports:
        yield each
        yield from walk_imports(each.imports)


def read_instructions(env: Env, location: MemoryLocation) -> tuple[Instruction, ...]:
    """The instruction files of a directory in the order of loading, the four usual ones even if they don't exist."""
    return _InstructionReader(env, location).read()


def instructions_off(env: Env, location: MemoryLocation) -> str | None:
    """Why neither instructions nor the index of the memory are loaded, in words; `None` if they are."""
    seen = effective_env(env, location.layers)
    names = ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE")
    return next((f"switched off by {name}" for name in names if parse_switch(seen.get(name))), None)


class _Parsed(Struct, frozen=True):
    text: str
    words: tuple[ImportWord, ...]
    head: str


@lru_cache(maxsize=256)
def _parse(data: bytes) -> _Parsed:
    text = data.decode("utf-8", errors="replace")
    head = text[: 64 << 10] if text.startswith(("---", "\ufeff---")) else ""
    return _Parsed(counted_text(text).text, find_imports(text), head)


class _InstructionReader(Struct, dict=True):
    env: Env
    location: MemoryLocation
    seen: set[str] = set()
    listed: set[str] = set()
    found: list[Instruction] = []

    def __post_init__(self) -> None:
        self.off = instructions_off(self.env, self.location)
        self.excludes = [
            (pattern, glob_regex(spelled), layer.source)
            for layer in self.location.layers
            for pattern in _texts(layer.data.get("claudeMdExcludes"))
            for spelled in _spellings(pattern)
        ]
        cwd = self.location.cwd
        self.chain = (*reversed(cwd.parents), cwd) if self.location.directory_known else ()
        top = worktree_root(cwd)
        main = top if top is None else main_repository(top)
        self.shared = (main, top) if top is not None and main is not None and main in top.parents else None

    def read(self) -> tuple[Instruction, ...]:
        for folder in dict.fromkeys(path.parent for path in self.env.policy_files):
            if os.path.isdir(folder):
                self.file("managed", folder / "CLAUDE.md", "managed", usual=True)
                self.rules(folder / ".claude" / "rules", "managed", None)
        self.managed_text()
        self.file("user", self.location.config / "CLAUDE.md", "user", usual=True)
        self.rules(self.location.config / "rules", "user", None)
        for folder in self.chain:
            why = self.left_to_worktree(folder)
            here = folder == self.location.cwd
            other = folder / ".claude" / "CLAUDE.md"
            self.file("project", folder / "CLAUDE.md", usual=here and not os.path.exists(other), why=why)
            self.file("project", other, why=why)
            self.rules(folder / ".claude" / "rules", "project", why)
            self.file("local", folder / "CLAUDE.local.md", usual=here)
        self.agents()
        return tuple(self.found)

    def agents(self) -> None:
        """Add the AGENTS.md files: each before what belongs to folders below its own."""
        paths = [(top, path) for top in self.chain for path in (top / "AGENTS.md", top / ".claude" / "AGENTS.md")]
        paths = [(top, path) for top, path in paths if os.path.exists(path)]
        if paths:
            imports = [each for item in self.found for each in walk_imports(item.imports)]
            loaded = [item.path for item in self.found if item.loaded]
            loaded += [each.path for each in imports if each.state == "loaded"]
            self.seen = {str(spelled) for path in loaded for spelled in (path, real_path(path))}
        for top, path in paths:
            below = (i for i, item in enumerate(self.found) if item.total_chars and item.lies_below(top))
            at = next(below, len(self.found))
            count = len(self.found)
            self.file(
                "project", path, why=self.left_to_worktree(top) or self.loaded_before(path) or self.agents_replaced
            )
            self.found[at:at] = [self.found.pop() for _ in self.found[count:]]

    @cached_property
    def agents_replaced(self) -> str | None:
        user = real_path(self.location.config / "CLAUDE.md")
        for folder in self.chain:
            names = () if self.left_to_worktree(folder) else ("CLAUDE.md", ".claude/CLAUDE.md")
            for path in (folder / name for name in (*names, "CLAUDE.local.md")):
                if real_path(path) == user or self.excluded(path):
                    continue
                data = read_small_file(path, MAX_FILE_BYTES)
                if data is not None and _parse(data).text:
                    return f"Claude Code reads AGENTS.md only where there is no CLAUDE.md, and there is {path}"
        return None

    def managed_text(self) -> None:
        """`claudeMd` of the strongest managed settings that have it: instructions without a file."""
        for layer in self.location.layers:
            text = layer.data.get("claudeMd") if layer.name == "policy" else None
            if isinstance(text, str) and layer.path is not None:
                text = text.strip(JS_SPACE)
                size = len(text.encode())
                self.found.append(
                    Instruction("managed", layer.path, True, size, text, skipped=self.off, owner="managed")
                )
                return

    def left_to_worktree(self, folder: Path) -> str | None:
        if self.shared is None:
            return None
        main, top = self.shared
        is_copied = folder.is_relative_to(main) and not folder.is_relative_to(top)
        return "left out: this worktree has its own copy" if is_copied else None

    def file(
        self, layer: LayerName, path: Path, owner: Owner = "project", *, usual: bool = False, why: str | None = None
    ) -> None:
        """Add a file with a fixed name; one of the four usual files even if it doesn't exist."""
        try:
            stat = path.stat()
        except (OSError, ValueError):
            if usual:
                self.found.append(Instruction(layer, path, False, skipped="does not exist", owner=owner))
            return
        if not os.path.isfile(path) or str(path) in self.listed:
            return
        self.listed.add(str(path))
        lies_at, own = link_target(path), (self.env.home, self.location.root, self.location.cwd)
        readonly = (lies_at and why_not_written(path, own)) or None
        item = Instruction(
            layer, path, True, stat.st_size, owner=owner, mtime_ns=stat.st_mtime_ns, lies_at=lies_at, readonly=readonly
        )
        self.found.append(self.filled(item, why or self.loaded_before(path)))

    def loaded_before(self, path: Path) -> str | None:
        if str(path) in self.seen:
            return "loaded already"
        return f"the same file as {real_path(path)}, loaded already" if str(real_path(path)) in self.seen else None

    def filled(self, item: Instruction, why: str | None) -> Instruction:
        reason = self.off or why
        if reason is None and item.owner != "managed":
            reason = self.excluded(item.path) or (self.excluded(item.link) if item.link is not None else None)
        if reason is None and item.size > MAX_FILE_BYTES:
            reason = "larger than 4 MiB: the client skips the whole file"
        data = None if reason is not None else read_small_file(item.path, MAX_FILE_BYTES)
        if data is None:
            return replace(item, skipped=reason or "can't be read")
        real = real_path(item.path)
        self.seen |= {str(item.path), str(real)}
        parsed = _parse(data)
        is_rule = item.layer == "rule"
        imports = tuple(self.one_import(real.parent, word, 1, item.owner == "user", is_rule) for word in parsed.words)
        globs = rule_paths(parsed.head) if is_rule else ()
        skipped = None if globs or parsed.text else "nothing in it counts"
        return replace(item, text=parsed.text, imports=imports, globs=globs, skipped=skipped)

    def rules(self, folder: Path, owner: Owner, why: str | None) -> None:
        for path in _rule_files(folder):
            if str(path) in self.listed:
                continue
            self.listed.add(str(path))
            target = real_path(path)
            try:
                stat = target.stat()
            except (OSError, ValueError):
                continue
            before = self.loaded_before(target)
            link = path if before is None and path.is_symlink() else None
            reason = why or before or (None if is_text(target.name) else ENDING_REASON)
            if reason is None and owner == "project" and target != path and self.is_outside(target):
                reason = OUTSIDE_REASON
            if reason == ENDING_REASON:
                self.seen.add(str(target))  # nor does it load it as an import then
            item = Instruction("rule", path if before else target, True, stat.st_size, owner=owner, link=link)
            self.found.append(self.filled(replace(item, mtime_ns=stat.st_mtime_ns), reason))

    def one_import(self, folder: Path, word: ImportWord, hops: int, anywhere: bool, is_rule: bool) -> Import:
        path = self.resolved(folder, word.path)
        target = real_path(path)
        made = Import(word.path, path, word.line, hops, "missing", NO_FILE, word=word)
        if str(path) in self.seen or str(target) in self.seen:
            return replace(made, state="repeated", reason="loaded already")
        try:
            is_folder, status = os.path.isdir(target), target.stat() if os.path.isfile(target) else None
        except (OSError, ValueError):
            is_folder, status = False, None
        if status is None or word.is_quoted:
            return replace(made, reason=self.why_missing(folder, word, is_folder))
        made = replace(made, size=status.st_size, mtime_ns=status.st_mtime_ns)
        if not is_text(word.path):
            return replace(made, state="not-text", reason=ENDING_REASON)
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
        deeper = (self.one_import(target.parent, each, hops + 1, anywhere, is_rule) for each in parsed.words)
        made = replace(made, imports=tuple(deeper))
        globs = rule_paths(parsed.head) if is_rule else ()
        if globs:
            return replace(made, state="waiting", reason=f"waits for a file that matches {', '.join(globs)}")
        if not parsed.text:
            return replace(made, state="skipped", reason="nothing in it counts")
        return replace(made, state="loaded", reason="", text=parsed.text)

    def why_missing(self, folder: Path, word: ImportWord, is_folder: bool) -> str:
        """The likely cause of an import that leads to no file."""
        if is_folder:
            return "a folder, no file"
        path = self.resolved(folder, word.path)
        if word.trimmed and os.path.isfile(self.resolved(folder, word.trimmed)):
            if word.is_quoted:
                return "Claude Code takes no path in quotes or angle brackets"
            return "the punctuation behind the path belongs to it: put a blank between"
        try:
            if any(entry.name.startswith(f"{path.name} ") for entry in os.scandir(path.parent)):
                return "a blank in a path is written `\\ `"
        except (OSError, ValueError):
            return NO_FILE
        return "a path ends at a backslash" if _DRIVE.fullmatch(word.path) else NO_FILE

    def resolved(self, folder: Path, written: str) -> Path:
        if written.startswith("~/"):
            return Path(os.path.normpath(self.env.home / written[2:]))
        return Path(os.path.normpath(folder / written))

    def is_outside(self, target: Path) -> bool:
        """Whether a file lies outside the working directory and the user didn't approve that."""
        return self.location.cwd not in target.parents and not self.approved

    @cached_property
    def approved(self) -> bool:
        """Whether the client's own state file has the user's yes to imports from outside, for this repository."""
        given = self.env.get("CLAUDE_CONFIG_DIR")
        state = (self.location.config if given else self.env.home) / ".claude.json"
        data = read_small_file(state, 16 << 20)
        try:
            projects = read_object((data or b"{}").decode("utf-8", errors="replace")).get("projects")
        except InvalidJson:
            return False
        entry = projects.get(str(self.location.root)) if isinstance(projects, dict) else None
        return isinstance(entry, dict) and entry.get("hasClaudeMdExternalIncludesApproved") is True

    def excluded(self, path: Path) -> str | None:
        for pattern, regex, source in self.excludes:
            if regex.fullmatch(str(path)):
                return f"excluded by claudeMdExcludes {pattern!r} in {source}"
        return None


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _spellings(pattern: str) -> Iterator[str]:
    """A pattern as written, and with the links in the folders before its first wildcard resolved."""
    yield pattern
    wildcard = _WILDCARD.search(pattern)
    folder = Path(pattern[: wildcard.start()] if wildcard else pattern).parent
    if pattern.startswith("/") and os.path.isdir(folder):
        yield str(real_path(folder)).rstrip("/") + pattern[len(str(folder)) :]


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
