"""What is astray, and where it may be now."""

from collections.abc import Mapping
from typing import Any

from memtui.projects.orphans import Orphans, find_orphans
from tests.projects.conftest import Home, session_id
from tests.support import digest_tree


def orphans(home: Home) -> Orphans:
    before = digest_tree(home.root)
    found = find_orphans(home.env)
    assert digest_tree(home.root) == before
    return found


def read(path: str) -> Mapping[str, Any]:
    block = {"type": "tool_use", "name": "Read", "input": {"file_path": path}}
    return {"type": "assistant", "message": {"content": [block]}}


def candidates(home: Home) -> list[tuple[str, str]]:
    (gone,) = orphans(home).gone
    return [(one.directory.relative_to(home.root).as_posix(), one.reason) for one in gone.candidates]


def test_a_healthy_home_has_none(home: Home) -> None:
    home.session(home.new, 1)
    home.memory(home.new, {"a.md": "a\n"})
    assert orphans(home) == Orphans((), (), ())


def test_one_of_the_same_name_one_level_below(home: Home) -> None:
    home.session(home.old, 1)
    assert candidates(home) == [("code/shop", "it has the same name")]


def test_one_beside_another_project(home: Home) -> None:
    home.session(home.root / "deep" / "er" / "till", 1)
    (home.root / "work" / "a" / "api").mkdir(parents=True)
    (home.root / "work" / "a" / "till").mkdir()
    home.session(home.root / "work" / "a" / "api", 2)
    assert candidates(home) == [("work/a/till", "it has the same name")]


def test_a_renamed_directory_is_known_by_its_files(home: Home) -> None:
    home.session(home.old, 1, "hi", *(read(f"{home.old}/src/{name}.py") for name in "abc"))
    for name in "abc":
        home.write(home.root / "store" / "src" / f"{name}.py", "x")
    home.write(home.root / "other" / "src" / "a.py", "x")
    assert candidates(home) == [("store", "it holds 3 of the 3 files that its sessions name")]


def test_one_of_the_name_without_its_files_is_another(home: Home) -> None:
    home.session(home.old, 1, "hi", *(read(f"{home.old}/src/{name}.py") for name in "abc"))
    assert candidates(home) == []


def test_where_its_last_session_went_on(home: Home) -> None:
    moved = home.root / "elsewhere"
    moved.mkdir()
    home.session(home.old, 1, "hi", {"type": "user", "cwd": str(moved)})
    assert candidates(home)[0] == ("elsewhere", "its last session went on there")


def test_a_worktree_that_was_removed_belongs_to_its_repository(home: Home) -> None:
    repository = home.root / "repo"
    gone = home.root / "trees" / "fix"
    home.write(repository / ".git" / "worktrees" / "fix" / "gitdir", f"{gone}/.git\n")
    home.session(repository, 1)
    home.session(gone, 2)
    assert candidates(home) == [("repo", "it was a worktree of this repository")]


def test_a_worktree_of_the_clients_own(home: Home) -> None:
    (home.root / "repo").mkdir()
    home.session(home.root / "repo" / ".claude" / "worktrees" / "fix", 1)
    assert candidates(home) == [("repo", "it was a worktree of this repository")]


def test_moved_sessions_are_told_by_the_disk(home: Home) -> None:
    path = home.session(home.old, 1)
    home.write(home.target / path.name, path.read_bytes())
    path.unlink()
    path.parent.rmdir()
    assert orphans(home).gone == ()


def test_who_owns_which_session_of_a_shared_folder(home: Home) -> None:
    dash, dot = home.root / "sh-op", home.root / "sh.op"
    dash.mkdir()
    home.session(dash, 1)
    home.session(dot, 2)
    home.session(dot, 3)
    home.write(home.folder(dot) / f"{session_id(4)}.jsonl", "{}\n")
    (shared,) = orphans(home).shared
    owners = {one.directory: (set(one.sessions), one.exists) for one in shared.owners}
    assert owners == {
        dash: ({session_id(1)}, True),
        dot: ({session_id(2), session_id(3)}, False),
        None: ({session_id(4)}, False),
    }
    assert orphans(home).gone == ()


def test_memory_that_nobody_loads(home: Home) -> None:
    repository = home.root / "repo"
    (repository / ".git").mkdir(parents=True)
    inside = repository / "part"
    inside.mkdir()
    home.session(repository, 1)
    home.session(inside, 2)
    home.memory(repository, {"a.md": "a\n"})
    left = home.memory(inside, {"b.md": "b\n"})
    lost = home.memory(home.root / "nobody", {"MEMORY.md": "- c\n"})
    home.memory(home.root / "empty", {"note.txt": "no memory"})
    found = {one.memory: one for one in orphans(home).left}
    assert set(found) == {left, lost}
    assert found[left].used == home.folder(repository) / "memory"
    assert found[left].directory == repository
    assert "belongs to the repository" in found[left].reason
    assert (found[lost].used, found[lost].directory) == (None, None)


def test_memory_that_the_settings_put_elsewhere(home: Home) -> None:
    home.session(home.new, 1)
    left = home.memory(home.new, {"a.md": "a\n"})
    home.write(home.root / ".claude" / "settings.json", f'{{"autoMemoryDirectory": "{home.root}/mind"}}')
    (found,) = orphans(home).left
    assert (found.memory, found.used) == (left, home.root / "mind")
