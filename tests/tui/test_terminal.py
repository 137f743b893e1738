"""The program on a real terminal: what must never reach it, and how it leaves."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support import REPO
from tests.terminal import Terminal

EVIL = "\x1b]52;c;RVZJTA==\x07\x1b]0;EVIL\x07\x1b[31mEVIL\x9b32mEVIL\u202egnp\u200b\u2066[/bold][@click=app.quit]E[/"
NAMES = ("feedback_\x1b[31mred.md", "user_[bold]x[.md", "project_a\u202egpj.md", "reference_tab\there.md")


@pytest.fixture
def env(home: Path, memory: Path) -> dict[str, str]:
    """The environment of a terminal in which the project of `memory` is opened."""
    assert memory.is_dir()
    kept = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPO)}
    return kept | {"TERM": "xterm-256color", "LANG": "C.UTF-8"}


@pytest.fixture
def hostile(memory: Path, home: Path) -> Path:
    """A memory folder in which names, fields, bodies, index, instructions and settings are attacks."""
    for name in NAMES:
        text = (
            f"---\nname: {EVIL}\ndescription: {EVIL}\ntype: {EVIL}\nmetadata:\n  {EVIL}: x\n---\n\n# {EVIL}\n\n{EVIL}\n"
        )
        (memory / name).write_text(f"{text}[{EVIL}]({EVIL}.md) [[{EVIL}]]\n", encoding="utf-8")
    with (memory / "MEMORY.md").open("a", encoding="utf-8") as index:
        index.write(f"- [{EVIL}]({EVIL}.md) — {EVIL}\n")
    (home / "shop/CLAUDE.md").write_text(f"# {EVIL}\n@{EVIL}\n", encoding="utf-8")
    (home / ".claude/settings.json").write_text(
        '{"theme": "\\u001b[31mEVIL", "autoMemoryDirectory": "\\u001b]0;EVIL\\u0007"}'
    )
    (home / "shop/.git").mkdir()
    (home / "shop/.git/HEAD").write_text(f"ref: refs/heads/{EVIL}")
    return memory


def harmful(output: bytes) -> list[bytes]:
    """What of the attack would have done something to the terminal."""
    attacks = [
        b"\x1b]52",
        b"\x1b]0;",
        b"\x1b[31mEVIL",
        "\x9b".encode(),
        "\u202e".encode(),
        "\u200b".encode(),
        "\u2066".encode(),
    ]
    return [attack for attack in attacks if attack in output]


def test_no_screen_lets_a_control_byte_through(env: dict[str, str], hostile: Path, home: Path) -> None:
    with Terminal([], env, home / "shop", (120, 40)) as terminal:
        terminal.wait("not in index")
        for name in ("red", "bold", "gpj", "here"):
            for keys, words in (
                (f"/'{name}\r", "no type"), ("]", "links out"), ("]", "history"), ("]", "EVIL"), ("b", "backlinks"),
                ("b", "EVIL"), ("\r", "Ln "), ("\x1b", "1 Memory"), ("d", "Cancel"), ("\x1b", "1 Memory"),
                ("r", "updated too"), ("\x1b", "1 Memory"), ("c", "Compare"), ("\x1b", "1 Memory"), ("\x1b", "index"),
            ):  # fmt: skip
                terminal.press(keys)
                terminal.wait(words)
                terminal.rest()
        for keys, words in (
            ("@", "Activity"),
            ("\x1b", "1 Memory"),
            ("?", "Keys"),
            ("\x1b", "1 Memory"),
            ("5", "5 Settings"),
            ("1", "1 Memory"),
        ):
            terminal.press(keys)
            terminal.wait(words)
            terminal.rest()
        terminal.press("q")
        assert terminal.end() == 0
    assert b"EVIL" in terminal.output
    assert harmful(terminal.output) == []


def test_quitting_leaves_the_terminal_as_it_was(env: dict[str, str], home: Path) -> None:
    with Terminal([], env, home / "shop") as terminal:
        terminal.wait("feedback_testing")
        terminal.press("q")
        assert terminal.end() == 0
    assert b"\x1b[?1049l" in terminal.output
    assert b"\x1b[?25h" in terminal.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_cleanly_and_keeps_unsaved_text(
    env: dict[str, str], home: Path, memory: Path, number: signal.Signals
) -> None:
    with Terminal([], env, home / "shop") as terminal:
        terminal.wait("feedback_testing")
        terminal.press("/commits\r")
        terminal.wait("commits")
        terminal.press("\r")
        terminal.wait("Ln ")
        terminal.press("TYPED")
        terminal.wait("TYPED")
        terminal.process.send_signal(number)
        assert terminal.end() == 128 + number
    assert b"\x1b[?1049l" in terminal.output
    drafts = list((home / ".local/state/memtui/drafts").glob("*.json"))
    assert len(drafts) == 1
    assert "TYPED" in drafts[0].read_text()


DEAF = "import os, signal as s, sys; s.signal(1, s.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
"""The program as nohup starts it: nobody tells it that the terminal was closed."""


@pytest.mark.parametrize(
    "program", [("-m", "memtui"), ("-c", DEAF, sys.executable, "-m", "memtui")], ids=["hears", "deaf"]
)
def test_a_terminal_that_closes_while_somebody_types_and_it_draws(
    env: dict[str, str], home: Path, memory: Path, program: tuple[str, ...]
) -> None:
    with Terminal([], env, home / "shop", (200, 60), program=program) as terminal:
        terminal.wait("feedback_testing")
        terminal.press("/commits\r")
        terminal.wait("commits")
        terminal.press("\r")
        terminal.wait("Ln ")
        terminal.press("TYPED" * 200)
        terminal.wait("TYPED")
        terminal.hang_up()
        assert terminal.process.wait(10) in (129, 120)
    assert "TYPED" in "".join(file.read_text() for file in (home / ".local/state/memtui/drafts").glob("*.json"))
    assert not (home / ".local/state/memtui/log").exists()


def test_a_terminal_that_takes_nothing_more_is_left_all_the_same(env: dict[str, str], home: Path) -> None:
    with Terminal([], env, home / "shop", (200, 60)) as terminal:
        terminal.wait("feedback_testing")
        terminal.press("\x0c" * 200)  # redraws, which nobody reads
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(10) == 143
        assert terminal.echoes()


@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        ([signal.SIGINT], 130),
        ([signal.SIGQUIT], 131),
        ([signal.SIGCONT, signal.SIGSTOP, signal.SIGCONT, signal.SIGTSTP, signal.SIGCONT, signal.SIGTERM], 143),
    ],
    ids=str,
)
def test_after_any_signal_the_terminal_is_as_it_was(
    env: dict[str, str], home: Path, numbers: list[signal.Signals], code: int
) -> None:
    with Terminal([], env, home / "shop") as terminal:
        echoed = terminal.echoes()
        terminal.wait("feedback_testing")
        for number in numbers:
            terminal.rest()
            terminal.process.send_signal(number)
        assert terminal.end() == code
        assert terminal.echoes() == echoed
    assert terminal.output.rfind(b"\x1b[?1049l") > terminal.output.rfind(b"\x1b[?1049h")


def test_bytes_that_are_no_text_end_nothing(env: dict[str, str], home: Path) -> None:
    with Terminal([], env, home / "shop") as terminal:
        terminal.wait("feedback_testing")
        terminal.press_bytes(b"\x1b[1114112u")
        terminal.rest()
        terminal.press_bytes(b"\xff\xc3\x1b[M\xe9\xe9\xe9?")
        terminal.wait("Keys")


def test_a_crash_is_logged_and_keeps_what_was_typed(env: dict[str, str], home: Path, memory: Path) -> None:
    crashes = "import memtui.__main__ as m, memtui.tui.app_base as a, sys\n"
    crashes += "a.AppBase.action_interrupt = lambda self: self.screen.query_one('#nowhere')\nsys.exit(m.main())\n"
    with Terminal([], env, home / "shop", program=("-c", crashes)) as terminal:
        terminal.wait("feedback_testing")
        terminal.press("/commits\r")
        terminal.wait("commits")
        terminal.press("\r")
        terminal.wait("Ln ")
        terminal.press("TYPED")
        terminal.wait("TYPED")
        terminal.press("\x03")
        assert terminal.end() == 70
    assert b"this is a bug of memtui: " in terminal.output.rpartition(b"\x1b[?1049l")[2]
    assert len(list((home / ".local/state/memtui/log").iterdir())) == 1
    assert "TYPED" in "".join(file.read_text() for file in (home / ".local/state/memtui/drafts").glob("*.json"))


def test_ctrl_c_twice_quits(env: dict[str, str], home: Path) -> None:
    with Terminal([], env, home / "shop") as terminal:
        terminal.wait("feedback_testing")
        terminal.press("\x03")
        terminal.wait("once more")
        terminal.press("\x03")
        assert terminal.end() == 130


def test_a_file_that_somebody_else_writes_appears_by_itself(env: dict[str, str], home: Path, memory: Path) -> None:
    with Terminal([], env, home / "shop") as terminal:
        terminal.wait("testing")
        terminal.rest()
        terminal.press("j")
        terminal.rest()
        (memory / "project_new.md").write_text("---\nname: n\ndescription: d\ntype: project\n---\n\nx\n")
        terminal.wait("○ new")


def test_memory_that_comes_into_being_is_taken_up(env: dict[str, str], home: Path, memory: Path) -> None:
    kept = memory.rename(home / "kept")
    with Terminal([], env, home / "shop") as terminal:
        terminal.wait("No memory for this project yet")
        terminal.press("\x1b")
        terminal.rest()
        kept.rename(memory)
        terminal.wait("feedback_testing")


def test_the_editor_of_the_person_edits_a_copy(env: dict[str, str], home: Path, memory: Path, tmp_path: Path) -> None:
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\nkill -INT $PPID\nkill -QUIT $PPID\nprintf "by the editor\\n" >> "$1"\n')
    script.chmod(0o755)
    with Terminal([], env | {"EDITOR": str(script)}, home / "shop") as terminal:
        terminal.wait("feedback_testing")
        terminal.press("/role\r")
        terminal.wait("prefers")
        terminal.press("e")
        terminal.wait("saved user_role.md")
        terminal.press("z")
        terminal.wait("undone")
    assert b"by the editor" not in (memory / "user_role.md").read_bytes()
