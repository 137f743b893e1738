"""The dialog that shows a dream over every view: its log, another program's dream, quitting while one is on."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.client.paths import LOCK_NAME
from memtui.dream.run.events import EventLog, Turn
from memtui.dream.run.runs import list_runs, run_state
from memtui.dream.run.spawn import StartedRun
from memtui.memory.workspace import Workspace
from memtui.tui.dialogs.choose import Choose
from memtui.tui.dialogs.question import Leave
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.state import Starting
from tests.support import digest_tree
from tests.tui.commands.test_dreams import at, hanging, pill, program, whole
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, screen_text, settle, until
from tests.tui.views.test_dream import SIZE, Dreams, dream, rewrite

__all__ = ["dream", "hanging", "program"]


@pytest.fixture
def holder(memory: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is none of ours and has held the lock for half a minute."""
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    (memory / LOCK_NAME).write_text(str(process.pid))
    os.utime(memory / LOCK_NAME, (NOW - 30,) * 2)
    yield process
    process.kill()
    process.communicate()


async def test_the_log_follows_until_a_person_reads_older_rows(make_app: Maker, hanging: StartedRun) -> None:
    log = EventLog(hanging.path / "events.jsonl", now=lambda: NOW)
    for number in range(40):
        log.add(Turn(number, f"thought {number}"))
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: pill(app).dream is not None)
        await press(pilot, "w")
        await until(pilot, lambda: "thought 39" in screen_text(app) and "following" in screen_text(app))
        await press(pilot, "J", "J", "J", "J")
        assert "thought 39" not in screen_text(app) and "stands still" in screen_text(app)
        top = whole(app).run_log.row(whole(app).run_log.scroll_offset.y, 50).plain
        log.add(Turn(40, "thought 40"))
        await until(pilot, lambda: whole(app).run_log.row(0, 50).plain.endswith("thought 40"))
        assert whole(app).run_log.row(whole(app).run_log.scroll_offset.y, 50).plain == top
        await press(pilot, "f")
        assert "thought 40" in screen_text(app)
        await press(pilot, "x", "y")
        await until(pilot, hanging.has_ended)


async def test_another_programs_dream_is_shown_live_and_never_ended(
    make_app: Maker, memory: Path, holder: subprocess.Popen[bytes]
) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: f"dream of process {holder.pid}, not ours · no file yet · 30s" in screen_text(app))
        (memory / "project_new.md").write_text("by somebody else\n")
        (memory / "feedback_pnpm.md").unlink()
        app.disk_changed()
        await until(pilot, lambda: "2 files, 1 deleted" in screen_text(app))
        await press(pilot, "w")
        shown = screen_text(app)
        assert "none of ours: end it where it was started" in shown and "x stop" not in shown
        at(whole(app), "project_new.md")
        await press(pilot, "x")
        assert len(app.screen_stack) == 2 and holder.poll() is None
        await press(pilot, "enter")
        assert isinstance(app.screen, ShowDiff) and "+by somebody else" in screen_text(app)
        await press(pilot, "escape")
        holder.kill()
        holder.wait()
        app.dream_loader.tick()
        await until(pilot, lambda: "another program: ended" in screen_text(app))
        assert pill(app).dream is None


@pytest.mark.parametrize(("key", "runs_on"), [("enter", True), ("y", False)])
async def test_quitting_asks_what_becomes_of_the_dream(
    make_app: Maker, hanging: StartedRun, workspace: Workspace, memory: Path, key: str, runs_on: bool
) -> None:
    before = digest_tree(memory / "user_role.md")
    async with make_app().run_test(size=(80, 24)) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: pill(app).dream is not None)
        await press(pilot, "q")
        assert isinstance(app.screen, Leave)
        await press(pilot, "escape")
        assert app.is_running and len(app.screen_stack) == 1
        await press(pilot, "q")
        await pilot.press(key)
        while app.is_running:
            await pilot.pause(0.02)
    (run,) = list_runs(workspace.dirs)
    assert (run_state(run).word == "running") == runs_on
    assert digest_tree(memory / "user_role.md") == before
    if runs_on:
        os.kill(run.process.pid, 9)
    while not hanging.has_ended():
        os.sched_yield()


async def test_a_file_is_compared_in_three_ways(make_app: Maker, dream: Dreams, memory: Path) -> None:
    dream(rewrite)
    file = memory / "feedback_commits.md"
    file.write_text(file.read_text() + "By a person, later.\n")
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "2", "f")
        at(whole(app), "feedback_commits.md")
        await press(pilot, "c")
        assert isinstance(app.screen, Choose)
        await press(pilot, "1")
        shown = screen_text(app)
        assert isinstance(app.screen, ShowDiff)
        assert "and where" in shown and "By a person" not in shown
        await press(pilot, "escape", "c", "2")
        assert "-By a person, later." in screen_text(app)


async def test_a_run_is_told_from_the_moment_it_was_started(make_app: Maker, dream: Dreams) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "D" if app.state and app.state.view == "dream" else "2", "D")
        await pilot.press("3")
        await until(pilot, lambda: isinstance(pill(app).dream, Starting) or (app.state and app.state.dreams))
        await until(pilot, lambda: app.state and app.state.dreams and app.state.dreams[0].state.word == "ended")
        assert app.state is not None and app.state.starting is None
