"""All memory of a directory at one moment: frozen, complete in itself, replaced whole by the next reading.

The short reading lists files by their heads and measures the indexes: enough for a first picture. The full reading adds
digests, links and problems. Either takes over from the last World what has the same size and time of change, so a
reading after which nothing changed costs little more than the listing of the folders. Reading changes nothing.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation
from memtui.memory.checks.folder import Problem, check_instructions, check_scope
from memtui.memory.checks.text import TextFindings, find_in_text
from memtui.memory.instructions import Instruction, read_instructions
from memtui.memory.links import Graphs, Reference, unlinked_mentions
from memtui.memory.scope import OWN_SCOPES, Scope, read_scope, scope_roots
from memtui.memory.topic import MAX_SIZE, MemoryFile, read_bytes
from memtui.util.errors import NotFound


@dataclass(frozen=True)
class Snapshot:  # a dataclass, because caches are left out of comparison
    """What one reading found.

    `scopes` are the folders that exist, the auto memory first; `problems` is empty before the full reading (`full`).
    `read_at` is in seconds since 1970. `notices` say in words what isn't as it usually is: no folder yet, one that
    can't be read, memory switched off. `facts` is the cache of what each text said, by path.
    """

    location: MemoryLocation
    scopes: tuple[Scope, ...]
    instructions: tuple[Instruction, ...]
    problems: tuple[Problem, ...]
    full: bool
    read_at: float
    notices: tuple[str, ...] = ()
    graph: Graphs = field(default_factory=lambda: Graphs(()), repr=False, compare=False)
    facts: Mapping[str, TextFindings] = field(default_factory=dict, repr=False, compare=False)
    allowed: frozenset[str] = frozenset()

    @cached_property
    def auto(self) -> Scope | None:
        """The auto memory; `None` while its folder doesn't exist."""
        return self.scope("auto")

    @cached_property
    def _paths(self) -> dict[Path, MemoryFile]:
        return {file.path: file for scope in reversed(self.scopes) for file in scope.files}

    def scope(self, id: str) -> Scope | None:
        """The scope of an id."""
        return next((scope for scope in self.scopes if scope.id == id), None)

    def at(self, path: Path) -> MemoryFile | None:
        """The memory file at a path."""
        return self._paths.get(path)

    def topic(self, path: Path) -> MemoryFile:
        """The memory file at a path.

        Raises:
            NotFound: If it is none, or was not there at this reading.
        """
        file = self.at(path)
        if file is None:
            raise NotFound(f"{path.name} is no memory file", hint="R reads the folder again")
        return file

    def find(self, name: str) -> MemoryFile | None:
        """A file by its name in the auto memory, or by scope and name: `team/build.md`, `agent:user:rev/MEMORY.md`."""
        for scope in self.scopes:
            prefix = "" if scope.id == "auto" else f"{scope.id}/"
            if name.startswith(prefix):
                file = scope.find(name[len(prefix) :]) or scope.find(f"{name[len(prefix) :]}.md")
                if file is not None:
                    return file
        return None

    def resolve(self, path: Path, target: str) -> Path | None:
        """Where a link in a file leads, if that is one of the files shown here.

        Args:
            path: The linking file.
            target: The target as `Link.target` has it, or as written; a fragment doesn't matter.
        """
        target = target.partition("#")[0]
        if not target:
            return path
        file = self.at(path)
        if file is not None:
            names = self.graph.of(file.scope).names
            for kind in ("markdown", "wiki"):
                found = names.resolve(file.name, target, kind)
                if found.name is not None:
                    return names.root / found.name
        there = Path(os.path.normpath(path.parent / target))
        if there in self._paths or any(item.path == there and item.exists for item in self.instructions):
            return there
        return None

    def unlinked_mentions(self, file: MemoryFile) -> tuple[Reference, ...]:
        """Lines that name a file without linking to it; reads the texts of its scope."""
        scope = self.scope(file.scope)
        return () if scope is None else unlinked_mentions(scope, file)

    def problems_of(self, path: Path) -> tuple[Problem, ...]:
        """The problems of one file."""
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
    """Read all memory of a directory.

    Args:
        place: The directory as decided.
        env: The surroundings.
        full: Also bodies: digests, links, problems.
        known: The last reading, of whatever directory; files that didn't change are taken from it.
        now: Seconds since 1970.
        allowed: Fingerprints (`Secret.fingerprint`) of values that are no problem.

    Returns:
        The world. Never raises for what is on the disk: a folder that is missing or can't be read is said in it.
    """
    files = {} if known is None else known._paths
    notices: list[str] = []
    scopes = []
    for place in scope_roots(location):
        id, label, root = place.id, place.label, place.root
        if id == "auto" and not _is_there(root):
            notices.append(f"no memory yet: {root} doesn't exist")
            continue
        scope = read_scope(root, id, label, full=full, known=files, skip=OWN_SCOPES if id == "auto" else frozenset())
        if scope.problem:
            notices.append(f"{label}: {scope.problem}")
        scopes.append(scope)
    if not location.enabled:
        notices.append("memory is switched off: the agent loads and writes none")
    instructions = read_instructions(env, location, exact=full)
    if not full:
        facts = {} if known is None else known.facts
        return Snapshot(
            location, tuple(scopes), instructions, (), False, now, tuple(notices), Graphs(scopes), facts, allowed
        )
    facts = _all_facts(scopes, instructions, {} if known is None else known.facts)
    same = _unchanged(scopes, known, now) if known is not None and known.allowed == allowed else frozenset()
    graphs = Graphs(scopes, {id: known.graph.of(id) for id in same} if known is not None else {})
    problems: list[Problem] = []
    for scope in scopes:
        if known is not None and scope.id in same:
            problems += [problem for problem in known.problems if problem.scope == scope.id]
        else:
            problems += check_scope(scope, graphs.of(scope.id), facts, now)
    problems += check_instructions(instructions, facts)
    problems = [problem for problem in problems if problem.code != "secret" or problem.subject not in allowed]
    return Snapshot(
        location, tuple(scopes), instructions, tuple(problems), True, now, tuple(notices), graphs, facts, allowed
    )


SAME_FOR = 300.0
"""Seconds for which the problems of an unchanged folder stand: their ages go on."""


def _unchanged(scopes: Iterable[Scope], known: Snapshot | None, now: float) -> frozenset[str]:
    """The scopes in which every file is the very one of the last full reading."""
    if known is None or not known.full or not 0 <= now - known.read_at < SAME_FOR:
        return frozenset()
    same = []
    for scope in scopes:
        before = known.scope(scope.id)
        if (
            before is not None
            and before.root == scope.root
            and before.index_text == scope.index_text
            and len(before.files) == len(scope.files)
            and all(one is other for one, other in zip(before.files, scope.files, strict=True))
        ):
            same.append(scope.id)
    return frozenset(same)


def _is_there(root: Path) -> bool:
    """Whether a folder exists, or may exist: one that we may not look at isn't called missing."""
    try:
        root.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _all_facts(
    scopes: Iterable[Scope], instructions: Iterable[Instruction], known: Mapping[str, TextFindings]
) -> Mapping[str, TextFindings]:
    """What each text says: from the last reading where its digest is the same, else looked up now."""
    facts: dict[str, TextFindings] = {}

    def take(path: Path, stamp: str, dates: bool) -> None:
        key = str(path)
        before = known.get(key)
        if before is not None and before.digest == stamp:
            facts[key] = before
            return
        text = _text(path)
        if text is not None:
            facts[key] = find_in_text(text, stamp, dates=dates)

    for scope in scopes:
        for file in scope.files:
            if file.digest is not None:
                take(file.path, file.digest, file.kind != "log")
    for item in instructions:
        if item.exists and item.size <= MAX_SIZE and str(item.path) not in facts:
            take(item.path, f"{item.size}:{item.mtime_ns}", False)
    return MappingProxyType(facts)


def _text(path: Path) -> str | None:
    try:
        return read_bytes(os.fspath(path), MAX_SIZE).decode("utf-8", "replace")
    except OSError:
        return None
