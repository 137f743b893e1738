"""Wishes as plans: new, rename, delete, type, index. Nothing is written here; `Store.apply` carries a plan out.

Every plan shows all that follows from a wish: a rename takes the index entry and every link along, a deletion takes the
index entry and says which links will lead nowhere. What mends a problem is in `fixes`.

A plan: what would be written, shown before it is done. Making one reads files and writes nothing.

`PlanBuilder` collects edits of a folder's files: each is read once, its bytes and digest kept, so that `Store.apply`
can
tell whether somebody else changed it meanwhile. Bytes that are no UTF-8 survive an edit unharmed.

Links that follow a file to its new name, or that let go of one that is no more; edited by span.
"""

import posixpath
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from memtui.fs.atomic import digest, read_stable
from memtui.fs.boundary import check_path
from memtui.history.store import Change
from memtui.memory.budget import measure_index
from memtui.memory.checks.folder import type_of_name
from memtui.memory.frontmatter import TYPES, new_block, set_field
from memtui.memory.index import INDEX_NAME, add_entry, apply_edits, drop_entries, read_entries
from memtui.memory.links import Graph, Names, slug
from memtui.memory.markdown import Link, find_links, headings, write_label, write_target
from memtui.memory.scope import Scope
from memtui.memory.snapshot import Snapshot
from memtui.memory.tidy import TidyPlan, TidyTopic
from memtui.memory.tidy import plan_rebuild as _rebuild
from memtui.memory.tidy import plan_tidy as _tidy
from memtui.memory.topic import MemoryFile
from memtui.util.diff import unified_diff
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from memtui.util.text import nfc

__all__ = [
    "Plan",
    "check_name",
    "file_name",
    "plan_add_to_index",
    "plan_delete",
    "plan_field",
    "plan_new",
    "plan_rebuild",
    "plan_rename",
    "plan_tidy",
    "plan_type",
    "with_entries",
]


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
            parts.append(unified_diff(self.before.get(old_name), change.data, change.name, old_name=old_name))
        return "".join(parts)


class PlanBuilder:
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


Edit = tuple[int, int, str]


def stem_of(name: str) -> str:
    """A file's name without folder and `.md`."""
    return name.rpartition("/")[2].removesuffix(".md")


def relink(text: str, source: str, old: str, new: str, names: Names) -> str:
    """Let every link to a file name its new name.

    Args:
        text: The text of the linking file.
        source: The linking file's name; if it is the renamed file itself, its old one.
        old: The renamed file, posix, relative to the folder.
        new: Its new name.
        names: The files as they were before.

    Returns:
        The text; labels that repeat the file's name change too, `[[name]]` stays where it isn't the file's name.
    """
    home = new if source == old else source
    edits: list[Edit] = []
    for link in find_links(text):
        if link.kind == "import" or link.external:
            continue
        target = names.resolve(source, link.target, link.kind)
        if target.name == old:
            edits += _renamed(text, link, source, home, old, new)
        elif source == old and link.kind == "markdown":
            edits += _moved_along(text, link, old, new)
    return apply_edits(text, edits)


def _renamed(text: str, link: Link, source: str, home: str, old: str, new: str) -> list[Edit]:
    if link.kind == "wiki":
        written = _wiki_word(link, source, old, new)
        return [] if written is None else [(link.target_start, link.target_end, written)]
    if not link.target:
        return []  # a heading of the file itself
    from_here = posixpath.normpath(posixpath.join(posixpath.dirname(source), link.target))
    path = posixpath.relpath(new, posixpath.dirname(home) or ".") if _same(from_here, old) else new
    edits = [_target_edit(text, link, path)]
    label = _label_span(text, link)
    if label is not None and nfc(text[label[0] : label[1]].strip("`*_ ")) in (
        nfc(posixpath.basename(old)),
        stem_of(nfc(old)),
    ):
        inner = text[label[0] : label[1]]
        shown = inner.strip("`*_ ")
        replaced = posixpath.basename(new) if shown.endswith(".md") else stem_of(new)
        edits.append((*label, inner.replace(shown, replaced if "`" in inner else write_label(replaced))))
    return edits


def _moved_along(text: str, link: Link, old: str, new: str) -> list[Edit]:
    """A relative link in a file that went to another folder still leads to where it did."""
    before, after = posixpath.dirname(old), posixpath.dirname(new)
    if before == after or not link.target or link.target.startswith(("/", "~")):
        return []
    goal = posixpath.normpath(posixpath.join(before, link.target))
    return [_target_edit(text, link, posixpath.relpath(goal, after or "."))]


def _target_edit(text: str, link: Link, path: str) -> Edit:
    written = text[link.target_start : link.target_end]
    if written.lstrip("<").startswith("./") and not path.startswith("."):
        path = f"./{path}"
    target = write_target(path, written)
    if link.fragment:
        fragment = written.rstrip(">").partition("#")[2]
        target = f"{target[:-1]}#{fragment}>" if target.startswith("<") else f"{target}#{fragment}"
    return link.target_start, link.target_end, target


def _wiki_word(link: Link, source: str, old: str, new: str) -> str | None:
    """What stands in `[[…]]` afterwards; None where it names the file by its name field or title."""
    target = link.target
    with_ending = target.lower().endswith(".md")
    path = target if with_ending else f"{target}.md"
    if "/" in target and _same(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), old):
        goal = posixpath.relpath(new, posixpath.dirname(source) or ".")
    elif "/" in target and _same(posixpath.normpath(path), old):
        goal = new
    elif slug(stem_of(path)) == slug(stem_of(old)):
        goal = posixpath.basename(new)
    else:
        return None
    return goal if with_ending else goal.removesuffix(".md")


def _label_span(text: str, link: Link) -> tuple[int, int] | None:
    """The span of a Markdown link's label, None for a definition."""
    end = text.rfind("](", link.start, link.target_start)
    return (link.start + 1, end) if end > link.start and text[link.start] == "[" else None


def _same(one: str, other: str) -> bool:
    return nfc(one).casefold() == nfc(other).casefold()


def retarget_link(text: str, link: Link, source: str, better: str) -> str:
    """One link leads to another file of the folder."""
    if link.kind == "wiki":
        goal = better if link.target.lower().endswith(".md") else stem_of(better)
        return text[: link.target_start] + goal + text[link.target_end :]
    path = posixpath.relpath(better, posixpath.dirname(source) or ".")
    return apply_edits(text, [_target_edit(text, link, path)])


def unlink(text: str, link: Link) -> str:
    """One link becomes plain text: its label as it stands there."""
    span = _label_span(text, link) if link.kind == "markdown" else None
    words = text[span[0] : span[1]] if span is not None else link.label
    return text[: link.start] + words + text[link.end :]


LONGEST_SLUG = 60
"""Characters of a name that become part of a file name."""
MOST_NOTES = 12
_NOT_IN_NAMES = re.compile(r"[^\w]+|_+")


def file_name(type: str, name: str) -> str:
    """What a new topic's file is called: its type and its name in small letters, `feedback_testing_rules.md`.

    Args:
        type: One of the four.
        name: As a person types it, in any language; a name that begins with the type keeps only one of them.
    """
    words = _NOT_IN_NAMES.sub("_", unicodedata.normalize("NFC", name.removesuffix(".md")).lower()).strip("_")
    words = words[:LONGEST_SLUG].rstrip("_")
    if words == type or words.startswith(f"{type}_"):
        words = words[len(type) :].lstrip("_")
    return f"{type}_{words}.md" if words else f"{type}.md"


def check_name(name: str) -> str:
    """What is wrong with a file name that a person typed, "" if it will do; a missing `.md` is none."""
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


def plan_new(
    snapshot: Snapshot, name: str, type: str, description: str = "", body: str = "", *, scope: str = "auto"
) -> Plan:
    """A new topic file, listed in the index.

    Args:
        world: The last reading.
        name: As a person types it; it becomes the `name` field, the index title and part of the file name.
        type: One of the four.
        description: One line; also the entry's hook.
        body: The text below the front matter.
        scope: Where; the auto memory may not exist yet.

    Raises:
        Usage: If the type is none of the four or the name is empty.
        Refused: If there is such a file already.
    """
    if type not in TYPES:
        raise UsageError(f"{type!r} is no type", hint=f"one of {', '.join(TYPES)}")
    name = " ".join(name.split())
    if not name:
        raise UsageError("a name is missing")
    found = snapshot.scope(scope)
    if found is None and scope != "auto":
        raise NotFound(f"there is no scope {scope}")
    sheets = PlanBuilder(snapshot.location.folder if found is None else found.root)
    file = file_name(type, name)
    if sheets.exists(file) or (found is not None and any(nfc(one.name) == nfc(file) for one in found.files)):
        raise Refused(f"{file} is there already", hint="edit it, or choose another name")
    description = " ".join(description.split())
    text = body if not body or body.endswith("\n") else f"{body}\n"
    sheets.put(file, new_block(name, description, type) + (text or (f"{description}\n" if description else "")))
    notes = _add(sheets, [(name.removesuffix(".md"), file, description, type)])
    return sheets.plan(f"new {file}", notes)


def plan_rename(snapshot: Snapshot, file: MemoryFile, new: str) -> Plan:
    """Another name for a file; index entry and links follow.

    Args:
        world: The last full reading.
        file: The file.
        new: The new name, posix, relative to the scope; `.md` may be missing, a folder may be in it.

    Raises:
        Usage: If the name won't do.
        Refused: If there is such a file already.
    """
    scope = _scope(snapshot, [file])
    wanted = _full_name(new)
    complaint = check_name(new)
    if complaint:
        raise UsageError(f"{wanted or new!r}: {complaint}")
    if file.kind == "index":
        raise Refused(f"{INDEX_NAME} is the index: the agent looks for it under this name")
    sheets = PlanBuilder(scope.root)
    if wanted == file.name:
        return sheets.plan(f"rename {file.name}")
    taken = next((one for one in scope.files if nfc(one.name).casefold() == wanted.casefold()), None)
    if (taken is not None and taken.name != file.name) or (taken is None and sheets.exists(wanted)):
        raise Refused(f"{wanted} is there already", hint="choose another name")
    graph = snapshot.graph.of(scope.id)
    linking = [one.name for one in scope.files if any(out.target.name == file.name for out in graph.out(one))]
    notes, lines = _relinked(sheets, scope, graph.names, file.name, wanted, linking)
    sheets.move(file.name, wanted)
    index = sheets.text_or(INDEX_NAME, "")
    if file.name in index.replace(wanted, ""):
        notes.append(f"{INDEX_NAME} also names {file.name} in plain text: that stays")
    notes.insert(0, f"{lines} {'line' if lines == 1 else 'lines'} with links to it change")
    return sheets.plan(f"rename {file.name} to {wanted}", notes, renamed=((file.name, wanted),))


def _relinked(
    sheets: PlanBuilder, scope: Scope, names: Names, old: str, new: str, linking: Collection[str]
) -> tuple[list[str], int]:
    """Put the new name into the files that link to it; returns notes, and how many lines changed."""
    notes: list[str] = []
    lines = 0
    for name in dict.fromkeys([*linking, old]):
        known = scope.find(name)
        if known is not None and known.path.is_symlink():
            notes.append(f"{name} is a link: what it says of {old} stays")
            continue
        before = sheets.text(name)
        after = relink(before, name, old, new, names)
        if after != before:
            lines += sum(a != b for a, b in zip(before.split("\n"), after.split("\n"), strict=True))
            sheets.put(name, after)
    return notes, lines


def plan_delete(snapshot: Snapshot, files: Sequence[MemoryFile]) -> Plan:
    """Files go, with their index entries; history keeps them.

    Args:
        world: The last full reading.
        files: Of one scope.

    Returns:
        The plan; its notes list the links that will lead nowhere.
    """
    scope = _scope(snapshot, files)
    sheets = PlanBuilder(scope.root)
    graph = snapshot.graph.of(scope.id)
    gone = {file.name for file in files}
    notes: list[str] = []
    for file in files:
        notes += [
            f"{one.name}:{one.line} links to {file.name}: nowhere then"
            for one in graph.backlinks(file)
            if one.name not in gone
        ]
    if scope.index is not None and INDEX_NAME not in gone:
        text = before = sheets.text(INDEX_NAME)
        for entry in read_entries(before):
            if graph.names.resolve(INDEX_NAME, entry.target).name in gone:
                text = drop_entries(text, entry.target)
        sheets.put(INDEX_NAME, text)
    for name in sorted(gone):
        sheets.drop(name)
    if INDEX_NAME in gone:
        notes.insert(0, f"{INDEX_NAME} is the index: without it nothing is loaded at start")
    title = f"delete {files[0].name}" if len(files) == 1 else f"delete {len(files)} files"
    return sheets.plan(title, _few(notes))


def plan_type(snapshot: Snapshot, files: Sequence[MemoryFile], type: str) -> Plan:
    """Another type for files of one scope; the file name stays."""
    if type not in TYPES:
        raise UsageError(f"{type!r} is no type", hint=f"one of {', '.join(TYPES)}")
    return plan_field(snapshot, files, "type", type)


def plan_field(snapshot: Snapshot, files: Sequence[MemoryFile], key: str, value: str) -> Plan:
    """A front matter field of files of one scope gets a value; a file without front matter gets a block."""
    scope = _scope(snapshot, files)
    sheets = PlanBuilder(scope.root)
    notes = []
    for file in files:
        if file.kind != "topic":
            notes.append(f"{file.name} is no topic file: it stays")
            continue
        sheets.put(file.name, set_field(sheets.text(file.name), key, value))
        if key == "type" and type_of_name(file.name) not in (None, value):
            notes.append(f"{file.name} still begins with {type_of_name(file.name)}: rename it if that is wrong")
    what = files[0].name if len(files) == 1 else f"{len(files)} files"
    return sheets.plan(f"{key} of {what}: {value}", _few(notes))


def plan_add_to_index(snapshot: Snapshot, files: Sequence[MemoryFile]) -> Plan:
    """List files of one scope in its index, under a heading of their type where there is one."""
    scope = _scope(snapshot, files)
    sheets = PlanBuilder(scope.root)
    graph = snapshot.graph.of(scope.id)
    text = sheets.text_or(INDEX_NAME, "")
    listed = {graph.names.resolve(INDEX_NAME, name).name for e in read_entries(text) for name in (e.target, *e.more)}
    notes = []
    rows = []
    for file in files:
        if file.kind == "index" or file.name in listed:
            notes.append(f"{file.name} is listed already" if file.kind != "index" else f"{file.name} is the index")
            continue
        rows.append((title_of(file), file.name, file.description or "", file.type))
    notes += _add(sheets, rows)
    what = rows[0][1] if len(rows) == 1 else f"{len(rows)} files"
    return sheets.plan(f"add {what} to {INDEX_NAME}", _few(notes))


def title_of(file: MemoryFile) -> str:
    """A title for an index line: the name field, a heading, or the file name in words."""
    if file.title != stem_of(file.name):
        return file.title
    return _NOT_IN_NAMES.sub(" ", stem_of(file.name)).strip() or file.name


def _add(sheets: PlanBuilder, rows: Sequence[tuple[str, str, str, str | None]]) -> list[str]:
    """Put (title, file, hook, type) into the index; returns notes on its limits."""
    if not rows:
        return []
    text = with_entries(sheets.text_or(INDEX_NAME, "# Memory\n\n"), rows)
    sheets.put(INDEX_NAME, text)
    budget = measure_index(text)
    if not budget.over:
        return []
    return [f"{INDEX_NAME} is over its limit: from line {budget.cut_line_in_file} on nothing is loaded"]


def with_entries(index: str, rows: Sequence[tuple[str, str, str, str | None]]) -> str:
    """An index with entries more: (title, file, hook, type), each under a heading of its type where there is one."""
    for title, name, hook, kind in rows:
        index = add_entry(index, title, name, hook, _section(index, kind))
    return index


def _section(text: str, kind: str | None) -> str | None:
    """The heading under which entries of a type stand, if the index has one."""
    if kind is None:
        return None
    wanted = (kind, f"{kind}s", f"{kind} memory", f"{kind} memories")
    return next((heading.text for heading in headings(text) if heading.text.casefold() in wanted), None)


def plan_tidy(snapshot: Snapshot, *, scope: str = "auto", pinned: Collection[str] = (), goal: float = 0.7) -> Plan:
    """A shorter index, down to a share of its limits; pinned files keep their entry."""
    return _shortened(snapshot, scope, pinned, goal, rebuild=False)


def plan_rebuild(snapshot: Snapshot, *, scope: str = "auto", pinned: Collection[str] = (), goal: float = 0.7) -> Plan:
    """An index made anew from the topic files, grouped by type."""
    return _shortened(snapshot, scope, pinned, goal, rebuild=True)


def _shortened(snapshot: Snapshot, id: str, pinned: Collection[str], goal: float, *, rebuild: bool) -> Plan:
    scope = snapshot.scope(id)
    if scope is None:
        raise NotFound("there is no memory folder yet", hint="write the first memory")
    sheets = PlanBuilder(scope.root)
    graph = snapshot.graph.of(scope.id)
    text = sheets.text_or(INDEX_NAME, "")
    topics = [_topic(file, graph, file.name in pinned) for file in scope.files if file.kind == "topic"]
    # An entry may lead to a file that is no topic of this folder (`team/x.md`): neither dead nor ours to judge.
    known = {nfc(topic.name) for topic in topics}
    for entry in read_entries(text):
        if nfc(entry.target) not in known and graph.names.resolve(INDEX_NAME, entry.target).state != "missing":
            topics.append(TidyTopic(entry.target, entry.title, pinned=True))
    made = (_rebuild if rebuild else _tidy)(text, topics, now=snapshot.read_at, goal=goal)
    if made.changed:
        sheets.put(INDEX_NAME, made.text_after)
    if made.moved:
        _move_prose(sheets, made, snapshot.read_at)
    return sheets.plan("rebuild the index" if rebuild else "tidy the index", _tidy_notes(made))


def _topic(file: MemoryFile, graph: Graph, pinned: bool) -> TidyTopic:
    links = graph.links_in(file)
    return TidyTopic(file.name, title_of(file), file.description, file.type, links, file.modified, pinned)


def _move_prose(sheets: PlanBuilder, made: TidyPlan, now: float) -> None:
    """Prose of the index goes to the end of a topic of its own."""
    if sheets.exists(made.moved_to):
        before = sheets.text(made.moved_to)
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        sheets.put(made.moved_to, before + gap + made.moved)
        return
    block = new_block("Notes from the index", "What stood in the index itself", "reference")
    sheets.put(made.moved_to, block + made.moved)


def _tidy_notes(made: TidyPlan) -> list[str]:
    if not made.changed:
        return ["nothing to do: the index is as short as it should be"]
    before, after = made.before, made.after
    notes = [
        f"lines {before.lines} → {after.lines} of {after.max_lines}, characters {before.units:,} → {after.units:,}"
    ]
    if made.moved:
        notes.append(f"prose of the index moves to {made.moved_to}")
    notes += [f"line {one.line} {one.title}: {one.message}" for one in made.dropped]
    return _few(notes)


def _few(notes: list[str]) -> list[str]:
    return notes if len(notes) <= MOST_NOTES else [*notes[: MOST_NOTES - 1], f"and {len(notes) - MOST_NOTES + 1} more"]


def _scope(snapshot: Snapshot, files: Sequence[MemoryFile]) -> Scope:
    """The scope that all these files are of."""
    if not files:
        raise NotFound("no file is chosen here")
    scope = snapshot.scope(files[0].scope)
    if scope is None or any(file.scope != scope.id for file in files):
        raise MemtuiError("these files are of several folders", hint="choose files of one folder")
    return scope
