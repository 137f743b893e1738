"""Which folders of memory belong to a directory."""

from pathlib import Path

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.memory.scope import scope_roots


def location(root: Path, cwd: str) -> MemoryLocation:
    env = Env(root / "home", {}, ())
    return locate_memory(env, root / cwd)


def folders(root: Path, *names: str) -> None:
    for name in names:
        (root / name).mkdir(parents=True)


def test_the_auto_memory_is_listed_whether_it_exists_or_not(tmp_path: Path) -> None:
    folders(tmp_path, "home", "repo")
    found = scope_roots(location(tmp_path, "repo"))
    assert [scope.id for scope in found] == ["auto"]
    assert not found[0].root.exists()


def test_all_scopes_in_their_order(tmp_path: Path) -> None:
    folders(tmp_path, "repo/.git", "home/.claude/agent-memory/reviewer", "home/.claude/agent-memory/.hidden")
    folders(tmp_path, "repo/.claude/agent-memory/tester", "repo/.claude/agent-memory-local/scratch")
    here = location(tmp_path, "repo")
    (here.folder / "team").mkdir(parents=True)
    (here.folder / "logs").mkdir()
    (tmp_path / "home/.claude/agent-memory/a-file").write_text("")
    found = scope_roots(here)
    assert [scope.id for scope in found] == [
        "auto",
        "team",
        "logs",
        "agent:user:reviewer",
        "agent:project:tester",
        "agent:local:scratch",
    ]
    assert found[4].root == tmp_path / "repo/.claude/agent-memory/tester"


def test_below_the_root_an_agents_memory_is_the_working_directorys(tmp_path: Path) -> None:
    folders(tmp_path, "home", "repo/.git", "repo/sub/.claude/agent-memory/rev")
    folders(tmp_path, "repo/.claude/agent-memory/rev", "repo/.claude/agent-memory/other")
    found = {scope.id: scope.root for scope in scope_roots(location(tmp_path, "repo/sub"))}
    assert found["agent:project:rev"] == tmp_path / "repo/sub/.claude/agent-memory/rev"
    assert found["agent:project:other"] == tmp_path / "repo/.claude/agent-memory/other"
