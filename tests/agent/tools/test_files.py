"""Read, Edit and Write on every kind of file: what isn't touched stays, byte for byte."""

import asyncio
import errno
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.tools.files import MAX_LINE_CHARS, MAX_LINES, MAX_WHOLE_BYTES, MAX_WRITE_BYTES
from memtui.agent.tools.outcome import ToolResult
from memtui.agent.tools.toolbox import MAX_ANSWER_CHARS, Toolbox
from tests.fs.faults import FaultFS
from tests.support import digest_tree


class Hands:
    """A box and its folder, without the waiting."""

    def __init__(self, root: Path, **more: Any) -> None:
        self.root = root
        self.box = Toolbox(AllowedFolders(root, (root.parent / "reads",)), **more)

    def __call__(self, name: str, **given: Any) -> ToolResult:
        return asyncio.run(self.box.call(name, given))

    def put(self, data: bytes, name: str = "a.md") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path


@pytest.fixture
def hands(tmp_path: Path) -> Hands:
    (tmp_path / "stage").mkdir()
    (tmp_path / "reads").mkdir()
    return Hands(tmp_path.resolve() / "stage")


def in_new_folder(test: Callable[[Hands], None]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "stage"
        root.mkdir()
        test(Hands(root))


def test_lines_have_numbers(hands: Hands) -> None:
    hands.put(b"one\ntwo\n\nfour")
    assert hands("Read", file_path="a.md").text == "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"
    assert hands("Read", file_path="a.md", offset=2, limit=1).text == (
        "     2\ttwo\n(more follows: go on with offset 3; the file has 13 bytes)"
    )
    assert hands("Read", file_path="a.md", offset=4.0, limit=1e300).text == "     4\tfour"


def test_what_is_not_shown(hands: Hands) -> None:
    hands.put("\ufeffone\r\ntwo\u2028still two\x0b\r\n".encode() + b"\xff\xfe")
    shown = hands("Read", file_path="a.md").text
    assert shown == "     1\tone\n     2\ttwo\u2028still two\x0b\n     3\t\ufffd\ufffd"


@pytest.mark.parametrize(
    ("data", "given", "words"),
    [
        (b"a\0b", {}, "a.md is not a text file"),
        (b"one\n", {"offset": 2}, "a.md has 1 lines"),
        (None, {}, "a.md is gone"),
        (b"", {"file_path": "."}, "is a folder: use Glob"),
        (b"", {"file_path": "fifo"}, "denied: not a file or folder"),
    ],
)
def test_what_can_not_be_read(hands: Hands, data: bytes | None, given: dict[str, Any], words: str) -> None:
    os.mkfifo(hands.root / "fifo")
    if data is not None:
        hands.put(data)
    outcome = hands("Read", **{"file_path": "a.md", **given})
    assert not outcome.ok and words in outcome.text


def test_an_empty_file_can_be_read_and_written(hands: Hands) -> None:
    path = hands.put(b"")
    assert hands("Read", file_path="a.md").text == "(the file is empty)"
    assert hands("Write", file_path="a.md", content="x").ok
    assert path.read_bytes() == b"x"


def test_long_lines_and_long_files_are_cut(hands: Hands) -> None:
    hands.put(b"x" * (MAX_LINE_CHARS + 5) + b"\n" + b"line\n" * (MAX_LINES + 5))
    outcome = hands("Read", file_path="a.md")
    assert "x … (the line has 2.0k bytes; Grep shows parts of it)\n     2\tline" in outcome.text
    assert outcome.text.endswith(f"go on with offset {MAX_LINES + 1}; the file has 12.0k bytes)")
    hands.put(("y" * 1000 + "\n").encode() * 500)
    outcome = hands("Read", file_path="a.md")
    assert len(outcome.text) < MAX_ANSWER_CHARS and "more follows" in outcome.text


def test_a_large_file_is_read_in_pieces_and_never_written(hands: Hands) -> None:
    line = b"z" * (3 << 20) + b"\n"
    hands.put(line * 3 + b"last\n")
    assert 3 * len(line) > MAX_WHOLE_BYTES
    shown = hands("Read", file_path="a.md", offset=3)
    assert shown.text.startswith("     3\tzzz") and shown.text.endswith("\n     4\tlast")
    assert hands("Read", file_path="a.md", offset=9).reason == "a.md has no line 9"
    edit = hands("Edit", file_path="a.md", old_string="last", new_string="first")
    assert edit.reason == "read a.md first"


def test_an_edit_needs_a_read_of_the_same_file_as_it_is(hands: Hands) -> None:
    path = hands.put(b"one two")
    change = {"file_path": "a.md", "old_string": "one", "new_string": "1"}
    assert hands("Edit", **change).reason == "read a.md first"
    assert hands("Write", file_path="a.md", content="new").reason == "read a.md first"
    hands("Read", file_path=str(path))
    path.write_bytes(b"one three")
    assert "changed by somebody else" in hands("Edit", **change).reason
    assert "changed by somebody else" in hands("Write", file_path="a.md", content="new").reason
    assert path.read_bytes() == b"one three"
    hands("Read", file_path="./a.md")
    assert hands("Edit", **change).wrote
    assert hands("Edit", file_path="a.md", old_string="1", new_string="one").ok, "our own change is known"
    path.unlink()
    assert "there is no a.md" in hands("Edit", **change).reason
    assert hands("Write", file_path="a.md", content="anew").ok


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"old_string": "", "new_string": "x"}, "old_string is empty"),
        ({"old_string": "a", "new_string": "a"}, "are the same"),
        ({"old_string": "zz", "new_string": "x"}, "old_string is not in a.md"),
        ({"old_string": "a", "new_string": "x"}, "in a.md 3 times"),
        ({"old_string": "b", "new_string": "\0"}, "NUL"),
        ({"old_string": "b", "new_string": "\ud800"}, "half of a character"),
        ({"old_string": "\udcff", "new_string": "b"}, "half of a character"),
        ({"old_string": "b", "new_string": "x" * MAX_WRITE_BYTES}, "is the most"),
    ],
)
def test_edits_that_are_refused(hands: Hands, change: dict[str, Any], words: str) -> None:
    path = hands.put(b"a a a b\xff")
    hands("Read", file_path="a.md")
    outcome = hands("Edit", file_path="a.md", **change)
    assert words in outcome.reason and not outcome.wrote
    assert path.read_bytes() == b"a a a b\xff"


def test_every_place_at_once(hands: Hands) -> None:
    path = hands.put(b"a a a b")
    hands("Read", file_path="a.md")
    outcome = hands("Edit", file_path="a.md", old_string="a", new_string="aa", replace_all=True)
    assert outcome.text == "a.md: 3 places replaced"
    assert path.read_bytes() == b"aa aa aa b"


def test_bytes_that_an_edit_is_not_about(hands: Hands) -> None:
    path = hands.put(b"\xef\xbb\xbfone\r\ntwo\r\nthree \xff\xfe")
    hands("Read", file_path="a.md")
    assert hands("Edit", file_path="a.md", old_string="one\ntwo", new_string="1\n2\n2b").ok
    assert hands("Edit", file_path="a.md", old_string="\n2b\n", new_string="\n").ok
    assert path.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\nthree \xff\xfe"


def test_a_write_keeps_mark_and_line_ends(hands: Hands) -> None:
    path = hands.put(b"\xef\xbb\xbfone\r\ntwo\r\n")
    hands("Read", file_path="a.md")
    assert hands("Write", file_path="a.md", content="three\nfour\n").ok
    assert path.read_bytes() == b"\xef\xbb\xbfthree\r\nfour\r\n"


def test_a_new_file_is_as_open_as_its_folder_and_an_old_one_stays_as_it_is(hands: Hands) -> None:
    hands.root.chmod(0o750)
    hands("Write", file_path="new.md", content="x")
    path = hands.put(b"x")
    path.chmod(0o604)
    hands("Read", file_path="a.md")
    hands("Write", file_path="a.md", content="y")
    assert ((hands.root / "new.md").stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o640, 0o604)


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/x.md", "team/x.md", "x.txt", ".git/x.md", "CLAUDE.md", "A.MD", "l/x.md"]
)
def test_writes_that_are_denied(hands: Hands, path: str) -> None:
    hands.put(b"x")
    (hands.root / "l").symlink_to(hands.root.parent)
    before = digest_tree(hands.root.parent)
    outcome = hands("Write", file_path=path, content="x")
    assert outcome.reason.startswith("denied: ")
    assert digest_tree(hands.root.parent) == before


def test_folders_for_reading_are_not_written(hands: Hands) -> None:
    path = hands.root.parent / "reads" / "a.md"
    path.write_text("x")
    assert hands("Read", file_path=str(path)).ok
    assert not hands("Edit", file_path=str(path), old_string="x", new_string="y").ok


def test_a_link_that_is_swapped_in_leads_nowhere(hands: Hands) -> None:
    outside = hands.root.parent / "outside.md"
    outside.write_text("secret")
    path = hands.put(b"x")
    hands("Read", file_path="a.md")
    path.unlink()
    path.symlink_to(outside)
    for name, more in (
        ("Edit", {"old_string": "secret", "new_string": "y"}),
        ("Write", {"content": "y"}),
        ("Read", {}),
    ):
        assert not hands(name, file_path="a.md", **more).ok
    assert outside.read_text() == "secret"


TEXT = st.text(st.sampled_from("ab \n\r\t\ufeff\u2028é한\x1b"), max_size=30)
ENDS = st.sampled_from(["\n", "\r\n"])


@settings(max_examples=60)
@given(st.lists(TEXT.map(lambda t: t.replace("\n", "").replace("\r", "")), min_size=1, max_size=6), ENDS, st.binary())
@example(["a", "", "b"], "\r\n", b"\xff")
@example(["\ufeffa", "b"], "\r\n", b"")
def test_what_was_read_can_be_edited(lines: list[str], ends: str, tail: bytes) -> None:
    """The first two lines as they were shown are found again, and nothing else changes."""

    def test(hands: Hands) -> None:
        data = (
            ends.join(lines).encode() + ends.encode() + tail.replace(b"\0", b"").replace(b"\r", b"").replace(b"\n", b"")
        )
        path = hands.put(data)
        shown = [line.partition("\t")[2] for line in hands("Read", file_path="a.md").text.split("\n")]
        old = "\n".join(shown[:2])
        if len(lines) < 2 or not old or data.decode("utf-8", "replace").count(ends.join(shown[:2])) != 1:
            return
        outcome = hands("Edit", file_path="a.md", old_string=old, new_string="new\nlines")
        assert outcome.ok, outcome.reason
        start = data.index(ends.join(shown[:2]).encode())
        end = start + len(ends.join(shown[:2]).encode())
        assert path.read_bytes() == data[:start] + f"new{ends}lines".encode() + data[end:]

    in_new_folder(test)


@settings(max_examples=60)
@given(TEXT, TEXT, TEXT)
@example("a\r\nb\nc", "b", "d")
@example("x\r\ny\r\n", "\ny", "\nz")
def test_an_edit_changes_what_it_says_or_nothing(before: str, old: str, new: str) -> None:
    def test(hands: Hands) -> None:
        path = hands.put(before.encode())
        hands("Read", file_path="a.md")
        outcome = hands("Edit", file_path="a.md", old_string=old, new_string=new)
        after = path.read_bytes().decode()
        if not outcome.ok:
            assert after == before
            return

        def plain(text: str) -> str:
            return text.replace("\r\n", "\n")

        if before.count("\n") == before.count("\r\n") > 0:
            assert after == plain(before).replace(plain(old), plain(new), 1).replace("\n", "\r\n")
        elif old in before:
            assert after == before.replace(old, new, 1)
        else:
            assert plain(after) == plain(before).replace(plain(old), plain(new), 1)

    in_new_folder(test)


@settings(max_examples=60)
@given(st.text(max_size=40), st.text(max_size=40))
def test_a_write_is_what_it_says_or_nothing(first: str, second: str) -> None:
    def test(hands: Hands) -> None:
        path = hands.root / "a.md"
        outcome = hands("Write", file_path="a.md", content=first)
        assert path.exists() == outcome.ok == ("\0" not in first)
        if outcome.ok:
            assert path.read_bytes() == first.encode()
            again = hands("Write", file_path="a.md", content=second)
            assert again.ok == ("\0" not in second), "what we wrote ourselves needs no Read"
            if again.ok:
                assert path.read_bytes().decode().replace("\r\n", "\n").removeprefix("\ufeff") == second.replace(
                    "\r\n", "\n"
                ).removeprefix("\ufeff")

    in_new_folder(test)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ODD_KEYS = st.sampled_from(["file_path", "content", "old_string", "new_string", "offset", "limit", "pattern", "path"])


@settings(max_examples=60)
@given(
    st.sampled_from(["Read", "Edit", "Write", "Glob"]) | st.text(max_size=5),
    st.dictionaries(ODD_KEYS, JSON | st.sampled_from(["a.md", "**", "x"]), max_size=4) | JSON,
)
def test_no_exception_because_of_an_input(name: str, odd: Any) -> None:
    def test(hands: Hands) -> None:
        hands.put(b"x\n")
        before = digest_tree(hands.root.parent)
        outcome = asyncio.run(hands.box.call(name, odd))
        assert outcome.text and outcome.ok != bool(outcome.reason)
        if not outcome.wrote:
            assert digest_tree(hands.root.parent) == before

    in_new_folder(test)


def test_a_write_that_fails_at_any_call_leaves_the_file_whole(hands: Hands) -> None:
    path = hands.put(b"old text\n")
    for number in range(1, 99):
        fs = FaultFS()
        hands.box = Toolbox(AllowedFolders(hands.root), fs=fs)
        path.write_bytes(b"old text\n")
        hands("Read", file_path="a.md")
        fs.fail_at(number, errno.ENOSPC)
        outcome = hands("Edit", file_path="a.md", old_string="old", new_string="new")
        if outcome.ok:
            break
        assert outcome.reason == "the disk says: No space left on device" and fs.open_fds == set()
        assert path.read_bytes() in (b"old text\n", b"new text\n")
        assert [name.name for name in hands.root.iterdir()] == ["a.md"]
    assert number > 5
