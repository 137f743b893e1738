"""The Dream view over runs that a test makes: what it lists and tells, and what looking never changes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.client.paths import LOCK_NAME
from memtui.dream.run.events import Money, Note, Phase, Turn
from memtui.dream.run.run import Emit, RunEnd, run_dream
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.views.dream import DreamView
from memtui.tui.widgets.dream_pill import DreamPill
from memtui.tui.widgets.gate_list import GateList
from memtui.util.text import visible
from tests.support import adopt_unasked, digest_tree
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import press, screen_text, settle

SIZE = (120, 40)
HOSTILE = "\x1b[31mred\x07\x9b2J\u202e [b]bold[/b]\x00"

Dreams = Callable[..., RunEnd]


@pytest.fixture
def dream(workspace: Workspace) -> Dreams:
    """Runs a dream in this process."""

    def run(work: Callable[[Stage, Emit], object], **options: object) -> RunEnd:
        given: dict[str, object] = {"force": True, "now": lambda: NOW, "backend": "test", "why": "named"} | options
        adopt_unasked(workspace.dirs)
        return run_dream(workspace, workspace.dirs, work, **given)  # type: ignore[arg-type]

    return run


def rewrite(stage: Stage, emit: Emit) -> None:
    """Changes one file, adds one, deletes one: a run that is held for the deletion is not made here."""
    emit(Phase(stage="consolidate"))
    emit(Turn(1, "Two notes disagree.", {"Read": 2}))
    path = stage.root / "feedback_commits.md"
    path.write_text(path.read_text().replace("the diff says what", "the diff says what and where"))
    (stage.root / "project_new.md").write_text("---\nname: new\ntype: project\n---\n\nNew.\n")
    index = stage.root / "MEMORY.md"
    index.write_text(index.read_text() + "- [new](project_new.md) — new\n")
    emit(Money(0.12))


def shrink(stage: Stage, emit: Emit) -> None:
    """Deletes more than a run may without a person."""
    emit(Phase(stage="prune"))
    for name in ("project_oncall.md", "user_role.md", "feedback_pnpm.md"):
        (stage.root / name).unlink()


async def opened(pilot: "Pilot[int]") -> tuple[MemtuiApp, DreamView]:
    await settle(pilot)
    app = await press(pilot, "2")
    return app, app.query_one(DreamView)


def details_text(view: DreamView) -> str:
    pane = view.reader
    return "\n".join(pane.row(index, pane.size.width - 2).plain.rstrip() for index in range(pane.row_count()))


def listed(view: DreamView) -> list[str]:
    return [view.list.row(index, 50).plain.strip() for index in range(view.list.row_count())]


async def test_every_gate_with_its_reason_and_source(make_app: Maker, memory: Path) -> None:
    lock = memory / LOCK_NAME
    lock.write_bytes(b"1")
    os.utime(lock, (NOW - 7200,) * 2)
    async with make_app().run_test(size=SIZE) as pilot:
        _, view = await opened(pilot)
        gates = view.query_one(GateList)
        rows = [gates.row(index, 118).plain for index in range(gates.row_count())]
        title = str(gates.border_title)
    assert [row.split()[1] for row in rows] == ["ready", "ready", "waiting", "waiting", *["ready"] * 4]
    assert "last dream 2h ago; ready in 22h 0m" in rows[2]
    assert "0 of 5" in rows[3]
    assert "no, 2 of 8 checks waiting" in title


async def test_runs_newest_first_with_what_they_did(make_app: Maker, dream: Dreams) -> None:
    dream(rewrite, now=lambda: NOW - 7200)
    dream(lambda stage, emit: None)
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        rows = listed(view)
        await press(pilot, "j")
        words = details_text(view)
        assert view.current is not None and view.current.run.id in str(view.reader.border_title)
        assert app.query_one(DreamPill).dream is None and not app.query_one(DreamPill).display
    assert "nothing to do" in rows[0] and "now" in rows[0]
    assert rows[1].startswith("adopted") and "2h" in rows[1] and " 3 " in rows[1]
    assert "consolidate, 1 turn" in words and "$0.12" in words
    assert "feedback_commits.md  +1 -1" in words and "adopted" in words
    assert "turn 1  Two notes disagree.  Read 2" in words


async def test_hostile_texts_are_shown_and_not_obeyed(make_app: Maker, dream: Dreams) -> None:
    def work(stage: Stage, emit: Emit) -> None:
        emit(Phase(stage=HOSTILE))
        emit(Turn(1, HOSTILE, {HOSTILE: 1}))
        emit(Note(HOSTILE))
        raise OSError(5, HOSTILE)

    dream(work, backend=HOSTILE, why=HOSTILE, mode=HOSTILE)
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        shown = screen_text(app)
        assert "␛[31mred" in details_text(view) and "[b]bold[/b]" in details_text(view)
    assert visible(shown) == shown


async def test_looking_changes_no_byte_and_no_time(make_app: Maker, dream: Dreams, home: Path, memory: Path) -> None:
    dream(shrink)
    before = digest_tree(memory)
    async with make_app().run_test(size=SIZE) as pilot:
        await opened(pilot)
        await press(pilot, "enter", "escape", "tab", "j", "G", "enter", "escape", "escape", "1", "w", "R")
    assert digest_tree(memory) == before


async def test_gates_are_left_alone_while_nobody_sees_them(make_app: Maker, dream: Dreams, memory: Path) -> None:
    async with make_app().run_test(size=SIZE) as pilot:
        app, view = await opened(pilot)
        assert app.dream_loader.shown
        await press(pilot, "1")
        assert not app.dream_loader.shown
        dream(shrink)
        app.dreams_changed()
        await settle(pilot)
        assert app.query_one(DreamPill).dream is not None
        assert app.state is not None and [gate.name for gate in app.state.gates if not gate.open] == ["sessions"]
        await press(pilot, "2")
        assert [gate.name for gate in app.state.gates if not gate.open] == ["sessions", "review"]
        assert len(listed(view)) == 1


async def test_proposals_are_listed_done_and_dismissed(make_app: Maker, memory: Path) -> None:
    for name, rule in (("a", "Always"), ("b", "Never")):
        text = f"---\nname: {name}\ntype: feedback\n---\n{rule} mock the payment service in unit tests.\n"
        (memory / f"feedback_{name}.md").write_text(text, encoding="utf-8")
    body = "The build needs Node 20 and the lock file of pnpm, which is checked in with the rest.\n" * 3
    for name, more in (("build", ""), ("building", "And a JDK is needed.\n")):
        text = f"---\nname: {name}\ntype: project\n---\n{body}{more}"
        (memory / f"project_{name}.md").write_text(text, encoding="utf-8")
    async with make_app().run_test(size=(80, 24)) as pilot:
        app, _ = await opened(pilot)
        shown = screen_text(app)
        assert "dream_review\n is learning by default" in shown
        assert "2 proposals left to your judgement: i lists them" in shown
        await press(pilot, "i")
        listed = screen_text(app)
        await press(pilot, "X")
        left = screen_text(app)
        await press(pilot, "a", "y", "escape")
        done = screen_text(app)
        assert not (memory / "project_build.md").exists()
        await press(pilot, "z", "z")
        undone = screen_text(app)
        await press(pilot, "i", "enter", "1")
        assert app.state.view == "memory" and app.selection.path == memory / "feedback_b.md"
    assert "feedback_b.md line 5 says:" in listed and "Always mock the payment service" in listed
    assert "feedback_b.md" not in left and "+And a JDK is needed." in left
    assert "left to your judgement: i" not in done
    assert "2 proposals left to your judgement" in undone
