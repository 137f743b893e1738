"""Words, options, faults and exit codes of the whole program."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from memtui import __version__
from memtui.__main__ import _screen_options
from memtui.cli import COMMANDS
from memtui.cli.context import CliContext
from memtui.cli.errors import guarded
from memtui.cli.main import cli
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused, Unsupported, UsageError
from tests.cli.conftest import Run
from tests.support import REPO

Start = Callable[..., subprocess.CompletedProcess[bytes]]


def test_the_version_is_printed_by_every_way_to_ask(run: Run, start: Start) -> None:
    assert start("--version").stdout == f"memtui {__version__}\n".encode()
    assert run("--version").out == f"memtui {__version__}\n"
    assert run("version").out == f"memtui {__version__}\n"
    assert run("--json", "version").data == {"version": __version__}


def test_every_command_has_help_and_a_place_in_it(run: Run) -> None:
    listed = run("--help")
    assert listed.code == 0
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None and command.name == name
        assert f"  {name} " in listed.out
        assert run(name, "--help").code == 0


def test_the_shared_options_are_taken_before_and_after_the_command(run: Run, shop: Path) -> None:
    for words in (["--json", "config", "path"], ["config", "--json", "path"], ["config", "path", "--json"]):
        assert run(*words).data["path"].endswith("config.toml")


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (["lss", "x"], 2, "usage"),
        (["ls", "--bogus"], 2, "usage"),
        (["explain", "nothing"], 2, "usage"),
        (["completion", "tcsh"], 2, "usage"),
        (["lss"], 3, "not_found"),
        (["--project", "nowhere", "ls"], 3, "not_found"),
    ],
)
def test_wrong_words_are_told_as_text_and_as_json(
    run: Run, shop: Path, home: Path, words: list[str], code: int, kind: str
) -> None:
    (home / ".claude").mkdir()
    ran = run(*words)
    assert ran.code == code
    assert ran.out == ""
    assert ran.err.startswith("memtui: ")
    told = run("--json", *words)
    assert told.code == code
    assert (told.error["code"], told.error["exit"]) == (kind, code)
    assert told.error["message"]


def test_a_mistyped_command_gets_a_hint(run: Run, shop: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    assert "budget" in run("budgte").err
    assert "budget" in run("budgte", "x").err


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (MemtuiError("x"), 1),
        (UsageError("x"), 2),
        (NotFound("x"), 3),
        (Conflict("x"), 4),
        (Refused("x"), 5),
        (Unsupported("x"), 6),
        (KeyboardInterrupt(), 130),
        (PermissionError(13, "Permission denied", "/x"), 5),
        (OSError(28, "No space left on device"), 6),
        (FileNotFoundError(2, "No such file", "/x"), 3),
        (ValueError("x"), 70),
        (OSError("x"), 70),
        (AssertionError(), 70),
    ],
)
def test_every_fault_has_its_exit_code(home: Path, fault: BaseException, code: int) -> None:
    def run() -> None:
        raise fault

    assert guarded(run, CliContext(), []) == code


def test_a_bug_is_one_line_and_a_log(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run() -> None:
        raise ValueError("odd \x1b[31m thing\nsecond line")

    call = CliContext()
    assert guarded(run, call, ["ls", "\x1b"]) == 70
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert "\x1b" not in "".join(told)
    (log,) = (home / ".local/state/memtui/log").iterdir()
    assert str(log) in told[1]
    assert log.stat().st_mode & 0o777 == 0o600
    text = log.read_text(encoding="utf-8")
    assert "Traceback" in text and "'ls'" in text and __version__ in text


def test_old_logs_make_room_and_a_state_folder_that_cannot_be_written_does_not_matter(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / ".local/state/memtui/log"
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f"2020{number:04}.log").touch()

    def run() -> None:
        raise ValueError

    assert guarded(run, CliContext(), []) == 70
    assert len(list(folder.iterdir())) == 20
    for log in folder.iterdir():
        log.unlink()
    folder.rmdir()
    folder.write_text("not a folder", encoding="ascii")
    assert guarded(run, CliContext(), []) == 70
    path = Path(capsys.readouterr().err.split()[-1])
    assert "Traceback" in path.read_text(encoding="utf-8")
    path.unlink()


def test_a_closed_pipe_is_no_fault(start: Start, home: Path) -> None:
    script = f"{sys.executable} -m memtui --help | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == b"0"
    assert done.stderr == b""


def test_a_pipe_that_nobody_reads_any_more_changes_no_exit_code(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("- [A](a.md) — hook\n" * 150, encoding="utf-8")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "memtui", "explain", "index", "--jsonl", str(path), str(tmp_path / "absent")],
            env={**os.environ, "PYTHONPATH": str(REPO)},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("streams", "code", "told"),
    [
        (">/dev/full", 8, b"the answer could not be written: No space left on device"),
        (">&-", 0, b""),
        ("<&- >&- 2>&-", 0, b""),
        (">/dev/null 2>/dev/full", 0, b""),
    ],
)
def test_an_answer_that_cannot_be_written_undoes_nothing(
    home: Path, shop: Path, memory: Path, streams: str, code: int, told: bytes
) -> None:
    command = f"{sys.executable} -m memtui set feedback_testing description=new {streams}"
    env = {**os.environ, "PYTHONPATH": str(REPO)}
    done = subprocess.run(["sh", "-c", command], cwd=shop, env=env, capture_output=True, timeout=60, check=False)
    assert done.returncode == code
    assert told in done.stderr
    assert b"nothing was written" not in done.stderr
    assert b"Traceback" not in done.stderr
    assert "description: new" in (memory / "feedback_testing.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_without_a_traceback(home: Path, number: int, code: int) -> None:
    # It waits for standard input, which says by "ready" that its handlers are in place.
    program = (
        "import sys, memtui.__main__ as m, memtui.cli.commands.explain as e\n"
        "class Slow:\n"
        "    class buffer:\n"
        "        @staticmethod\n"
        "        def read():\n"
        "            import os, time\n"
        "            os.write(1, b'ready\\n')\n"
        "            time.sleep(60)\n"
        "    isatty = staticmethod(lambda: False)\n"
        "sys.stdin = Slow\n"
        "sys.exit(m.main(['explain', 'index', '-']))\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert child.returncode == code
    assert err.strip() == b""


def test_colour_is_only_for_terminals_that_want_it(run: Run, shop: Path, tmp_path: Path) -> None:
    assert "\x1b" not in run("config", "get").out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], {}),
        (["--demo"], {"demo": True}),
        (["--ascii", "--read-only", "--no-mouse", "--no-color"], {"ascii": True, "read_only": True, "no_mouse": True}),
        (["--project", "p"], {"project": "p"}),
        (["--project=p", "--config-dir", "d"], {"project": "p", "config_dir": "d"}),
        (["shop"], {"project": "shop"}),
        (["./ls"], {"project": "./ls"}),
        (["ls"], None),
        (["--json"], None),
        (["--help"], None),
        (["shop", "site"], None),
        (["--project"], None),
        ([""], None),
        (["-x"], None),
    ],
)
def test_what_the_screen_takes_is_told_apart_before_click(words: list[str], expected: dict[str, object] | None) -> None:
    screen = _screen_options(words)
    if expected is None:
        assert screen is None
    else:
        assert screen is not None
        assert {key: getattr(screen, key) for key in expected} == expected


def test_json_has_no_byte_outside_ascii(run: Run, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "é\u202e\x1b.md"
    path.write_text("---\nname: \u202ex\x1b]52;c;eA==\x07\n---\n", encoding="utf-8")
    for flag in ("--json", "--jsonl"):
        ran = run("explain", "frontmatter", flag, path)
        assert ran.out.isascii()
        assert "\x1b" not in ran.out and "\x07" not in ran.out
        assert json.loads(ran.out)
    text = run("explain", "frontmatter", path).out
    assert not set(text) & {"\x1b", "\x07", "\u202e"}
