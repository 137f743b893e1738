"""The screen over a real folder: what keys do to files, and what they never do."""

import os
from pathlib import Path

import pytest

from memtui.memory.workspace import Workspace
from memtui.tui.dialogs.choose import Choose, OptionLines
from memtui.tui.dialogs.question import Question
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.palette import RunCommand
from memtui.tui.screens.compare import Compare
from memtui.tui.screens.editor import Editor
from memtui.tui.widgets.problem_list import ProblemList
from tests.support import digest_tree
from tests.terminal import Terminal
from tests.transcripts.rows import Script
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import go_to, press, screen_text, settle, until

SIZE = (100, 30)


async def test_a_tour_of_all_views_changes_no_byte_and_no_time(make_app: Maker, home: Path, memory: Path) -> None:
    before = digest_tree(home / ".claude"), digest_tree(home / "shop")
    async with make_app().run_test(size=SIZE) as pilot:
        await settle(pilot)
        keys = ["j", "j", "right_square_bracket", "right_square_bracket", "0", "j", "escape", "v", "v", "o", "b"]
        keys += ["exclamation_mark", "escape", "question_mark", "escape", "colon", "escape", "at", "escape"]
        keys += ["2", "3", "4", "5", "j", "1", "enter", "escape", "T", "escape", "R"]
        app = await press(pilot, *keys)
        assert len(app.screen_stack) == 1
    assert (digest_tree(home / ".claude"), digest_tree(home / "shop")) == before


async def test_the_first_screen_tells_what_there_is(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, memory / "feedback_testing.md")
        await settle(pilot)
        shown = screen_text(app)
    assert "7/200" in shown
    assert "fits" in shown
    assert "feedback_testing.md" in shown
    assert "  한글" in shown
    assert "1 not in index" in shown
    assert "ci_notes.md" in shown
    assert "1 problem" in shown


async def test_cursor_and_filter_survive_a_write_by_somebody_else(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, memory / "project_oncall.md")
        await settle(pilot)
        (memory / "aaa_new.md").write_text("---\nname: a\ndescription: d\ntype: feedback\n---\n\nx\n")
        await press(pilot, "R")
        assert app.memory_view.current == memory / "project_oncall.md"
        assert "aaa_new " in screen_text(app)


async def test_edit_save_and_undo_give_the_same_bytes(make_app: Maker, memory: Path) -> None:
    file = memory / "feedback_commits.md"
    before = file.read_bytes()
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, file)
        await press(pilot, "enter")
        assert isinstance(app.screen, Editor)
        await press(pilot, "X", "ctrl+s")
        await until(pilot, lambda: file.read_bytes() != before)
        assert b"X" in file.read_bytes()
        await press(pilot, "escape")
        await press(pilot, "z")
        await until(pilot, lambda: file.read_bytes() == before)
        await press(pilot, "Z")
        await until(pilot, lambda: b"X" in file.read_bytes())


async def test_unsaved_text_survives_and_is_marked(make_app: Maker, memory: Path) -> None:
    file = memory / "feedback_commits.md"
    before = file.read_bytes()
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, file)
        await press(pilot, "enter", "Q", "escape")
        await settle(pilot)
    assert file.read_bytes() == before
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        assert app.state is not None
        assert app.state.unsaved == {file}
        app.memory_view.go_to(str(file))
        await press(pilot, "enter")
        assert isinstance(app.screen, Editor)
        assert app.screen.body.text.lstrip("\n").startswith("Q")
        assert "unsaved text" in screen_text(app)


async def test_a_file_that_moved_meanwhile_is_merged(make_app: Maker, memory: Path) -> None:
    file = memory / "project_oncall.md"
    async with make_app().run_test(size=SIZE) as pilot:
        await go_to(pilot, file)
        await press(pilot, "enter", "Q")
        file.write_bytes(file.read_bytes() + b"\nby the agent\n")
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: b"Q" in file.read_bytes())
        text = file.read_bytes()
    assert b"by the agent" in text


async def test_an_overlap_opens_the_comparison_and_nothing_is_lost(make_app: Maker, memory: Path) -> None:
    file = memory / "feedback_commits.md"
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, file)
        await press(pilot, "enter", "Q")
        assert isinstance(app.screen, Editor)
        file.write_bytes(file.read_bytes().replace(b"**Why:**", b"AGENT **Why:**").replace(b"\n\n", b"\nAGENT\n", 1))
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, Compare))
        assert b"Q" not in file.read_bytes()
        await press(pilot, "m")
        await until(pilot, lambda: isinstance(app.screen, Question))  # nothing was chosen: there are markers in it
        await press(pilot, "y")
        await until(pilot, lambda: b"Q" in file.read_bytes())
        merged = file.read_bytes()
    assert b"AGENT" in merged


async def test_delete_asks_and_undo_brings_it_back(make_app: Maker, memory: Path) -> None:
    file = memory / "user_role.md"
    before = {path.name: path.read_bytes() for path in memory.iterdir()}
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, file)
        await press(pilot, "d")
        await until(pilot, lambda: isinstance(app.screen, Question))
        await press(pilot, "d")  # the key that opened it does nothing here
        assert file.exists()
        await press(pilot, "y")
        await until(pilot, lambda: not file.exists())
        assert b"user_role.md" not in (memory / "MEMORY.md").read_bytes()
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await press(pilot, "z")
        await until(pilot, file.exists)
    assert {path.name: path.read_bytes() for path in memory.iterdir()} == before


async def test_rename_repairs_index_and_links_and_shows_them_first(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, memory / "project_oncall.md")
        await press(pilot, "r")
        line = app.screen.query_one("#line")
        line.value = "project_duty.md"  # type: ignore[attr-defined]
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, ShowDiff))
        assert (memory / "project_oncall.md").exists()
        await press(pilot, "y")
        await until(pilot, (memory / "project_duty.md").exists)
    assert not (memory / "project_oncall.md").exists()
    assert "(project_duty.md)" in (memory / "MEMORY.md").read_text(encoding="utf-8")


async def test_new_topic_is_written_listed_and_under_the_cursor(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "n")
        app.screen.query_one("#name").value = "release days"  # type: ignore[attr-defined]
        app.screen.query_one("#description").value = "Releases go out on Tuesdays"  # type: ignore[attr-defined]
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: len(list(memory.glob("feedback_release*"))) == 1)
        new = next(memory.glob("feedback_release*"))
        await until(pilot, lambda: app.memory_view.current == new)
    assert new.name in (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert b"type: feedback" in new.read_bytes()


async def test_filter_narrows_and_escape_clears(make_app: Maker, memory: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "slash", "p", "n", "p", "m", "enter")
        assert app.memory_view.current == memory / "feedback_pnpm.md"
        assert "1 found" in screen_text(app) and "  role " not in screen_text(app)
        await press(pilot, "escape")
        assert "  role " in screen_text(app)


async def test_help_is_what_is_bound(make_app: Maker) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        live = {b.binding.id for b in app.screen.active_bindings.values() if b.binding.id}
        await press(pilot, "question_mark")
        options = app.screen.query_one(OptionLines).options
        assert {option.key.command.id for option in options if isinstance(option.key, RunCommand)} == live
        assert "not in MEMORY.md" in {option.label.split(maxsplit=1)[1] for option in options}


async def test_read_only_writes_nothing(make_app: Maker, workspace: Workspace, memory: Path) -> None:
    reading = Workspace(workspace.env, workspace.dirs, workspace.location, read_only=True, now=lambda: NOW)
    before = digest_tree(memory)
    async with make_app(over=reading).run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        assert "read only" in screen_text(app)
        app.memory_view.go_to(str(memory / "user_role.md"))
        for key in ("enter", "z", "escape"):
            await press(pilot, key)
        assert not isinstance(app.screen, Editor)
    assert digest_tree(memory) == before
    assert not (workspace.dirs.state / "history").exists()


async def test_settings_are_written_in_place(make_app: Maker, home: Path) -> None:
    file = home / ".claude/settings.json"
    text = '{\n  "model": "x",\n  "autoMemoryEnabled": true,\n  "zzz": [1]\n}\n'
    file.write_text(text)
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "5", "space")
        await until(pilot, lambda: isinstance(app.screen, ShowDiff))
        await press(pilot, "y")
        await until(pilot, lambda: file.read_text() != text)
    assert file.read_text() == text.replace("true", "false")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (40, 12), (20, 6)])
async def test_every_size_shows_something_and_breaks_nothing(make_app: Maker, size: tuple[int, int]) -> None:
    async with make_app().run_test(size=size) as pilot:
        app = await settle(pilot)
        await press(pilot, "j", "0", "escape", "5", "1", "enter", "escape")
        assert "memtui" in screen_text(app)


@pytest.mark.parametrize("size", [(2, 50), (8, 3), (1, 1)])
async def test_a_terminal_of_a_few_cells_breaks_nothing(make_app: Maker, size: tuple[int, int]) -> None:
    async with make_app().run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "j", "0", "escape", "5", "2", "3", "1")


async def test_sessions_are_offered_where_there_is_no_memory_yet(
    make_app: Maker, home: Path, workspace: Workspace
) -> None:
    for file in workspace.location.folder.iterdir():
        file.unlink()
    workspace.location.folder.rmdir()
    script = Script().user("u0", None, "Make checkout retry").answer("a1", "u0")
    workspace.location.transcripts.mkdir(parents=True, exist_ok=True)
    script.write(workspace.location.transcripts)
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "2  look at past sessions" in screen_text(app)
        await press(pilot, "2")
        assert "Make checkout retry" in screen_text(app)
        assert "3 Sessions" in screen_text(app)


async def test_the_sample_is_offered_where_nothing_is(make_app: Maker, home: Path, workspace: Workspace) -> None:
    for file in workspace.location.folder.iterdir():
        file.unlink()
    workspace.location.folder.rmdir()
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await until(pilot, lambda: isinstance(app.screen, Choose))
        assert "No memory for this project yet" in screen_text(app)


async def test_instructions_are_edited_and_undone_too(make_app: Maker, home: Path) -> None:
    file = home / "shop/CLAUDE.md"
    file.write_text("---\nkept: yes\n---\n# Rules\n")
    async with make_app().run_test(size=SIZE) as pilot:
        app = await go_to(pilot, file)
        await press(pilot, "enter")
        assert isinstance(app.screen, Editor)
        await press(pilot, "X", "ctrl+s", "escape")
        await until(pilot, lambda: file.read_text().startswith("X---"))
        await press(pilot, "z")
        await until(pilot, lambda: file.read_text() == "---\nkept: yes\n---\n# Rules\n")


def test_the_first_frame_waits_for_nothing_heavy(workspace: Workspace, home: Path) -> None:
    script = """
import sys
from memtui.__main__ import main
from memtui.tui.app import MemtuiApp

HEAVY = ("anthropic", "pydantic", "yaml", "watchfiles", "markdown_it", "click", "psutil", "rapidfuzz")

def painted(self):
    seen.append(f"LOADED {[name for name in HEAVY if name in sys.modules]} {'memtui.memory.snapshot' in sys.modules}")
    self.exit(0)

seen = []
MemtuiApp.memory_loader = property(lambda self: self)
MemtuiApp.first = painted
main([])
print(seen)
"""
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    with Terminal([], env, home / "shop", program=["-c", script]) as terminal:
        assert terminal.end() == 0
    assert b"LOADED [] False" in terminal.output


async def test_a_change_on_disk_is_told_in_the_editor_and_an_open_overlap_is_asked_about(
    make_app: Maker, memory: Path
) -> None:
    path = memory / "feedback_commits.md"
    before = path.read_text(encoding="utf-8")
    async with make_app().run_test(size=(80, 24)) as pilot:
        app = await go_to(pilot, path)
        await press(pilot, "enter", "ctrl+end", "up", *"mine")
        path.write_text(before.replace("the diff says what.", "the diff says what, theirs."), encoding="utf-8")
        app.disk_changed()
        told = screen_text(await settle(pilot))
        assert "changed on disk since you opened it: ^S merges or asks" in told and "mine" in told
        await press(pilot, "ctrl+s")
        assert isinstance(app.screen, Compare)
        compared = screen_text(app)
        assert "what, theirs." in compared and "mine" in compared, "both sides, though it is narrow"
        await press(pilot, "m")
        asked = screen_text(app)
        assert "Conflict markers in" in asked and "<<<<" not in path.read_text(encoding="utf-8")
        await press(pilot, "n")
        assert isinstance(app.screen, Compare), "a no is back at the choice"
        await press(pilot, "1", "m")
        saved = screen_text(app)
    text = path.read_text(encoding="utf-8")
    assert "<<<<" not in text and "theirs" not in text and "mine" in text
    assert "changed on disk" not in saved


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("feedback_testing.md", "---\nname: testing\ndescription: d\ntype: feedbak\n---\n\nBody.\n"),
        ("MEMORY.md", "- [t](feedback_testing.md) — one\n- [t](feedback_testing.md) — one\n"),
    ],
)
async def test_a_problem_is_fixed_in_the_text_that_is_typed(
    make_app: Maker, memory: Path, name: str, wrong: str
) -> None:
    path = memory / name
    path.write_text(wrong, encoding="utf-8")
    async with make_app().run_test(size=(100, 30)) as pilot:
        app = await go_to(pilot, path)
        await press(pilot, "enter", "ctrl+end", *"mine")
        assert isinstance(app.screen, Editor)
        panel = app.screen.query_one(ProblemList)
        panel.cursor = next(at for at, one in enumerate(panel.rows) if one.code in ("wrong-type", "duplicate-entry"))
        await press(pilot, "f7")
        text = app.screen.current().text
    assert "mine" in text and text != f"{wrong}mine" and path.read_text(encoding="utf-8") == wrong
