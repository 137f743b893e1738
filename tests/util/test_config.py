"""config.toml: read leniently, written with comments kept."""

from pathlib import Path

import pytest

from memtui.util.config import SETTINGS, edit_config, read_config
from memtui.util.errors import MemtuiError, UsageError


def write_setting(folder: Path, key: str, value: str | None) -> None:
    (folder / "config.toml").write_bytes(edit_config(folder, key, value))


def test_defaults_without_a_file(tmp_path: Path) -> None:
    config = read_config(tmp_path)
    assert config["theme"] == "auto"
    assert config.warnings == ()
    assert not (tmp_path / "config.toml").exists()


def test_write_keeps_comments_and_order(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('# mine\nunknown = 1\ntheme = "memtui-dark" # nice\n\n[keys]\n"app.quit" = "Q"\n')
    write_setting(tmp_path, "theme", "memtui-light")
    assert file.read_text() == '# mine\nunknown = 1\ntheme = "memtui-light" # nice\n\n[keys]\n"app.quit" = "Q"\n'
    config = read_config(tmp_path)
    assert config["theme"] == "memtui-light"
    assert config.keys == {"app.quit": "Q"}
    assert config.warnings == ("unknown is not a setting of this version",)


@pytest.mark.parametrize("text", ["theme = [", "\udcff", "theme = 5\n", 'theme = "pink"\n', "keys = 3\n"])
def test_a_broken_file_gives_defaults_and_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    config = read_config(tmp_path)
    assert config["theme"] == "auto"
    assert len(config.warnings) == 1


def test_a_broken_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("theme = [")
    with pytest.raises(MemtuiError, match="not TOML"):
        write_setting(tmp_path, "theme", "auto")
    assert (tmp_path / "config.toml").read_text() == "theme = ["


def test_unknown_keys_and_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_setting(tmp_path, "colour", "red")
    with pytest.raises(UsageError):
        write_setting(tmp_path, "theme", "red")


def test_unset_and_every_choice_round_trips(tmp_path: Path) -> None:
    for setting in SETTINGS:
        for choice in setting.choices or ("vim -f",):
            write_setting(tmp_path, setting.key, choice)
            assert read_config(tmp_path)[setting.key] == choice
        write_setting(tmp_path, setting.key, None)
        assert read_config(tmp_path)[setting.key] == setting.default
