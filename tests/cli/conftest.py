"""A command line in a home of its own: called in this process through click's runner, or for real."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memtui.cli.main import cli
from memtui.client.paths import project_name
from tests.support import REPO


@dataclass(frozen=True)
class Ran:
    """What a call printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The `data` of the one JSON object, whose envelope is checked."""
        envelope = json.loads(self.out)
        assert set(envelope) == {"schema", "kind", "data", "warnings"}
        assert envelope["schema"] == "memtui/1"
        return envelope["data"]

    @property
    def lines(self) -> list[Any]:
        """Each line as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def error(self) -> Any:
        """The error object on stderr."""
        return json.loads(self.err)["error"]


Run = Callable[..., Ran]


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Managed settings in the temporary folder instead of the machine's own."""
    monkeypatch.setattr("memtui.client.environment.managed_folder", lambda: tmp_path / "policy")
    return tmp_path / "policy" / "managed-settings.json"


@pytest.fixture
def shop(home: Path, policy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project directory that is the working directory."""
    folder = (home / "shop").resolve()
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run(home: Path, policy: Path) -> Run:
    """Calls the command line in this process."""

    def call(*args: str | Path, input: str | bytes | None = None) -> Ran:
        result = CliRunner().invoke(cli, [str(arg) for arg in args], input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def start(home: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs the real program in a process of its own."""

    def call(*args: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
        options = {"stdin": subprocess.DEVNULL} | options if "input" not in options else options
        return subprocess.run(
            [sys.executable, "-m", "memtui", *map(str, args)],
            env={**os.environ, "PYTHONPATH": str(REPO), **options.pop("env", {})},
            capture_output=True,
            timeout=60,
            check=False,
            **options,
        )

    return call


INDEX = """# Memory

- [Testing](feedback_testing.md) — a real database
- [Checkout](project_checkout.md) — the rewrite
- [Gone](gone.md) — nowhere
"""

TOPICS = {
    "feedback_testing.md": "---\nname: Testing\ndescription: Use a real database\ntype: feedback\n---\n\n"
    "Never mock. See [checkout](project_checkout.md).\n",
    "project_checkout.md": "---\nname: Checkout\ndescription: The rewrite\nmetadata:\n  type: project\n---\n\n"
    "# Checkout\n\nLive.\n",
    "project_oncall.md": "---\nname: On call\ndescription: 전화는 누가 받나\ntype: project\n---\n\nNot in the index.\n",
    "team/MEMORY.md": "- [Build](build.md) — how\n",
    "team/build.md": "---\nname: Build\ndescription: How we build\ntype: reference\n---\n\nmake\n",
}

OLD = 1_700_000_000
"""When the files of `memory` were written: long enough ago to be read once."""


@pytest.fixture
def memory(home: Path, shop: Path) -> Path:
    """A small memory of the project `shop`: a dead entry, an orphan, a team's topic; instructions beside it."""
    folder = home.resolve() / ".claude" / "projects" / project_name(str(shop)) / "memory"
    for name, text in {"MEMORY.md": INDEX, **TOPICS}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        os.utime(path, (OLD, OLD))
    (shop / "CLAUDE.md").write_text("# Shop\n\nUse pnpm.\n", encoding="utf-8")
    return folder


@dataclass(frozen=True)
class Talked:
    """What a terminal showed, and how the program ended."""

    code: int
    screen: str


Talk = Callable[..., Talked]


@pytest.fixture
def talk(home: Path) -> Talk:
    """Runs the real program on a terminal of its own and answers its questions."""

    def call(
        *args: str | Path,
        answers: Sequence[str] = (),
        editor: str = "",
        env: Mapping[str, str] | None = None,
        cursor: str = "",
    ) -> Talked:
        environ = {**os.environ, "PYTHONPATH": str(REPO), "TERM": "xterm-256color", "COLUMNS": "200", **(env or {})}
        if editor:
            script = home / "editor.sh"
            script.write_text(f"#!/bin/sh\nfor file; do :; done\n{editor}\n", encoding="utf-8")
            script.chmod(0o755)
            environ["EDITOR"] = str(script)
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(sys.executable, [sys.executable, "-m", "memtui", *map(str, args)], environ)
        left = list(answers)
        shown = b""
        while True:
            try:
                part = os.read(terminal, 65_536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
            if left and shown.rstrip().endswith(b"N]"):
                os.write(terminal, left.pop(0).encode() + b"\n")
            if cursor and shown.endswith(b"\x1b[6n"):
                os.write(terminal, cursor.encode())
        os.close(terminal)
        status = os.waitpid(pid, 0)[1]
        return Talked(os.waitstatus_to_exitcode(status), shown.decode("utf-8", "replace"))

    return call
