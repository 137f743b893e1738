"""One reading of all memory: complete, frozen, cheap to repeat, and without a trace."""

import errno
import os
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from memtui.memory.snapshot import read_world
from memtui.util.errors import NotFound
from tests.memory.folders import NOW, place_of, read, topic, world_of, write
from tests.support import digest_tree, run_python

FILES = {
    "MEMORY.md": "- [A](project_a.md) — hook\n",
    "project_a.md": topic("a", body="[b](sub/b.md) [t](team/t.md) [c](../repo/CLAUDE.md)\n"),
    "sub/b.md": topic("b", body="[gone](gone.md)\n"),
    "team/MEMORY.md": "- [T](t.md)\n",
    "team/t.md": topic("t"),
    "logs/2026/03/2026-03-01.md": "log\n",
}


def full_home(tmp_path: Path) -> None:
    place_of(tmp_path)
    write(
        tmp_path,
        {
            "home/.claude/agent-memory/rev/MEMORY.md": "- [R](r.md)\n",
            "home/.claude/agent-memory/rev/r.md": topic("r"),
            "home/.claude/CLAUDE.md": "user\n",
            "repo/CLAUDE.md": "project\n",
            "repo/.claude/agent-memory/tester/MEMORY.md": "x\n",
        },
    )


def test_everything_is_there(tmp_path: Path) -> None:
    full_home(tmp_path)
    world = world_of(tmp_path, FILES)
    assert [scope.id for scope in world.scopes] == ["auto", "team", "logs", "agent:user:rev", "agent:project:tester"]
    assert world.auto is world.scopes[0]
    assert [file.name for file in world.scopes[0].files] == ["MEMORY.md", "project_a.md", "sub/b.md"]
    assert [file.name for file in world.scopes[1].files] == ["MEMORY.md", "t.md"]
    assert [item.path.name for item in world.instructions if item.exists] == ["CLAUDE.md", "CLAUDE.md"]
    assert world.full and world.read_at == NOW and world.notices == ()
    assert world.auto is not None and world.auto.budget is not None and world.auto.budget.lines == 1


def test_finding_files(tmp_path: Path) -> None:
    full_home(tmp_path)
    world = world_of(tmp_path, FILES)
    memory = tmp_path / "memory"
    assert world.find("project_a.md") is world.at(memory / "project_a.md")
    assert world.find("project_a") is world.topic(memory / "project_a.md")
    team = world.find("team/t.md")
    assert team is not None and team.path == memory / "team/t.md"
    agent = world.find("agent:user:rev/r")
    assert agent is not None and agent.scope == "agent:user:rev"
    assert world.find("nothing.md") is None
    with pytest.raises(NotFound):
        world.topic(memory / "nothing.md")


def test_following_links(tmp_path: Path) -> None:
    full_home(tmp_path)
    world = world_of(tmp_path, FILES)
    memory = tmp_path / "memory"
    here = memory / "project_a.md"
    assert world.resolve(here, "sub/b.md#part") == memory / "sub/b.md"
    assert world.resolve(here, "b") == memory / "sub/b.md"
    assert world.resolve(here, "team/t.md") == memory / "team/t.md"  # another scope
    assert world.resolve(here, "../repo/CLAUDE.md") == tmp_path / "repo/CLAUDE.md"
    assert world.resolve(here, "#part") == here
    assert world.resolve(here, "gone.md") is None
    assert world.resolve(tmp_path / "repo/CLAUDE.md", "../memory/project_a.md") == here
    assert [one.name for one in world.graph.backlinks(world.topic(memory / "sub/b.md"))] == ["project_a.md"]


def test_the_short_reading_lists_and_measures_only(tmp_path: Path) -> None:
    world_of(tmp_path, FILES)
    world = read(tmp_path, full=False)
    assert not world.full and world.problems == ()
    assert world.auto is not None and world.auto.budget is not None and len(world.auto.entries) == 1
    assert {file.digest is None for file in world.auto.topics} == {True}


def test_the_full_reading_takes_over_what_the_short_one_found(tmp_path: Path) -> None:
    world_of(tmp_path, FILES)
    short = read(tmp_path, full=False)
    world = read(tmp_path, known=short)
    assert world.full and [problem.code for problem in world.problems if problem.severity != "info"] == [
        "orphan",
        "dead-link",
    ]


def test_a_reading_after_which_nothing_changed_is_the_same(tmp_path: Path) -> None:
    full_home(tmp_path)
    first = world_of(tmp_path, FILES)
    again = read(tmp_path, known=first)
    assert again.problems == first.problems and again.scopes == first.scopes
    for one, other in zip(first.scopes, again.scopes, strict=True):
        assert all(a is b for a, b in zip(one.files, other.files, strict=True))
        assert again.graph.of(one.id) is first.graph.of(one.id)


def test_only_what_changed_is_judged_again(tmp_path: Path) -> None:
    first = world_of(tmp_path, FILES)
    write(tmp_path / "memory", {"sub/b.md": topic("b", body="[a](../project_a.md)\n")}, old=60)
    again = read(tmp_path, known=first)
    assert [problem.code for problem in again.problems if problem.severity != "info"] == ["orphan"]
    assert again.find("project_a.md") is first.find("project_a.md")
    assert again.find("sub/b.md") is not first.find("sub/b.md")
    assert again.facts[str(tmp_path / "memory/project_a.md")] is first.facts[str(tmp_path / "memory/project_a.md")]


def test_a_file_that_comes_mends_the_link_of_another(tmp_path: Path) -> None:
    first = world_of(tmp_path, FILES)
    write(tmp_path / "memory", {"sub/gone.md": topic("gone")})
    again = read(tmp_path, known=first)
    assert "dead-link" not in {problem.code for problem in again.problems}


def test_ages_go_on(tmp_path: Path) -> None:
    first = world_of(tmp_path, {"MEMORY.md": "[a](a.md)\n", "a.md": topic("a", body="yesterday\n")})
    later = read(tmp_path, known=first, now=NOW + 2 * 86_400)
    assert [(p.code, p.severity) for p in first.problems] == [("relative-date", "info")]
    assert [(p.code, p.severity) for p in later.problems if p.code == "relative-date"] == [("relative-date", "warning")]


def test_no_folder_yet(tmp_path: Path) -> None:
    world = read(tmp_path)
    assert world.auto is None and world.scopes == ()
    assert world.notices == (f"no memory yet: {tmp_path / 'memory'} doesn't exist",)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("x")
    world = read(tmp_path)
    assert world.auto is not None and world.auto.problem == "not a folder"
    assert world.notices == ("memory: not a folder",)


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world_of(tmp_path, FILES)
    scandir = os.scandir

    def denied(path: str) -> object:  # the tests may run as root, whom no mode stops
        if os.fspath(path) == str(tmp_path / "memory"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)
    world = read(tmp_path)
    assert world.auto is not None and "Permission denied" in (world.auto.problem or "")
    assert world.notices == (f"memory: {world.auto.problem}",)


def test_memory_switched_off(tmp_path: Path) -> None:
    world_of(tmp_path, FILES)
    env, place = place_of(tmp_path)
    world = read_world(env=env, place=place._replace(enabled=False), full=True, now=NOW)
    assert world.auto is not None and len(world.auto.files) == 3
    assert world.notices == ("memory is switched off: the agent loads and writes none",)


def test_a_world_is_frozen(tmp_path: Path) -> None:
    world = world_of(tmp_path, FILES)
    with pytest.raises(FrozenInstanceError):
        world.problems = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        world.facts["x"] = None  # type: ignore[index]


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    full_home(tmp_path)
    world_of(tmp_path, FILES)
    before = digest_tree(tmp_path)
    world = read(tmp_path, full=False)
    world = read(tmp_path, known=world)
    for file in world.scopes[0].files:
        world.unlinked_mentions(file)
        world.graph.backlinks(file)
    assert digest_tree(tmp_path) == before


def test_the_short_reading_needs_no_heavy_library(tmp_path: Path) -> None:
    full_home(tmp_path)
    write(tmp_path / "repo", {".claude/rules/r.md": "---\npaths: [a, b]\n---\nx\n"})
    world_of(tmp_path, FILES)
    code = """
import sys
from pathlib import Path
from msgspec.structs import replace
from memtui.client.environment import Env
from memtui.client.memory_location import decide
from memtui.memory.snapshot import read_world
root = Path(sys.argv[1])
env = Env(root / "home", {}, ())
place = decide(env, root / "repo")._replace(folder=root / "memory")
world = read_world(place, env, full=False, now=1.0)
assert world.auto is not None and len(world.auto.files) == 3
heavy = ("yaml", "markdown_it", "watchfiles", "rapidfuzz", "textual", "rich", "click", "anthropic")
print([name for name in heavy if name in sys.modules])
"""
    done = run_python(code, str(tmp_path))
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
