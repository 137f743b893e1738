"""What is lost of sessions: worked out once for each state of a file."""

from pathlib import Path

import pytest

from memtui.sessions.catalog import load_sessions
from memtui.sessions.health_cache import load_health
from tests.sessions.test_catalog import name, write
from tests.transcripts.rows import Script


def rows(script: Script) -> bytes:
    return "".join(f"{line}\n" for line in script.lines).encode()


GOOD = rows(Script().user("u0", None).answer("a1", "u0"))
LOST = rows(Script().user("u0", None).answer("a1", "u0").user("u2", "nowhere").answer("a3", "u2"))


def test_what_is_lost_is_told_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), GOOD, 1000)
    write(folder / name(2), LOST, 2000)
    found = load_sessions(cache, [folder], [])
    judged = dict(load_health(cache, found))
    assert judged[str(folder / name(1))] == ""
    assert "reachable" in judged[str(folder / name(2))]
    monkeypatch.setattr("memtui.util.worker_process.call_in_process", None)
    assert dict(load_health(cache, found)) == judged, "nothing is read again"


def test_a_file_that_changed_is_judged_anew(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), LOST, 1000)
    assert next(load_health(cache, load_sessions(cache, [folder], [])))[1]
    write(folder / name(1), GOOD, 2000)
    assert not next(load_health(cache, load_sessions(cache, [folder], [])))[1]


def test_big_ones_and_those_behind_a_stop_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), GOOD, 1000)
    write(folder / name(2), LOST, 2000)
    found = load_sessions(cache, [folder], [])
    monkeypatch.setattr("memtui.sessions.health_cache.MAX_CHECKED_BYTES", len(GOOD))
    assert [place for place, _ in load_health(cache, found)] == [str(folder / name(1))]
    assert list(load_health(cache, found[:1], stopped=lambda: True)) == []


def test_one_that_is_gone_takes_nothing_from_the_others(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), GOOD, 1000)
    write(folder / name(2), LOST, 2000)
    found = load_sessions(cache, [folder], [])
    (folder / name(1)).unlink()
    [(place, words)] = load_health(cache, found)
    assert place == str(folder / name(2)) and "reachable" in words


def test_without_a_process_nothing_is_said_and_nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), LOST, 1000)
    found = load_sessions(cache, [folder], [])
    assert list(load_health(cache, found, read=False)) == []
    with monkeypatch.context() as patched:
        patched.setattr("sys.executable", "/no/python")
        assert list(load_health(cache, found)) == []
    assert len(list(load_health(cache, found))) == 1
