"""Changes to memory files as plans, shown before they are carried out. Making one reads files and writes nothing.

A plan holds all that follows from a command: a rename takes the index entry and every link along. `PlanBuilder` reads
each file once and keeps its bytes and digest, so that the store can tell whether somebody else changed it meanwhile.
Bytes that are no UTF-8 survive an edit unharmed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from memtui.fs.atomic import digest, read_stable
from memtui.fs.boundary import check_path
from memtui.history.store import Change
from memtui.memory.budget import measure_index
from memtui.memory.checks import index_budget, registry, secret
from memtui.memory.checks.base import Fix, FixContext, Problem
from memtui.memory.conflict_markers import line_list, marker_lines
from memtui.memory.frontmatter import TYPES, new_block
from memtui.memory.index import INDEX_NAME, EntryRow, add_entries, drop_entries, lost_entries, read_entries
from memtui.memory.links import Graph, update_links
from memtui.memory.scope import Scope
from memtui.memory.snapshot import Snapshot
from memtui.memory.topic import MemoryFile, file_name
from memtui.util.diff import unified_diff
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from memtui.util.text import first_lines, nfc


class Plan(Struct, frozen=True):
    """Changes that belong together, for the store of `root` and `allow`; `before` are the bytes they were made from."""

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
            parts.append(unified_diff(self.before.get(old_name), change.data, change.name, old_name=old_name))
        return "".join(parts)


class PlanBuilder:
    """The files of a folder while a plan is made."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}

    def text(self, name: str) -> str:
        """A file's text as edited so far, bytes that are no UTF-8 as lone surrogates; raises if it is gone."""
        data = self._read(name)
        if data is None:
            raise NotFound(f"{name} is gone", hint="look again")
        return data.decode("utf-8", "surrogateescape")

    def text_or(self, name: str, default: str) -> str:
        return default if self._read(name) is None else self.text(name)

    def exists(self, name: str) -> bool:
        return self._read(name) is not None

    def put(self, name: str, text: str) -> None:
        self._read(name)
        self._after[name] = text.encode("utf-8", "surrogateescape")

    def drop(self, name: str) -> None:
        self._read(name)
        self._after[name] = None

    def plan(
        self, title: str, notes: Sequence[str] = (), *, renamed: tuple[tuple[str, str], ...] = (),
        allow: frozenset[str] | None = None,
    ) -> Plan:  # fmt: skip
        """The plan of all edits; files that end as they were are left out."""
        changed = {name: self._before[name] for name, after in self._after.items() if after != self._before[name]}
        changes = tuple(
            Change(name, self._after[name], None if before is None else digest(before), before)
            for name, before in changed.items()
        )
        return Plan(title, changes, tuple(notes), self.root, allow, MappingProxyType(changed), renamed)

    def apply(self, fix: Fix, title: str = "", *, allow: frozenset[str] | None = None) -> Plan:
        """The plan that writes what a fix gives, with the fix's own title if it has one."""
        for name, text in fix.texts.items():
            self.put(name, text)
        return self.plan(fix.title or title, first_lines(fix.notes, MAX_NOTES), allow=allow)

    def _read(self, name: str) -> bytes | None:
        if name in self._after:
            return self._after[name]
        if name not in self._before:
            path = self.root / name
            try:
                self._before[name] = read_stable(path)
            except (FileNotFoundError, NotADirectoryError):
                self._before[name] = None
            except OSError as error:
                raise MemtuiError(f"{name} can't be read: {error.strerror}") from error
        return self._before[name]


MAX_NOTES = 12


def check_name(name: str) -> str:
    """What is wrong with a file name that a person typed, "" if it can be used; `.md` may be missing."""
    wanted = _full_name(name)
    if not wanted:
        return "a name is missing"
    if wanted == INDEX_NAME:
        return "the index has this name"
    verdict = check_path(Path("/nonexistent"), wanted, op="write", actor="user")
    return "" if verdict.allowed else f"not possible: {verdict.reason}"


def _full_name(name: str) -> str:
    name = nfc(name.strip().removeprefix("./"))
    return name if not name or name.endswith(".md") else f"{name}.md"


def plan_new(snapshot: Snapshot, name: str, type: str, description: str = "", body: str = "") -> Plan:
    """Create a topic file and list it in the index; `name` is as typed, `description` is the entry's, too."""
    if type not in TYPES:
        raise UsageError(f"{type!r} is no type", hint=f"one of {', '.join(TYPES)}")
    name = " ".join(name.split())
    if not name:
        raise UsageError("a name is missing")
    found = snapshot.auto
    builder = PlanBuilder(snapshot.location.folder)
    file = file_name(type, name)
    if builder.exists(file) or (found is not None and any(nfc(one.name) == nfc(file) for one in found.files)):
        raise Refused(f"{file} is there already", hint="edit it, or choose another name")
    description = " ".join(description.split())
    text = body if not body or body.endswith("\n") else f"{body}\n"
    builder.put(file, new_block(name, description, type) + (text or (f"{description}\n" if description else "")))
    row = EntryRow(name.removesuffix(".md"), file, description, type)
    notes = add_to_index(builder, [row], {} if found is None else found.types)
    return builder.plan(f"new {file}", notes)


def plan_rename(snapshot: Snapshot, file: MemoryFile, new: str) -> Plan:
    """Rename a file, links and entry too; `new` is relative to the scope, `.md` may be missing. Full snapshots only."""
    scope, graph = scope_of(snapshot, [file])
    wanted = _full_name(new)
    if complaint := check_name(new):
        raise UsageError(f"{wanted or new!r}: {complaint}")
    if file.kind == "index":
        raise Refused(f"{INDEX_NAME} is the index: the agent looks for it under this name")
    builder = PlanBuilder(scope.root)
    if wanted == file.name:
        return builder.plan(f"rename {file.name}")
    taken = next((one for one in scope.files if nfc(one.name).casefold() == wanted.casefold()), None)
    if (taken is not None and taken.name != file.name) or (taken is None and builder.exists(wanted)):
        raise Refused(f"{wanted} is there already", hint="choose another name")
    files = [*(one for one in graph.linking(file.name) if one.name != file.name), file]
    lines, notes = edit_files(
        builder, files, file.name, lambda text, name: update_links(text, name, file.name, wanted, graph.names)
    )
    builder.put(wanted, builder.text(file.name))
    builder.drop(file.name)
    index = builder.text_or(INDEX_NAME, "")
    if file.name in index.replace(wanted, ""):
        notes.append(f"{INDEX_NAME} also names {file.name} in plain text: that stays")
    notes.insert(0, f"{lines} {'line' if lines == 1 else 'lines'} with links to it change")
    return builder.plan(f"rename {file.name} to {wanted}", notes, renamed=((file.name, wanted),))


def edit_files(
    builder: PlanBuilder, files: Iterable[MemoryFile], about: str, edit: Callable[[str, str], str]
) -> tuple[int, list[str]]:
    """Edit the text of each file, given it and its name; how many lines changed, and notes on what can't."""
    lines, notes = 0, []
    for file in files:
        if file.path.is_symlink():
            notes.append(f"{file.name} is a link: what it says of {about} stays")
            continue
        before = builder.text(file.name)
        after = edit(before, file.name)
        lines += sum(a != b for a, b in zip(before.split("\n"), after.split("\n"), strict=True))
        builder.put(file.name, after)
    return lines, notes


def plan_delete(snapshot: Snapshot, files: Sequence[MemoryFile]) -> Plan:
    """Delete files of one scope with their index entries; the notes list the links that will lead nowhere."""
    scope, graph = scope_of(snapshot, files)
    builder = PlanBuilder(scope.root)
    gone = {file.name for file in files}
    notes = [
        f"{one.name}:{one.line} links to {file.name}: nowhere then"
        for file in files
        for one in graph.backlinks(file)
        if one.name not in gone
    ]
    if scope.index is not None and INDEX_NAME not in gone:
        text = before = builder.text(INDEX_NAME)
        for entry in read_entries(before):
            if graph.names.resolve(INDEX_NAME, entry.target).name in gone:
                text = drop_entries(text, entry.target)
        builder.put(INDEX_NAME, text)
    for name in sorted(gone):
        builder.drop(name)
    if INDEX_NAME in gone:
        notes.insert(0, f"{INDEX_NAME} is the index: without it nothing is loaded at start")
    title = f"delete {files[0].name}" if len(files) == 1 else f"delete {len(files)} files"
    return builder.plan(title, first_lines(notes, MAX_NOTES))


def plan_add_to_index(snapshot: Snapshot, files: Sequence[MemoryFile]) -> Plan:
    """List files of one scope in its index, under a heading of their type where there is one."""
    scope, graph = scope_of(snapshot, files)
    builder = PlanBuilder(scope.root)
    text = builder.text_or(INDEX_NAME, "")
    listed = {graph.names.resolve(INDEX_NAME, name).name for e in read_entries(text) for name in (e.target, *e.more)}
    notes = []
    rows = []
    for file in files:
        if file.kind == "index" or file.name in listed:
            notes.append(f"{file.name} is listed already" if file.kind != "index" else f"{file.name} is the index")
            continue
        rows.append(EntryRow(file.entry_title, file.name, file.description or "", file.type))
    notes += add_to_index(builder, rows, scope.types)
    what = rows[0].name if len(rows) == 1 else f"{len(rows)} files"
    return builder.plan(f"add {what} to {INDEX_NAME}", first_lines(notes, MAX_NOTES))


def add_to_index(
    builder: PlanBuilder, rows: Sequence[EntryRow], types: Mapping[str, str | None], *, index: str = INDEX_NAME
) -> list[str]:
    """Add entries to the index, each into the section that fits; return notes on its limits."""
    if not rows:
        return []
    text = add_entries(builder.text_or(index, "# Memory\n\n"), rows, types)
    builder.put(index, text)
    budget = measure_index(text)
    if not budget.over:
        return []
    notes = [f"{index} is over its limit: from line {budget.cut_line_in_file} on nothing is loaded"]
    lost = {entry.target: entry.line for entry in lost_entries(read_entries(text, budget))}
    notes += [
        f"line {lost[row.name]}, its own entry, isn't loaded: memtui index --up {row.name} moves it above the cut"
        for row in rows
        if row.name in lost
    ]
    return notes


def plan_tidy(snapshot: Snapshot, *, scope: str = "auto", pinned: Collection[str] = (), rebuild: bool = False) -> Plan:
    """Shorten the index down to `TIDY_GOAL` of its limits, or make it anew from the topics; pinned files stay in it."""
    return _plan_index(snapshot, scope, pinned, lambda context: index_budget.shorten(context, rebuild=rebuild))


def plan_split(snapshot: Snapshot, *, scope: str = "auto") -> Plan:
    """Make sections of the index topics until it is down to `TIDY_GOAL` of its limits; every entry stays."""
    return _plan_index(snapshot, scope, (), index_budget.split)


def _plan_index(snapshot: Snapshot, id: str, pinned: Collection[str], make: Callable[[FixContext], Fix]) -> Plan:
    scope = snapshot.scope(id)
    if scope is None:
        raise NotFound("there is no memory folder yet", hint="write the first memory")
    builder = PlanBuilder(scope.root)
    if lines := marker_lines(builder.text_or(INDEX_NAME, "")):
        raise Refused(f"{INDEX_NAME} has conflict markers in {line_list(lines)}", hint="resolve the conflict first")
    return builder.apply(make(_context(snapshot, scope, builder, pinned)))


def plan_fix(snapshot: Snapshot, problem: Problem, *, pinned: Collection[str] = (), text: str | None = None) -> Plan:
    """Fix a problem whose `fix` isn't empty, as its check does it; raises if the file changed meanwhile.

    `text` is what the file holds in an editor; the plan then has it with the fix, as a change.
    """
    if problem.code == "secret" and text is None:
        return plan_redact(snapshot, problem.path, problem.subject)
    scope = snapshot.scope(problem.scope)
    if scope is None:
        raise MemtuiError(f"only you can fix this: {problem.message}")
    builder = PlanBuilder(scope.root)
    if text is not None:
        builder.put(problem.file, text)
        if problem.code == "secret":
            return builder.apply(secret.redact(problem.file, text, problem.subject))
    fix = registry.fix_problem(problem, _context(snapshot, scope, builder, pinned))
    return builder.apply(fix, f"{problem.file}: {problem.fix}")


def plan_redact(snapshot: Snapshot, path: Path, fingerprint: str | None = None) -> Plan:
    """Replace what looks like a secret in a file by "[removed]"; `fingerprint` chooses one value."""
    file = snapshot.at(path)
    scope = snapshot.scope(file.scope) if file is not None else None
    root, name = (scope.root, file.name) if file is not None and scope is not None else (path.parent, path.name)
    builder = PlanBuilder(root)
    return builder.apply(
        secret.redact(name, builder.text(name), fingerprint), allow=None if scope is not None else frozenset({name})
    )


def _context(snapshot: Snapshot, scope: Scope, builder: PlanBuilder, pinned: Collection[str]) -> FixContext:
    graph = snapshot.graphs[scope.id]
    return FixContext(scope, graph, lambda name: builder.text_or(name, ""), snapshot.read_at, pinned)


def scope_of(snapshot: Snapshot, files: Sequence[MemoryFile]) -> tuple[Scope, Graph]:
    """The scope that all these files are of, and its links."""
    if not files:
        raise NotFound("no file is chosen here")
    scope = snapshot.scope(files[0].scope)
    if scope is None:
        raise NotFound(f"{files[0].name} is gone", hint="look again")
    if any(file.scope != scope.id for file in files):
        raise MemtuiError("these files are of several folders", hint="choose files of one folder")
    return scope, snapshot.graphs[scope.id]
