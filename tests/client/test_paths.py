"""Names and folders of the agent client."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.client.environment import Env, managed_folder, parse_switch
from memtui.client.paths import (
    config_dir,
    configured_project_name,
    matches_project_name,
    project_name,
    projects_dir,
    read_small_file,
    transcripts_dir,
)

LONG = "/home/ana" + "".join(f"/segment{number}{'x' * 30}" for number in range(8))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/u/my_app.v2", "-home-u-my-app-v2"),
        ("C:\\x", "C--x"),
        ("/a/emoji😀x", "-a-emoji--x"),
        ("/a/né", "-a-n-"),
        ("/a/ne\u0301", "-a-ne-"),
        (LONG, re.sub("[^A-Za-z0-9]", "-", LONG)[:200] + "-3qymg9"),
        ("", ""),
    ],
)
def test_project_name(path: str, name: str) -> None:
    assert project_name(path) == name


@given(st.text(st.characters(), max_size=300))
def test_a_name_is_plain_and_bounded(path: str) -> None:
    name = project_name(path)
    units = len(path.encode("utf-16-le", "surrogatepass")) // 2
    assert re.fullmatch(r"[A-Za-z0-9-]*", name)
    assert len(name) == units if units <= 200 else 202 <= len(name) <= 208
    assert matches_project_name(name, path)


def test_an_undecodable_path_has_a_name() -> None:
    assert project_name(os.fsdecode(b"/a/\xff" + b"b" * 300)).startswith("-a--bbb")


def test_names_of_other_versions_belong_too() -> None:
    assert matches_project_name("-a-emoji-x", "/a/emoji😀x")
    assert matches_project_name(project_name(LONG)[:200] + "-zzz", LONG)
    assert not matches_project_name("-a-c", "/a/b")


@pytest.mark.parametrize(
    ("value", "folder"),
    [(None, ".claude"), ("{home}/cfg/", "cfg"), ("{home}/x/../cfg", "cfg"), ("{home}/ne\u0301", "n\u00e9")],
)
def test_config_dir(value: str | None, folder: str, ana: Path, make_env: Callable[..., Env]) -> None:
    env = make_env() if value is None else make_env(CLAUDE_CONFIG_DIR=value.format(home=ana))
    assert config_dir(env) == ana / folder
    assert projects_dir(env) == ana / folder / "projects"


@pytest.mark.parametrize(("value", "folder"), [("", "."), ("cfg", "cfg"), ("~/cfg", "~/cfg")])
def test_a_relative_config_dir_depends_on_the_directory(
    value: str, folder: str, tmp_path: Path, make_env: Callable[..., Env]
) -> None:
    assert config_dir(make_env(CLAUDE_CONFIG_DIR=value), tmp_path) == tmp_path / folder


@pytest.mark.parametrize(
    ("name", "config", "taken"),
    [
        ("proj", "/c", True),
        ("a_b-C9", "/c", True),
        ("x" * 64, "/c", True),
        ("conin", "/c", True),
        ("proj", "", False),
        ("proj", None, False),
        ("x" * 65, "/c", False),
        ("", "/c", False),
        ("a.b", "/c", False),
        ("..", "/c", False),
        ("NUL", "/c", False),
        ("com1", "/c", False),
        ("COM0", "/c", False),
        ("proj\n", "/c", False),
    ],
)
def test_a_given_project_name(name: str, config: str | None, taken: bool, make_env: Callable[..., Env]) -> None:
    env = make_env(CLAUDE_CODE_PROJECT_DIR_NAME=name, **({} if config is None else {"CLAUDE_CONFIG_DIR": config}))
    assert configured_project_name(env) == (name if taken else None)


def test_transcripts_belong_to_the_real_directory(ana: Path, make_env: Callable[..., Env]) -> None:
    (ana / "real").mkdir()
    (ana / "link").symlink_to("real")
    assert transcripts_dir(make_env(), ana / "link") == ana / ".claude" / "projects" / project_name(str(ana / "real"))


def test_only_small_regular_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert read_small_file(tmp_path / "file") == b"x" * 100
    assert read_small_file(tmp_path / "file", limit=99) is None
    for name in ("pipe", "loop", "absent", "a\0b", "."):
        assert read_small_file(tmp_path / name) is None


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("1", True),
        (" TRUE ", True),
        ("on", True),
        ("yes", True),
        ("0", False),
        ("Off", False),
        ("no", False),
        ("", None),
        (" ", None),
        ("2", None),
        ("n", None),
        ("foo", None),
        (None, None),
    ],
)
def test_what_a_switch_in_the_environment_says(word: str | None, says: bool | None) -> None:
    assert parse_switch(word) is says


def test_the_real_surroundings(tmp_path: Path) -> None:
    env = Env.real({"HOME": str(tmp_path), "X": "1"})
    assert (env.home, env.get("X"), env.get("Y")) == (tmp_path, "1", "")
    assert env.policy_files == (managed_folder() / "managed-settings.json",)
    assert Env.real({"HOME": "relative"}).home == Path.home()
