"""What lies around a memory folder."""

import json
from pathlib import Path

from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name
from memtui.memory.surroundings import Surroundings
from tests.memory.folders import codes, location_of, read, write


def _around(tmp_path: Path, folder: str = "repo") -> Surroundings:
    env, _ = location_of(tmp_path)
    return Surroundings.of(env, locate_memory(env, tmp_path / folder))


def test_two_directories_that_share_a_memory(tmp_path: Path) -> None:
    for number, name in enumerate(("my_app", "my-app")):
        (tmp_path / name).mkdir()
        record = {"type": "user", "cwd": str(tmp_path / name)}
        sessions = tmp_path / "home/.claude/projects" / project_name(str(tmp_path / name))
        write(sessions, {f"1111111{number}-1111-4111-8111-111111111111.jsonl": json.dumps(record) + "\n"})
    assert {path.name for path in _around(tmp_path, "my_app").sharing} == {"my_app", "my-app"}
    (note,) = _around(tmp_path, "my_app").store_notes()
    assert note.startswith("2 directories share this memory: ")
    assert _around(tmp_path).store_notes() == ()


def test_an_agent_with_several_memory_folders(tmp_path: Path) -> None:
    for place in ("home/.claude/agent-memory/rev", "repo/.claude/agent-memory/rev"):
        write(tmp_path / place, {"MEMORY.md": "# M\n"})
    (note,) = _around(tmp_path).store_notes()
    assert note.endswith("no definition says which one is read")
    write(tmp_path / "home", {".claude/agents/r.md": "---\nname: rev\nmemory: user\n---\nx\n"})
    assert f"Claude Code reads {tmp_path}/home/.claude" in _around(tmp_path).store_notes()[0]
    write(tmp_path / "repo", {".claude/agents/rev.md": "---\nmemory: project\n---\nx\n"})
    assert f"Claude Code reads {tmp_path}/repo/.claude" in _around(tmp_path).store_notes()[0]
    (tmp_path / "memory").mkdir()
    assert [code for _, code, _ in codes(read(tmp_path))] == ["agent-stores", "agent-stores"]


def test_the_working_directory_has_its_own(tmp_path: Path) -> None:
    write(tmp_path / "repo", {".git/HEAD": "", ".claude/agents/rev.md": "---\nmemory: local\n---\nx\n"})
    for place in ("repo/.claude/agent-memory-local/rev", "repo/sub/.claude/agent-memory-local/rev"):
        (tmp_path / place).mkdir(parents=True)
    assert f"reads {tmp_path}/repo/sub/.claude" in _around(tmp_path, "repo/sub").store_notes()[0]
    assert _around(tmp_path).store_notes() == ()


def test_a_name_spelled_in_two_ways(tmp_path: Path) -> None:
    for name in ("a.b", "a-b"):
        (tmp_path / "home/.claude/agent-memory" / name).mkdir(parents=True)
    (note,) = _around(tmp_path).store_notes()
    assert f"reads {tmp_path}/home/.claude/agent-memory/a-b, not" in note
