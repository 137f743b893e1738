"""The look around, and clearing what crashes left."""

import os
import subprocess
import sys
from pathlib import Path

from memtui.cli.commands.doctor import glyph_width
from tests.cli.conftest import Run, Talk
from tests.cli.test_projects import session
from tests.support import digest_tree


def states(run: Run) -> dict[str, str]:
    return {row["name"]: row["state"] for row in run("doctor", "--json").data["findings"]}


def test_a_healthy_place(run: Run, memory: Path) -> None:
    ran = run("doctor")
    assert ran.code == 0
    for name in ("memtui", "git", "terminal", "encoding", "settings", "projects", "our state", "memory", "leftovers"):
        assert name in ran.out
        assert name in states(run)


def test_what_is_wrong_is_said(run: Run, memory: Path, shop: Path, home: Path) -> None:
    session(home, home / "a.b", 1)
    session(home, home / "a-b", 2)
    (home / ".claude" / "settings.json").write_text("{bad", encoding="utf-8")
    ran = run("doctor")
    assert ran.code == 1
    found = states(run)
    assert (found["settings"], found["projects"]) == ("problem", "problem")


def test_a_state_folder_that_cannot_be_made(run: Run, memory: Path, home: Path) -> None:
    (home / ".local").write_text("not a folder", encoding="ascii")
    assert states(run)["our state"] == "problem"


def test_leftovers_of_dead_processes_are_cleared(run: Run, memory: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead = memory / f".a.md.memtui-{child.pid}-0123456789ab.tmp"
    alive = memory / f".b.md.memtui-{os.getpid()}-0123456789ab.tmp"
    own = memory / ".mine.tmp"
    for path in (dead, alive, own):
        path.write_text("x", encoding="ascii")
    before = digest_tree(memory)
    assert states(run)["leftover"] == "note"
    assert run("doctor", "--fix", "-n").code == 0
    assert digest_tree(memory) == before
    assert run("--read-only", "doctor", "--fix").code == 5
    ran = run("doctor", "--fix", "--json")
    assert ran.data["fixed"] == [str(dead)]
    assert not dead.exists() and alive.exists() and own.exists()
    assert "leftovers" in states(run)


def test_the_terminal_is_asked_how_wide_a_line_is(talk: Talk, memory: Path) -> None:
    silent = talk("doctor")  # nobody answers the question in this test
    assert silent.code == 0
    assert "doesn't answer" in silent.screen
    narrow = talk("doctor", cursor="\x1b[1;2R")
    assert (narrow.code, "one cell wide" in narrow.screen) == (0, True)
    wide = talk("doctor", cursor="\x1b[24;3R")
    assert (wide.code, "2 cells wide" in wide.screen) == (1, True)


def test_without_a_terminal_nothing_is_asked() -> None:
    if not sys.stdin.isatty():
        assert glyph_width("─") is None or sys.stdout.isatty()
