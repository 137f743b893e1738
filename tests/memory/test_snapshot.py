"""One reading of all memory: complete, frozen, cheap to repeat, and without a trace."""

import errno
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from memtui.memory.snapshot import load_snapshot
from memtui.util.errors import NotFound
from tests.memory.folders import NOW, location_of, read, snapshot_of, topic, write
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
    location_of(tmp_path)
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
    snapshot = snapshot_of(tmp_path, FILES)
    assert [scope.id for scope in snapshot.scopes] == ["auto", "team", "logs", "agent:user:rev", "agent:project:tester"]
    assert snapshot.auto is snapshot.scopes[0]
    assert [file.name for file in snapshot.scopes[0].files] == ["MEMORY.md", "project_a.md", "sub/b.md"]
    assert [file.name for file in snapshot.scopes[1].files] == ["MEMORY.md", "t.md"]
    assert [item.path.name for item in snapshot.instructions if item.exists] == ["CLAUDE.md", "CLAUDE.md"]
    assert snapshot.full and snapshot.read_at == NOW and snapshot.notices == ()
    assert snapshot.auto is not None and snapshot.auto.budget is not None and snapshot.auto.budget.lines == 1


def test_finding_files(tmp_path: Path) -> None:
    full_home(tmp_path)
    snapshot = snapshot_of(tmp_path, FILES)
    memory = tmp_path / "memory"
    assert snapshot.find("project_a.md") is snapshot.at(memory / "project_a.md")
    assert snapshot.find("project_a") is snapshot.topic(memory / "project_a.md")
    team = snapshot.find("team/t.md")
    assert team is not None and team.path == memory / "team/t.md"
    agent = snapshot.find("agent:user:rev/r")
    assert agent is not None and agent.scope == "agent:user:rev"
    assert snapshot.find("nothing.md") is None
    with pytest.raises(NotFound):
        snapshot.topic(memory / "nothing.md")


def test_following_links(tmp_path: Path) -> None:
    full_home(tmp_path)
    snapshot = snapshot_of(tmp_path, FILES)
    memory = tmp_path / "memory"
    here = memory / "project_a.md"
    assert snapshot.resolve(here, "sub/b.md#part") == memory / "sub/b.md"
    assert snapshot.resolve(here, "b") == memory / "sub/b.md"
    assert snapshot.resolve(here, "team/t.md") == memory / "team/t.md"  # another scope
    assert snapshot.resolve(here, "../repo/CLAUDE.md") == tmp_path / "repo/CLAUDE.md"
    assert snapshot.resolve(here, "#part") == here
    assert snapshot.resolve(here, "gone.md") is None
    assert snapshot.resolve(tmp_path / "repo/CLAUDE.md", "../memory/project_a.md") == here
    assert [one.name for one in snapshot.graphs["auto"].backlinks("sub/b.md")] == ["project_a.md"]


def test_the_short_reading_lists_and_measures_only(tmp_path: Path) -> None:
    snapshot_of(tmp_path, FILES)
    snapshot = read(tmp_path, full=False)
    assert not snapshot.full and snapshot.problems == ()
    assert snapshot.auto is not None and snapshot.auto.budget is not None and len(snapshot.auto.entries) == 1
    assert {file.digest is None for file in snapshot.auto.topics} == {True}


def test_the_full_reading_takes_over_what_the_short_one_found(tmp_path: Path) -> None:
    snapshot_of(tmp_path, FILES)
    short = read(tmp_path, full=False)
    snapshot = read(tmp_path, known=short)
    assert snapshot.full and [problem.code for problem in snapshot.problems if problem.severity != "info"] == [
        "orphan",
        "dead-link",
    ]


def test_a_reading_after_which_nothing_changed_is_the_same(tmp_path: Path) -> None:
    full_home(tmp_path)
    first = snapshot_of(tmp_path, FILES)
    again = read(tmp_path, known=first)
    assert again.problems == first.problems and again.scopes == first.scopes
    for one, other in zip(first.scopes, again.scopes, strict=True):
        assert all(a is b for a, b in zip(one.files, other.files, strict=True))
        assert again.graphs[one.id] is first.graphs[one.id]


def test_only_what_changed_is_judged_again(tmp_path: Path) -> None:
    first = snapshot_of(tmp_path, FILES)
    write(tmp_path / "memory", {"sub/b.md": topic("b", body="[a](../project_a.md)\n")}, old=60)
    again = read(tmp_path, known=first)
    assert [problem.code for problem in again.problems if problem.severity != "info"] == ["orphan"]
    assert again.find("project_a.md") is first.find("project_a.md")
    assert again.find("sub/b.md") is not first.find("sub/b.md")
    assert (
        again.findings[str(tmp_path / "memory/project_a.md")] is first.findings[str(tmp_path / "memory/project_a.md")]
    )


def test_a_file_that_comes_mends_the_link_of_another(tmp_path: Path) -> None:
    first = snapshot_of(tmp_path, FILES)
    write(tmp_path / "memory", {"sub/gone.md": topic("gone")})
    again = read(tmp_path, known=first)
    assert "dead-link" not in {problem.code for problem in again.problems}


def test_ages_go_on(tmp_path: Path) -> None:
    first = snapshot_of(tmp_path, {"MEMORY.md": "[a](a.md)\n", "a.md": topic("a", body="yesterday\n")})
    later = read(tmp_path, known=first, now=NOW + 2 * 86_400)
    assert [(p.code, p.severity) for p in first.problems] == [("relative-date", "info")]
    assert [(p.code, p.severity) for p in later.problems if p.code == "relative-date"] == [("relative-date", "warning")]


def test_no_folder_yet(tmp_path: Path) -> None:
    snapshot = read(tmp_path)
    assert snapshot.auto is None and snapshot.scopes == ()
    assert snapshot.notices == (f"no memory yet: {tmp_path / 'memory'} doesn't exist",)


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("x")
    snapshot = read(tmp_path)
    assert snapshot.auto is not None and snapshot.auto.problem == "not a folder"
    assert snapshot.notices == ("memory: not a folder",)


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot_of(tmp_path, FILES)
    scandir = os.scandir

    def denied(path: str) -> object:  # the tests may run as root, whom no mode stops
        if os.fspath(path) == str(tmp_path / "memory"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", denied)
    snapshot = read(tmp_path)
    assert snapshot.auto is not None and "Permission denied" in (snapshot.auto.problem or "")
    assert snapshot.notices == (f"memory: {snapshot.auto.problem}",)


def test_memory_switched_off(tmp_path: Path) -> None:
    snapshot_of(tmp_path, FILES)
    env, location = location_of(tmp_path)
    snapshot = load_snapshot(env=env, location=replace(location, enabled=False), full=True, now=NOW)
    assert snapshot.auto is not None and len(snapshot.auto.files) == 3
    assert snapshot.notices == ("memory is switched off: the agent loads and writes none",)


def test_a_snapshot_is_frozen(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, FILES)
    with pytest.raises(AttributeError):
        snapshot.problems = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        snapshot.findings["x"] = None  # type: ignore[index]


def test_reading_leaves_no_trace(tmp_path: Path) -> None:
    full_home(tmp_path)
    snapshot_of(tmp_path, FILES)
    before = digest_tree(tmp_path)
    snapshot = read(tmp_path, full=False)
    snapshot = read(tmp_path, known=snapshot)
    for file in snapshot.scopes[0].files:
        snapshot.unlinked_mentions(file)
        snapshot.graphs[file.scope].backlinks(file)
    assert digest_tree(tmp_path) == before


def test_the_short_reading_needs_no_heavy_library(tmp_path: Path) -> None:
    full_home(tmp_path)
    write(tmp_path / "repo", {".claude/rules/r.md": "---\npaths: [a, b]\n---\nx\n"})
    snapshot_of(tmp_path, FILES)
    code = """
import sys
from pathlib import Path
from msgspec.structs import replace
from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.memory.snapshot import load_snapshot
root = Path(sys.argv[1])
env = Env(root / "home", {}, ())
location = replace(locate_memory(env, root / "repo"), folder=root / "memory")
snapshot = load_snapshot(location, env, full=False, now=1.0)
assert snapshot.auto is not None and len(snapshot.auto.files) == 3
heavy = ("yaml", "markdown_it", "watchfiles", "rapidfuzz", "textual", "rich", "click", "anthropic")
print([name for name in heavy if name in sys.modules])
"""
    done = run_python(code, str(tmp_path))
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
