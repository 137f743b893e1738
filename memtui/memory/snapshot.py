"""All memory of a directory at one moment: frozen, and replaced whole by the next reading.

The short reading lists files by their heads and measures the indexes: enough for a first frame. The full reading adds
digests, links and problems. Either takes over from the last snapshot what has the same size and time of change, so a
reading after which nothing changed costs little more than the listing of the folders. Reading changes nothing.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation
from memtui.memory.checks import registry
from memtui.memory.checks.base import CheckedFolder, Problem, TextFindings
from memtui.memory.context import SessionContext, session_context
from memtui.memory.instructions import Instruction, read_instructions
from memtui.memory.links import Graph, Reference, unlinked_mentions
from memtui.memory.scope import OWN_SCOPES, Scope, read_scope, scope_roots
from memtui.memory.surroundings import NOTHING_AROUND, Surroundings
from memtui.memory.topic import MAX_FILE_BYTES, FileKind, MemoryFile, read_bytes
from memtui.util.errors import NotFound


class Snapshot(Struct, frozen=True, dict=True, eq=False):
    """What one reading found."""

    location: MemoryLocation
    scopes: tuple[Scope, ...]  # the folders that exist, the auto memory first
    instructions: tuple[Instruction, ...]
    problems: tuple[Problem, ...]  # empty before the full reading
    full: bool
    read_at: float
    notices: tuple[str, ...] = ()  # what isn't as usual, in words
    graphs: Mapping[str, Graph] = field(default_factory=dict)
    findings: Mapping[str, TextFindings] = field(default_factory=dict)  # what each text says by itself, by path
    allowed: frozenset[str] = frozenset()  # fingerprints of secrets that are no problem
    around: Surroundings = NOTHING_AROUND  # what the checks may ask about beside the files
    context: SessionContext = SessionContext((), ())  # what a session is given at its start

    @cached_property
    def auto(self) -> Scope | None:
        """The auto memory; `None` while its folder doesn't exist."""
        return self.scope("auto")

    @cached_property
    def _paths(self) -> dict[Path, MemoryFile]:
        return {file.path: file for scope in reversed(self.scopes) for file in scope.files}

    def scope(self, id: str) -> Scope | None:
        return next((scope for scope in self.scopes if scope.id == id), None)

    def at(self, path: Path) -> MemoryFile | None:
        return self._paths.get(path)

    def topic(self, path: Path) -> MemoryFile:
        """As `at`; raises `NotFound` if there was no such file at this reading."""
        file = self.at(path)
        if file is None:
            raise NotFound(f"{path.name} is no memory file", hint="R reads the folder again")
        return file

    def find(self, name: str) -> MemoryFile | None:
        """A file by its name in the auto memory, or by scope and name: `team/build.md`, `agent:user:rev/MEMORY.md`."""
        for scope in self.scopes:
            prefix = "" if scope.id == "auto" else f"{scope.id}/"
            inner = name.removeprefix(prefix)
            if name.startswith(prefix) and (file := scope.find(inner) or scope.find(f"{inner}.md")):
                return file
        return None

    def resolve(self, path: Path, target: str) -> Path | None:
        """Where a link in a file leads, if that is one of the files shown here; a fragment doesn't matter."""
        target = target.partition("#")[0]
        if not target:
            return path
        file = self.at(path)
        if file is not None:
            names = self.graphs[file.scope].names
            for kind in ("markdown", "wiki"):
                found = names.resolve(file.name, target, kind)
                if found.name is not None:
                    return names.root / found.name
        there = Path(os.path.normpath(path.parent / target))
        is_known = there in self._paths or any(item.path == there and item.exists for item in self.instructions)
        return there if is_known else None

    def unlinked_mentions(self, file: MemoryFile) -> tuple[Reference, ...]:
        """Lines that name a file without linking to it; reads the texts of its scope."""
        scope = self.scope(file.scope)
        return () if scope is None else unlinked_mentions(scope, file)

    def problems_of(self, path: Path) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.path == path)


def load_snapshot(
    location: MemoryLocation,
    env: Env,
    *,
    full: bool,
    known: Snapshot | None = None,
    now: float,
    allowed: frozenset[str] = frozenset(),
) -> Snapshot:
    """Read all memory of a directory, with `full` bodies too; never raises for what is on the disk.

    Files that didn't change since `known`, any earlier reading, are taken from it. `allowed` secrets are no problem.
    """
    files = {} if known is None else known._paths
    notices: list[str] = []
    own = (env.home, location.root, location.cwd)
    scopes = []
    for found in scope_roots(location):
        if found.id == "auto" and not _is_there(found.root):
            notices.append(f"no memory yet: {found.root} doesn't exist")
            continue
        skip = OWN_SCOPES if found.id == "auto" else frozenset()
        scope = read_scope(found.root, found.id, found.label, full=full, known=files, skip=skip, own=own)
        if scope.problem:
            notices.append(f"{scope.label}: {scope.problem}")
        scopes.append(scope)
    if not location.enabled:
        notices.append("memory is switched off: the agent loads and writes none")
    instructions = read_instructions(env, location)
    context = session_context(env, location, instructions)
    if context.off is not None:
        notices.append(f"instructions and MEMORY.md are {context.off}: Claude Code loads none")
    findings: Mapping[str, TextFindings] = {} if known is None else known.findings
    problems: tuple[Problem, ...] = ()
    graphs = {scope.id: Graph(scope, (location.cwd, location.root)) for scope in scopes}
    around = Surroundings.of(env, location, instructions)
    if full:
        findings = _findings(scopes, instructions, findings)
        same = _unchanged(scopes, known, now) if known is not None and known.allowed == allowed else frozenset()
        if known is not None:
            graphs |= {id: known.graphs[id] for id in same}
        for scope in scopes:
            if known is not None and scope.id in same:
                problems += tuple(problem for problem in known.problems if problem.scope == scope.id)
            else:
                problems += registry.check_folder(scope, graphs[scope.id], findings, now, around)
        problems = _without_allowed(problems + registry.check_instructions(instructions, findings), allowed)
    return Snapshot(
        location, tuple(scopes), instructions, problems, full, now, tuple(notices), graphs, findings, allowed, around,
        context,
    )  # fmt: skip


def check_text(snapshot: Snapshot, path: Path, text: str) -> tuple[Problem, ...]:
    """Check one text as it stands in an editor, of a file that need not exist yet; only the problems of this text."""
    around = [scope for scope in snapshot.scopes if path.is_relative_to(scope.root) and path.suffix == ".md"]
    folder = None
    if around and all(item.path != path for item in snapshot.instructions):
        scope = max(around, key=lambda scope: len(scope.root.parts))  # `team/` lies in the memory folder
        folder = CheckedFolder(scope, snapshot.graphs[scope.id], snapshot.around, snapshot.read_at)
    return _without_allowed(registry.check_editor_text(path, text, folder), snapshot.allowed)


def _without_allowed(problems: tuple[Problem, ...], allowed: frozenset[str]) -> tuple[Problem, ...]:
    return tuple(problem for problem in problems if problem.code != "secret" or problem.subject not in allowed)


PROBLEMS_AGE_S = 300.0  # how long the problems of an unchanged folder are reused; some of them name an age


def _unchanged(scopes: Iterable[Scope], known: Snapshot, now: float) -> frozenset[str]:
    """The scopes in which every file is the very one of the last full reading."""
    if not known.full or not 0 <= now - known.read_at < PROBLEMS_AGE_S:
        return frozenset()
    before = {scope.id: _identity(scope) for scope in known.scopes}
    return frozenset(scope.id for scope in scopes if before.get(scope.id) == _identity(scope))


def _identity(scope: Scope) -> tuple[Path, str, list[int]]:
    return scope.root, scope.index_text, [id(file) for file in scope.files]


def _is_there(root: Path) -> bool:
    """Whether a folder exists, or may exist: one that can't be looked at isn't called missing."""
    try:
        root.stat()
    except OSError as error:
        return not isinstance(error, FileNotFoundError | NotADirectoryError)
    return True


def _findings(
    scopes: Iterable[Scope], instructions: Iterable[Instruction], known: Mapping[str, TextFindings]
) -> Mapping[str, TextFindings]:
    """What each text says by itself: from the last reading where its digest is the same, else looked up now."""
    findings: dict[str, TextFindings] = {}
    texts: list[tuple[Path, FileKind, str]] = [
        (file.path, file.kind, file.digest) for scope in scopes for file in scope.files if file.digest is not None
    ]
    texts += [
        (item.path, "instruction", f"{item.size}:{item.mtime_ns}")
        for item in instructions
        if item.exists and item.size <= MAX_FILE_BYTES
    ]
    for path, kind, digest in texts:
        key = str(path)
        if key in findings:
            continue
        before = known.get(key)
        if before is not None and before.digest == digest:
            findings[key] = before
            continue
        with suppress(OSError):
            text = read_bytes(key, MAX_FILE_BYTES).decode("utf-8", "replace")
            findings[key] = registry.scan_text(text, kind, digest)
    return MappingProxyType(findings)
