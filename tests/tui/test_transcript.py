"""The transcript reader: what it draws, where its keys go, and that nothing in a file reaches the terminal."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.resume.resume import plan_resume
from memtui.transcripts.entries import Entry
from memtui.transcripts.reader import OpenTranscript
from memtui.transcripts.transcript import read_transcript
from memtui.tui.app import MemtuiApp
from memtui.tui.screens.transcript import TranscriptScreen
from memtui.tui.theme import PLAIN
from memtui.tui.widgets import transcript_view as transcript
from memtui.util.errors import Unsupported
from memtui.util.text import is_plain
from tests.support import REPO, digest_tree
from tests.transcripts.rows import SESSION, Script, compacted
from tests.tui.conftest import Maker
from tests.tui.driving import press, screen_text, settle

CORPUS = REPO.parent / "shared/corpus/sessions"
HOSTILE = "\x1b[2J\x1b]52;c;eA==\x07 [bold red]not markup[/] [/ \u202ereversed\u202c \x9b31m \x00 end"


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock on the screen is that of the place where one is."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def story() -> Script:
    """A session with one of each: prompts, calls, results, thoughts, a compaction, notes, an image."""
    script = Script().note(type="custom-title", customTitle="Checkout retries", sessionId=SESSION)
    script.user("u1", None, "The **checkout** test is flaky.\n\n- it fails in CI\n- never here")
    thought = {"type": "thinking", "thinking": "Let me look at the test first.\nThen at the code.", "signature": "x"}
    script.answer("a1", "u1", [thought], id="m1")
    script.answer("a2", "a1", [{"type": "text", "text": "I'll run it a few times."}], id="m1")
    script.call("c1", "a2", "t1", "Bash", id="m1", command="pytest -q tests/checkout --count 20", timeout=60)
    script.result("r1", "c1", "t1", "".join(f"tests/checkout/test_retry.py::test_{n} PASSED\n" for n in range(40)))
    script.call("c2", "r1", "t2", "Edit", id="m2", file_path="src/checkout.py", old_string="a\nb", new_string="a\nc")
    script.result("r2", "c2", "t2", "no such string in the file", message_is="wrong")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 4000}}
    script.user("u2", "r2", [{"type": "text", "text": "Look at this:"}, image])
    script.row("attachment", "at1", "u2", attachment={"type": "file", "filename": "src/checkout.py", "content": "x"})
    script.boundary("b1", preTokens=155_000)
    script.summary("s1", "b1")
    script.user("u3", "s1", "한국어로 답해 줘: 왜 실패했지?")
    script.answer("a3", "u3", [{"type": "text", "text": "재시도 횟수가 **두 번** 세어졌습니다."}], id="m3")
    script.lines.append('{"type":"assistant","uuid":"torn","mess')
    script.user("u4", "a3", "thanks")
    return script


def written(folder: Path, script: Script) -> tuple[Path, tuple[Entry, ...]]:
    path = script.write(folder)
    return path, plan_resume(read_transcript(path)).path


async def read(
    pilot: "Pilot[int]", path: Path, way: tuple[Entry, ...] | None = None, start: str = "", left: Any = None
) -> TranscriptScreen:
    """Push the reader and wait until it stands."""
    await settle(pilot)
    screen = TranscriptScreen(path, "Checkout retries", way, start)
    pilot.app.push_screen(screen, left)
    await settle(pilot)
    return screen


async def go(pilot: "Pilot[int]", *keys: str) -> None:
    await press(pilot, *keys)


def row(screen: TranscriptScreen) -> str:
    """The row under the cursor."""
    here = screen.lines.here
    assert here is not None
    return here[1].content.plain.strip()


def uuid(screen: TranscriptScreen) -> str:
    here = screen.lines.here
    assert here is not None
    return here[0].uuid


async def test_it_opens_at_the_end_and_walks_to_the_beginning(make_app: Maker, tmp_path: Path) -> None:
    path = story().write(tmp_path)
    before = digest_tree(path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        assert row(screen) == "thanks"
        assert "file order" in screen_text(pilot.app)  # type: ignore[arg-type]
        seen: list[str] = []
        while not seen or screen.lines.cursor:
            if not seen or seen[-1] != uuid(screen):
                seen.append(uuid(screen))
            screen.lines.move_cursor(-1)
        seen.append(uuid(screen))
        assert [name for name in reversed(seen) if name] == [
            entry.uuid for entry in read_transcript(path).entries if entry.uuid
        ]
        await go(pilot, "G")
        assert row(screen) == "thanks"
        await go(pilot, "g")
        assert row(screen).endswith("custom-title: Checkout retries")
    assert digest_tree(path) == before


@pytest.fixture(params=["at once", "in threads"])
def patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches end on the way of their key, or all go to a thread."""
    monkeypatch.setattr(transcript, "INLINE_SEARCH_S", 60.0 if request.param == "at once" else -1.0)


@pytest.mark.usefixtures("patience")
async def test_prompts(make_app: Maker, tmp_path: Path) -> None:
    path = story().write(tmp_path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        found = []
        for _ in range(4):
            await go(pilot, "left_curly_bracket")
            found.append(uuid(screen))
        assert found == ["u4", "u3", "u2", "u1"], "from within a prompt to its beginning, then to those before"
        await go(pilot, "left_curly_bracket")
        assert uuid(screen) == "u1"
        assert "no previous prompt" in screen_text(pilot.app)  # type: ignore[arg-type]
        await go(pilot, "right_curly_bracket", "right_curly_bracket")
        assert uuid(screen) == "u3"


@pytest.mark.usefixtures("patience")
async def test_find_unfolds_what_it_finds(make_app: Maker, tmp_path: Path) -> None:
    path = story().write(tmp_path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        await go(pilot, "g", "slash", *"TEST_3", "enter")
        assert row(screen) == "│ tests/checkout/test_retry.py::test_3 PASSED"
        await go(pilot, "n")
        assert row(screen) == "│ tests/checkout/test_retry.py::test_30 PASSED"
        await go(pilot, "N", "N")
        assert row(screen) == "│ tests/checkout/test_retry.py::test_39 PASSED"
        assert [one.message for one in pilot.app._notifications] == ["past the end: on from the other one"]
        await go(pilot, "n")
        assert row(screen) == "│ tests/checkout/test_retry.py::test_3 PASSED"
        await go(pilot, "slash", "x", "enter")
        assert "no 'TEST_3x' here" in screen_text(pilot.app)  # type: ignore[arg-type]
        await go(pilot, "escape", "slash", *"실패", "enter")
        assert uuid(screen) == "u3"
        await go(pilot, "escape")
        assert screen.lines.needle == ""


async def test_a_search_says_how_far_it_is_and_esc_stops_it(
    make_app: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object, **__: object) -> Iterator[float]:
        while True:
            yield 0.25

    monkeypatch.setattr(transcript, "find_text_in", endless)
    path = story().write(tmp_path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        screen.lines.needle = "x"
        await pilot.press("n", "k")
        assert screen.lines.busy
        assert "looking below for 'x', 25%; Esc stops" in screen_text(pilot.app)  # type: ignore[arg-type]
        await go(pilot, "escape")
        assert not screen.lines.busy
        assert "looking" not in screen_text(pilot.app)  # type: ignore[arg-type]
        assert screen.lines.needle == "x"


async def test_folds(make_app: Maker, tmp_path: Path) -> None:
    path = story().write(tmp_path)
    async with make_app().run_test(size=(80, 40)) as pilot:
        screen = await read(pilot, path, start="r1")
        assert uuid(screen) == "r1"
        assert sum(block.uuid == "r1" for block, _ in screen.lines.window.rows) == 4
        await go(pilot, "enter")
        assert sum(block.uuid == "r1" for block, _ in screen.lines.window.rows) == 40
        await go(pilot, "j", "j", "h")
        assert sum(block.uuid == "r1" for block, _ in screen.lines.window.rows) == 4
        await go(pilot, "k", "l")
        assert uuid(screen) == "c1"
        text = screen_text(pilot.app)  # type: ignore[arg-type]
        assert "command: pytest -q tests/checkout --count 20" in text
        assert "timeout: 60" in text
        await go(pilot, "L")
        assert "Then at the code." in screen_text(pilot.app)  # type: ignore[arg-type]
        assert uuid(screen) == "c1"
        await go(pilot, "H")
        assert sum(block.uuid == "r1" for block, _ in screen.lines.window.rows) == 4


async def test_a_long_output_is_shown_step_by_step(make_app: Maker, tmp_path: Path) -> None:
    script = Script().user("u1", None).call("c1", "u1", "t1", "Bash", command="x")
    path = script.result("r1", "c1", "t1", "".join(f"row {n}\n" for n in range(1_000))).write(tmp_path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        counts = []
        for _ in range(6):
            counts.append(sum(block.uuid == "r1" for block, _ in screen.lines.window.rows))
            await go(pilot, "G", "enter")
        assert counts == [4, 201, 401, 601, 801, 1_000]


async def test_chain_and_file_order(make_app: Maker, tmp_path: Path) -> None:
    path, way = written(tmp_path, story())
    left: list[str | None] = []
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path, way, "u3", left.append)
        assert uuid(screen) == "u3"
        assert "chain" in screen_text(pilot.app)  # type: ignore[arg-type]
        await go(pilot, "g")
        assert uuid(screen) == "b1", "the chain begins at the compaction"
        await go(pilot, "v")
        assert uuid(screen) == "b1"
        await go(pilot, "left_curly_bracket")
        assert uuid(screen) == "u2"
        await go(pilot, "v")
        assert uuid(screen) == "b1", "what is not in the chain: the next that is"
        await go(pilot, "escape")
        assert left == [None]


async def test_a_line_that_is_long_is_read_in_a_thread(make_app: Maker, tmp_path: Path) -> None:
    script = Script().user("u1", None, "first")
    for number in range(3):
        script.user(f"long{number}", None, "word " * 100_000 + f"needle{number}").user(f"short{number}", None, "x")
    path = script.write(tmp_path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        for key, name in (("g", "u1"), ("G", "short2")):
            await go(pilot, key)
            assert uuid(screen) == name
        await go(pilot, "g", "slash", *"needle1", "enter")
        assert uuid(screen) == "long1"
        await go(pilot, "right_curly_bracket", "right_curly_bracket")
        assert uuid(screen) == "long2"
        await go(pilot, "left_curly_bracket", "left_curly_bracket", "left_curly_bracket")
        assert uuid(screen) == "short0"


async def test_the_view_changes_at_a_long_line(make_app: Maker, tmp_path: Path) -> None:
    script = Script().user("u1", None, "first").answer("a1", "u1", [{"type": "text", "text": "word " * 100_000}])
    path, way = written(tmp_path, script)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path, way)
        assert uuid(screen) == "a1"
        for _ in range(2):
            await pilot.press("v", "j", "k", "pagedown")
            await settle(pilot)
            assert uuid(screen) == "a1"
            assert "word word" in screen_text(pilot.app)  # type: ignore[arg-type]


async def test_resizing_keeps_the_row(make_app: Maker, tmp_path: Path) -> None:
    path = story().write(tmp_path)
    async with make_app().run_test(size=(120, 40)) as pilot:
        screen = await read(pilot, path, start="a3")
        await go(pilot, "j")
        before = row(screen)
        await pilot.resize_terminal(30, 12)
        await settle(pilot)
        assert uuid(screen) == "a3"
        assert row(screen)[:6] == before[:6]
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert row(screen) == before


async def test_the_file_grows_is_cut_is_replaced_and_goes(make_app: Maker, tmp_path: Path) -> None:
    script = Script().user("u1", None, "one").user("u2", "u1", "two")
    path = script.write(tmp_path, '{"type":"user","uuid":"u3","message":{"role":"user","content":"thr')
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)

        async def look() -> str:
            screen.look_at_file()
            await settle(pilot)
            return screen_text(pilot.app)  # type: ignore[arg-type]

        assert "no record: cut off (its writer may not be done)" in await look()
        with path.open("a", encoding="utf-8") as file:
            file.write('ee"}}\n')
        text = await look()
        assert "three" in text
        assert "cut off" not in text
        path.write_bytes(path.read_bytes()[:200])
        assert "file was cut, read again" in await look()
        other = Script().user("v1", None, "another").write(tmp_path / "..", "")
        other.replace(path)
        text = await look()
        assert "file was replaced, read again" in text
        assert "another" in text
        path.unlink()
        text = await look()
        assert "file is gone" in text
        await go(pilot, "g", "G", "left_curly_bracket")
        assert uuid(screen) == "v1"


@pytest.mark.usefixtures("patience")
async def test_a_disk_that_refuses_is_told(make_app: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script()
    for number in range(300):
        script.user(f"u{number}", None, "x" * (1 if number > 5 else 100_000))
    path = script.write(tmp_path)

    def refuse(*_: object) -> bytes:
        raise Unsupported("the disk is on fire")

    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        screen.lines.needle = "zebra"
        with monkeypatch.context() as patch:
            patch.setattr(OpenTranscript, "_pread", refuse)
            for key in ("g", "N", "left_curly_bracket", "enter", "L"):
                await go(pilot, key)
                assert "the disk is on fire" in screen_text(pilot.app)  # type: ignore[arg-type]
                assert not screen.lines.busy
            await go(pilot, *["pageup"] * 4)
            assert "the disk is on fire" in screen_text(pilot.app)  # type: ignore[arg-type]
        await go(pilot, "g")
        assert uuid(screen) == "u0"
        assert "fire" not in screen_text(pilot.app)  # type: ignore[arg-type]


async def test_an_empty_file_says_so(make_app: Maker, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n\n")
    left: list[str | None] = []
    async with make_app().run_test(size=(80, 24)) as pilot:
        await read(pilot, path, left=left.append)
        assert "nothing to read here" in screen_text(pilot.app)  # type: ignore[arg-type]
        await go(pilot, "j", "k", "g", "G", "enter", "l", "h", "L", "n", "right_curly_bracket", "v", "y", "escape")
        assert left == [None]


async def test_the_mouse_moves_folds_and_jumps(make_app: Maker, tmp_path: Path) -> None:
    script = Script()
    for number in range(300):
        script.user(f"u{number}", None, f"prompt {number}")
    path = script.write(tmp_path)
    async with make_app().run_test(size=(80, 24)) as pilot:
        screen = await read(pilot, path)
        await pilot.click("#lines", offset=(79, 0))
        await settle(pilot)
        assert uuid(screen) == "u0"
        await pilot.click("#lines", offset=(79, 11))
        await settle(pilot)
        assert 140 < int(uuid(screen)[1:]) < 160
        await pilot.click("#lines", offset=(5, 7))
        await settle(pilot)
        assert screen.lines.cursor - screen.lines.top == 7


async def test_hostile_text_draws_no_control_byte(make_app: Maker, tmp_path: Path) -> None:
    script = Script().user("u1", None, f"```\n{HOSTILE}\n```\n# {HOSTILE}\n- {HOSTILE}")
    script.answer("a1", "u1", [{"type": "thinking", "thinking": HOSTILE}])
    script.call("c1", "a1", "t1", HOSTILE, command=HOSTILE, **{HOSTILE: HOSTILE})
    script.result("r1", "c1", "t1", HOSTILE + "\r\n" + HOSTILE, is_error=True)
    script.system("s1", "r1", HOSTILE, content=HOSTILE)
    script.row("attachment", "at", "s1", attachment={"type": HOSTILE, "filename": HOSTILE})
    script.note(type=HOSTILE, content=HOSTILE)
    script.answer(
        "a2", "s1", [{"type": HOSTILE}, {"type": "image", "title": HOSTILE, "source": {"media_type": HOSTILE}}]
    )
    script.lines.append('{"broken": "' + HOSTILE.replace("\x00", ""))
    script.boundary("b1", preTokens=1, trigger=HOSTILE)
    path = script.write(tmp_path)
    async with make_app().run_test(size=(80, 50)) as pilot:
        screen = TranscriptScreen(path, HOSTILE)
        await settle(pilot)
        pilot.app.push_screen(screen)
        for keys in (("g",), ("L",), ("pagedown",), ("G",), ("H",), ("slash", "b", "o", "l", "enter"), ("n",)):
            await go(pilot, *keys)
            assert isinstance(pilot.app, MemtuiApp)
            assert is_plain(screen_text(pilot.app).replace("\n", ""))


@pytest.mark.parametrize(
    "path", sorted(CORPUS.rglob("*.jsonl"))[::10] if CORPUS.is_dir() else [], ids=lambda p: p.stem[:20]
)
async def test_the_corpus(make_app: Maker, path: Path) -> None:
    before = digest_tree(path)
    async with make_app().run_test(size=(100, 30)) as pilot:
        await read(pilot, path)
        for keys in (("g",), ("L", "pagedown"), ("G", "pageup"), ("left_curly_bracket", "H"), ("pagedown", "v")):
            await go(pilot, *keys)
            assert isinstance(pilot.app, MemtuiApp)
            assert is_plain(screen_text(pilot.app).replace("\n", ""))
    assert digest_tree(path) == before


# Pictures.

SIZES = {"80x24": (80, 24), "120x40": (120, 40)}
Compare = Callable[..., bool]


def reading(path: Path, way: tuple[Entry, ...] | None, start: str, *keys: str) -> Callable[["Pilot[int]"], object]:
    """Opens the reader, presses keys and waits until the line is counted."""

    async def run(pilot: "Pilot[int]") -> None:
        screen = await read(pilot, path, way, start)
        await go(pilot, *keys)
        for field in pilot.app.screen.query(Input):
            field.cursor_blink = False
        while "line" not in str(screen.query_one("#title").render()):
            await pilot.pause()
        await settle(pilot)

    return run


@pytest.mark.parametrize("size", SIZES)
def test_file_order(snap_compare: Compare, make_app: Maker, tmp_path: Path, size: str) -> None:
    path = story().write(tmp_path)
    assert snap_compare(make_app(), terminal_size=SIZES[size], run_before=reading(path, None, "u1", "k"))


@pytest.mark.parametrize("size", SIZES)
def test_the_end(snap_compare: Compare, make_app: Maker, tmp_path: Path, size: str) -> None:
    path = story().write(tmp_path)
    assert snap_compare(make_app(), terminal_size=SIZES[size], run_before=reading(path, None, "", "k", "k"))


def test_chain_in_ascii(snap_compare: Compare, make_app: Maker, tmp_path: Path) -> None:
    path, way = written(tmp_path, story())
    assert snap_compare(make_app(PLAIN), terminal_size=(80, 24), run_before=reading(path, way, "u3"))


def test_find(snap_compare: Compare, make_app: Maker, tmp_path: Path) -> None:
    path = story().write(tmp_path)
    keys = ("g", "slash", *"test_3", "enter")
    assert snap_compare(make_app(), terminal_size=(80, 24), run_before=reading(path, None, "", *keys))


async def test_what_a_compaction_wrote_again_is_folded(make_app: Maker, tmp_path: Path) -> None:
    path = compacted().write(tmp_path)
    folded = "▸ 3 messages repeated from before the compaction"
    async with make_app().run_test(size=(80, 40)) as pilot:
        screen = await read(pilot, path)
        shown = screen_text(pilot.app)  # type: ignore[arg-type]
        assert folded in shown
        assert shown.count("u2") == 1
        await go(pilot, "g", "right_curly_bracket", "right_curly_bracket")
        assert uuid(screen) == "u5"
        await go(pilot, "k", "k")
        assert row(screen) == folded
        await go(pilot, "enter")
        assert row(screen) == folded.replace("▸", "▾")
        assert screen_text(pilot.app).count("u2") == 2  # type: ignore[arg-type]
        await go(pilot, "left")
        assert row(screen) == folded
        await go(pilot, "L")
        assert screen_text(pilot.app).count("u2") == 2  # type: ignore[arg-type]
        await go(pilot, "H")
        assert row(screen) == folded


async def test_repeats_that_are_written_while_one_reads_are_folded(make_app: Maker, tmp_path: Path) -> None:
    lines = compacted().lines
    script = Script()
    script.lines = lines[:-3]
    async with make_app().run_test(size=(80, 40)) as pilot:
        screen = await read(pilot, script.write(tmp_path))
        script.lines = lines
        script.write(tmp_path)
        screen.look_at_file()
        await settle(pilot)
        assert "▸ 3 messages repeated" in screen_text(pilot.app)  # type: ignore[arg-type]
        screen.lines.needle = "done"
        await go(pilot, "G", "N")
        assert uuid(screen) == "r4"


async def test_a_result_that_is_not_right_below_its_call_is_named(make_app: Maker, tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", "Bash", id="m", command="make deploy")
    script.call("c2", "c1", "t2", "Bash", id="m", command="rm -rf build")
    script.result("r2", "c2", "t2", "permission denied").result("r1", "c1", "t1", "deployed").answer("a", "r1")
    path, entries = written(tmp_path, script)
    async with make_app().run_test(size=(80, 24)) as pilot:
        await read(pilot, path, entries)
        shown = screen_text(pilot.app)
        assert "result of Bash make deploy" in shown
        assert "result of Bash rm" not in shown
