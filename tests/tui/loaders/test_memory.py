"""What the app reads again, and when it doesn't."""

from pathlib import Path

import pytest

from memtui.memory.snapshot import Snapshot
from memtui.memory.workspace import Workspace
from memtui.tui.loaders.memory import MemoryLoader
from memtui.tui.messages import DiskChanged
from tests.tui.conftest import Maker
from tests.tui.driving import press, screen_text, settle, until


async def test_a_rescan_reads_nothing_while_nothing_changed(
    make_app: Maker, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    again, real = [], MemoryLoader.read_again
    monkeypatch.setattr(MemoryLoader, "read_again", lambda self: (again.append(1), real(self)))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        app.memory_loader.look()
        await settle(pilot)
        assert again == []
        (memory / "project_new.md").write_text("---\nname: n\ndescription: d\ntype: project\n---\n\nx\n")
        app.memory_loader.look()
        await settle(pilot)
        assert again == [1]
        assert "○ new" in screen_text(app)
        app.memory_loader.look()
        await settle(pilot)
        assert again == [1]


async def test_a_rescan_sees_what_is_edited_in_place(make_app: Maker, memory: Path) -> None:
    app = make_app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        before = app.state and app.state.snapshot
        file = memory / "user_role.md"
        file.write_bytes(file.read_bytes()[::-1])
        app.memory_loader.look()
        await settle(pilot)
        assert app.state is not None
        assert app.state.snapshot is not before


async def test_one_save_reads_the_folder_once(make_app: Maker, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[bool] = []
    real = Workspace.read

    def counted(self: Workspace, *, full: bool = True, known: Snapshot | None = None) -> Snapshot:
        reads.append(full)
        return real(self, full=full, known=known)

    app = make_app()
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        app.memory_view.go_to(str(memory / "feedback_commits.md"))
        await press(pilot, "enter", "X")
        await until(pilot, lambda: app.workspace.drafts.load(memory / "feedback_commits.md"))
        monkeypatch.setattr(Workspace, "read", counted)
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: b"X" in (memory / "feedback_commits.md").read_bytes() and reads)
        assert reads == [True]
        for _ in range(3):  # what the watcher reports of it
            app.post_message(DiskChanged())
            await settle(pilot)
        assert reads == [True]
        (memory / "feedback_commits.md").write_text("by somebody else\n")
        app.post_message(DiskChanged())
        await until(pilot, lambda: len(reads) == 2)
