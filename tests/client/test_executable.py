"""The client as a program: where it is, where a session is resumed, and the command for a shell."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.client.environment import Env
from memtui.client.executable import (
    find_client,
    resume_command,
    resume_directory,
    resume_environment,
    shell_command,
    shell_quote,
)
from memtui.client.paths import project_name
from memtui.client.session_files import PART_BYTES, SessionFile
from memtui.util.errors import Unsupported
from memtui.util.text import visible

ID = "11111111-1111-4111-8111-111111111111"


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def session(folder: Path, *lines: dict[str, object]) -> SessionFile:
    folder.mkdir(parents=True)
    path = folder / f"{ID}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return SessionFile(str(path), 0.0, path.stat().st_size)


def test_the_path_comes_before_what_installers_leave(tmp_path: Path) -> None:
    env = Env(tmp_path, {"PATH": str(tmp_path / "bin")})
    with pytest.raises(Unsupported) as fault:
        find_client(env)
    assert fault.value.exit_code == 6
    assert fault.value.hint
    local = program(tmp_path / ".claude" / "local" / "claude")
    assert find_client(env) == str(local)
    named = program(tmp_path / "bin" / "claude")
    assert find_client(env) == str(named)
    named.chmod(0o644)
    assert find_client(env) == str(local)


def test_a_session_is_resumed_where_it_began(tmp_path: Path) -> None:
    shop, sub = tmp_path / "my_shop.v2", tmp_path / "my_shop.v2" / "sub"
    sub.mkdir(parents=True)
    folder = tmp_path / project_name(str(shop))
    file = session(folder, {"type": "mode"}, {"cwd": str(sub)}, {"cwd": str(shop)}, {"cwd": str(tmp_path / "gone")})
    found = resume_directory(file, tmp_path)
    assert (found.directory, found.there, found.others) == (shop, True, (sub,))


def test_a_directory_that_is_gone_is_said_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    gone = tmp_path / "shop"
    file = session(tmp_path / project_name(str(gone)), {"cwd": str(gone)}, {"cwd": str(tmp_path / "other")})
    found = resume_directory(file, tmp_path)
    assert (found.directory, found.there, found.others) == (gone, False, (tmp_path / "other",))


def test_no_directory_at_all_and_one_that_the_folder_is_not_named_after(tmp_path: Path) -> None:
    assert resume_directory(session(tmp_path / "a", {"type": "mode"}), tmp_path).directory is None
    assert resume_directory(session(tmp_path / "b", {"cwd": str(tmp_path)}), tmp_path).directory == tmp_path


def test_the_tail_is_looked_at_too(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    filler: dict[str, object] = {"cwd": "/elsewhere", "x": "y" * PART_BYTES}
    file = session(tmp_path / project_name(str(shop)), filler, filler, {"cwd": str(shop)})
    assert resume_directory(file, tmp_path).directory == shop


def test_the_commands() -> None:
    assert resume_command("/bin/claude", ID, fork=True) == ["/bin/claude", "--resume", ID, "--fork-session"]
    assert shell_command(Path("/home/you/my shop"), ID) == f"cd '/home/you/my shop' && claude --resume {ID}"
    told = shell_command(None, ID, fork=True, environ={"CLAUDE_CONFIG_DIR": "/a b"})
    assert told == f"CLAUDE_CONFIG_DIR='/a b' claude --resume {ID} --fork-session"


def test_a_relative_configuration_folder_stays_the_same_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"CLAUDE_CONFIG_DIR": "conf", "A": "b"}
    assert resume_environment(Env(tmp_path, given)) == {"CLAUDE_CONFIG_DIR": str(tmp_path / "conf"), "A": "b"}
    assert resume_environment(Env(tmp_path, {"A": "b"})) == {"A": "b"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash to read the words back")
@given(st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12), max_size=8))
def test_a_shell_reads_the_words_back(words: list[str]) -> None:
    line = " ".join(map(shell_quote, words))
    assert visible(line, keep="") == line
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True)
    assert done.stdout.split(b"\0")[:-1] == ([os.fsencode(word) for word in words] or [b""])


def test_half_a_character_is_no_fault() -> None:
    assert shell_quote("\ud83d") == "$'\\xed\\xa0\\xbd'"
