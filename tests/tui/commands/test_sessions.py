"""What keys of the Sessions view do to sessions, and what they never do to a transcript."""

from pathlib import Path

from textual.pilot import Pilot

from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.dialogs.choose import Choose, OptionLines
from memtui.tui.dialogs.question import Question
from memtui.tui.screens.transcript import TranscriptScreen
from memtui.tui.views.sessions import SessionsView
from tests.support import digest_tree
from tests.tui.conftest import Maker
from tests.tui.driving import go_to, press, settle
from tests.tui.views.test_sessions import SIZE, listed, no_rest, opened, sessions

__all__ = ["no_rest", "sessions"]


async def on(pilot: "Pilot[int]", path: Path) -> tuple[MemtuiApp, SessionsView]:
    """The view, with the cursor on a session."""
    app, view = await opened(pilot)
    view.list.to_key(str(path))
    await settle(pilot)
    return app, view


def options(app: MemtuiApp) -> dict[str, str]:
    """What an open menu offers, and why not."""
    assert isinstance(app.screen, Choose)
    return {str(option.key): option.off for option in app.screen.query_one(OptionLines).options}


async def test_without_a_client_the_menu_says_so_and_gives_the_context(make_app: Maker, sessions: list[Path]) -> None:
    before = digest_tree(sessions[0].parent)
    async with make_app().run_test(size=SIZE) as pilot:
        app, _ = await on(pilot, sessions[0])
        await press(pilot, "enter")
        offered = options(app)
        assert "no claude on the PATH" in offered["open"]
        assert offered["context"] == ""
        await press(pilot, "4")
        assert "Make checkout retry" in app.clipboard
        assert "without backoff" in app.clipboard
        assert "with backoff\n" not in app.clipboard.replace("without backoff", "")
    assert digest_tree(sessions[0].parent) == before


async def test_the_context_up_to_a_rewound_branch(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app, _ = await on(pilot, sessions[0])
        await press(pilot, "right", "j", "j", "enter", "4")
        assert "with backoff" in app.clipboard
        assert "without backoff" not in app.clipboard


async def test_copying_the_command_writes_nothing(make_app: Maker, sessions: list[Path], home: Path) -> None:
    (home / "shop").mkdir(exist_ok=True)
    sessions[0].write_text(sessions[0].read_text().replace("/home/ana/proj", str(home / "shop")))
    before = digest_tree(sessions[0].parent)
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await on(pilot, sessions[0])
        await press(pilot, "y")
        assert app.clipboard.endswith(f"claude --resume {sessions[0].stem}")
        await press(pilot, "right", "j", "j", "y", "y")
        assert view.point is not None
        assert app.clipboard == f"memtui resume {sessions[0]} --at {view.point.uuid}"
    assert digest_tree(sessions[0].parent) == before


async def test_rename_and_back(make_app: Maker, sessions: list[Path]) -> None:
    before = sessions[1].read_bytes()
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await on(pilot, sessions[1])
        await press(pilot, "r", "ctrl+u", *"pnpm", "enter")
        await settle(pilot)
        assert view.current is not None
        assert view.current.title == "pnpm"
        assert sessions[1].read_bytes().startswith(before)


async def test_delete_asks_z_brings_every_byte_back_and_big_z_deletes_again(
    make_app: Maker, sessions: list[Path]
) -> None:
    before = digest_tree(sessions[0].parent)
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await on(pilot, sessions[1])
        await press(pilot, "d")
        assert isinstance(app.screen, Question)
        await press(pilot, "d", "n")
        assert digest_tree(sessions[0].parent) == before
        await press(pilot, "d", "y")
        assert not sessions[1].exists()
        assert len(listed(view)) == 2
        await press(pilot, "z")
        assert len(listed(view)) == 3
        await press(pilot, "Z")
        assert len(listed(view)) == 2
        await press(pilot, "z")
        assert len(listed(view)) == 3
    after = digest_tree(sessions[0].parent)
    assert {name: value for name, value in after.items() if name != "."} == {
        name: value for name, value in before.items() if name != "."
    }


async def test_archived_ones_stay_listed_and_go_back(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await on(pilot, sessions[1])
        await press(pilot, "a")
        assert not sessions[1].exists()
        row = next(index for index, row in enumerate(listed(view)) if "Migrate" in row)
        assert "archived" in listed(view)[row]
        view.list.cursor = row
        await press(pilot, "a")
        assert sessions[1].exists()
        assert not any("archived" in row for row in listed(view))


async def test_export_writes_a_new_file_only(make_app: Maker, sessions: list[Path], workspace: Workspace) -> None:
    target = workspace.location.cwd / "Checkout-retries.md"
    async with make_app().run_test(size=SIZE) as pilot:
        await on(pilot, sessions[0])
        await press(pilot, "enter", "5", "enter", "enter")
        assert "Make checkout retry" in target.read_text(encoding="utf-8")
        target.write_text("mine")
        await press(pilot, "enter", "5", "enter", "enter")
        assert target.read_text() == "mine"


async def test_reading_on_a_screen_of_its_own_and_back(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await on(pilot, sessions[0])
        await press(pilot, "p")
        assert isinstance(app.screen, TranscriptScreen)
        await press(pilot, "escape")
        assert view.current is not None
        assert view.current.title == "Checkout retries"


async def test_from_memory_to_its_session_and_back(make_app: Maker, sessions: list[Path], memory: Path) -> None:
    file = memory / "feedback_commits.md"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("type: feedback", f"type: feedback\noriginSessionId: {sessions[2].stem}"))
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, file)
        await press(pilot, "O")
        await settle(pilot)
        view = app.query_one(SessionsView)
        assert view.current is not None
        assert view.current.id == sessions[2].stem
        assert app.memory_view.reader.draw_width > 20, "a hidden preview is drawn for the width that it had"
        await press(pilot, "O")
        assert app.memory_view.current == file


async def test_from_any_message_of_the_conversation(make_app: Maker, sessions: list[Path]) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await on(pilot, sessions[0])
        await press(pilot, "0", "g", "F")
        assert "2 forks here" in options(app)["open"] or "no claude" in options(app)["open"]
        await press(pilot, "4")
        assert "Make checkout retry" in app.clipboard
        assert "backoff" not in app.clipboard
        await press(pilot, "escape", "p", "g", "F")
        assert isinstance(app.screen, Choose)
        await press(pilot, "escape")
        assert view.current is not None
