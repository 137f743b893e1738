"""A folder that two directories share."""

import json
from pathlib import Path

from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name
from memtui.memory.snapshot import load_snapshot
from tests.memory.folders import GOOD, codes, location_of, write


def test_it_is_a_hint_at_the_index(tmp_path: Path) -> None:
    env, _ = location_of(tmp_path)
    store = tmp_path / "home/.claude/projects" / project_name(str(tmp_path / "a_b"))
    for number, name in enumerate(("a_b", "a-b")):
        (tmp_path / name).mkdir()
        session = f"1111111{number}-1111-4111-8111-111111111111.jsonl"
        write(store, {session: json.dumps({"type": "user", "cwd": str(tmp_path / name)}) + "\n"})
    write(store / "memory", GOOD)
    snapshot = load_snapshot(locate_memory(env, tmp_path / "a_b"), env, full=True, now=1.8e9)
    assert codes(snapshot, "info") == [("MEMORY.md", "shared-store", None)]
