"""Layers and switches: which file said what, and where a change would take effect."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.settings_files import SettingsLayer, effective_variables, read_layers
from memtui.client.switches import SETTINGS, VARIABLES, Switch, switches

Write = Callable[[Mapping[str, str]], None]
MakeEnv = Callable[..., Env]

DISABLE = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"


@pytest.fixture
def here(ana: Path) -> Path:
    folder = ana / "p"
    folder.mkdir()
    return folder


def found(env: Env, cwd: Path, key: str, *, flag: str | None = None, bare: bool = False) -> Switch:
    return next(switch for switch in switches(env, read_layers(env, cwd, flag), bare=bare) if switch.key == key)


def test_layers_stand_in_the_order_of_their_strength(
    here: Path, tmp_path: Path, make_env: MakeEnv, write: Write
) -> None:
    (tmp_path / "policy" / "managed-settings.d").mkdir(parents=True)
    for name in ("10-a.json", "20-b.json", ".hidden.json", "note.txt"):
        (tmp_path / "policy" / "managed-settings.d" / name).write_text("{}")
    layers = read_layers(make_env(), here, '{"theme": "dark"}')
    assert [layer.name for layer in layers] == ["policy"] * 3 + ["flag", "local", "project", "user"]
    assert [layer.path.name for layer in layers[:3] if layer.path] == [
        "20-b.json",
        "10-a.json",
        "managed-settings.json",
    ]
    assert tuple(dict.fromkeys(layer.name for layer in layers)) == ("policy", "flag", "local", "project", "user")
    assert layers[3].source == "--settings"
    assert all(layer.problem is None for layer in layers)


def test_in_the_home_folder_the_users_file_is_not_the_projects(ana: Path, make_env: MakeEnv, write: Write) -> None:
    write({".claude/settings.json": '{"autoMemoryDirectory": "~/mem"}'})
    assert [layer.name for layer in read_layers(make_env(), ana)] == ["policy", "local", "user"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"autoMemoryEnabled": "yes"}', "autoMemoryEnabled should be true or false"),
        ('{"autoMemoryDirectory": null}', "autoMemoryDirectory should be text"),
        ('{"claudeMdExcludes": ["a", 1]}', "claudeMdExcludes should be a list of texts"),
        ('{"cleanupPeriodDays": 0}', "cleanupPeriodDays should be a whole number of days"),
        ('{"cleanupPeriodDays": true}', "cleanupPeriodDays should be"),
        ('{"cleanupPeriodDays": 1e999}', "cleanupPeriodDays should be"),
        ('{"env": []}', "env should be an object"),
        ("{", "it is not valid JSON: it ends too early"),
        ('{"a": 1,}', "a key in double quotes is missing (line 1)"),
        ("[]", "it is not an object"),
    ],
)
def test_a_faulty_file_is_ignored_whole_and_says_why(
    text: str, problem: str, here: Path, make_env: MakeEnv, write: Write
) -> None:
    write({".claude/settings.json": text})
    user = read_layers(make_env(), here)[-1]
    assert (user.name, user.data) == ("user", {})
    assert problem in (user.problem or "")


@pytest.mark.parametrize(
    "text", ["", " \n", "\ufeff", '{"theme": 5, "model": "x", "unknown": [1], "cleanupPeriodDays": 30.0}', "{}"]
)
def test_what_is_no_fault(text: str, here: Path, make_env: MakeEnv, write: Write) -> None:
    write({".claude/settings.json": text})
    assert read_layers(make_env(), here)[-1].problem is None


def test_a_settings_file_that_is_no_file_stops_nobody(ana: Path, here: Path, make_env: MakeEnv) -> None:
    (ana / ".claude" / "settings.json").mkdir(parents=True)
    (here / ".claude").mkdir()
    os.mkfifo(here / ".claude" / "settings.json")
    (here / ".claude" / "settings.local.json").symlink_to("settings.local.json")
    problems = {layer.name: layer.problem for layer in read_layers(make_env(), here)}
    assert problems["user"] == problems["project"] == "it is not a regular file"
    assert "cannot be read" in (problems["local"] or "")


def test_a_flag_may_be_json_or_a_file(here: Path, make_env: MakeEnv, write: Write) -> None:
    write({"p/s.json": '{"theme": "x"}'})
    assert read_layers(make_env(), here, ' {"theme": "x"} ')[1].data == {"theme": "x"}
    assert read_layers(make_env(), here, "s.json")[1].data == {"theme": "x"}
    for missing in ("none.json", "{bad", "x" * 5000, "\0"):
        assert "would not start" in (read_layers(make_env(), here, missing)[1].problem or "")
    assert "would not start" in (read_layers(make_env(), here, "{bad}")[1].problem or "")


def test_environment_blocks_stand_above_the_shell(here: Path, make_env: MakeEnv, write: Write) -> None:
    blocks = {
        ".claude/settings.json": {DISABLE: 1, "A": True, "B": None, "C": [1], "CLAUDE_CODE_REMOTE": "1"},
        "p/.claude/settings.json": {DISABLE: "0", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE": "/x/y/z", "PATH": "."},
    }
    write({name: json.dumps({"env": block}) for name, block in blocks.items()})
    env = make_env(**{DISABLE: "1", "PATH": "/bin"})
    after = effective_variables(env, read_layers(env, here))
    assert after[DISABLE].value == "0"
    assert (after[DISABLE].layer, after["A"].value, after["B"].value) == ("project", "true", "")
    assert (after["PATH"].value, after["PATH"].layer) == ("/bin", "env")
    assert {"C", "CLAUDE_CODE_REMOTE", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"}.isdisjoint(after)


def test_every_switch_is_listed_with_its_default(ana: Path, here: Path, make_env: MakeEnv) -> None:
    env = make_env()
    listed = switches(env, read_layers(env, here))
    assert [switch.key for switch in listed] == [key.key for key in (*SETTINGS, *VARIABLES)]
    for switch in listed:
        assert (switch.value, switch.layer, switch.source) == (switch.default, "default", ""), switch
        assert switch.describe
        assert switch.writable == (switch.target is not None) == (switch.why_not == "")
    assert {switch.target for switch in listed if switch.writable} == {ana / ".claude" / "settings.json"}


@pytest.mark.parametrize(
    ("files", "layer", "target"),
    [
        ({".claude/settings.json": "false"}, "user", ".claude/settings.json"),
        ({"p/.claude/settings.json": "false"}, "project", "p/.claude/settings.local.json"),
        (
            {"p/.claude/settings.local.json": "false", "p/.claude/settings.json": "true"},
            "local",
            "p/.claude/settings.local.json",
        ),
    ],
)
def test_a_change_goes_where_it_takes_effect(
    files: dict[str, str], layer: str, target: str, ana: Path, here: Path, make_env: MakeEnv, write: Write
) -> None:
    write({name: f'{{"autoMemoryEnabled": {value}}}' for name, value in files.items()})
    switch = found(make_env(), here, "autoMemoryEnabled")
    assert (switch.value, switch.layer, switch.target) == (False, layer, ana / target)
    assert switch.writable


def test_the_main_repositorys_local_file_is_the_stronger(ana: Path, make_env: MakeEnv, write: Write) -> None:
    write(
        {
            "repo/.git/HEAD": "",
            "repo/.claude/settings.local.json": '{"autoMemoryEnabled": false}',
            "repo/sub/.claude/settings.local.json": '{"autoMemoryEnabled": true, "theme": "x"}',
            "repo/.claude/settings.json": '{"theme": "not read below the root"}',
        }
    )
    switch = found(make_env(), ana / "repo" / "sub", "autoMemoryEnabled")
    assert (switch.value, switch.target) == (False, ana / "repo" / ".claude" / "settings.local.json")
    assert found(make_env(), ana / "repo" / "sub", "theme").value == "x"


def test_what_others_decided_can_not_be_changed_and_says_why(
    here: Path, tmp_path: Path, make_env: MakeEnv, write: Write
) -> None:
    write({".claude/settings.json": "{broken"})
    flagged = found(make_env(), here, "autoDreamEnabled", flag='{"autoDreamEnabled": false}')
    assert (flagged.value, flagged.layer, flagged.writable) == (False, "flag", False)
    assert "--settings" in flagged.why_not
    broken = found(make_env(), here, "theme")
    assert not broken.writable
    assert "not valid JSON" in broken.why_not
    shell = found(make_env(**{DISABLE: "1"}), here, "autoMemoryEnabled")
    assert (shell.value, shell.layer, shell.why_not) == (False, f"env:{DISABLE}", f"decided by {DISABLE}")
    bare = found(make_env(), here, "autoMemoryEnabled", bare=True)
    assert (bare.value, bare.source, bare.writable) == (False, "--bare", False)
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "managed-settings.json").write_text('{"theme": "corporate", "autoMemoryEnabled": 1}')
    policy = found(make_env(), here, "theme")
    assert (policy.value, policy.layer, policy.writable) == ("corporate", "policy", False)
    assert (
        found(make_env(), here, "autoMemoryEnabled").layer == "default"
    )  # of a managed file only the bad key is dropped


def test_lists_add_up(here: Path, make_env: MakeEnv, write: Write) -> None:
    write(
        {
            ".claude/settings.json": '{"claudeMdExcludes": ["a", "b"]}',
            "p/.claude/settings.json": '{"claudeMdExcludes": ["b", "c"]}',
        }
    )
    switch = found(make_env(), here, "claudeMdExcludes")
    assert (switch.value, switch.layer) == (("a", "b", "c"), "project")


def test_variables_show_what_they_come_to(here: Path, make_env: MakeEnv, write: Write) -> None:
    write({".claude/settings.json": '{"env": {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "on"}}'})
    env = make_env(CLAUDE_CODE_SIMPLE="maybe", CLAUDE_CODE_PROJECT_DIR_NAME="proj")
    mds = found(env, here, "CLAUDE_CODE_DISABLE_CLAUDE_MDS")
    assert (mds.value, mds.layer) == (True, "user")
    assert "env block" in mds.why_not
    assert found(env, here, "CLAUDE_CODE_SIMPLE").value is False
    assert found(env, here, "CLAUDE_CODE_PROJECT_DIR_NAME").value is None  # it needs CLAUDE_CONFIG_DIR


def test_a_layer_says_where_it_came_from() -> None:
    assert SettingsLayer("flag", None).source == "--settings"
    assert SettingsLayer("user", Path("/a/b")).source == "/a/b"
