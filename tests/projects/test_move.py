"""A move from beginning to end, stopped at every call, and taken back."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.client.paths import LOCK_NAME, project_name
from memtui.client.projects import list_projects
from memtui.history.database import HistoryDatabase
from memtui.history.store import Stale, Store
from memtui.memory.drafts import Drafts
from memtui.memory.pins import Pins
from memtui.projects.journal import Journal, unfinished
from memtui.projects.relocate import apply_move, plan_move
from memtui.projects.relocate_undo import past_move, undo_move
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused
from tests.fs.faults import Crash, FaultFS, Snapshot, upward
from tests.projects.conftest import OLD, Home, files, session_id
from tests.support import digest_tree

ONE, TWO = session_id(1), session_id(2)


def now() -> float:
    return OLD + 100.0


@pytest.fixture
def moved(home: Home) -> Home:
    """Two sessions, one with a sub-agent, and memory; the new folder has one session and one memory of those names."""
    home.session(home.old, 1, "fix the till")
    home.write(home.source / ONE / "subagents" / "agent-a.jsonl", "sub\n")
    home.session(home.old, 2, "the old one")
    home.session(home.new, 2, "the new one")
    home.memory(home.old, {"a.md": "old a\n", "only.md": "only\n", "MEMORY.md": "- [A](a.md)\n- [Only](only.md)\n"})
    home.memory(home.new, {"a.md": "new a\n", "MEMORY.md": "- [A](a.md)\n"})
    return home


def contents(home: Home) -> set[bytes]:
    """The bytes of every session and topic, wherever they are; an index may have grown."""
    found = {**files(home.source), **{f"new/{name}": data for name, data in files(home.target).items()}}
    return {data for name, data in found.items() if not name.endswith(("MEMORY.md", ".tmp"))}


def test_all_of_it_moves_and_nothing_is_lost(moved: Home) -> None:
    before = digest_tree(moved.root)
    had = contents(moved)
    times = {path.name: path.stat().st_mtime_ns for path in moved.source.glob("*.jsonl")}
    plan = moved.plan(fresh=lambda: session_id(7))
    assert digest_tree(moved.root) == before
    done = apply_move(plan, now=now)
    assert (len(done.sessions), done.memory, done.stays) == (2, True, ())
    assert contents(moved) == had
    assert not moved.source.exists()
    names = set(files(moved.target))
    assert names == {
        f"{ONE}.jsonl", f"{ONE}/subagents/agent-a.jsonl", f"{TWO}.jsonl", f"{session_id(7)}.jsonl",
        "memory/MEMORY.md", "memory/a.md", "memory/a.from-shop.md", "memory/only.md",
    }  # fmt: skip
    assert (moved.target / f"{ONE}.jsonl").stat().st_mtime_ns == times[f"{ONE}.jsonl"]
    assert (moved.target / "memory" / "only.md").stat().st_mtime == OLD
    (project,) = list_projects(moved.env)
    assert (project.cwd, project.gone, project.sessions) == (moved.new, False, 3)
    assert unfinished(moved.dirs) == ()
    with pytest.raises(NotFound):
        moved.plan()


def test_taking_it_back_gives_every_byte_and_time(moved: Home) -> None:
    before = {**digest_tree(moved.source), **{f"new {k}": v for k, v in digest_tree(moved.target).items()}}
    done = apply_move(moved.plan(), now=now)
    undone = undo_move(moved.dirs, done.id[:6], now=now)
    assert (undone.sessions, undone.memory, undone.stays) == (2, True, ())
    after = {**digest_tree(moved.source), **{f"new {k}": v for k, v in digest_tree(moved.target).items()}}

    def told(tree: dict[str, tuple[str, bytes, int]]) -> dict[str, object]:
        return {name: entry[:2] if entry[0] == "dir" else entry for name, entry in tree.items()}

    assert told(after) == told(before)
    with pytest.raises(Conflict):
        undo_move(moved.dirs, done.id, now=now)
    with pytest.raises(NotFound):
        past_move(moved.dirs)


def every_crash(moved: Home, *, memory: bool) -> Iterator[FaultFS]:
    """The move stopped at each call, with memory at each eleventh; the folders are put back before the next one."""
    snapshot = Snapshot(moved.root)

    def crashing(number: int) -> FaultFS:
        fs = FaultFS()
        fs.crash_at(number * (11 if memory else 1))
        return fs

    for fs in upward(crashing):
        HistoryDatabase.of(moved.dirs).close()
        snapshot.put_back()
        plan = moved.plan(fresh=lambda: session_id(7), memory=memory)
        try:
            apply_move(plan, now=now, fs=fs)
        except Crash:
            pass
        yield fs


@pytest.mark.parametrize("memory", [False, True])
def test_stopped_anywhere_the_same_move_ends_it(moved: Home, memory: bool) -> None:
    had = contents(moved)
    for fs in every_crash(moved, memory=memory):
        assert contents(moved) == had, fs.where
        assert _whole(moved), fs.where
        if moved.source.exists():
            apply_move(moved.plan(fresh=lambda: session_id(8), memory=memory), now=now, fs=FaultFS())
        assert contents(moved) == had, fs.where
        assert not [name for name in files(moved.source) if ".jsonl" in name], fs.where
        assert len(list(moved.target.glob("*.jsonl"))) in (3, 4), fs.where
        if memory:
            assert not moved.source.exists(), fs.where
            names = sorted(path.name for path in (moved.target / "memory").iterdir())
            assert names == ["MEMORY.md", "a.from-shop.md", "a.md", "only.md"], fs.where


@pytest.mark.parametrize("memory", [False, True])
def test_stopped_anywhere_it_can_be_taken_back(moved: Home, memory: bool) -> None:
    had, source = contents(moved), files(moved.source)
    for fs in every_crash(moved, memory=memory):
        if not Journal(moved.dirs).moves():
            continue
        undo_move(moved.dirs, now=now, fs=FaultFS())
        assert contents(moved) == had, fs.where
        assert files(moved.source) == source, fs.where
        left = {name for name in files(moved.target) if not name.endswith(".tmp")}
        assert left == {f"{TWO}.jsonl", "memory/MEMORY.md", "memory/a.md"}, fs.where


def _whole(home: Home) -> bool:
    """Whether each session of the old folder is there whole, in one of the two."""
    texts = [data for root in (home.source, home.target) for name, data in files(root).items() if ".jsonl" in name]
    return all(any(word in data and data.endswith(b"}\n") for data in texts) for word in (b"till", b"the old one"))


def test_what_a_dead_process_left_of_a_copy_is_cleared(moved: Home) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    moved.write(moved.target / ONE / f".x.jsonl.memtui-{child.pid}-0123456789ab.tmp", "half")
    apply_move(moved.plan(), now=now)
    assert not [name for name in files(moved.target) if name.endswith(".tmp")]


def test_a_move_that_was_stopped_is_told(moved: Home) -> None:
    fs = FaultFS()
    fs.crash_at(300)
    with pytest.raises(Crash):
        apply_move(moved.plan(), now=now, fs=fs)
    (past,) = unfinished(moved.dirs)
    assert (past.old, past.new) == (str(moved.old), str(moved.new))
    apply_move(moved.plan(), now=now)
    assert unfinished(moved.dirs) == ()


def test_a_running_session_stays_and_one_that_runs_by_now_refuses_all(moved: Home) -> None:
    plan = moved.plan(live={ONE})
    assert [session.id for session in plan.sessions] == [TWO]
    assert plan.stays[0].what == ONE
    before = digest_tree(moved.root)
    with pytest.raises(Refused, match="running"):
        apply_move(moved.plan(), live={ONE}, now=now)
    assert digest_tree(moved.root) == before
    apply_move(plan, live={ONE}, now=now)
    assert (moved.source / f"{ONE}.jsonl").exists()
    assert (moved.source / ONE / "subagents" / "agent-a.jsonl").exists()
    with pytest.raises(Refused, match="running"):
        undo_move(moved.dirs, live={plan.sessions[0].new_id}, now=now)


def test_a_session_that_went_on_goes_back_with_all_of_it(moved: Home) -> None:
    apply_move(moved.plan(), now=now)
    with (moved.target / f"{ONE}.jsonl").open("ab") as file:
        file.write(b'{"more": 1}\n')
    moved.write(moved.target / ONE / "subagents" / "agent-b.jsonl", "later\n")
    undo_move(moved.dirs, now=now)
    assert (moved.source / f"{ONE}.jsonl").read_bytes().endswith(b'{"more": 1}\n')
    assert (moved.source / ONE / "subagents" / "agent-b.jsonl").read_bytes() == b"later\n"
    assert not (moved.target / ONE).exists()


def test_an_old_place_that_is_taken_keeps_both(moved: Home) -> None:
    apply_move(moved.plan(), now=now)
    moved.session(moved.old, 1, "somebody else")
    undone = undo_move(moved.dirs, now=now)
    assert f"{ONE}.jsonl" in {stay.what for stay in undone.stays}
    assert b"somebody else" in (moved.source / f"{ONE}.jsonl").read_bytes()
    assert b"fix the till" in (moved.target / f"{ONE}.jsonl").read_bytes()


def test_what_the_new_folder_had_is_copied_back(home: Home) -> None:
    path = home.session(home.old, 1)
    data = path.read_bytes()
    home.write(home.target / path.name, data)
    plan = home.plan()
    assert plan.sessions[0].there
    apply_move(plan, now=now)
    with (home.target / path.name).open("ab") as file:
        file.write(b"{}\n")
    undo_move(home.dirs, now=now)
    assert path.read_bytes() == data
    assert (home.target / path.name).read_bytes() == data + b"{}\n"


def test_memory_edited_since_stays_in_both(moved: Home) -> None:
    apply_move(moved.plan(), now=now)
    target = moved.target / "memory"
    (target / "only.md").write_text("only, and more\n")
    undone = undo_move(moved.dirs, now=now)
    assert [stay.what for stay in undone.stays] == ["memory"]
    assert (target / "only.md").read_text() == "only, and more\n"
    assert (moved.source / "memory" / "only.md").read_text() == "only\n"


def test_an_old_place_whose_name_differs_in_case_keeps_both(moved: Home) -> None:
    apply_move(moved.plan(), now=now)
    moved.memory(moved.old, {"Only.md": "somebody else\n"})
    undone = undo_move(moved.dirs, now=now)
    assert [stay.what for stay in undone.stays] == ["memory"]
    assert (moved.source / "memory" / "Only.md").read_text() == "somebody else\n"
    assert (moved.target / "memory" / "only.md").read_text() == "only\n"


def test_plain_undo_leaves_a_move_alone(moved: Home) -> None:
    apply_move(moved.plan(), now=now)
    with pytest.raises(NotFound):
        Store(moved.target / "memory", moved.dirs, now=now, trash=None).undo()


def test_a_memory_that_changed_since_it_was_shown_is_not_moved(moved: Home) -> None:
    plan = moved.plan()
    (moved.target / "memory" / "MEMORY.md").write_text("- other\n")
    with pytest.raises(Stale):
        apply_move(plan, now=now)
    assert (moved.target / "memory" / "MEMORY.md").read_text() == "- other\n"
    assert (moved.source / "memory" / "only.md").exists()
    assert (moved.source / f"{ONE}.jsonl").exists()


def test_pins_drafts_and_the_last_consolidation_go_along(moved: Home) -> None:
    old, new = moved.source / "memory", moved.target / "memory"
    pins, drafts = Pins(moved.dirs), Drafts(moved.dirs, now=now)
    pins.set(old, ["a.md"], True)
    drafts.save(old / "only.md", "unsaved", None)
    moved.write(old / LOCK_NAME, "0")
    apply_move(moved.plan(), now=now)
    assert (pins.names(old), pins.names(new)) == (frozenset(), {"a.from-shop.md"})
    draft = drafts.load(new / "only.md")
    assert draft is not None
    assert (draft.text, drafts.load(old / "only.md")) == ("unsaved", None)
    assert (new / LOCK_NAME).stat().st_mtime == OLD
    undo_move(moved.dirs, now=now)
    assert (pins.names(new), pins.names(old)) == (frozenset(), {"a.md"})
    assert drafts.load(old / "only.md") is not None
    assert (old / LOCK_NAME).stat().st_mtime == OLD
    assert not (new / LOCK_NAME).exists()


def test_a_consolidation_that_may_be_running_stops_it(moved: Home) -> None:
    lock = moved.write(moved.source / "memory" / LOCK_NAME, str(os.getpid()))
    with pytest.raises(Refused, match="consolidation"):
        moved.plan()
    assert moved.plan(now=lambda: OLD + 4000.0).memory is not None
    assert moved.plan(memory=False).memory is None
    lock.write_text("rubbish")
    os.utime(lock, (OLD, OLD))
    assert moved.plan().memory is not None


def test_two_directories_that_share_a_folder_are_told_apart(home: Home) -> None:
    other = home.root / "sh-op"
    twin = home.root / "sh.op"
    home.session(other, 1, "of the dash")
    home.session(twin, 2, "of the dot")
    home.memory(twin, {"a.md": "a\n"})
    assert project_name(str(other)) == project_name(str(twin))
    plan = plan_move(home.env, home.dirs, home.folder(twin), home.new, directory=twin, shared=True, now=now)
    assert [session.id for session in plan.sessions] == [TWO]
    assert plan.memory is None
    assert any("share" in note for note in plan.notes)


def test_directories_whose_names_look_alike_have_nothing_to_move(home: Home) -> None:
    home.session(home.root / "a.b", 1)
    (home.root / "a-b").mkdir()
    plan = plan_move(home.env, home.dirs, home.folder(home.root / "a.b"), home.root / "a-b", now=now)
    assert plan.empty
    assert "same folder" in plan.notes[0]


def test_links_in_the_way_are_refused(moved: Home, ram_path: Path) -> None:
    away = ram_path / "away"
    (moved.source / "memory").rename(away)
    (moved.source / "memory").symlink_to(away)
    plan = moved.plan()
    assert plan.memory is None
    assert ("memory", "it is a link to another folder") in {(stay.what, stay.why) for stay in plan.stays}
    target = moved.target
    target.rename(ram_path / "elsewhere")
    target.symlink_to(ram_path / "elsewhere")
    with pytest.raises(Refused, match="link"):
        moved.plan()


def test_moves_are_listed_the_newest_last(home: Home) -> None:
    journal = Journal(home.dirs)
    with journal.held():
        for name in ("m1", "m2"):
            journal.begin(name, when=1.0, old="/a", new="/b", source=home.source, target=home.target)
        journal.end("m2")
    assert [(past.id, past.ended, past.steps) for past in journal.moves()] == [("m1", False, ()), ("m2", True, ())]
    with pytest.raises(NotFound):
        past_move(home.dirs, "m")


def test_a_full_disk_is_said_and_the_rest_is_whole(moved: Home) -> None:
    had = contents(moved)
    snapshot = Snapshot(moved.root)
    for number in range(5, 400, 23):
        snapshot.put_back()
        fs = FaultFS()
        fs.fail_at(number, errno.ENOSPC)
        try:
            apply_move(moved.plan(), now=now, fs=fs)
        except MemtuiError:
            pass
        assert contents(moved) == had, fs.where
