"""memtui's own settings: each change is an operation of the history, so undo takes it back wherever the file lies."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.memory.workspace import Workspace
from memtui.services.history import redo, undo
from memtui.services.settings import plan_switch, set_own, set_switch
from memtui.util.config import read_config
from memtui.util.errors import Refused


def test_undo_and_redo_take_a_setting_back_and_forth_and_keep_comments(workspace: Workspace) -> None:
    folder = workspace.dirs.config
    folder.mkdir(parents=True)
    file = folder / "config.toml"
    file.write_text("# mine\ntrash = false\n", encoding="utf-8")
    set_own(workspace, "glyphs", "ascii")
    done = file.read_bytes()
    assert undo(workspace).words == "undone: set glyphs to 'ascii' in config.toml"
    assert file.read_text(encoding="utf-8") == "# mine\ntrash = false\n"
    redo(workspace)
    assert file.read_bytes() == done


def test_the_first_setting_of_all_is_undone_by_removing_the_file_and_done_again_later(
    make: Callable[..., Workspace],
) -> None:
    workspace = make()
    folder = workspace.dirs.config
    set_own(workspace, "glyphs", "ascii")
    undo(workspace)
    assert not (folder / "config.toml").exists()
    redo(make())
    assert read_config(folder)["glyphs"] == "ascii"


def test_a_setting_and_a_memory_file_have_one_order_of_undo(workspace: Workspace) -> None:
    workspace.read(full=False)
    file = workspace.location.folder / "new.md"
    set_own(workspace, "glyphs", "ascii")
    workspace.save(file, b"x\n", None)
    undo(workspace)
    assert not file.exists()
    assert read_config(workspace.dirs.config)["glyphs"] == "ascii"
    undo(workspace)
    assert read_config(workspace.dirs.config)["glyphs"] == "auto"


def test_a_linked_config_file_stays_a_link(workspace: Workspace, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "memtui.toml"
    real.parent.mkdir()
    real.write_text("trash = false\n", encoding="utf-8")
    workspace.dirs.config.mkdir(parents=True)
    link = workspace.dirs.config / "config.toml"
    link.symlink_to(real)
    set_own(workspace, "glyphs", "ascii")
    assert link.is_symlink()
    assert 'glyphs = "ascii"' in real.read_text(encoding="utf-8")
    undo(workspace)
    assert real.read_text(encoding="utf-8") == "trash = false\n"


def test_the_same_value_again_makes_no_operation(workspace: Workspace) -> None:
    set_own(workspace, "glyphs", "ascii")
    set_own(workspace, "glyphs", "ascii")
    undo(workspace)
    assert read_config(workspace.dirs.config)["glyphs"] == "auto"


def test_a_settings_file_of_claude_code_that_undo_removed_comes_back(make: Callable[..., Workspace]) -> None:
    workspace = make()
    edit = plan_switch(workspace, "autoMemoryEnabled", "off", "user")
    set_switch(workspace, edit)
    undo(workspace)
    assert not edit.path.exists()
    redo(make())
    assert edit.path.read_bytes() == edit.after


def test_read_only_refuses(workspace: Workspace) -> None:
    workspace.read_only = True
    with pytest.raises(Refused):
        set_own(workspace, "glyphs", "ascii")
    assert not (workspace.dirs.config / "config.toml").exists()
