"""Keys of the Dream view over runs in processes of their own: start, watch, stop, judge, take back."""

import os
import signal
import sys
from pathlib import Path

import pytest

from memtui.client.paths import LOCK_NAME
from memtui.dream.run import spawn as start
from memtui.dream.run.events import EventLog, Phase
from memtui.dream.run.run import Emit
from memtui.dream.run.runs import list_runs
from memtui.dream.run.spawn import RunRequest, StartedRun, start_run
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.dialogs.choose import Choose, OptionLines
from memtui.tui.dialogs.question import Question
from memtui.tui.dialogs.review_file import ReviewFile
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.dialogs.watch_run import WatchRun
from memtui.tui.screens.editor import Editor
from memtui.tui.views.dream import DreamView
from memtui.tui.widgets.dream_pill import DreamPill
from tests.support import REPO, digest_tree
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, screen_text, settle, until
from tests.tui.views.test_dream import SIZE, Dreams, details_text, dream, listed, opened, rewrite, shrink

__all__ = ["dream"]

CLOCK = f"""
import sys, time
time.time = lambda begun=time.monotonic(): {NOW} + time.monotonic() - begun
sys.path.insert(0, {str(REPO)!r})
"""
"""A run's process has the tests' clock: what it writes is compared with what the app, on that clock, says of it."""
MAIN = f"""{CLOCK}
from memtui.__main__ import main
sys.exit(main())
"""
VIEWS = ("memory", "dream", "sessions", "search", "settings")
HANGS = f"""{CLOCK}
import types
def consolidate(root, *, now, emit, mode, **options):
    (root / "user_role.md").write_text("changed by a dream\\n")
    emit("half way")
    while True:
        time.sleep(1)
sys.modules["memtui.dream.backends.offline"] = module = types.ModuleType("memtui.dream.backends.offline")
module.consolidate = consolidate
module.__spec__ = __import__("importlib.util").util.spec_from_loader("memtui.dream.backends.offline", loader=None)
from memtui.__main__ import main
sys.exit(main())
"""


@pytest.fixture(autouse=True)
def program(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run's process is of this checkout."""
    monkeypatch.setattr(start, "PROGRAM", (sys.executable, "-P", "-c", MAIN))


def begin(workspace: Workspace) -> StartedRun:
    """A run that goes on until somebody ends it, as if another process had started it."""
    run = start_run(
        workspace.dirs, workspace.location.cwd, RunRequest(force=True), environ=workspace.env.environ, now=NOW,
        program=(sys.executable, "-P", "-c", HANGS),
    )  # fmt: skip
    run.wait_until_started(lambda seconds: os.sched_yield())
    return run


@pytest.fixture
def hanging(workspace: Workspace) -> StartedRun:
    """One that began before the app."""
    return begin(workspace)


def pill(app: MemtuiApp) -> DreamPill:
    return app.screen_stack[0].query_one(DreamPill)


def at_file(view: DreamView, name: str) -> None:
    view.screen.set_focus(view.reader)
    view.reader.cursor = next(i for i in range(view.reader.row_count()) if view.reader.row_key(i) == name)


def named(view: DreamView) -> list[str]:
    """The touched files that the details list."""
    keys = (view.reader.row_key(index) for index in range(view.reader.row_count()))
    return [key for key in keys if isinstance(key, str)]


def whole(app: MemtuiApp) -> WatchRun:
    """The dialog that shows a run over the views."""
    assert isinstance(app.screen, WatchRun)
    return app.screen


def at(dialog: WatchRun, name: str) -> None:
    dialog.files.cursor = [file.name for file, _ in dialog.files.rows].index(name)


async def test_a_real_dream_from_d_to_undo(make_app: Maker, memory: Path) -> None:
    file = memory / "project_oncall.md"
    file.write_text(file.read_text() + "See yesterday's page.\n" + "Same line twice.\n\n" * 2)
    before = {path.name: path.read_bytes() for path in memory.iterdir()}
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        await press(pilot, "D")
        assert isinstance(app.screen, Choose)
        await press(pilot, "3")
        await until(pilot, lambda: view.current and view.current.state.word == "ended")
        assert view.current is not None and view.current.run.dry_run
        assert {path.name: path.read_bytes() for path in memory.iterdir()} == before
        changed = named(view)
        assert view.current.kept and changed
        await press(pilot, "A")
        assert isinstance(app.screen, ShowDiff)
        await press(pilot, "y")
        await until(pilot, lambda: not view.current.kept)
        after = {path.name: path.read_bytes() for path in memory.iterdir() if path.name != LOCK_NAME}
        assert after != before
        await until(pilot, lambda: "adopted" in details_text(view))
        await press(pilot, "z")
        await until(pilot, lambda: "undone" in details_text(view))
    assert {path.name: path.read_bytes() for path in memory.iterdir() if path.name != LOCK_NAME} == before


async def test_a_run_of_another_process_is_on_every_view(
    make_app: Maker, hanging: StartedRun, workspace: Workspace, memory: Path
) -> None:
    before = digest_tree(memory / "user_role.md")
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: pill(app).dream is not None)
        for view in "12345":
            await press(pilot, view)
            await until(pilot, lambda: "◐ dream consolidate · " in screen_text(app))
            await press(pilot, "w")
            assert whole(app).shown_id == hanging.id
            await press(pilot, "escape")
            assert app.state is not None and app.state.view == VIEWS[int(view) - 1]
        await press(pilot, "w")
        await until(pilot, lambda: "half way" in screen_text(app))
        EventLog(hanging.path / "events.jsonl", now=lambda: NOW).add(Phase("updating", "gather"))
        await until(pilot, lambda: "▸ gather" in screen_text(app))
        await press(pilot, "x")
        assert isinstance(app.screen, Question)
        shown = screen_text(app)
        assert "SIGTERM, then SIGKILL after 5 s" in shown and "removed again" in shown
        await press(pilot, "n", "x", "y")
        await until(pilot, lambda: "killed after" in screen_text(app))
        await until(pilot, lambda: pill(app).dream is None)
        await until(pilot, hanging.has_ended)
        shown = screen_text(app)
        assert "✓ last dream removed again" in shown and "untouched; 1 drafted change stored for 14 days" in shown
        await press(pilot, "escape", "2")
        view = app.query_one(DreamView)
        assert "killed" in listed(view)[0] and "drafted" in details_text(view)
    assert digest_tree(memory / "user_role.md") == before
    assert not (memory / LOCK_NAME).exists()


async def test_a_run_that_died_is_ended_at_the_start(make_app: Maker, hanging: StartedRun, memory: Path) -> None:
    os.kill(int((memory / LOCK_NAME).read_text()), signal.SIGKILL)
    while not hanging.has_ended():
        os.sched_yield()
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        assert "killed" in listed(view)[0]
    assert not (memory / LOCK_NAME).exists()


async def test_a_held_run_waits_on_every_view_and_is_judged_file_by_file(
    make_app: Maker, dream: Dreams, memory: Path
) -> None:
    assert dream(shrink).how == "held"
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        assert "dream waits for review · 3 files, 3 deleted" in screen_text(app)
        await press(pilot, "shift+down")
        dialog = whole(app)
        assert "waits        " in screen_text(app) and "would delete" in screen_text(app)
        at(dialog, "user_role.md")
        await until(pilot, lambda: "-Body." in screen_text(app))  # beside the files, at this width
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewFile)
        assert "-Body." in screen_text(app) and "oncall" not in str(app.screen.query_one("#frame").border_title)
        await press(pilot, "escape", "a")
        await until(pilot, lambda: not (memory / "user_role.md").exists())
        assert (memory / "project_oncall.md").exists()
        await press(pilot, "X")
        assert isinstance(app.screen, Question)
        await press(pilot, "n", "X", "y")
        await until(pilot, lambda: pill(app).dream is None)
        await press(pilot, "a", "A", "X")
        assert (memory / "project_oncall.md").exists()
        await press(pilot, "z")
        await until(pilot, lambda: (memory / "user_role.md").exists())


async def test_a_conflict_is_asked_about(make_app: Maker, dream: Dreams, memory: Path) -> None:
    dream(rewrite, adopt="review")
    file = memory / "feedback_commits.md"
    file.write_text(file.read_text().replace("the diff says what", "somebody else was here"))
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        assert "conflict" in details_text(view)
        at_file(view, "feedback_commits.md")
        await press(pilot, "a")
        assert isinstance(app.screen, ShowDiff)
        await press(pilot, "n")
        assert "somebody else" in file.read_text()
        await press(pilot, "a", "y")
        await until(pilot, lambda: "what and where" in file.read_text())


async def test_in_a_text_field_only_f4_goes_there(make_app: Maker, dream: Dreams, memory: Path) -> None:
    dream(shrink)
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "slash", "w", "shift+down")
        assert app.state is not None and app.state.view == "memory" and len(app.screen_stack) == 1
        await press(pilot, "f4")
        assert whole(app) and app.state.view == "memory"
        await press(pilot, "f4", "escape", "j", "enter", "Q", "w", "f4")
        assert whole(app) and isinstance(app.screen_stack[1], Editor)
        await press(pilot, "escape")
        assert isinstance(app.screen, Editor) and "Qw" in app.screen.body.text  # the editor is as it was


async def test_a_click_on_the_pill(make_app: Maker, dream: Dreams) -> None:
    dream(shrink)
    async with make_app().run_test(size=(80, 24)) as pilot:
        app = await settle(pilot)
        await pilot.click(DreamPill)
        await settle(pilot)
        assert whole(app).shown_id == list_runs(app.workspace.dirs)[0].id


async def test_a_stale_lock_is_cleared_and_a_held_one_is_not(make_app: Maker, memory: Path) -> None:
    lock = memory / LOCK_NAME
    lock.write_bytes(str(os.getppid()).encode())
    os.utime(lock, (NOW - 60,) * 2)
    async with make_app().run_test(size=SIZE) as pilot:
        app, _ = await opened(pilot)
        await press(pilot, "x")
        assert len(app.screen_stack) == 1
        await press(pilot, "D")
        assert isinstance(app.screen, Choose)
        assert all("lock: held by" in option.off for option in app.screen.query_one(OptionLines).options)
        await press(pilot, "escape")
        lock.write_bytes(b"4999999")
        os.utime(lock, (NOW - 60,) * 2)
        await press(pilot, "x")
        assert isinstance(app.screen, Question)
        await press(pilot, "y")
        await until(pilot, lambda: not lock.exists())


async def test_the_time_of_a_dream_that_succeeded_is_not_offered_for_clearing(
    make_app: Maker, dream: Dreams, memory: Path
) -> None:
    assert dream(rewrite).how == "done"
    async with make_app().run_test(size=SIZE) as pilot:
        app, _ = await opened(pilot)
        await press(pilot, "x")
        assert len(app.screen_stack) == 1
        assert (memory / LOCK_NAME).exists()


async def test_read_only_starts_and_judges_nothing(make_app: Maker, dream: Dreams, workspace: Workspace) -> None:
    dream(shrink)
    before = digest_tree(workspace.location.folder)
    over = Workspace(workspace.env, workspace.dirs, workspace.location, read_only=True, now=lambda: NOW)
    async with make_app(over=over).run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        at_file(view, "user_role.md")
        await press(pilot, "D", "a", "A", "X")
        assert len(app.screen_stack) == 1
    assert digest_tree(workspace.location.folder) == before
    assert len(list_runs(workspace.dirs)) == 1


async def test_a_run_that_went_wrong_is_told_until_somebody_looks(
    make_app: Maker, hanging: StartedRun, memory: Path
) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: pill(app).dream is not None)
        os.kill(int((memory / LOCK_NAME).read_text()), signal.SIGKILL)
        await until(pilot, lambda: hanging.has_ended() and "dream died" in screen_text(app))
        await press(pilot, "w")
        assert whole(app).shown_id == hanging.id and "x releases its lock" in screen_text(app)
        await until(pilot, lambda: pill(app).dream is None)
        await press(pilot, "x", "y")
        await until(pilot, lambda: not (memory / LOCK_NAME).exists())


async def test_files_come_back_from_before_a_dream(make_app: Maker, dream: Dreams, memory: Path) -> None:
    file = memory / "feedback_commits.md"
    before = file.read_bytes()
    dream(rewrite)
    assert file.read_bytes() != before
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        at_file(view, "feedback_commits.md")
        await press(pilot, "u")
        assert isinstance(app.screen, ShowDiff)
        await press(pilot, "y")
        await until(pilot, lambda: file.read_bytes() == before)
        assert (memory / "project_new.md").exists()
        await press(pilot, "z")
        await until(pilot, lambda: file.read_bytes() != before)
        await press(pilot, "U", "y")
        await until(pilot, lambda: not (memory / "project_new.md").exists())
        assert file.read_bytes() == before


async def test_the_watcher_tells_of_a_run_that_begins_elsewhere(make_app: Maker, workspace: Workspace) -> None:
    app = make_app()
    app.watch_disk = True
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert not (workspace.dirs.state / "runs").exists()
        await until(pilot, lambda: any(worker.group == "follow-dreams" for worker in app.workers))
        started = begin(workspace)
        await until(pilot, lambda: pill(app).dream is not None)
        await press(pilot, "w", "x", "y")
        await until(pilot, lambda: pill(app).dream is None and started.has_ended())
        await press(pilot, "escape", "2")
        assert "killed" in listed(app.query_one(DreamView))[0]


def thrice(stage: Stage, emit: Emit) -> None:
    """Changes one file in three places, and loses a sentence of another."""
    path = stage.root / "project_places.md"
    path.write_text(
        path.read_text().replace("port 80", "port 81").replace("port 90", "port 91").replace("Keep", "Drop")
    )
    (stage.root / "user_role.md").write_text("---\nname: role\ntype: user\n---\n\nSee the code.\n")


def places(memory: Path) -> Path:
    """A file with room for three hunks."""
    file = memory / "project_places.md"
    file.write_text("Keep the name\n\n\n\nThe front is on port 80\n\n\n\nThe back is on port 90\n")
    return file


async def test_a_held_run_tells_its_reasons_and_what_it_loses_before_anything_else(
    make_app: Maker, dream: Dreams, memory: Path
) -> None:
    places(memory)
    dream(thrice, adopt="review")
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        await until(pilot, lambda: "lost · " in details_text(view))
        told = details_text(view)
        order = [
            "waits ",
            "lost · ",
            "changed · 3",
            "   1 - Keep the name            + Drop the name",
            "2 files",
            "started ",
        ]
        assert [told.index(words) for words in order] == sorted(told.index(words) for words in order)
        assert "1 new" in str(view.reader.border_title) and view.reader.file == "user_role.md"
        await press(pilot, "w")
        assert "lost · " in screen_text(app)
        await press(pilot, "escape", "l", "enter")
        assert isinstance(app.screen, ReviewFile) and "user_role.md" in str(app.screen.query_one("#frame").border_title)


async def test_hunks_are_taken_or_left(make_app: Maker, dream: Dreams, memory: Path) -> None:
    file = places(memory)
    before = file.read_text()
    ports = before.replace("80", "81").replace("90", "91")
    dream(thrice, adopt="review")
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        at_file(view, "project_places.md")
        await press(pilot, "enter")
        assert "✓ hunk 3 of 3: taken" in screen_text(app) and "a adopt all" in screen_text(app)
        await press(pilot, "space", "right_square_bracket", "right_square_bracket", "left_square_bracket")
        assert "✗ hunk 1 of 3: left" in screen_text(app) and "a adopt 2 of 3" in screen_text(app)
        await press(pilot, "space", "escape")
        assert len(app.screen_stack) == 1 and file.read_text() == before
        await press(pilot, "enter", "space", "a")
        await until(pilot, lambda: file.read_text() == ports)
        await until(
            pilot, lambda: "partly adopted" in listed(view)[0] and "1 file adopted in part" in details_text(view)
        )
        await press(pilot, "enter")
        assert "hunk 1 of 1: taken" in screen_text(app)
        await press(pilot, "space", "a")
        assert isinstance(app.screen, ReviewFile), "nothing is taken"
        await press(pilot, "space", "a")
        await until(
            pilot, lambda: file.read_text() == before.replace("80", "81").replace("90", "91").replace("Keep", "Drop")
        )
        await press(pilot, "z", "z")
        await until(pilot, lambda: file.read_text() == before)


WAYS_IN = ["l", "l enter", "tab", "shift+tab", "f", "f enter", "l c", "A", "X", "D", "w"]


@pytest.mark.parametrize("size", [(50, 24), (80, 24), (120, 40)])
async def test_escape_leads_back_from_everywhere_in_the_view(
    make_app: Maker, dream: Dreams, memory: Path, size: tuple[int, int]
) -> None:
    places(memory)
    dream(thrice, adopt="review")
    async with make_app().run_test(size=size) as pilot:
        app, view = await opened(pilot)
        for keys in map(str.split, WAYS_IN):
            await press(pilot, *keys)
            for _ in keys:
                await press(pilot, "escape")
            assert len(app.screen_stack) == 1 and app.focused is view.list and view.list.display, keys
