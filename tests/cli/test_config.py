"""Settings of both kinds, read and written."""

import json
from pathlib import Path

import pytest

from memtui.cli.context import CliContext, KeyRow
from memtui.cli.main import answer
from tests.cli.conftest import Run
from tests.support import digest_tree


@pytest.fixture
def user(home: Path) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "zebra": 1,\n  "autoDreamEnabled": true\n}\n', encoding="utf-8")
    return path


def test_the_list_has_both_kinds_and_who_set_each(run: Run, shop: Path, user: Path) -> None:
    rows = run("config", "get", "--json").data
    by_key = {row["key"]: row for row in rows}
    assert by_key["autoDreamEnabled"]["layer"] == "user"
    assert by_key["autoDreamEnabled"]["source"] == str(user)
    assert by_key["glyphs"]["whose"] == "memtui"
    text = run("config", "get").out
    for key in by_key:
        assert key in text


def test_one_value_is_printed_alone(run: Run, shop: Path, user: Path) -> None:
    assert run("config", "get", "autoDreamEnabled").out == "on\n"
    assert run("config", "get", "memtui.theme").out == "auto\n"
    missing = run("config", "get", "nonsense", "--json")
    assert missing.code == 3
    assert missing.error["code"] == "not_found"


def test_a_switch_is_written_where_it_takes_effect_and_other_bytes_stay(run: Run, shop: Path, user: Path) -> None:
    ran = run("config", "set", "autoDreamEnabled", "off", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["written"] is True
    assert ran.data["in_force"]["value"] is False
    assert user.read_text(encoding="utf-8") == '{\n  "zebra": 1,\n  "autoDreamEnabled": false\n}\n'
    assert run("undo").code == 0
    assert "true" in user.read_text(encoding="utf-8")


def test_a_layer_can_be_named_and_unset(run: Run, shop: Path, user: Path) -> None:
    assert run("config", "set", "autoMemoryEnabled", "no", "--layer", "local").code == 0
    local = shop / ".claude" / "settings.local.json"
    assert json.loads(local.read_text(encoding="utf-8")) == {"autoMemoryEnabled": False}
    assert run("config", "get", "autoMemoryEnabled").out == "off\n"
    assert run("config", "set", "autoMemoryEnabled", "--unset", "--layer", "local").code == 0
    assert run("config", "get", "autoMemoryEnabled").out == "on\n"


def test_a_dry_run_shows_and_writes_nothing(run: Run, shop: Path, user: Path, home: Path) -> None:
    before = digest_tree(home)
    ran = run("config", "set", "-n", "autoDreamEnabled", "off")
    assert ran.code == 0
    assert '-  "autoDreamEnabled": true' in ran.out
    assert "nothing was written" in ran.err
    assert run("config", "set", "-n", "theme", "memtui-light").code == 0
    assert digest_tree(home) == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["theme", "purple"], 2),
        (["autoDreamEnabled", "perhaps"], 2),
        (["autoDreamEnabled"], 2),
        (["cleanupPeriodDays", "soon"], 2),
        (["nonsense", "1"], 3),
        (["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"], 5),
        (["CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1", "--layer", "user"], 5),
        (["theme", "memtui-light", "--layer", "user"], 2),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, shop: Path, user: Path, words: list[str], code: int) -> None:
    before = user.read_bytes()
    ran = run("config", "set", *words)
    assert ran.code == code
    assert ran.err.startswith("memtui: ")
    assert user.read_bytes() == before


def test_a_broken_settings_file_is_left_as_it_is(run: Run, shop: Path, user: Path) -> None:
    user.write_text("{bad", encoding="utf-8")
    ran = run("config", "set", "autoDreamEnabled", "off", "--layer", "user")
    assert ran.code == 1
    assert user.read_text(encoding="utf-8") == "{bad"


def test_ours_are_written_with_comments_kept(run: Run, shop: Path, home: Path) -> None:
    path = home / ".config" / "memtui" / "config.toml"
    assert run("config", "path").out == f"{path}\n"
    path.parent.mkdir(parents=True)
    path.write_text('# mine\neditor = "ed" # small\n', encoding="utf-8")
    assert run("config", "set", "glyphs", "ascii").code == 0
    assert path.read_text(encoding="utf-8").startswith('# mine\neditor = "ed" # small\n')
    assert run("config", "get", "glyphs").out == "ascii\n"
    assert run("config", "set", "glyphs", "--unset").code == 0
    assert run("config", "get", "glyphs").out == "auto\n"


def test_read_only_writes_nothing(run: Run, shop: Path, user: Path) -> None:
    for key, value in (("theme", "memtui-light"), ("autoDreamEnabled", "off")):
        assert run("--read-only", "config", "set", key, value).code == 5
    assert run("config", "edit").code == 6


def test_keys_come_from_whoever_knows_the_screen(shop: Path, policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def keys() -> list[KeyRow]:
        return [KeyRow("app.quit", "Everywhere", "q", "Quit")]

    assert answer(["config", "keys", "--plain"], keys=keys) == 0
    assert capsys.readouterr().out == "app.quit\tq\tEverywhere\tQuit\n"
    assert answer(["config", "keys"]) == 6
    assert CliContext().keys is None
