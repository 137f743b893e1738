"""What doesn't wait for click answers as click would have it."""

import subprocess
import sys
from pathlib import Path

import pytest

from memtui.cli.context import CliContext
from memtui.cli.options import shared_options
from memtui.cli.shortcut import FLAGS, shortcut
from tests.cli.conftest import Run
from tests.transcripts.rows import Script


@pytest.fixture
def sessions(home: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CliContext, "now", staticmethod(lambda: 1_800_000_000.0))
    for number in range(3):
        script = Script().user("u1", None, f"ask {number} 한글", gitBranch=f"b{number}", cwd=str(shop))
        folder = home / ".claude/projects" / f"-p{number}"
        folder.mkdir(parents=True)
        (folder / f"0000000{number}-0000-4000-8000-000000000000.jsonl").write_text("\n".join(script.lines) + "\n")


@pytest.mark.parametrize("words", [[], *([flag] for flag in FLAGS), ["--json", "--plain"]], ids=" ".join)
def test_it_answers_as_click_does(
    run: Run, sessions: None, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    given = ["sessions", "ls", "--all", *words]
    long = run(*given)
    run_short = shortcut(given, call := CliContext())
    assert run_short is not None
    capsys.readouterr()
    assert run_short() == long.code == 0
    assert capsys.readouterr().out == long.out
    assert "ask 2" in long.out
    assert call.options.json == ("--json" in words)


@pytest.mark.parametrize(
    "words", ["sessions", "ls", "sessions tree", "sessions ls --branch x", "sessions ls --bogus", "sessions ls a", ""]
)
def test_all_else_is_for_click(words: str) -> None:
    assert shortcut(words.split(), CliContext()) is None


def test_its_flags_are_those_of_every_command() -> None:
    known = {name: option.name for option in shared_options(hidden=True) for name in option.opts}
    assert FLAGS.items() <= known.items()


def test_what_costs_more_than_the_answer_is_not_imported(home: Path) -> None:
    code = (
        "import sys; from memtui.__main__ import main; main(['sessions', 'ls', '--all', '--quiet']);"
        "print([name for name in ('click', 'dataclasses', 'hashlib') if name in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"HOME": str(home)}
    )
    assert ended.stdout == "[]\n"
