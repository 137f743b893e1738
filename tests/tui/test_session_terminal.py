"""Sessions on a real terminal: what must never reach it, and the client that takes it and gives it back."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from memtui.memory.workspace import Workspace
from tests.terminal import Terminal
from tests.transcripts.rows import Script
from tests.tui.commands.test_sessions import sessions
from tests.tui.test_terminal import EVIL, env, harmful

__all__ = ["env", "sessions"]

_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae\x8b]|\xe2\x81[\xa6-\xa9]")
"""Bytes that no screen has: controls but those that begin a sequence or move to a line, C1, and characters that turn
the direction of writing."""


@pytest.fixture
def hostile(workspace: Workspace) -> Path:
    """A session in which every text is an attack."""
    folder = workspace.location.transcripts
    result = [{"type": "text", "text": f"{EVIL}\n" * 9}]
    script = Script().user("u0", None, EVIL, cwd=f"/{EVIL}", gitBranch=EVIL)
    script.call("c1", "u0", "t1", EVIL, **{EVIL: EVIL, "command": EVIL, "file_path": EVIL})
    script.result("r1", "c1", "t1", result).answer("a1", "r1", [{"type": "thinking", "thinking": EVIL}])
    script.answer("a2", "a1", [{"type": "text", "text": f"# {EVIL}\n\n```{EVIL}\n{EVIL}\n```\n- [{EVIL}]({EVIL})"}])
    script.user("u3", "a2", EVIL).answer("a4", "u3").user("u5", "a2", EVIL).answer("a6", "u5", [{"type": EVIL}])
    script.system("s1", "a6", EVIL, content=EVIL).row(
        "attachment", "x1", "s1", attachment={"type": EVIL, "content": EVIL}
    )
    script.note(type="custom-title", customTitle=EVIL).note(type=EVIL, text=EVIL)
    folder.mkdir(parents=True, exist_ok=True)
    path = script.write(folder, tail=EVIL)
    agents = path.with_suffix("") / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a1.jsonl").write_text(Script().user("g1", None, EVIL, isSidechain=True).lines[0] + "\n")
    meta = {"agentType": EVIL, "description": EVIL, "toolUseId": "t1"}
    (agents / "agent-a1.meta.json").write_text(json.dumps(meta))
    return path


def test_no_session_lets_a_control_byte_through(env: dict[str, str], hostile: Path, home: Path) -> None:
    with Terminal([], env, home / "shop", (120, 40)) as terminal:
        terminal.wait("not in index")
        for keys, words in (
            ("3", "EVIL"), ("l", "rewind"), ("j", ""), ("jj", ""), ("\r", ""), ("j", ""), ("k", ""), ("p", "chain"),
            ("L", ""), ("v", "file order"), ("g", ""), ("/", "Find"), ("EVIL\r", ""), ("\x1b", ""),
            ("\x1b", "3 Sessions"), ("gr", "Rename"), ("\x1b", "3 Sessions"), ("d", "Delete session"),
            ("\x1b", "3 Sessions"), ("\r", "Resume"), ("\x1b", "3 Sessions"), ("?", "Keys"), ("\x1b", "3 Sessions"),
            ("A", "all · "),
        ):  # fmt: skip
            terminal.press(keys)
            terminal.wait(words)
            terminal.rest()
        terminal.press("q")
        assert terminal.end() == 0
    assert harmful(terminal.output) == []
    assert _CONTROL.findall(terminal.drawn()) == []


@pytest.mark.long
def test_no_session_of_the_corpus_shows_a_control_byte(
    shared: Path, env: dict[str, str], home: Path, workspace: Workspace
) -> None:
    for folder in (shared / "corpus" / "sessions").iterdir():
        if folder.is_dir():
            shutil.copytree(folder, home / ".claude/projects" / folder.name)
    with Terminal([], env, home / "shop", (120, 40)) as terminal:
        terminal.wait("not in index")
        terminal.press("3")
        terminal.wait("project · ")
        terminal.press("A")
        terminal.wait("all · ")
        terminal.rest()
        for _ in range(45):
            terminal.press("l")  # reads it whole, and unfolds it
            terminal.rest()
            terminal.press("hj")
        terminal.press("q")
        assert terminal.end() == 0
    drawn = re.sub(
        rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][B0]|[=>78]|\][0-9;]*[^\x07\x1b]*(?:\x07|\x1b\\))", b"", terminal.output
    )
    assert _CONTROL.findall(drawn) == []


@pytest.fixture
def client(home: Path, env: dict[str, str]) -> Path:
    """A client of ours on the PATH; gives the file in which it writes down how it was called."""
    folder = home / "bin"
    folder.mkdir()
    called = home / "called"
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\necho "$PWD $*" >> {called}\nprintf "client here"\nread answer\n')
    program.chmod(0o755)
    env["PATH"] = f"{folder}:{os.defpath}"
    return called


def test_the_client_takes_the_terminal_and_gives_it_back(
    env: dict[str, str], sessions: list[Path], client: Path, home: Path
) -> None:
    (home / "shop").mkdir(exist_ok=True)
    for path in sessions[:3]:  # sessions that began in the project's directory
        path.write_text(
            path.read_text(encoding="utf-8").replace("/home/ana/proj", str(home / "shop")), encoding="utf-8"
        )
    with Terminal([], env, home / "shop", (120, 40)) as terminal:
        terminal.wait("not in index")
        terminal.press("3")
        terminal.wait("resume sends")
        for digit, back in (("1", "3 Sessions"), ("2", "3 Sessions")):
            terminal.press("\r")
            terminal.wait("Open in Claude Code")
            terminal.press(digit)
            terminal.wait("client here")
            terminal.press("\r")
            terminal.wait(back)
            terminal.rest()
        terminal.press("lj")
        terminal.wait("rewind")
        terminal.press("j\r")
        terminal.wait("2 forks here")
        terminal.press("2")
        terminal.wait("client here")
        terminal.press("\r")
        terminal.wait("(fork)")
        terminal.press("q")
        assert terminal.end() == 0
    first, second, third = client.read_text().splitlines()
    assert first == f"{home}/shop --resume {sessions[0].stem}"
    assert second == f"{home}/shop --resume {sessions[0].stem} --fork-session"
    made = third.split()[-1]
    assert third.startswith(f"{home}/shop --resume ")
    assert (sessions[0].parent / f"{made}.jsonl").exists()
