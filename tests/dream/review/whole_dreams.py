"""Whole dreams over any memory folder: our own loop, through the real SDK, with a scripted model.

The model announces the four stages, reads what it will change, edits in place and writes whole where most lines differ,
empties what is gone a turn after its target is written, and brings MEMORY.md in line last.
"""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.memory_location import locate_memory
from memtui.dream.backends.registry import choose_backend
from memtui.dream.run.events import WriteFailed
from memtui.dream.run.run import RunEnd
from memtui.dream.run.runs import events_of, list_runs
from memtui.memory.workspace import Workspace
from memtui.util.config import read_config
from tests.agent.scripted_api import Block, Reply, Scripted, answer, call, text
from tests.dream.review.edits import INDEX
from tests.dream.scene import contents, make_scene, put_session

KEY = "sk-ant-api03-" + "n0tAkey" * 12
MAX_EDITED_SHARE = 0.5
"""Share of a file's lines from which the model writes it whole."""


class Dreamt(Struct, frozen=True):
    """How a dream ended, what it left in the folder, and which of its requests and writes failed."""

    end: RunEnd
    folder: Mapping[str, str]
    faults: tuple[str, ...]


def dream_through(
    api: Scripted, root: Path, before: Mapping[str, str], after: Mapping[str, str], prompts: str = ""
) -> Dreamt:
    """Dream from one folder to the other in a new home below `root`, clean runs adopted unasked.

    `prompts`: what a person typed in the one session since the last dream.
    """
    root.mkdir(parents=True, exist_ok=True)
    scene = make_scene(root, files=1)
    (scene.folder / INDEX).unlink()
    for name, words in before.items():
        scene.write(name, words)
    records = [{"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": prompts}}]
    put_session(scene, 1, "".join(json.dumps(one) + "\n" for one in records if prompts))
    api.says(*replies(before, after))
    env = replace(scene.workspace.env, environ={"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url})
    location = locate_memory(env, root / "shop")
    scene.workspace = Workspace(env, scene.dirs, location, trash=False, now=scene.workspace.now)
    backend = choose_backend(None, "reflect", scene.workspace, read_config(scene.dirs.config))
    end = scene.run(backend.work, backend=backend.name)
    events = events_of(list_runs(scene.dirs)[0])
    faults = (*api.refused, *(f"{one.name}: {one.reason}" for one in events if isinstance(one, WriteFailed)))
    left = {name: data.decode("utf-8") for name, data in contents(scene.folder).items()}
    return Dreamt(end, left, faults)


def replies(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Reply, ...]:
    """The answers of a run that leaves `after`."""
    changed = [name for name, words in sorted(after.items()) if before.get(name) != words and name != INDEX]
    gone = sorted(before.keys() - after.keys() - {INDEX})
    reads = [call("Read", file_path=name) for name in (*changed, *gone, INDEX) if before.get(name)]
    writes = [one for name in changed for one in _calls(name, before.get(name, ""), after[name])]
    last = [call("Write", file_path=name, content="") for name in gone]
    last += _calls(INDEX, before.get(INDEX, ""), after.get(INDEX, ""))
    found = [
        answer(text("STAGE: orient"), call("Glob", pattern="**/*.md")),
        answer(text("STAGE: gather"), *reads),
        answer(text("STAGE: consolidate"), *writes),
        answer(text("STAGE: prune"), *last),
        answer(text("Done.")),
    ]
    told = [reads, writes, last]
    return (found[0], *(one for one, calls in zip(found[1:4], told, strict=True) if calls), found[4])


def _calls(name: str, before: str, after: str) -> list[Block]:
    """Edits with a line around each, or one Write."""
    if before == after:
        return []
    old, new, now, edits, lines = before.splitlines(keepends=True), after.splitlines(keepends=True), before, [], 0
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        gone = "".join(old[group[0][1] : group[-1][2]])
        fresh = "".join(new[group[0][3] : group[-1][4]])
        lines += group[-1][2] - group[0][1]
        if not gone or now.count(gone) != 1:
            return [call("Write", file_path=name, content=after)]
        now = now.replace(gone, fresh)
        edits.append(call("Edit", file_path=name, old_string=gone, new_string=fresh))
    if now != after or not after or lines > MAX_EDITED_SHARE * len(old):
        return [call("Write", file_path=name, content=after)]
    return edits
