"""Real memory folders: each opens, every file is shown, looking changes nothing, and an edit is undone to the byte."""

import shutil
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.memory.workspace import Workspace
from memtui.services.history import redo, undo
from memtui.tui.app import MemtuiApp
from memtui.tui.render.memory_rows import FileRow
from memtui.tui.startup.start import StartContext
from memtui.util.app_dirs import Dirs
from memtui.util.config import read_config
from memtui.util.text import is_plain
from tests.support import REPO, digest_tree
from tests.tui.conftest import NOW
from tests.tui.driving import press, screen_text, settle

CORPUS = REPO.parent / "shared/corpus/memory"
FOLDERS = sorted(CORPUS.iterdir()) if CORPUS.is_dir() else []


@pytest.fixture
def opened(request: pytest.FixtureRequest, home: Path) -> Workspace:
    """The workspace over a copy of one folder of the corpus."""
    (home / "shop").mkdir()
    env = Env(home, {"HOME": str(home)}, ())
    location = locate_memory(env, home / "shop")
    shutil.copytree(request.param, location.folder, copy_function=shutil.copy)
    for path in location.folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    location.folder.chmod(0o755)
    return Workspace(env, Dirs.from_env(env.environ, home), location, trash=False, now=lambda: NOW)


corpus = pytest.mark.parametrize("opened", FOLDERS, ids=lambda path: path.name, indirect=True)


@corpus
async def test_every_file_is_shown_and_nothing_changes(opened: Workspace) -> None:
    before = digest_tree(opened.location.folder)
    async with MemtuiApp(StartContext.over(opened), read_config(opened.dirs.config), watch=False).run_test(
        size=(100, 30)
    ) as pilot:
        app = await settle(pilot)
        rows = [row for row in app.memory_view.list.rows if isinstance(row, FileRow)]
        for row in rows[:25]:
            app.memory_view.go_to(str(row.path))
            await settle(pilot)
            assert app.state is not None
            assert app.state.preview.path == row.path
            assert is_plain(screen_text(app).replace("\n", ""))
        await press(pilot, "b", "right_square_bracket", "T", "escape", "5", "1")
    assert digest_tree(opened.location.folder) == before


@corpus
def test_an_edit_of_each_file_undoes_to_the_same_bytes(opened: Workspace) -> None:
    snapshot = opened.read(full=True)
    opened.note_outside()
    for scope in snapshot.scopes:
        for file in scope.files:
            data, base = opened.text(file.path)
            opened.save(file.path, data + b"\none more line\n", base)
            assert file.path.read_bytes() != data
            undo(opened)
            assert file.path.read_bytes() == data
            redo(opened)
            undo(opened)
            assert file.path.read_bytes() == data
