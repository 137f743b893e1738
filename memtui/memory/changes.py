"""Wishes as plans: new, rename, delete, type, index. Nothing is written here; `Store.apply` carries a plan out.

Every plan shows all that follows from a wish: a rename takes the index entry and every link along, a deletion takes the
index entry and says which links will lead nowhere. What mends a problem is in `fixes`.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from pathlib import Path

from memtui.base.boundary import check_path
from memtui.base.errors import MemtuiError, NotFound, Refused, Usage
from memtui.base.text import nfc
from memtui.memory.budget import measure_index
from memtui.memory.checks import type_of_name
from memtui.memory.fields import TYPES
from memtui.memory.files import MemoryFile
from memtui.memory.folder import Scope
from memtui.memory.frontmatter import new_block, set_field
from memtui.memory.index import INDEX_NAME, add_entry, drop_entries, read_entries
from memtui.memory.links import Graph, Names
from memtui.memory.markdown import headings
from memtui.memory.plans import Plan, Sheets
from memtui.memory.relink import relink, stem_of
from memtui.memory.tidy import TidyPlan, Topic
from memtui.memory.tidy import plan_rebuild as _rebuild
from memtui.memory.tidy import plan_tidy as _tidy
from memtui.memory.world import World

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


def plan_new(world: World, name: str, type: str, description: str = "", body: str = "", *, scope: str = "auto") -> Plan:
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
        raise Usage(f"{type!r} is no type", hint=f"one of {', '.join(TYPES)}")
    name = " ".join(name.split())
    if not name:
        raise Usage("a name is missing")
    found = world.scope(scope)
    if found is None and scope != "auto":
        raise NotFound(f"there is no scope {scope}")
    sheets = Sheets(world.place.folder if found is None else found.root)
    file = file_name(type, name)
    if sheets.exists(file) or (found is not None and any(nfc(one.name) == nfc(file) for one in found.files)):
        raise Refused(f"{file} is there already", hint="edit it, or choose another name")
    description = " ".join(description.split())
    text = body if not body or body.endswith("\n") else f"{body}\n"
    sheets.put(file, new_block(name, description, type) + (text or (f"{description}\n" if description else "")))
    notes = _add(sheets, [(name.removesuffix(".md"), file, description, type)])
    return sheets.plan(f"new {file}", notes)


def plan_rename(world: World, file: MemoryFile, new: str) -> Plan:
    """Another name for a file; index entry and links follow.

    Args:
        world: The last full reading.
        file: The file.
        new: The new name, posix, relative to the scope; `.md` may be missing, a folder may be in it.

    Raises:
        Usage: If the name won't do.
        Refused: If there is such a file already.
    """
    scope = _scope(world, [file])
    wanted = _full_name(new)
    complaint = check_name(new)
    if complaint:
        raise Usage(f"{wanted or new!r}: {complaint}")
    if file.kind == "index":
        raise Refused(f"{INDEX_NAME} is the index: the agent looks for it under this name")
    sheets = Sheets(scope.root)
    if wanted == file.name:
        return sheets.plan(f"rename {file.name}")
    taken = next((one for one in scope.files if nfc(one.name).casefold() == wanted.casefold()), None)
    if (taken is not None and taken.name != file.name) or (taken is None and sheets.exists(wanted)):
        raise Refused(f"{wanted} is there already", hint="choose another name")
    graph = world.graph.of(scope.id)
    linking = [one.name for one in scope.files if any(out.target.name == file.name for out in graph.out(one))]
    notes, lines = _relinked(sheets, scope, graph.names, file.name, wanted, linking)
    sheets.move(file.name, wanted)
    index = sheets.text_or(INDEX_NAME, "")
    if file.name in index.replace(wanted, ""):
        notes.append(f"{INDEX_NAME} also names {file.name} in plain text: that stays")
    notes.insert(0, f"{lines} {'line' if lines == 1 else 'lines'} with links to it change")
    return sheets.plan(f"rename {file.name} to {wanted}", notes, renamed=((file.name, wanted),))


def _relinked(
    sheets: Sheets, scope: Scope, names: Names, old: str, new: str, linking: Collection[str]
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


def plan_delete(world: World, files: Sequence[MemoryFile]) -> Plan:
    """Files go, with their index entries; history keeps them.

    Args:
        world: The last full reading.
        files: Of one scope.

    Returns:
        The plan; its notes list the links that will lead nowhere.
    """
    scope = _scope(world, files)
    sheets = Sheets(scope.root)
    graph = world.graph.of(scope.id)
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


def plan_type(world: World, files: Sequence[MemoryFile], type: str) -> Plan:
    """Another type for files of one scope; the file name stays."""
    if type not in TYPES:
        raise Usage(f"{type!r} is no type", hint=f"one of {', '.join(TYPES)}")
    return plan_field(world, files, "type", type)


def plan_field(world: World, files: Sequence[MemoryFile], key: str, value: str) -> Plan:
    """A front matter field of files of one scope gets a value; a file without front matter gets a block."""
    scope = _scope(world, files)
    sheets = Sheets(scope.root)
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


def plan_add_to_index(world: World, files: Sequence[MemoryFile]) -> Plan:
    """List files of one scope in its index, under a heading of their type where there is one."""
    scope = _scope(world, files)
    sheets = Sheets(scope.root)
    graph = world.graph.of(scope.id)
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


def _add(sheets: Sheets, rows: Sequence[tuple[str, str, str, str | None]]) -> list[str]:
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


def plan_tidy(world: World, *, scope: str = "auto", pinned: Collection[str] = (), goal: float = 0.7) -> Plan:
    """A shorter index, down to a share of its limits; pinned files keep their entry."""
    return _shortened(world, scope, pinned, goal, rebuild=False)


def plan_rebuild(world: World, *, scope: str = "auto", pinned: Collection[str] = (), goal: float = 0.7) -> Plan:
    """An index made anew from the topic files, grouped by type."""
    return _shortened(world, scope, pinned, goal, rebuild=True)


def _shortened(world: World, id: str, pinned: Collection[str], goal: float, *, rebuild: bool) -> Plan:
    scope = world.scope(id)
    if scope is None:
        raise NotFound("there is no memory folder yet", hint="write the first memory")
    sheets = Sheets(scope.root)
    graph = world.graph.of(scope.id)
    text = sheets.text_or(INDEX_NAME, "")
    topics = [_topic(file, graph, file.name in pinned) for file in scope.files if file.kind == "topic"]
    # An entry may lead to a file that is no topic of this folder (`team/x.md`): neither dead nor ours to judge.
    known = {nfc(topic.name) for topic in topics}
    for entry in read_entries(text):
        if nfc(entry.target) not in known and graph.names.resolve(INDEX_NAME, entry.target).state != "missing":
            topics.append(Topic(entry.target, entry.title, pinned=True))
    made = (_rebuild if rebuild else _tidy)(text, topics, now=world.read_at, goal=goal)
    if made.changed:
        sheets.put(INDEX_NAME, made.text_after)
    if made.moved:
        _move_prose(sheets, made, world.read_at)
    return sheets.plan("rebuild the index" if rebuild else "tidy the index", _tidy_notes(made))


def _topic(file: MemoryFile, graph: Graph, pinned: bool) -> Topic:
    links = graph.links_in(file)
    return Topic(file.name, title_of(file), file.description, file.type, links, file.modified, pinned)


def _move_prose(sheets: Sheets, made: TidyPlan, now: float) -> None:
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


def _scope(world: World, files: Sequence[MemoryFile]) -> Scope:
    """The scope that all these files are of."""
    if not files:
        raise NotFound("no file is chosen here")
    scope = world.scope(files[0].scope)
    if scope is None or any(file.scope != scope.id for file in files):
        raise MemtuiError("these files are of several folders", hint="choose files of one folder")
    return scope
