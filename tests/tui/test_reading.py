"""What the app reads again, and when it doesn't."""

from pathlib import Path

import pytest

from memtui.tui.loaders.memory import MemoryLoader
from tests.tui.conftest import Maker
from tests.tui.driving import screen_text, settle


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
        assert "project_new" in screen_text(app)
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
