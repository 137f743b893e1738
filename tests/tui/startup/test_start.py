"""A start on a real terminal: before Textual, and whatever happens then, the terminal is left whole."""

import os
import signal
from pathlib import Path

import pytest

from tests.screen import ScreenOf
from tests.support import REPO
from tests.terminal import Terminal

SIZE = (120, 30)
TEXTUAL = b"\x1b[?1004h"
"""What Textual writes when it takes the terminal."""

MAIN = """
import sys
from memtui.__main__ import main
sys.exit(main(sys.argv[2:]))
"""
WAITS = """
import sys
import memtui.tui.run as run
real = run.run
def late(*args, **more):
    open(sys.argv[1]).read()
    return real(*args, **more)
run.run = late
"""
LISTS = """
import os, sys
def write(file, data):
    if b"1049h" in data:
        with open(sys.argv[1], "w") as report:
            report.write(chr(10).join(sys.modules))
    return real(file, data)
real, os.write = os.write, write
"""
FAILS = """
import memtui.tui.run as run
from memtui.util.errors import NotFound
def fail(*args, **more):
    raise NotFound("nothing here", hint="look elsewhere")
run.run = fail
"""


@pytest.fixture
def env(home: Path, memory: Path) -> dict[str, str]:
    """The environment of a terminal in which the project of `memory` is opened."""
    assert memory.is_dir()
    kept = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    return kept | {"LANG": "C.UTF-8", "PYTHONPATH": str(REPO)}


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """What a start that waits reads from."""
    path = tmp_path / "go"
    os.mkfifo(path)
    return path


def visit(env: dict[str, str], cwd: Path, *args: str, size: tuple[int, int] = SIZE, keys: str = "") -> bytes:
    """The output of a whole run, in which the keys are pressed as soon as something stands."""
    with Terminal(args, env, cwd, size) as terminal:
        if keys:
            terminal.wait("memtui")
            terminal.press(keys)
        terminal.wait("1 problem")
        terminal.rest()
        terminal.press("q")
        assert terminal.end() == 0
    return terminal.output


def screens(output: bytes, size: tuple[int, int] = SIZE) -> tuple[ScreenOf, ScreenOf]:
    """What stood before Textual took the terminal, and just before the end."""
    early, _, rest = output.partition(TEXTUAL)
    return ScreenOf(early, size), ScreenOf(early + rest.partition(b"\x1b[?1049l")[0], size)


def is_placeholder(screen: ScreenOf) -> bool:
    """Whether nothing but the program's name stands."""
    return "".join(screen.lines()).strip() == "memtui"


@pytest.mark.parametrize("args", [[], ["--ascii"], ["--read-only"], ["--no-color"]], ids=str)
def test_textual_finds_the_screen_as_it_draws_it(env: dict[str, str], home: Path, args: list[str]) -> None:
    first, _ = screens(visit(env, home / "shop", *args))
    assert is_placeholder(first)
    output = visit(env, home / "shop", *args)
    assert output.count(b"\x1b[?1049h") == 1
    early, late = screens(output)
    assert early.other
    assert not early.cursor
    assert any("feedback_testing" in line for line in early.lines())
    assert early.different(late) == []


@pytest.mark.parametrize("size", [(80, 24), (50, 14)], ids=str)
def test_a_frame_is_of_one_size(env: dict[str, str], home: Path, size: tuple[int, int]) -> None:
    visit(env, home / "shop")
    early, _ = screens(visit(env, home / "shop", size=size), size)
    assert is_placeholder(early)
    early, late = screens(visit(env, home / "shop", size=size), size)
    assert not is_placeholder(early)
    assert early.different(late) == []


def test_a_file_that_changed_is_not_shown_as_it_was(env: dict[str, str], home: Path, memory: Path) -> None:
    visit(env, home / "shop")
    (memory / "user_role.md").write_text("---\nname: role\ndescription: d\ntype: user\n---\n\nother\n")
    early, late = screens(visit(env, home / "shop"))
    assert is_placeholder(early)
    assert any("user_role" in line for line in late.lines())


def test_a_damaged_frame_is_not_shown(env: dict[str, str], home: Path) -> None:
    visit(env, home / "shop")
    (file,) = (home / ".cache/memtui/frames").iterdir()
    file.write_bytes(file.read_bytes().replace(b"feedback_testing", b"feedback_te\x1b[2Jng"))
    early, late = screens(visit(env, home / "shop"))
    assert is_placeholder(early)
    assert any("feedback_testing" in line for line in late.lines())
    early, _ = screens(visit(env, home / "shop"))
    assert not is_placeholder(early), "it was saved anew"


def test_a_screen_that_somebody_changed_is_not_saved(env: dict[str, str], home: Path) -> None:
    visit(env, home / "shop", keys="jj")
    early, _ = screens(visit(env, home / "shop"))
    assert is_placeholder(early)


def test_a_named_project_and_the_sample_have_no_frame(env: dict[str, str], home: Path) -> None:
    with Terminal(["--demo"], env, home / "shop", SIZE) as terminal:
        terminal.wait("sample data")
        terminal.rest()
        terminal.press("q")
        assert terminal.end() == 0
    visit(env, home, str(home / "shop"))
    assert not (home / ".cache/memtui/frames").exists()


def test_where_the_stream_is_not_utf_8(env: dict[str, str], home: Path) -> None:
    env |= {"PYTHONIOENCODING": "latin-1:replace"}
    visit(env, home / "shop")
    early, late = screens(visit(env, home / "shop"))
    assert not any(mark in line for line in [*early.lines(), *late.lines()] for mark in "─…│")


@pytest.mark.parametrize("saved", [True, False], ids=["frame", "placeholder"])
def test_a_start_that_fails_gives_the_terminal_back(env: dict[str, str], home: Path, saved: bool) -> None:
    if saved:
        visit(env, home / "shop")
    with Terminal(["-"], env, home / "shop", SIZE, program=("-c", FAILS + MAIN)) as terminal:
        echoed = terminal.echoes()
        assert terminal.end() == 3
        assert terminal.echoes() == echoed
    before, back, after = terminal.output.partition(b"\x1b[?1049l")
    assert (b"feedback_testing" in before) == saved
    assert back
    assert b"\x1b[?25h" in after
    assert b"nothing here" in after


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_before_textual(
    env: dict[str, str], home: Path, fifo: Path, number: signal.Signals, code: int
) -> None:
    with Terminal([str(fifo)], env, home / "shop", SIZE, program=("-c", WAITS + MAIN)) as terminal:
        terminal.wait("memtui")
        terminal.rest()
        with fifo.open("w"):  # it is there: the start waits, with its handlers in place
            terminal.rest()
            terminal.process.send_signal(number)
            assert terminal.end() == code
        assert terminal.echoes()
    assert terminal.output.rstrip().endswith(b"\x1b[?1049l\x1b[?25h")


def test_what_is_typed_before_textual_arrives_and_is_not_shown(env: dict[str, str], home: Path, fifo: Path) -> None:
    visit(env, home / "shop")
    with Terminal([str(fifo)], env, home / "shop", SIZE, program=("-c", WAITS + MAIN)) as terminal:
        terminal.wait("feedback_testing")
        terminal.rest()
        with fifo.open("w"):
            terminal.press("5")
            terminal.rest()
            assert terminal.drawn() == b""
        terminal.wait("autoMemoryEnabled")
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.echoes()


def test_nothing_heavy_is_loaded_before_the_first_paint(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    visit(env, home / "shop")
    report = tmp_path / "modules"
    with Terminal([str(report)], env, home / "shop", SIZE, program=("-c", LISTS + MAIN)) as terminal:
        terminal.wait("feedback_testing")
    loaded = {name.partition(".")[0] for name in report.read_text().splitlines()}
    heavy = {"textual", "rich", "click", "msgspec", "sqlite3", "typing", "dataclasses", "pathlib", "json", "re"}
    assert loaded.isdisjoint(heavy)
    assert "memtui" in loaded
