"""Changes that bring topics and entries to another place, as plans: merging two topics, moving one to another scope or
its index entry above the cut. As in `plans`, making one reads files and writes nothing.
"""

import posixpath
from collections.abc import Callable

from msgspec.structs import replace

from memtui.memory.budget import measure_index
from memtui.memory.index import (
    INDEX_NAME,
    EntryRow,
    drop_entries,
    lost_entries,
    move_entry_up,
    read_entries,
    retarget_entries,
)
from memtui.memory.links import Names, retarget_link, update_links
from memtui.memory.markdown import apply_edits, find_links
from memtui.memory.plans import Plan, PlanBuilder, add_to_index, edit_files, plan_delete, scope_of
from memtui.memory.scope import Scope
from memtui.memory.snapshot import Snapshot
from memtui.memory.topic import MemoryFile
from memtui.util.errors import MemtuiError, NotFound, Refused
from memtui.util.text import pluralize

MergeTexts = Callable[[str, str], tuple[str, tuple[str, ...]]]
"""Makes one text of two, with the front matter of the first; also gives the headings that it left out."""


def plan_merge(snapshot: Snapshot, kept: MemoryFile, gone: MemoryFile, merge: MergeTexts) -> Plan:
    """Merge a topic into another of its scope, which keeps its name and front matter; links lead there then."""
    scope, graph = scope_of(snapshot, [kept])
    for file in (kept, gone):
        if file.kind != "topic" or file.scope != scope.id:
            raise Refused(f"{file.name} is no topic file of {scope.label}", hint="choose two topics of one folder")
        if file.readonly:
            raise Refused(f"{file.name} opens read only: {file.readonly}")
    if kept.name == gone.name:
        raise Refused("a file can't be merged with itself", hint="choose another")
    builder = PlanBuilder(scope.root)
    texts = [
        _follow(builder.text(name), name, gone.name, kept.name, graph.names, home=kept.name)
        for name in (kept.name, gone.name)
    ]
    merged, left_out = merge(*texts)
    builder.put(kept.name, merged)
    builder.drop(gone.name)
    linking = [file for file in graph.linking(gone.name) if file.name not in (kept.name, gone.name, INDEX_NAME)]
    lines, links = edit_files(
        builder, linking, gone.name, lambda text, name: _follow(text, name, gone.name, kept.name, graph.names)
    )
    notes = [*(f"the heading {heading} of {gone.name} is left out" for heading in left_out), *links]
    if scope.index is not None:
        builder.put(INDEX_NAME, _one_entry(builder.text(INDEX_NAME), gone.name, kept.name, graph.names, notes))
    notes.insert(
        0, f"{pluralize(lines, 'line')} with links to {gone.name} {'leads' if lines == 1 else 'lead'} there now"
    )
    return builder.plan(f"merge {gone.name} into {kept.name}", notes)


def _one_entry(index: str, gone: str, kept: str, names: Names, notes: list[str]) -> str:
    """The index with one entry for both: that of the first if there is one, else the second's, led to the first."""
    entries = read_entries(index)
    targets = {entry.target: names.resolve(INDEX_NAME, entry.target).name for entry in entries}
    is_listed = kept in targets.values()
    for entry in entries:
        if targets[entry.target] == gone:
            if not is_listed:
                index = retarget_entries(index, entry.target, kept)
                continue
            index = drop_entries(index, entry.target)
            if entry.description:
                notes.append(f"the entry of {gone} goes, with its description: {entry.description}")
    return _follow(index, INDEX_NAME, gone, kept, names)


def _follow(text: str, source: str, gone: str, kept: str, names: Names, *, home: str = "") -> str:
    """Let every link to a file that goes lead to another that is there; `home` is where the text is put."""
    text = update_links(text, source, gone, kept, names)
    home = home or source
    while True:  # `[[its name]]` is left by a rename, which takes the name along
        links = find_links(text)
        link = next((one for one in links if one.kind == "wiki" and names.target_of(source, one).name == gone), None)
        if link is None:
            return text
        text = retarget_link(text, link, home, kept)


def plan_promotion(snapshot: Snapshot, file: MemoryFile, scope_id: str) -> tuple[Plan, Plan | None]:
    """Move a topic to another scope: the plan that writes and lists it there, then the one that deletes it here.

    `snapshot` is a full one. A folder that lies in this one (`team/`) takes one plan, and links follow; elsewhere the
    notes say which lead nowhere then.
    """
    scope, graph = scope_of(snapshot, [file])
    offered = promotion_scopes(snapshot, file)
    goal = next((one for one in offered if one.id == scope_id), None)
    if goal is None:
        hint = f"scopes to move it to: {', '.join(one.id for one in offered) or 'none'}"
        raise NotFound(f"{file.name} can't move to {scope_id}: there is no such scope", hint=hint)
    if file.kind != "topic" or file.readonly:
        raise Refused(f"{file.name} is no topic file that can move")
    name = file.name.rpartition("/")[2]
    is_inside = goal.root.is_relative_to(scope.root)
    prefix = f"{goal.root.relative_to(scope.root).as_posix()}/" if is_inside else ""
    builder = PlanBuilder(scope.root if is_inside else goal.root)
    if builder.exists(prefix + name):
        raise Refused(f"{name} is there already, in {goal.label}", hint="rename it first")
    text = PlanBuilder(scope.root).text(file.name)
    builder.put(prefix + name, update_links(text, file.name, file.name, prefix + name, graph.names) if prefix else text)
    entries = [one for one in scope.entries if graph.names.resolve(INDEX_NAME, one.target).name == file.name]
    description = entries[0].description if entries else file.description or ""
    row = EntryRow(file.entry_title, name, description, file.type)
    notes = add_to_index(builder, [row], goal.types, index=prefix + INDEX_NAME)
    title = f"move {file.name} to {goal.label}"
    if not is_inside:
        dead = sum(out.target.name not in (None, file.name) for out in graph.out(file))
        if dead:
            notes.append(f"{pluralize(dead, 'link')} in it to {scope.label} will lead nowhere")
        return builder.plan(f"{title}: write it there", notes), replace(
            plan_delete(snapshot, [file]), title=f"{title}: delete it here"
        )
    for other in graph.linking(file.name):
        if other.name not in (file.name, INDEX_NAME):
            after = update_links(builder.text(other.name), other.name, file.name, prefix + name, graph.names)
            builder.put(other.name, _by_path(after, other.name, file.name, prefix + name, graph.names))
    if scope.index is not None:
        index = builder.text(INDEX_NAME)
        for one in entries:
            index = drop_entries(index, one.target)
        builder.put(INDEX_NAME, index)
    builder.drop(file.name)
    return builder.plan(title, notes), None


def _by_path(text: str, source: str, old: str, new: str, names: Names) -> str:
    """Let `[[name]]` links to a file that goes into another scope give its path: names count in one scope only."""
    path = posixpath.relpath(new, posixpath.dirname(source) or ".").removesuffix(".md")
    edits = [
        (link.target_start, link.target_end, path)
        for link in find_links(text)
        if link.kind == "wiki" and names.target_of(source, link).name == old
    ]
    return apply_edits(text, edits)


def promotion_scopes(snapshot: Snapshot, file: MemoryFile) -> tuple[Scope, ...]:
    """The scopes that a topic may move to: those that exist, daily logs and its own apart."""
    return tuple(scope for scope in snapshot.scopes if scope.id not in ("logs", file.scope))


def plan_above_cut(snapshot: Snapshot, file: MemoryFile) -> Plan:
    """Move the index entry of a topic up, so that it is loaded; the notes say which entry isn't any more."""
    scope, graph = scope_of(snapshot, [file])
    builder = PlanBuilder(scope.root)
    text = builder.text_or(INDEX_NAME, "")
    budget = measure_index(text)
    entry = next((e for e in read_entries(text) if graph.names.resolve(INDEX_NAME, e.target).name == file.name), None)
    if entry is None:
        raise NotFound(f"{INDEX_NAME} doesn't list {file.name}", hint="add it to the index first")
    if budget.cut_line_in_file is None or entry.line < budget.cut_line_in_file:
        return builder.plan(f"move {file.name} above the cut", [f"{file.name} is above the cut: it is loaded"])
    after = move_entry_up(text, entry.target, budget.cut_line_in_file)
    builder.put(INDEX_NAME, after)
    was = {one.target for one in lost_entries(read_entries(text, budget))}
    now = {one.target for one in lost_entries(read_entries(after, measure_index(after)))}
    if entry.target in now:
        raise MemtuiError(f"there is no room above the cut for {file.name}", hint="tidy the index")
    notes = [f"{name} isn't loaded any more" for name in sorted(now - was)]
    return builder.plan(f"move {file.name} above the cut", notes)
