"""A stage as the rules of a run see it: its files and problems, what may be written, and the changes so far.

A file is as old as its own date says (`modified` in the front matter) or, without one, its mtime when the run began: a
rule's write makes no file look newer. Names and texts come from disk or a model, so what is shown goes through
`visible`.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.fs.atomic import replace_at, to_error
from memtui.fs.boundary import check_path, parent_folder
from memtui.fs.filesystem import REAL
from memtui.memory.checks import registry
from memtui.memory.checks.base import CheckedFolder, FixContext, Problem
from memtui.memory.conflict_markers import marker_lines
from memtui.memory.index import INDEX_NAME
from memtui.memory.links import Graph
from memtui.memory.scope import OWN_SCOPES, Scope, read_scope
from memtui.memory.similarity import normalized
from memtui.memory.topic import MemoryFile
from memtui.util.errors import MemtuiError, NotFound
from memtui.util.text import nfc, visible

Mode = Literal["reflect", "prune"]


class RuleChange(Struct, frozen=True):
    """One change of a rule to a file, in words; `before` holds the lines, of any file, that no longer stand there."""

    rule: str
    name: str
    words: str
    before: tuple[str, ...]


class RuleStep(Struct, frozen=True):
    """The rules of one file, in their order; `order` is the file's place in a round, the smallest first."""

    rules: tuple[Callable[["RuleContext"], None], ...]
    order: int


class RuleContext:
    """One stage during a run. Raises `NotFound` if it is no folder.

    Args:
        now: Seconds since 1970; the only clock.
        mode: "reflect" repairs and removes exact copies; "prune" also empty files and entries of files that are gone.
        pinned: Names (POSIX, relative to the folder) of files that stay as they are.
        emit: Told each change as it is made, and why something was left; safe to show, one line each.
        project: The folders of the project: a link may name their files.
        zone: In which `modified` stamps in UTC become days; `None` is the machine's own, which the writer's was.
    """

    def __init__(
        self,
        root: Path,
        *,
        now: float,
        mode: Mode,
        pinned: frozenset[str],
        emit: Callable[[str], None],
        project: Iterable[Path] = (),
        zone: tzinfo | None = None,
    ) -> None:
        if not root.is_dir():
            raise NotFound(f"{root} is no folder")
        self.root = root
        self.now = now
        self.mode = mode
        self.changes: list[RuleChange] = []
        self._pinned = frozenset(nfc(name) for name in pinned)
        self._emit = emit
        self._project = tuple(project)
        self._zone = zone
        self._known: dict[Path, MemoryFile] = {}
        self._began: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._allowed: dict[str, bool] = {}
        self._notes: set[str] = set()
        self._marked: dict[str, bool] = {}
        self.refresh()
        self._began = {file.name: file.mtime_ns for file in self._known.values()}
        self.refresh()

    def refresh(self) -> None:
        """Read the stage again; what didn't change costs little."""
        read = read_scope(self.root, "auto", "memory", full=True, known=self._known, skip=OWN_SCOPES)
        self._known = {file.path: file for file in read.files}
        self._texts.clear()
        files = tuple(replace(file, mtime_ns=self._time_of(file)) for file in read.files)
        index = next((file for file in files if file.name == INDEX_NAME), None)
        self.scope: Scope = replace(read, files=files, index=index)
        self.graph = Graph(self.scope, self._project)
        self.folder = CheckedFolder(self.scope, self.graph)
        # Without findings of text checks, and without comparing all files: no rule needs either.
        self.problems = registry.check_folder(self.scope, self.graph, {}, self.now, compare=False)

    def _time_of(self, file: MemoryFile) -> int:
        """How new a file is, in nanoseconds since 1970: its own date, else its mtime when the run began."""
        stamp = parse_timestamp(file.front.modified)
        if stamp is not None:
            return int(stamp.timestamp()) * 1_000_000_000
        return self._began.get(file.name, int(self.now) * 1_000_000_000)

    def age_like(self, name: str, like: MemoryFile) -> None:
        """Count a file as old as another, whose text it took over."""
        self._began[name] = like.mtime_ns

    def day(self, file: MemoryFile) -> date | None:
        """The day that a file's front matter names; none if it lies in the future."""
        stamp = parse_timestamp(file.front.modified)
        if stamp is None or stamp.timestamp() > self.now + 86_400:
            return None
        raw = file.front.modified or ""
        if raw.strip().upper().endswith(("Z", "+00:00")):
            return stamp.astimezone(self._zone).date()  # the client writes UTC, and "yesterday" was the writer's own
        return stamp.date()

    @property
    def pinned(self) -> frozenset[str]:
        """The files that are there and pinned."""
        return frozenset(file.name for file in self.scope.files if nfc(file.name) in self._pinned)

    @property
    def topics(self) -> tuple[MemoryFile, ...]:
        """The topics that may be changed, by name."""
        return tuple(file for file in self.scope.files if file.kind == "topic" and self.may_change(file.name))

    def may_change(self, name: str) -> bool:
        """Whether a file may be changed, removed or made."""
        file = self.scope.find(name)
        is_unsafe = file is not None and (
            file.kind == "other" or file.readonly is not None or file.digest is None or self._has_markers(file)
        )
        if is_unsafe or nfc(name) in self._pinned:
            return False
        if name not in self._allowed:
            verdict = check_path(self.root, name, op="write", actor="dream")
            self._allowed[name] = verdict.allowed and verdict.name == name
        return self._allowed[name]

    def _has_markers(self, file: MemoryFile) -> bool:
        """Whether a conflict is left open in a file: only a person can say which side holds."""
        key = file.digest or ""
        if key not in self._marked:
            self._marked[key] = bool(marker_lines(self.read(file.name)))
        return self._marked[key]

    def read(self, name: str) -> str:
        """The text of any file, bad bytes as U+FFFD; "" if there is none."""
        path = self.root / name
        return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""

    def text(self, name: str) -> str:
        """The text of a file that may be changed; "" if there is none."""
        if name not in self._texts:
            path = self.root / name
            self._texts[name] = path.read_bytes().decode("utf-8") if path.is_file() else ""
        return self._texts[name]

    def change(self, rule: str, name: str, words: str, after: Mapping[str, str | None]) -> bool:
        """Write texts as one change; `None` removes a file. Returns whether all may be changed and one differs."""
        before = {one: self.text(one) for one in after if self.may_change(one)}
        if len(before) < len(after):
            return False
        changed = {one: text for one, text in after.items() if text is None or text != before[one]}
        if not changed:
            return False
        for one, text in changed.items():
            self._write(one, text)
        lost = _lost_lines([before[one] for one in changed], [text or "" for text in changed.values()])
        made = RuleChange(rule, name, visible(words, keep=""), lost)
        self.changes.append(made)
        self._emit(f"{rule}: {made.words}")
        return True

    def problems_of(self, code: str) -> Iterator[Problem]:
        """The problems of a code in files that may be changed; those that a `find_in_text` finds aren't among them."""
        return (problem for problem in self.problems if problem.code == code and self.may_change(problem.file))

    def fix(self, problem: Problem) -> dict[str, str]:
        """The texts that the problem's own check would write; none if it finds nothing to fix."""
        context = FixContext(self.scope, self.graph, self.text, self.now, self.pinned)
        try:
            return dict(registry.fix_problem(problem, context).texts)
        except MemtuiError:
            return {}

    def note(self, words: str) -> None:
        """Say, once, why something was left as it is."""
        if words not in self._notes:
            self._notes.add(words)
            self._emit(visible(words, keep=""))

    def _write(self, name: str, text: str | None) -> None:
        verdict = check_path(self.root, name, op="write", actor="dream")
        if not verdict.allowed or verdict.base is None or verdict.name is None:
            raise MemtuiError(f"{name} may not be written: {verdict.reason}")
        try:
            with parent_folder(verdict.base, verdict.name) as (folder, leaf):
                mode = 0o600
                with suppress(FileNotFoundError):
                    mode = os.stat(leaf, dir_fd=folder, follow_symlinks=False).st_mode & 0o777
                if text is None:
                    REAL.unlink(leaf, dir_fd=folder)
                else:
                    # Not synced: a stage is discarded and copied again after a power cut.
                    replace_at(folder, leaf, text.encode("utf-8"), mode=mode, sync=False)
        except OSError as error:
            raise to_error(error, name) from error
        if text is None or self.scope.find(name) is None:
            self._allowed.clear()  # whether a name is another's twin depends on what is there
        self._texts.pop(name, None)
        self._known.pop(self.root / name, None)  # a clock may be too coarse to show that it changed


def parse_timestamp(text: str | None) -> datetime | None:
    """A time stamp as front matter holds it; one without a zone counts as UTC, nonsense as none."""
    try:
        stamp = datetime.fromisoformat((text or "").strip())
    except ValueError:
        return None
    if not 2000 <= stamp.year < 2200:
        return None
    return stamp if stamp.tzinfo is not None else stamp.replace(tzinfo=UTC)


def _lost_lines(before: list[str], after: list[str]) -> tuple[str, ...]:
    left = Counter(normalized(line) for text in after for line in text.split("\n"))
    lost = []
    for line in "\n".join(before).split("\n"):
        word = normalized(line)
        if left[word] > 0:
            left[word] -= 1
        elif word:
            lost.append(line.rstrip("\r"))
    return tuple(lost)
