"""Versions of a folder: what goes in comes out, with who and why (DESIGN.md D7)."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.fs.atomic import digest
from memtui.history.database import blob_id
from memtui.history.versions import KEPT, UNDO, FileChange, History, Version, count_lines
from memtui.util.errors import MemtuiError, NotFound

NAMES = st.lists(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
        lambda part: part not in (".", "..", ".git")
    ),
    min_size=1,
    max_size=3,
).map("/".join)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "history")


def put(history: History, why: str = "x", **files: bytes | None) -> Version:
    named = {name.replace("__", "/") + ".md": data for name, data in files.items()}
    return history.commit(named, who="you", why=why, when=1.5)


def test_an_empty_history_is_no_folder(history: History, tmp_path: Path) -> None:
    assert history.log() == ()
    assert history.head("a.md") is None
    assert history.head_blobs() == {}
    assert history.find_bytes("a.md", digest(b"x")) is None
    assert list(tmp_path.iterdir()) == []


def test_every_state_of_every_file_can_be_read(history: History) -> None:
    first = put(history, a=b"1\n", x__y__b=b"b\r\n\xff\x00 no end")
    second = put(history, a=b"1\n2\n", c=b"")
    third = put(history, a=None, x__y__b=None)
    assert history.read(first.id, "a.md") == b"1\n"
    assert history.before(first.id, "a.md") is None
    assert history.before(second.id, "a.md") == b"1\n"
    assert history.read(second.id, "x/y/b.md") == b"b\r\n\xff\x00 no end"
    assert history.read(third.id, "a.md") is None
    assert history.before(third.id, "a.md") == b"1\n2\n"
    assert history.head("c.md") == b""
    assert history.head_blobs() == {"c.md": blob_id(b"")}
    for name in ("x", "x/y", "c.md/d", "none.md", "x/y/b.md/z"):
        assert history.read(second.id, name) is None
    assert history.find_bytes("a.md", digest(b"1\n")) == b"1\n"
    assert history.find_bytes("a.md", digest(b"1\n2\n")) == b"1\n2\n"
    assert history.find_bytes("a.md", digest(b"3")) is None
    put(history, c=None)
    assert history.head_blobs() == {}
    put(history, c=b"again\n")
    assert history.head("c.md") == b"again\n"


def test_a_folder_may_become_a_file_and_back(history: History) -> None:
    put(history, a=b"x")
    history.commit({"a.md": None, "a.md/b.md": b"y"}, who="outside", why="x", when=0)
    assert history.head_blobs() == {"a.md/b.md": blob_id(b"y")}
    history.commit({"a.md/b.md": None, "a.md": b"z"}, who="outside", why="x", when=0)
    assert history.head_blobs() == {"a.md": blob_id(b"z")}


def test_the_log_tells_who_why_when_and_what(history: History) -> None:
    history.commit({"a.md": b"1\n2\n"}, who="you", why='new\nnote\n\nMemtui-Who: "mallory"', when=12.25, kind="new")
    history.commit(
        {"a.md": b"1\n3\n"}, who="dream ‘x’", why="메모", when=-5.0, kind="adopt", extra={"run": "7", "이름": "값"}
    )
    second, first = history.log()
    assert (first.who, first.why, first.when, first.kind) == ("you", 'new note Memtui-Who: "mallory"', 12.25, "new")
    assert first.files == (FileChange("a.md", "added", 2, 0, None, digest(b"1\n2\n")),)
    assert (second.who, second.why, second.when) == ("dream ‘x’", "메모", -5.0)
    assert second.extra == {"run": "7", "이름": "값"}
    assert second.files[0].added == second.files[0].removed == 1
    assert second.file("a.md") is second.files[0]
    assert second.file("b.md") is None


def test_the_log_of_one_file_and_its_limit(history: History) -> None:
    for number in range(10):
        history.commit({f"{'ab'[number % 2]}.md": b"%d\n" % number}, who="you", why="x", when=0)
    assert [version.files[0].name for version in history.log("a.md")] == ["a.md"] * 5
    assert len(history.log(limit=3)) == 3
    assert len(history.log("b.md", limit=2)) == 2
    assert len(history.log(limit=None)) == 10
    assert history.log(limit=0) == ()


def test_a_version_is_found_by_the_start_of_its_id(history: History) -> None:
    versions = [put(history, a=b"%d\n" % number) for number in range(5)]
    for version in versions:
        assert history.version(version.id[:8]) == version
        assert history.version(version.id) == version
    for word in ("", "zzzz", versions[0].id[:3], versions[0].id + "0"):
        with pytest.raises(NotFound):
            history.version(word)


def test_undone_follows_undo_of_undo(history: History) -> None:
    first = put(history, a=b"1\n")

    def undo(version: Version) -> Version:
        return history.commit({}, who="you", why="undo", when=0, kind=UNDO, undoes=version.id)

    flags = []
    last = first
    for _ in range(4):
        last = undo(last)
        flags.append(history.version(first.id).undone)
    assert flags == [True, False, True, False]


def test_a_kept_text_is_reachable_but_not_the_folders_state(history: History) -> None:
    put(history, a=b"disk\n")
    kept = history.commit({"a.md": b"mine\n"}, who="you", why="kept", when=0, kind=KEPT)
    assert history.head("a.md") == b"disk\n"
    assert history.read(kept.id, "a.md") == b"mine\n"
    assert history.before(kept.id, "a.md") == b"disk\n"
    assert [version.kind for version in history.log("a.md")] == [KEPT, "edit"]
    assert history.find_bytes("a.md", digest(b"mine\n")) == b"mine\n"


@given(st.lists(st.dictionaries(NAMES, st.one_of(st.none(), st.binary(max_size=50)), max_size=4), max_size=4))
def test_any_names_and_bytes_come_back(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, bytes | None]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    shutil.rmtree(path, ignore_errors=True)
    history = History(path)
    state: dict[str, bytes] = {}
    states: list[tuple[str, dict[str, bytes]]] = []
    for step in steps:
        # A name can't be a file and a folder at once: drop what would make it so.
        for name in list(step):
            others = {*state, *step} - {name}
            if any(other.startswith(name + "/") or name.startswith(other + "/") for other in others):
                del step[name]
        version = history.commit(step, who="you", why="x", when=0)
        for name, data in step.items():
            if data is None:
                state.pop(name, None)
            else:
                state[name] = data
        states.append((version.id, dict(state)))
    fresh = History(path)
    for identity, files in states:
        assert {name: fresh.read(identity, name) for name in files} == files
    assert fresh.head_blobs() == {name: blob_id(data) for name, data in state.items()}
    assert [version.id for version in fresh.log()] == [identity for identity, _ in reversed(states)]


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d"]), max_size=30)


@given(LINES, LINES)
def test_counted_lines_add_up(old: list[bytes], new: list[bytes]) -> None:
    before, after = b"".join(old), b"".join(new)
    added, removed = count_lines(before, after)
    lines = len(before.splitlines()), len(after.splitlines())
    assert lines[0] - removed == lines[1] - added
    assert (added == removed == 0) == (before.splitlines(keepends=True) == after.splitlines(keepends=True))


def test_counting_very_different_large_texts_is_quick() -> None:
    assert count_lines(b"a\n" * 50_000, b"b\n" * 60_000 + b"a\n" * 10) == (60_000, 49_990)


def test_many_versions_become_a_pack_and_read_the_same(history: History) -> None:
    first = history.commit(
        {f"{number}.md": b"%d\n" % number for number in range(100)}, who="outside", why="as found", when=0, kind="found"
    )
    repository = history.repository
    assert len(list((repository.path / "objects/pack").glob("*.pack"))) == 1, "many new objects are a pack at once"
    for number in range(40):
        put(history, a=b"line\n" * number)
    log = history.log(limit=None)
    assert repository.compact() == 0, "too little to bother"
    assert repository.compact(limit=0) > 100
    assert not (repository.path / "recent").exists()
    assert not list((repository.path / "objects").glob("??/*"))
    fresh = History(repository.path)
    for reader in (history, fresh):
        assert reader.log(limit=None) == log
        assert reader.read(first.id, "7.md") == b"7\n"
        assert reader.head("a.md") == b"line\n" * 39
        assert reader.before(log[5].id, "a.md") == b"line\n" * 33
    put(fresh, a=b"more\n")
    assert history.head("a.md") == b"more\n", "another process sees it"
    assert repository.compact(limit=0) == 3
    assert fresh.head("a.md") == b"more\n"


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize("packed", [False, True])
def test_plain_git_reads_it_and_finds_nobody_in_it(history: History, packed: bool) -> None:
    put(history, why="first", a=b"1\n")
    put(history, why="둘째", a=b"2\n", x__b=b"b\n")
    history.commit({"a.md": b"mine\n"}, who="you", why="kept", when=0, kind=KEPT)
    if packed:
        history.repository.compact(limit=0)

    def git(*args: str) -> str:
        command = ["git", f"--git-dir={history.repository.path}", *args]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return run.stdout

    assert git("log", "--first-parent", "--format=%s|%an|%ae|%cn|%ce") == "".join(
        f"{why}|memtui|memtui@localhost|memtui|memtui@localhost\n" for why in ("kept", "둘째", "first")
    )
    assert git("show", "HEAD:a.md") == "2\n"
    git("fsck", "--strict")


@pytest.mark.parametrize("packed", [False, True])
def test_damage_is_said(history: History, packed: bool) -> None:
    version = put(history, a=b"1\n")
    if packed:
        history.repository.compact(limit=0)
    for path in history.repository.path.rglob("*"):
        if path.is_file() and (path.parent.parent.name == "objects" or path.name == "recent"):
            path.chmod(0o600)
            path.write_bytes(b"\0" * 30 if packed else b"")
    with pytest.raises(MemtuiError, match="damaged"):
        History(history.repository.path).read(version.id, "a.md")
    (history.repository.path / "refs/heads/main").write_bytes(b"")
    with pytest.raises(MemtuiError, match="damaged"):
        History(history.repository.path).log()


def test_one_broken_loose_file_is_no_damage(history: History) -> None:
    version = put(history, a=b"1\n")
    for path in (history.repository.path / "objects").glob("??/*"):
        path.chmod(0o600)
        path.write_bytes(b"")
    assert History(history.repository.path).read(version.id, "a.md") == b"1\n"
