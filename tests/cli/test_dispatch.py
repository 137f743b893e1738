"""What opens the screen, over which workspace; the screen itself is stood in for."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from memtui import __main__ as program
from memtui.memory.workspace import Workspace
from memtui.tui import run as screen
from memtui.tui.startup.start import StartContext
from memtui.util.config import Config
from memtui.util.errors import Unsupported
from tests.cli.test_projects import session


class Stand:
    """Stands in for the screen: remembers what it was given, and looks at it while it is there."""

    def __init__(self) -> None:
        self.options: list[SimpleNamespace] = []
        self.topics = 0
        self.fault: BaseException | None = None
        self.wants_sample = False
        self.samples: list[Workspace] = []

    def run(self, start: StartContext, config: Config, **more: object) -> int:
        options = SimpleNamespace(start=start, config=config, **more)
        self.options.append(options)
        snapshot = options.start.make().read(full=False)
        self.topics = len(snapshot.auto.topics) if snapshot.auto is not None else -1
        if options.open_sample is not None and self.wants_sample:
            self.samples.append(options.open_sample())
            assert self.samples[-1].location.folder.is_dir()
        if self.fault is not None:
            raise self.fault
        return 0


@pytest.fixture
def stand(shop: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    found = Stand()
    monkeypatch.setattr(program, "_has_terminal", lambda: True)
    monkeypatch.setattr(screen, "run", found.run)
    return found


def test_the_project_of_the_working_directory(stand: Stand, memory: Path, shop: Path) -> None:
    stand.wants_sample = True
    assert program.main([]) == 0
    (options,) = stand.options
    assert options.start.make().location.cwd == shop
    assert (options.sample, options.mouse, options.start.make().read_only) == (False, True, False)
    assert not options.ascii_only
    assert stand.topics == 3
    assert not stand.samples[0].location.folder.exists(), "the sample goes away with the screen"


def test_the_options_of_the_screen(stand: Stand, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "")
    assert program.main(["--ascii", "--read-only", "--no-mouse", "--no-color"]) == 0
    (options,) = stand.options
    assert (options.ascii_only, options.mouse, options.start.make().read_only) == (True, False, True)
    assert program.os.environ["NO_COLOR"] == "1"


def test_a_project_by_name_and_a_directory(stand: Stand, memory: Path, shop: Path, home: Path) -> None:
    session(home, shop, 1)
    (home / "other").mkdir()
    for words in (["shop"], ["--project=sho"], [str(shop)]):
        assert program.main(words) == 0
        assert stand.options[-1].start.make().location.cwd == shop
    assert program.main([str(home / "other")]) == 0
    assert stand.topics == -1, "no memory there: the screen shows its first page"


def test_a_project_that_is_none_is_said(stand: Stand, memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["budgte"]) == 3
    assert stand.options == []
    assert "neither a command" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--demo"]])
def test_the_sample(stand: Stand, words: list[str], home: Path) -> None:
    assert program.main(words) == 0
    (options,) = stand.options
    assert options.sample
    assert stand.topics > 20
    assert not options.start.make().location.folder.exists()
    assert not (home / ".local").exists() and not (home / ".claude").exists()


def test_faults_of_the_screen_have_the_same_codes(
    stand: Stand, memory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for fault, code in ((Unsupported("x"), 6), (KeyboardInterrupt(), 130), (RuntimeError("x"), 70)):
        stand.fault = fault
        assert program.main([]) == code
    assert "please report it" in capsys.readouterr().err


def test_a_command_is_never_the_screen(stand: Stand, memory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["ls"], ["--json"], ["--version"], ["--plain"], ["shop", "--json"]):
        program.main(words)
    assert stand.options == []
    assert capsys.readouterr().out


def test_completion_is_not_the_screen(
    stand: Stand, memory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_MEMTUI_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "memtui show feed")
    monkeypatch.setenv("COMP_CWORD", "2")
    with pytest.raises(SystemExit):
        program.main([])
    assert "feedback_testing.md" in capsys.readouterr().out


def test_the_keys_of_the_screen_are_known_to_the_command_line(
    shop: Path, policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["config", "keys", "--plain"]) == 0
    assert any(line.startswith("app.quit\t") for line in capsys.readouterr().out.splitlines())
