"""The database: contents come back whole, damage is found and said, a full disk changes nothing."""

import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.fs.atomic import digest
from memtui.history.database import MAX_DELTA_DEPTH, HistoryDamaged, HistoryDatabase, put_blob, read_blob
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, Unsupported

LINES = st.lists(st.sampled_from([b"one line\n", b"another line\n", b"\xff\x00\n", b"x" * 500]), max_size=20)


@pytest.fixture
def dirs(tmp_path: Path) -> Dirs:
    return Dirs(tmp_path / "config", tmp_path / "state", tmp_path / "cache")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    return tmp_path / "memory"


@given(st.lists(LINES.map(b"".join), min_size=1, max_size=2 * MAX_DELTA_DEPTH + 5, unique=True))
def test_any_chain_of_contents_comes_back(tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]) -> None:
    database = HistoryDatabase(tmp_path_factory.mktemp("chain") / "history.db")
    rows: list[int] = []
    with database.write() as connection:
        for data in contents:
            before = (rows[-1], contents[len(rows) - 1]) if rows else None
            rows.append(put_blob(connection, data, digest(data), before))
        assert put_blob(connection, contents[0], digest(contents[0])) == rows[0], "one content is stored once"
    database.close()
    with database.read() as reader:
        assert reader is not None
        assert [read_blob(reader, row, database.path) for row in rows] == contents
    assert database.check() == []
    database.close()


def test_a_small_change_takes_little_room(dirs: Dirs, root: Path) -> None:
    store = Store(root, dirs, trash=None)
    text = os.urandom(10_000).hex().encode()
    store.apply([Change("a.md", text, None)], why="x")
    for number in range(100):
        new = text + b"line %d\n" % number
        store.apply([Change("a.md", new, digest(text))], why="x")
        text = new
    store.history.database.close()
    assert store.history.database.path.stat().st_size < 10_000 * 100 / 4


def test_nothing_is_made_by_reading(dirs: Dirs) -> None:
    database = HistoryDatabase.of(dirs)
    with database.read() as connection:
        assert connection is None
    assert database.check() == []
    assert not database.exists
    assert not dirs.state.exists()


def test_a_block_that_fails_leaves_nothing(dirs: Dirs) -> None:
    database = HistoryDatabase.of(dirs)

    def half() -> None:
        with database.write() as connection:
            connection.execute("insert into folders (path) values (?)", (b"/a",))
            with database.write() as inner:
                inner.execute("insert into folders (path) values (?)", (b"/b",))
            raise KeyError

    with pytest.raises(KeyError):
        half()
    with database.read() as connection:
        assert connection is not None
        assert connection.execute("select count(*) from folders").fetchone() == (0,)


@pytest.mark.parametrize("damage", ["zeros", "text", "cut", "content", "empty"])
def test_damage_is_found_and_said(dirs: Dirs, root: Path, damage: str) -> None:
    store = Store(root, dirs, trash=None)
    text = b"".join(b"line %d\n" % number for number in range(2000))
    saved = store.apply([Change("a.md", text, None)], why="x")
    assert saved.operation is not None
    database = store.history.database
    database.close()
    data = database.path.read_bytes()
    if damage == "content":
        other = sqlite3.connect(database.path)
        [stored] = other.execute("select data from blobs").fetchone()
        other.execute("update blobs set data = ?", (stored[:-9] + bytes(9),))
        other.commit()
        other.close()
    else:
        wrong = {"zeros": b"\0" * len(data), "text": b"no database\n" * 500, "cut": data[:6000], "empty": b""}
        database.path.write_bytes(wrong[damage])
    if damage == "empty":  # what a power cut may leave of a file that was just made: as if there were none
        assert store.log() == ()
        return
    assert database.check()
    with pytest.raises(HistoryDamaged) as caught:
        Store(root, dirs, trash=None).history.read(saved.operation.id, "a.md")
    assert str(database.path) in caught.value.message


def test_another_program_s_database_is_left_alone(dirs: Dirs, root: Path) -> None:
    dirs.state.mkdir()
    other = sqlite3.connect(dirs.state / "history.db")
    other.execute("create table mine (x)")
    other.commit()
    other.close()
    before = (dirs.state / "history.db").read_bytes()
    with pytest.raises(HistoryDamaged, match="no history of memtui"):
        Store(root, dirs, trash=None).apply([Change("a.md", b"x\n", None)], why="x")
    assert (dirs.state / "history.db").read_bytes() == before
    assert list(root.iterdir()) == []


def test_a_newer_memtui_s_history_is_left_alone(dirs: Dirs, root: Path) -> None:
    store = Store(root, dirs, trash=None)
    store.apply([Change("a.md", b"x\n", None)], why="x")
    with store.history.database.write() as connection:
        connection.execute("pragma user_version = 99")
    store.history.database.close()
    with pytest.raises(Unsupported, match="newer memtui"):
        store.log()


def test_a_read_only_home_can_still_be_read(dirs: Dirs, root: Path) -> None:
    store = Store(root, dirs, trash=None)
    store.apply([Change("a.md", b"x\n", None)], why="x")
    store.history.database.close()
    data = store.history.database.path.read_bytes()
    reader = sqlite3.connect(f"{store.history.database.path.as_uri()}?immutable=1", uri=True)
    assert reader.execute("select count(*) from operations").fetchone() == (1,)
    reader.close()
    assert store.history.database.path.read_bytes() == data


@pytest.mark.parametrize("first", [False, True], ids=["later write", "first write"])
def test_no_room_in_the_database_changes_nothing(dirs: Dirs, root: Path, first: bool) -> None:
    """SQLite is given one page after the other until the write goes through."""
    store = Store(root, dirs, trash=None)
    if not first:
        store.apply([Change("a.md", b"one\n", None), Change("b.md", b"one\n", None)], why="x")
    with store.history.database.write():
        pass
    old = b"one\n" if not first else None
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    changes = [
        Change(name, os.urandom(20_000).hex().encode(), digest(old) if old is not None else None)
        for name in ("a.md", "b.md")
    ]
    refused = 0
    limit = 0
    for _ in range(500):
        with store.history.database.read() as connection:
            assert connection is not None
            limit = max(limit + 1, connection.execute("pragma page_count").fetchone()[0])
            connection.execute(f"pragma max_page_count = {limit}")
        try:
            store.apply(changes, why="x")
        except MemtuiError as error:
            refused += 1
            assert isinstance(error, Unsupported)
            assert "No room left on the disk: nothing was written" in error.message
            assert {path.name: path.read_bytes() for path in root.iterdir()} == before
            continue
        break
    assert refused > 3
    assert {path.name: path.read_bytes() for path in root.iterdir()} == {one.name: one.data for one in changes}
    assert store.history.database.check() == []


def test_a_child_that_was_forked_writes_its_own_way(dirs: Dirs, root: Path) -> None:
    store = Store(root, dirs, trash=None)
    store.apply([Change("a.md", b"0\n", None)], why="x")
    for number in range(5):
        child = os.fork()
        if child == 0:
            try:
                store.apply([Change("a.md", b"%d\n" % (number + 1), digest(b"%d\n" % number))], why="child")
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert (root / "a.md").read_bytes() == b"%d\n" % (number + 1)
    assert [one.why for one in store.log()] == ["child"] * 5 + ["x"]
    assert store.history.database.check() == []
