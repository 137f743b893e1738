"""The first screen on a real terminal: before Textual, and whatever happens then, the terminal is left whole."""

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
def late(options):
    open(sys.argv[1]).read()
    return real(options)
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
def fail(options):
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


def visit(env: dict[str, str], cwd: Path, *args: str) -> Terminal:
    """A whole run at whose end the picture is kept."""
    with Terminal(args, env, cwd, SIZE) as terminal:
        terminal.wait("Integration tests must hit")  # the reader shows the first file: all was read
        terminal.rest()
        terminal.press("q")
        assert terminal.end() == 0
    return terminal


def screens(output: bytes) -> tuple[ScreenOf, ScreenOf]:
    """What stood before Textual took the terminal, and just before the end."""
    early, _, rest = output.partition(TEXTUAL)
    return ScreenOf(early, SIZE), ScreenOf(early + rest.partition(b"\x1b[?1049l")[0], SIZE)


def columns(screen: ScreenOf, width: int) -> list[str]:
    """Its first columns, as text."""
    return [line[:width] for line in screen.lines()]


@pytest.mark.parametrize("args", [[], ["--ascii"], ["--read-only"], ["--no-color"]], ids=str)
def test_textual_finds_the_screen_as_it_will_draw_it(env: dict[str, str], home: Path, args: list[str]) -> None:
    visit(env, home / "shop", *args)
    output = visit(env, home / "shop", *args).output
    assert output.count(b"\x1b[?1049h") == 1
    early, late = screens(output)
    assert early.other
    assert not early.cursor
    assert any("feedback_testing.md" in line for line in early.lines())
    assert columns(early, 42) == columns(late, 42)
    assert early.lines()[:2] == late.lines()[:2]
    assert early.lines()[-1] == late.lines()[-1]
    listed = [where for where in early.different(late) if where[0] < 42 or where[1] in (0, 1, SIZE[1] - 1)]
    assert listed == []


def test_the_first_start_ever_shows_names(env: dict[str, str], home: Path) -> None:
    early, _ = screens(visit(env, home / "shop").output)
    lines = early.lines()
    assert "reading" in lines[0]
    assert any("project_한글" in line for line in lines)
    assert any("memory · 7" in line for line in lines)


def test_where_the_stream_is_not_utf_8(env: dict[str, str], home: Path) -> None:
    early, _ = screens(visit(env | {"PYTHONIOENCODING": "latin-1:replace"}, home / "shop").output)
    assert not any("─" in line for line in early.lines())


@pytest.mark.parametrize("kept", [True, False], ids=["picture", "names"])
def test_a_start_that_fails_gives_the_terminal_back(env: dict[str, str], home: Path, kept: bool) -> None:
    if kept:
        visit(env, home / "shop")
    with Terminal(["-"], env, home / "shop", SIZE, program=("-c", FAILS + MAIN)) as terminal:
        echoed = terminal.echoes()
        assert terminal.end() == 3
        assert terminal.echoes() == echoed
    before, back, after = terminal.output.partition(b"\x1b[?1049l")
    assert b"feedback_testing" in before
    assert back
    assert b"\x1b[?25h" in after
    assert b"nothing here" in after


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_before_textual(
    env: dict[str, str], home: Path, fifo: Path, number: signal.Signals, code: int
) -> None:
    with Terminal([str(fifo)], env, home / "shop", SIZE, program=("-c", WAITS + MAIN)) as terminal:
        terminal.wait("feedback_testing")
        terminal.rest()
        with fifo.open("w"):  # it is there: the start waits, with its handlers in place
            terminal.process.send_signal(number)
        assert terminal.end() == code
        assert terminal.echoes()
    assert terminal.output.rstrip().endswith(b"\x1b[?1049l\x1b[?25h")


def test_what_is_typed_before_textual_arrives_and_is_not_shown(env: dict[str, str], home: Path, fifo: Path) -> None:
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


def test_nothing_heavy_is_loaded_before_the_first_picture(env: dict[str, str], home: Path, tmp_path: Path) -> None:
    visit(env, home / "shop")
    report = tmp_path / "modules"
    with Terminal([str(report)], env, home / "shop", SIZE, program=("-c", LISTS + MAIN)) as terminal:
        terminal.wait("feedback_testing")
    loaded = {name.partition(".")[0] for name in report.read_text().splitlines()}
    heavy = {"textual", "rich", "click", "msgspec", "sqlite3", "typing", "dataclasses", "pathlib", "json", "re"}
    assert loaded.isdisjoint(heavy)
    assert "memtui" in loaded
