"""Memory of one agent or project that lies in several folders: list it, and merge it into the folder that is read."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtui.client.paths import tilde_path
from memtui.dream.rules.merge import merge_texts
from memtui.memory.workspace import Workspace
from memtui.projects import merge_stores
from memtui.projects.merge_stores import COLLISIONS, Collision, FragmentFile, Fragments
from memtui.services.access import require_writable
from memtui.services.memory import PreparedChange
from memtui.services.questions import NeedsConfirmation
from memtui.util.text import pluralize

__all__ = ["COLLISIONS", "Collision", "FragmentFile", "Fragments"]


def find_fragments(workspace: Workspace) -> tuple[Fragments, ...]:
    """The memories here that lie in several folders: that of the project, and those of agents."""
    return merge_stores.find_fragments(workspace.env, workspace.location)


def fragment_files(workspace: Workspace, fragments: Fragments) -> tuple[FragmentFile, ...]:
    """The topics of the other folders, beside what the read one has by that name; `Refused` if a dream runs."""
    return merge_stores.fragment_files(fragments, workspace.now)


def merge_fragments(
    workspace: Workspace,
    fragments: Fragments,
    files: Sequence[FragmentFile],
    choices: Mapping[tuple[Path, str], Collision],
    *,
    keep_sources: bool = False,
) -> PreparedChange:
    """Merge the folders as one operation, the others emptied unless `keep_sources`; asked about.

    `choices` say what becomes of each topic that collides, by folder and name; `Refused` if one is missing.
    """
    require_writable(workspace)
    planned = merge_stores.plan_store_merge(fragments, files, choices, merge_texts, keep_sources=keep_sources)
    plan, *leaving = planned.plans
    lines = [f"{tilde_path(source, workspace.env.home)}: {_counts(source, files)}" for source in fragments.sources]
    lines += [
        f"{file.name}: {COLLISIONS[choices[file.source, file.name]]}" for file in files if file.state == "collides"
    ]
    stays = "The other folders stay as they are." if keep_sources else "The other folders are emptied; undo fills them."
    title = f"Merge the memory of {fragments.name} into {tilde_path(fragments.target, workspace.env.home)}?"
    diff = "".join(one.diff() for one in planned.plans)
    question = NeedsConfirmation(title, (*lines, stays), yes="Merge", diff=diff)
    return PreparedChange(plan, question, then=tuple(leaving), why=plan.title)


def _counts(source: Path, files: Sequence[FragmentFile]) -> str:
    states = [file.state for file in files if file.source == source]
    words = {"copy": "copied", "same": "the same", "collides": "with another text"}
    counts = [f"{states.count(state)} {word}" for state, word in words.items() if state in states]
    return f"{pluralize(len(states), 'topic')}: {', '.join(counts)}" if states else "no topic"
