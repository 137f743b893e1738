"""A command line in a home of its own: called in this process through click's runner, or for real."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memtui.cli.main import cli
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
    monkeypatch.setattr("memtui.host.env.managed_folder", lambda: tmp_path / "policy")
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
