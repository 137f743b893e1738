"""Another program in the foreground: its code, its folder, its signals."""

import os
import signal
import sys
from pathlib import Path

import pytest

from memtui.util.foreground import run_in_foreground

PRINTS_SIGNALS = (
    "import signal, sys\n"
    "blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
    "usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    "usual = usual and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL and not blocked\n"
    "sys.exit(0 if usual else 1)\n"
)


def test_the_exit_code_comes_back() -> None:
    assert run_in_foreground([sys.executable, "-c", "raise SystemExit(7)"]) == 7
    assert run_in_foreground([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]) == 128 + 9


def test_folder_and_environment(tmp_path: Path) -> None:
    code = "import os, pathlib; pathlib.Path('seen').write_text(os.environ['WORD'])"
    environ = {**os.environ, "WORD": "here"}
    assert run_in_foreground([sys.executable, "-c", code], cwd=tmp_path, environ=environ) == 0
    assert (tmp_path / "seen").read_text(encoding="utf-8") == "here"


def test_signals_are_as_usual_inside_and_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    assert run_in_foreground([sys.executable, "-c", PRINTS_SIGNALS]) == 0
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_an_interrupt_meanwhile_is_not_ours() -> None:
    code = "import os, signal; os.kill(os.getppid(), signal.SIGINT)"
    assert run_in_foreground([sys.executable, "-c", code]) == 0


def test_a_signal_during_the_start_comes_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    real, started = subprocess.Popen, list[object]()

    def popen(*args: object, **more: object) -> object:
        signal.raise_signal(signal.SIGHUP)
        started.append(real(*args, **more))  # type: ignore[call-overload]
        return started[0]

    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(SystemExit) as end:
        run_in_foreground([sys.executable, "-c", ""])
    assert end.value.code == 128 + signal.SIGHUP
    assert started


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        run_in_foreground(["/nowhere/at/all"])
