"""What each screen looks like, as SVG: every change of a picture is seen by somebody before it lands.

`pytest tests/tui/test_snapshots.py --snapshot-update` makes them anew; look at each of them then.
"""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.client.paths import LOCK_NAME
from memtui.dream.lock.external_run import ExternalRun
from memtui.dream.run.events import EventLog, File, Money, Phase, Started, Turn
from memtui.dream.run.run import run_dream
from memtui.dream.run.runs import list_runs, reserve_run, write_run
from memtui.memory.workspace import Workspace
from memtui.services.settings import set_own
from memtui.tui.app import MemtuiApp
from memtui.tui.theme import PLAIN
from memtui.util.app_dirs import Dirs
from memtui.util.process import ProcessIdentity
from tests.support import adopt_unasked
from tests.transcripts.rows import Script
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, settle
from tests.tui.views.test_dream import rewrite, shrink

Compare = Callable[..., bool]


@pytest.fixture
def named(memory: Path, home: Path) -> Workspace:
    """The workspace under a project name that holds no path of the machine."""
    environ = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude"), "CLAUDE_CODE_PROJECT_DIR_NAME": "shop"}
    (home / ".claude/projects/shop").mkdir()
    memory.rename(home / ".claude/projects/shop/memory")
    env = Env(home, environ, ())
    return Workspace(env, Dirs.from_env(environ, home), locate_memory(env, home / "shop"), now=lambda: NOW)


def going(*keys: str) -> Callable[["Pilot[int]"], object]:
    """Presses the keys, and stops every cursor from blinking."""

    async def go(pilot: "Pilot[int]") -> None:
        app = await settle(pilot)
        await press(pilot, *keys)
        for field in [*app.screen.query(Input), *app.screen.query(TextArea)]:
            field.cursor_blink = False
        await settle(pilot)
        for _ in range(10):  # a scroll bar comes a layout later than what it scrolls
            await pilot.pause()

    return go


SIZES = {"80x24": (80, 24), "120x40": (120, 40), "60x20": (60, 20), "40x12": (40, 12)}


@pytest.mark.parametrize("size", SIZES)
def test_memory(snap_compare: Compare, make_app: Maker, named: Workspace, size: str) -> None:
    assert snap_compare(make_app(over=named), terminal_size=SIZES[size], run_before=going("j", "j", "j", "j"))


def test_memory_without_colour(
    snap_compare: Compare, make_app: Maker, named: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(make_app(over=named), terminal_size=(80, 24), run_before=going("j", "j"))


def test_memory_in_ascii(snap_compare: Compare, make_app: Maker, named: Workspace) -> None:
    assert snap_compare(make_app(PLAIN, named), terminal_size=(80, 24), run_before=going("j", "j"))


@pytest.mark.parametrize("theme", ["memtui-light", "memtui-daltonized", "ansi-dark"])
def test_themes(snap_compare: Compare, make_app: Maker, named: Workspace, theme: str) -> None:
    set_own(named, "theme", theme)
    assert snap_compare(make_app(over=named), terminal_size=(100, 24), run_before=going("j", "j"))


OVER = "# Memory\n\n" + "- [testing](feedback_testing.md) — Integration tests must hit a real database\n" * 230


def test_an_index_over_its_limit(snap_compare: Compare, make_app: Maker, named: Workspace) -> None:
    (named.location.folder / "MEMORY.md").write_text(OVER, encoding="utf-8")
    assert snap_compare(make_app(over=named), terminal_size=(80, 24), run_before=going("0", "G", "K", "K"))


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("links", ("j", "j", "j", "b")),
        ("filter", ("slash", "f", "e", "e", "d")),
        ("problems", ("exclamation_mark",)),
        ("new", ("n",)),
        ("rename", ("j", "j", "r")),
        ("delete", ("j", "j", "d")),
        ("keys", ("question_mark",)),
        ("commands", ("colon",)),
        ("dream", ("2",)),
        ("editor", ("j", "j", "j", "j", "enter")),
    ],
)
def test_small_screens(
    snap_compare: Compare, make_app: Maker, named: Workspace, name: str, keys: tuple[str, ...]
) -> None:
    assert snap_compare(make_app(over=named), terminal_size=(80, 24), run_before=going(*keys))


def test_editor_beside_its_preview(snap_compare: Compare, make_app: Maker, named: Workspace) -> None:
    assert snap_compare(make_app(over=named), terminal_size=(120, 40), run_before=going("j", "j", "j", "j", "enter"))


def test_compare(snap_compare: Compare, make_app: Maker, named: Workspace) -> None:
    file = named.location.folder / "feedback_commits.md"

    async def go(pilot: "Pilot[int]") -> None:
        app = await settle(pilot)
        assert isinstance(app, MemtuiApp)
        app.memory_view.go_to(str(file))
        await press(pilot, "enter", "Q")
        file.write_bytes(file.read_bytes().replace(b"\n\n**Why:**", b"\nby the agent\n**Why:**") + b"\nmore\n")
        await press(pilot, "f9")

    assert snap_compare(make_app(over=named), terminal_size=(120, 30), run_before=go)


@pytest.fixture
def with_sessions(named: Workspace) -> Workspace:
    """Sessions of the named project: a rewind, a compaction, one that is due, one without a title."""
    folder = named.location.transcripts
    retry = Script().user("u0", None, "Make checkout retry").call("c1", "u0", "t1", "Bash", command="pnpm test")
    retry.result("r1", "c1", "t1", "3 failed\n" * 6).answer("a1", "r1", id="m2").user("u2", "a1", "with backoff")
    retry.answer("a3", "u2").user("u4", "a1", "without **backoff**").answer("a5", "u4")
    long = Script().user("u0", None, "Migrate to pnpm").answer("a1", "u0").boundary("b", logicalParentUuid="a1")
    long.summary("s", "b").user("u2", "s", "go on").answer("a3", "u2")
    lost = Script().user("u0", None, "결제 실패 화면 문구 정리").answer("a1", "nowhere")
    folder.mkdir(parents=True, exist_ok=True)
    for number, (script, days) in enumerate([(retry, 0.1), (long, 2), (lost, 28.4)]):
        path = folder / f"{UUID(int=(number + 1) << 96)}.jsonl"
        path.write_text("".join(f"{line}\n" for line in script.lines), encoding="utf-8")
        os.utime(path, (NOW - days * 86_400,) * 2)
    return named


@pytest.mark.parametrize("size", ["80x24", "120x40", "40x12"])
def test_sessions(
    snap_compare: Compare, make_app: Maker, with_sessions: Workspace, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.views.sessions.READ_DELAY_S", 0.0)
    assert snap_compare(
        make_app(over=with_sessions), terminal_size=SIZES[size], run_before=going("3", "j", "j", "right")
    )


def test_resume_menu(
    snap_compare: Compare, make_app: Maker, with_sessions: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui.tui.views.sessions.MAX_CHECKED_BYTES", 0)  # the pane behind the menu stays empty
    assert snap_compare(make_app(over=with_sessions), terminal_size=(80, 24), run_before=going("3", "enter"))


@pytest.fixture
def with_dreams(named: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Runs of the named project: one adopted, one that waits, and one that is on as far as anybody can see."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    for module in ("memtui.dream.run.runs", "memtui.tui.loaders.dreams"):
        monkeypatch.setattr(f"{module}.is_alive", lambda process: process.pid == 4411)
    adopt_unasked(named.dirs)
    for work, hours, mode in ((rewrite, 50, "reflect"), (shrink, 3, "prune")):
        run_dream(named, named.dirs, work, now=lambda at=NOW - hours * 3600: at, force=True, mode=mode,
                  backend="offline", why="named")  # fmt: skip
    for run in list_runs(named.dirs):
        write_run(replace(run, process=ProcessIdentity(4400)))
    for file in named.location.folder.glob("*.md"):
        if file.name in ("feedback_commits.md", "project_new.md"):
            os.utime(file, (NOW - 50 * 3600,) * 2)
    lock = named.location.folder / LOCK_NAME
    at = lock.stat().st_mtime_ns
    lock.write_bytes(b"9999999")
    os.utime(lock, ns=(at, at))
    path = named.dirs.state / "runs" / reserve_run(named.dirs, NOW - 134)
    write_run(
        replace(list_runs(named.dirs)[0], id=path.name, path=path, process=ProcessIdentity(4411), at=NOW - 134,
                mode="reflect", trigger="schedule")
    )  # fmt: skip
    log = EventLog(path / "events.jsonl", now=lambda: NOW - 60)
    for event in (
        Started("reflect", "schedule", "offline", "named", 7), Phase(stage="orient"), Phase(stage="gather"),
        Turn(6, "Two notes on retries disagree; keeping the newer one.", {"read": 5}),
        Phase("updating", "consolidate"), File("feedback_commits.md", "changed", 12, 4),
        File("project_oncall.md", "removed", 0, 8), Turn(7, "", {"write": 1}), Money(0.07),
    ):  # fmt: skip
        log.add(event)
    yield named
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("size", ["80x24", "120x40", "40x12"])
def test_dreams(snap_compare: Compare, make_app: Maker, with_dreams: Workspace, size: str) -> None:
    assert snap_compare(make_app(over=with_dreams), terminal_size=SIZES[size], run_before=going("2"))


def test_a_dream_that_waits(snap_compare: Compare, make_app: Maker, with_dreams: Workspace) -> None:
    assert snap_compare(make_app(over=with_dreams), terminal_size=(80, 24), run_before=going("2", "j"))


def test_a_dream_beside_memory(snap_compare: Compare, make_app: Maker, with_dreams: Workspace) -> None:
    assert snap_compare(make_app(over=with_dreams), terminal_size=(80, 24), run_before=going())


def test_stopping_a_dream(snap_compare: Compare, make_app: Maker, with_dreams: Workspace) -> None:
    assert snap_compare(make_app(over=with_dreams), terminal_size=(80, 24), run_before=going("2", "x"))


@pytest.mark.parametrize("size", ["80x24", "120x40", "40x12"])
def test_a_dream_whole(snap_compare: Compare, make_app: Maker, with_dreams: Workspace, size: str) -> None:
    assert snap_compare(make_app(over=with_dreams), terminal_size=SIZES[size], run_before=going("w"))


@pytest.mark.parametrize("size", ["80x24", "120x40"])
def test_a_held_dream_whole(snap_compare: Compare, make_app: Maker, with_dreams: Workspace, size: str) -> None:
    keys = ("2", "j", "f", "j", "j")
    assert snap_compare(make_app(over=with_dreams), terminal_size=SIZES[size], run_before=going(*keys))


def test_a_dream_whole_without_colour(
    snap_compare: Compare, make_app: Maker, with_dreams: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(make_app(over=with_dreams), terminal_size=(80, 24), run_before=going("w"))


def test_a_dream_whole_in_ascii(snap_compare: Compare, make_app: Maker, with_dreams: Workspace) -> None:
    assert snap_compare(make_app(PLAIN, with_dreams), terminal_size=(120, 40), run_before=going("w"))


def test_a_dream_whole_in_light(snap_compare: Compare, make_app: Maker, with_dreams: Workspace) -> None:
    set_own(with_dreams, "theme", "memtui-light")
    assert snap_compare(make_app(over=with_dreams), terminal_size=(80, 24), run_before=going("w"))


def test_quitting_while_a_dream_is_on(snap_compare: Compare, make_app: Maker, with_dreams: Workspace) -> None:
    assert snap_compare(make_app(over=with_dreams), terminal_size=(80, 24), run_before=going("q"))


def test_the_dream_of_another_program(
    snap_compare: Compare, make_app: Maker, named: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = (File("feedback_commits.md", at=NOW - 60), File("user_role.md", "removed"))
    foreign = ExternalRun(4411, NOW - 134, "", frozenset(), files)
    monkeypatch.setattr("memtui.tui.loaders.memory.has_history", lambda *_: True)
    monkeypatch.setattr("memtui.tui.loaders.dreams.find_external_run", lambda *_: foreign)
    monkeypatch.setattr("memtui.tui.loaders.dreams.is_alive", lambda _: True)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert snap_compare(make_app(over=named), terminal_size=(80, 24), run_before=going("w"))


def test_first_run(snap_compare: Compare, make_app: Maker, named: Workspace) -> None:
    for file in named.location.folder.iterdir():
        file.unlink()
    named.location.folder.rmdir()
    assert snap_compare(make_app(over=named), terminal_size=(80, 24), run_before=going())
