"""One key takes back whatever was done to a project, also what was killed in the middle."""

import os
import random
import signal
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from memtui.client.memory_location import locate_memory
from memtui.history.database import HistoryDatabase
from memtui.history.store import Change
from memtui.memory.workspace import Workspace
from memtui.projects.activity import make_fork, undo_order
from memtui.projects.relocate import apply_move
from memtui.resume.launch import plan_launch
from memtui.sessions.archive import SessionArchive
from memtui.util.errors import NotFound
from tests.fs.faults import Crash, FaultFS, Snapshot, upward
from tests.projects.conftest import OLD, Home, files, session_id
from tests.support import digest_tree


def now() -> float:
    return OLD + 9.0


@pytest.fixture
def moved(home: Home) -> Home:
    home.session(home.old, 1, "fix the till")
    home.write(home.source / session_id(1) / "subagents" / "agent-a.jsonl", '{"type":"user"}\n')
    home.session(home.old, 2, "more")
    home.memory(home.old, {"MEMORY.md": "- [a](a.md)\n", "a.md": "a\n"})
    return home


def workspace_of(home: Home) -> Workspace:
    workspace = Workspace(home.env, home.dirs, locate_memory(home.env, home.new), trash=False, now=now)
    workspace.read(full=False)
    return workspace


def every_crash(home: Home, act: Callable[[FaultFS], object], step: int) -> int:
    """Stop an act at each `step`-th of its calls; then one undo has to give back what was there, in its bytes.

    Returns:
        How often there was something to take back.
    """
    before = files(home.root / ".claude")
    snapshot = Snapshot(home.root)
    count = 0

    def crashing(number: int) -> FaultFS:
        HistoryDatabase.of(home.dirs).close()
        snapshot.put_back()
        fs = FaultFS()
        fs.crash_at(number * step)
        return fs

    for fs in upward(crashing):
        try:
            act(fs)
        except Crash:
            pass
        try:
            undo_order(workspace_of(home)).undo()
            count += 1
        except NotFound:  # it had not begun
            pass
        left = {name: data for name, data in files(home.root / ".claude").items() if not name.endswith(".tmp")}
        assert left == before, fs.where
        assert HistoryDatabase.of(home.dirs).check() == [], fs.where
    return count


def test_a_move_that_was_killed_anywhere_is_taken_back_by_the_key(moved: Home) -> None:
    assert every_crash(moved, lambda fs: apply_move(moved.plan(), now=now, fs=fs), 13) > 10


def test_an_archive_that_was_killed_anywhere_is_taken_back_by_the_key(home: Home) -> None:
    paths = [home.session(home.new, number) for number in (1, 2)]
    home.write(home.target / session_id(1) / "subagents" / "agent-a.jsonl", '{"type":"user"}\n')

    def archive(fs: FaultFS) -> None:
        SessionArchive(home.dirs, fs=fs, now=now, patience=1).archive(paths)

    assert every_crash(home, archive, 7) > 5


def _in_a_child(home: Home, what: str, kill_at: int | None) -> int:
    """Do it in a process that ends itself by SIGKILL at a call of the system; how many it made if it lives on."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        calls = count()

        def look(event: str, args: object) -> None:
            if event.startswith(("os.", "open", "sqlite3.")) and next(calls) == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(look)
        try:
            if what == "move":
                apply_move(home.plan(), now=now)
            else:
                SessionArchive(home.dirs, now=now).archive(sorted(home.target.glob("*.jsonl")))
            os.write(writer, str(next(calls)).encode() if kill_at is None else b"")
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        done = pipe.read()
    os.wait()
    return int(done or 0)


@pytest.mark.long
@pytest.mark.parametrize("what", ["move", "archive"])
def test_killed_for_real_it_is_taken_back_by_the_key(home: Home, what: str) -> None:
    for number in range(1, 9):
        home.session(home.old if what == "move" else home.new, number, "text " * 5000)
    if what == "move":
        home.memory(home.old, {"MEMORY.md": "- [a](a.md)\n", "a.md": "a\n"})
    before = files(home.root / ".claude")
    snapshot = Snapshot(home.root)
    chance = random.Random(11)
    back = 0
    calls = _in_a_child(home, what, None)
    snapshot.put_back()
    for _ in range(25):
        _in_a_child(home, what, chance.randrange(calls))
        try:
            undo_order(workspace_of(home)).undo()
            back += 1
        except NotFound:  # it had not begun
            pass
        left = {name: data for name, data in files(home.root / ".claude").items() if not name.endswith(".tmp")}
        assert left == before
        assert HistoryDatabase.of(home.dirs).check() == []
        HistoryDatabase.of(home.dirs).close()
        snapshot.put_back()
    print(f"killed=25 taken_back={back}")
    assert back > 0


def test_one_order_for_all_of_it(moved: Home) -> None:
    apply_move(moved.plan(), now=now)
    workspace = workspace_of(moved)
    memory = workspace.location.folder
    workspace.save(memory / "b.md", b"new\n", None)
    workspace.pins.pin(memory, ["a.md"], True)
    sessions = SessionArchive(moved.dirs, now=now)
    sessions.rename(moved.target / f"{session_id(2)}.jsonl", "Another")
    sessions.archive([moved.target / f"{session_id(1)}.jsonl"])
    order = undo_order(workspace)
    kinds = [one.kind for one in workspace.operations() if one.undoable]
    assert kinds == ["session-archive", "session-rename", "pin", "new", "move"]
    done = digest_tree(moved.root / ".claude")
    order.undo()
    assert (moved.target / f"{session_id(1)}.jsonl").exists()
    order.undo()
    assert workspace.pinned == {"a.md"}
    order.undo()
    assert workspace.pinned == frozenset()
    order.undo()
    assert not (memory / "b.md").exists()
    order.undo()
    assert not moved.target.exists() or not list(moved.target.rglob("*.jsonl"))
    assert (moved.source / "memory" / "a.md").read_bytes() == b"a\n"
    assert [(one.kind, one.why) for one in workspace.operations() if one.undoable and not one.undone] == []
    for _ in range(5):
        order.redo()
    with pytest.raises(NotFound):
        order.redo()
    assert workspace.pinned == {"a.md"}
    again = digest_tree(moved.root / ".claude")
    assert {name: entry[:2] for name, entry in again.items() if entry[0] != "dir" and "jsonl" not in name} == {
        name: entry[:2] for name, entry in done.items() if entry[0] != "dir" and "jsonl" not in name
    }
    assert set(again) == set(done)


def test_a_fork_is_taken_back_and_made_again(home: Home, tmp_path: Path) -> None:
    rows = [
        {"type": "user", "uuid": "u1", "parentUuid": None, "cwd": str(home.new), "sessionId": session_id(1),
         "message": {"role": "user", "content": "hello"}},
        {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": session_id(1),
         "message": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}},
    ]  # fmt: skip
    path = home.session(home.new, 1, "hello", *rows)
    workspace = workspace_of(home)
    made = make_fork(workspace, plan_launch(home.env, path, at="u1"))
    data = made.path.read_bytes()
    undo_order(workspace).undo()
    assert not made.path.exists()
    assert path.exists()
    undo_order(workspace).redo()
    assert made.path.read_bytes() == data


def test_what_is_left_of_an_undo_can_be_overridden(home: Home) -> None:
    workspace = workspace_of(home)
    memory = workspace.location.folder
    home.memory(home.new, {"a.md": "a\nb\n", "c.md": "c\n"})
    names = ("a.md", "c.md")
    texts = {name: workspace.text(memory / name) for name in names}
    changes = [Change(name, b"x\n" + texts[name][0].upper(), texts[name][1]) for name in names]
    workspace.store(memory).apply(changes, why="both")
    _, base = workspace.text(memory / "a.md")
    workspace.save(memory / "a.md", b"mine\n", base)
    both = workspace.operations()[1]
    saved, _ = undo_order(workspace).undo(both.id)
    assert [one.name for one in saved.left] == ["a.md"]
    assert workspace.text(memory / "c.md")[0] == b"c\n"
    undo_order(workspace).undo(both.id, over=["a.md"])
    assert workspace.text(memory / "a.md")[0] == b"a\nb\n"
    assert workspace.known_text(workspace.operations()[0].files[0].before) == b"mine\n"
