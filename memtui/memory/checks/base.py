"""What a check is given and what it returns: checked files, problems, fixes."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from memtui.memory.budget import IndexBudget, measure_index, units
from memtui.memory.conflict_markers import marker_lines
from memtui.memory.frontmatter import Field, Frontmatter
from memtui.memory.index import INDEX_NAME, EntryRow, IndexEntry, add_entry, read_entries
from memtui.memory.instructions import Instruction
from memtui.memory.links import Graph, read_text, slug
from memtui.memory.markdown import Link, find_links
from memtui.memory.scope import Scope
from memtui.memory.sentences import one_sentence
from memtui.memory.surroundings import NOTHING_AROUND, Surroundings
from memtui.memory.topic import FileKind, MemoryFile
from memtui.util.text import nfc

_LONGER_BULLET = 3  # units by which the bullet of a numbered list may be longer than "- "
_FILE_NAME = re.compile(r"[\w./-]+\.md")

Severity = Literal["error", "warning", "info"]  # something is lost or leaks; worth fixing; a hint that is never counted


class Problem(Struct, frozen=True):
    """One thing that is wrong."""

    scope: str  # the scope's id or "instructions"
    file: str  # the name in it
    path: Path
    line: int | None  # from 1
    column: int | None  # from 1, in characters
    code: str
    severity: Severity
    message: str
    fix: str = ""  # what the check's fix would do, "" where only a person can tell
    subject: str = ""  # what it is about, for programs: the target of a dead link, a type, a fingerprint
    better: str = ""  # the file that a dead link probably means
    asks: bool = False  # this fix needs a person's decision, though others of the check are certain


class TextHit(Struct, frozen=True):
    """Something that a text says by itself."""

    line: int  # from 1
    column: int  # from 1, in characters
    words: str  # may be shown: a secret comes masked
    rule: str = ""  # as the fingerprint of the secret scanner
    fingerprint: str = ""


class TextFindings(Struct, frozen=True):
    """What the checks found in a whole text, by code; `digest` is "" for a text that isn't saved."""

    digest: str
    hits: Mapping[str, tuple[TextHit, ...]] = field(default_factory=dict)


class CheckedFolder(Struct, frozen=True, dict=True):
    """A folder that is checked; `around` answers what its files alone can't tell, `now` is in seconds since 1970."""

    scope: Scope
    graph: Graph
    around: Surroundings = NOTHING_AROUND
    now: float = 0.0

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The topics' texts by name, read when a check of the whole folder first asks."""
        return {file.name: read_text(file) for file in self.scope.topics if file.digest is not None}

    @cached_property
    def listed(self) -> frozenset[str]:
        """The files that the index links to, composed spelling."""
        linked = (one.target.name for one in self.graph.out(INDEX_NAME))
        entries = (name for entry in self.scope.entries for name in (entry.target, *entry.more))
        return frozenset(nfc(name) for name in (*entries, *linked) if name is not None)

    @cached_property
    def named(self) -> frozenset[str]:
        """The files that the index names, as a link or not, composed spelling."""
        return frozenset(nfc(name) for name in _FILE_NAME.findall(self.scope.index_text))

    @cached_property
    def without_room(self) -> frozenset[str]:
        """The unlisted topics that the index has no room for: with their entry it would be over its limit."""
        budget, found = measure_index(self.scope.index_text), set[str]()
        lines, used = budget.lines, budget.units
        for file in self.scope.topics:
            if nfc(file.name) in self.listed or nfc(file.name) in self.named:
                continue
            row = entry_row(file)
            size = units(add_entry("", row.title, row.name, row.description)) + _LONGER_BULLET
            if lines + 1 > budget.max_lines or used + size > budget.max_units:
                found.add(row.name)
            else:
                lines, used = lines + 1, used + size
        return frozenset(found)

    @cached_property
    def by_name(self) -> Mapping[str, list[str]]:
        """The topics by their `name` field, as a slug."""
        found: dict[str, list[str]] = {}
        for file in self.scope.topics:
            if file.front.name:
                found.setdefault(slug(file.front.name), []).append(file.name)
        return found


def entry_row(file: MemoryFile) -> EntryRow:
    return EntryRow(file.entry_title, file.name, one_sentence(file.description or ""), file.type)


class CheckedFile(Struct, frozen=True, dict=True):
    """A file as the folder holds it, or (no `file`) as it stands in the editor; an instruction file has no `folder`."""

    scope: str
    name: str
    path: Path
    kind: FileKind
    folder: CheckedFolder | None = None
    file: MemoryFile | None = None
    instruction: Instruction | None = None
    text: str | None = None
    front: Frontmatter | None = None
    has_body: bool = True
    findings: TextFindings = TextFindings("")
    age_s: float = 0.0

    @cached_property
    def budget(self) -> IndexBudget:
        scope = self.folder.scope if self.folder is not None else None
        if scope is not None and scope.budget is not None and self.text == scope.index_text:
            return scope.budget
        return measure_index(self.text or "")

    @cached_property
    def entries(self) -> tuple[IndexEntry, ...]:
        return read_entries(self.text or "", self.budget)

    def links(self) -> Iterator[tuple[Link, str]]:
        """The file's links, each with the state of its target as `links.Target` has it."""
        if self.folder is None:
            return
        if self.text is None:
            yield from ((one.link, one.target.state) for one in self.folder.graph.out(self.name))
        for link in find_links(self.text or ""):
            yield link, self.folder.graph.names.target_of(self.name, link).state

    def field(self, key: str) -> Field | None:
        """A field of the topic's front matter, at the top or under `metadata`, if it has a value."""
        found = None if self.front is None else self.front.placed(key)
        return found if found is not None and found.value else None

    def hits(self, code: str) -> tuple[TextHit, ...]:
        return self.findings.hits.get(code, ())

    def problem(
        self,
        code: str,
        severity: Severity,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        fix: str = "",
        subject: str = "",
        better: str = "",
        asks: bool = False,
    ) -> Problem:
        return Problem(
            self.scope, self.name, self.path, line, column, code, severity, message, fix, subject, better, asks
        )


class FixContext(Struct, frozen=True):
    """A folder as it was last read, and the texts of its files as they are now ("" for a file that isn't there)."""

    scope: Scope
    graph: Graph
    read: Callable[[str], str]
    now: float
    pinned: Collection[str] = ()

    def topic_of(self, target: str) -> str:
        """The topic that a target of the index names and that may be written, "" if there is none."""
        name = self.graph.names.resolve(INDEX_NAME, target).name
        file = self.scope.find(name) if name is not None else None
        if file is None or file.kind != "topic" or file.readonly is not None or file.path.is_symlink():
            return ""
        return "" if marker_lines(self.read(file.name)) else file.name


class Fix(Struct, frozen=True):
    """What a fix would write: whole texts by file name; `title` and `notes` are for people."""

    texts: Mapping[str, str]
    title: str = ""
    notes: tuple[str, ...] = ()


class Check(Struct, frozen=True):
    """One check; they run by `order`, the smallest first.

    A fix that is certain may be applied without asking a person, unless the problem `asks`: it takes away nothing that
    a person wrote, no other repair would be as good, and applied twice it changes nothing the second time.
    """

    codes: tuple[str, ...]
    kinds: frozenset[FileKind]
    find: Callable[[CheckedFile], Iterator[Problem]] = lambda file: iter(())
    fix: Callable[[Problem, FixContext], Fix] | None = None  # for problems whose `fix` isn't empty
    is_certain: bool = False
    find_in_text: Callable[[str], tuple[TextHit, ...]] | None = None  # once for each digest; `find` gets the hits
    find_in_folder: Callable[[CheckedFolder], Iterator[Problem]] | None = None  # once for a folder read wholly
    order: int = 1000


INDEX: frozenset[FileKind] = frozenset({"index"})
TOPICS: frozenset[FileKind] = frozenset({"topic"})
LISTED: frozenset[FileKind] = frozenset({"index", "topic", "log", "other"})
ANY: frozenset[FileKind] = LISTED | {"instruction"}
