"""Memory of one agent, or of one project, that lies in several folders: found, and merged into the one that is read.

It comes about by git worktrees, a directory that moved, another scope or spelling of an agent's memory. Merging is a
plan at first, which reads and writes nothing; a topic that both have with different texts is a person's to decide.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import real_path
from memtui.history.snapshot import scan
from memtui.memory.index import INDEX_NAME, drop_entries, read_entries, retarget_entries
from memtui.memory.links import Names, update_links
from memtui.memory.plans import Plan, PlanBuilder
from memtui.memory.scope import read_scope
from memtui.memory.surroundings import Surroundings
from memtui.projects.orphans import find_orphans
from memtui.projects.relocate import check_not_dreaming, tail_of, take_in
from memtui.util.errors import Refused
from memtui.util.text import pluralize

Collision = Literal["ours", "theirs", "both", "merge"]
"""What becomes of a topic with two texts: that of the target stays, the other's takes its place, both stay, or one text
is made of both."""
COLLISIONS: Mapping[Collision, str] = {
    "ours": "keep the text that is read now", "theirs": "take the other text",
    "both": "keep both, the other under a second name", "merge": "merge the two texts",
}  # fmt: skip
MergeTexts = Callable[[str, str], tuple[str, tuple[str, ...]]]


class Fragments(Struct, frozen=True):
    """Folders of one memory: `name` says whose, `target` is the one that is read, `sources` are the others."""

    name: str
    target: Path
    sources: tuple[Path, ...]


class FragmentFile(Struct, frozen=True):
    """A topic of a source, and what the target has by that name: nothing ("copy"), the same, or another text."""

    source: Path
    name: str
    state: Literal["copy", "same", "collides"]


class StoreMerge(Struct, frozen=True):
    """What merging would do: the topics, and the plan of each folder, that of the target first."""

    files: tuple[FragmentFile, ...]
    plans: tuple[Plan, ...]


def find_fragments(env: Env, location: MemoryLocation) -> tuple[Fragments, ...]:
    """The memories of a directory that lie in several folders; `Unsupported` if the projects may not be read."""
    found: list[Fragments] = []
    orphans, here = find_orphans(env), real_path(location.folder)
    places = {real_path(location.cwd), real_path(location.root)}
    sources = [one.memory for one in orphans.left if one.used is not None and real_path(one.used) == here]
    sources += [
        one.project.memory
        for one in orphans.gone
        if one.project.memory is not None and one.candidates and real_path(one.candidates[0].directory) in places
    ]
    if others := tuple(dict.fromkeys(one for one in sources if real_path(one) != here)):
        found.append(Fragments("project", location.folder, others))
    for name, stores in Surroundings.of(env, location).agent_stores.items():
        target = next((one for one in stores if one.is_read), stores[0]).root
        found.append(Fragments(name, target, tuple(one.root for one in stores if one.root != target)))
    return tuple(found)


def fragment_files(fragments: Fragments, now: Callable[[], float]) -> tuple[FragmentFile, ...]:
    """The topics of all sources beside those of the target; `Refused` if a dream may be running in a folder."""
    found: list[FragmentFile] = []
    known = {name: (fragments.target / name).read_bytes() for name in _topics(fragments.target)}
    for root in (fragments.target, *fragments.sources):
        check_not_dreaming(root, now)
    for source in fragments.sources:
        for name in _topics(source):
            theirs = (source / name).read_bytes()
            ours = known.get(name)
            state: Literal["copy", "same", "collides"] = "collides" if ours is not None else "copy"
            found.append(FragmentFile(source, name, "same" if ours == theirs else state))
            known.setdefault(name, theirs)
    return tuple(found)


def _topics(root: Path) -> list[str]:
    return [name for name in sorted(scan(root, None)) if name.rpartition("/")[2] != INDEX_NAME]


def plan_store_merge(
    fragments: Fragments,
    files: Sequence[FragmentFile],
    choices: Mapping[tuple[Path, str], Collision],
    merge: MergeTexts,
    *,
    keep_sources: bool = False,
) -> StoreMerge:
    """Plan to bring all topics into the target, its index extended by entries that it lacks.

    Args:
        files: As from `fragment_files`.
        choices: For each topic that collides, by source and name.
        merge: Makes one text of two.
        keep_sources: Whether the sources stay as they are; else what was merged goes there, and the history has it.

    Raises:
        Refused: If a choice is missing.
    """
    builder = PlanBuilder(fragments.target)
    leaving: list[Plan] = []
    for source in fragments.sources:
        here = PlanBuilder(source)
        mine = [file for file in files if file.source == source]
        both = (file for file in mine if choices.get((source, file.name)) == "both")
        renamed = {file.name: _free_name(builder, file) for file in both}
        names = Names(read_scope(source, "auto", "memory", full=False).files, source)
        for file in mine:
            text = here.text(file.name)
            here.drop(file.name)
            if file.state == "collides" and (source, file.name) not in choices:
                raise Refused(f"{file.name} has another text in {source}", hint="say what becomes of it")
            for old, new in renamed.items():
                text = update_links(text, file.name, old, new, names)
            choice = choices[source, file.name] if file.state == "collides" else None
            if choice == "merge":
                text = merge(builder.text(file.name), text)[0]
            if file.state != "same" and choice != "ours":
                builder.put(renamed.get(file.name, file.name), text)
        if here.exists(INDEX_NAME):
            index, other = builder.text_or(INDEX_NAME, "# Memory\n"), here.text(INDEX_NAME)
            for old, new in renamed.items():
                other = retarget_entries(other, old, new)
            for entry in read_entries(index):
                other = drop_entries(other, entry.target)
            builder.put(INDEX_NAME, take_in(index, other)[0])
            here.drop(INDEX_NAME)
        leaving.append(here.plan(f"memory goes to {fragments.target}"))
    coming = builder.plan(f"merge the memory of {fragments.name} from {pluralize(len(fragments.sources), 'folder')}")
    plans = (coming, *(plan for plan in leaving if plan.changes and not keep_sources))
    return StoreMerge(tuple(files), plans)


def _free_name(builder: PlanBuilder, file: FragmentFile) -> str:
    stem, number = f"{file.name.removesuffix('.md')}.from-{tail_of(file.source.parent.name)}", 1
    while builder.exists(name := f"{stem}{f'-{number}' if number > 1 else ''}.md"):
        number += 1
    return name
