"""What is lost of sessions: worked out once for each state of a file."""

from pathlib import Path

import pytest

from memtui.sessions.catalog import sessions
from memtui.sessions.health_cache import judge
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
    found = sessions(cache, [folder], [])
    judged = dict(judge(cache, found))
    assert judged[str(folder / name(1))] == ""
    assert "reachable" in judged[str(folder / name(2))]
    monkeypatch.setattr("memtui.util.worker_process.call_in_process", None)
    assert dict(judge(cache, found)) == judged, "nothing is read again"


def test_a_file_that_changed_is_judged_anew(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), LOST, 1000)
    assert next(judge(cache, sessions(cache, [folder], [])))[1]
    write(folder / name(1), GOOD, 2000)
    assert not next(judge(cache, sessions(cache, [folder], [])))[1]


def test_big_ones_and_those_behind_a_stop_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), GOOD, 1000)
    write(folder / name(2), LOST, 2000)
    found = sessions(cache, [folder], [])
    monkeypatch.setattr("memtui.sessions.health_cache.BIG", len(GOOD))
    assert [place for place, _ in judge(cache, found)] == [str(folder / name(1))]
    assert list(judge(cache, found[:1], stopped=lambda: True)) == []


def test_one_that_is_gone_takes_nothing_from_the_others(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), GOOD, 1000)
    write(folder / name(2), LOST, 2000)
    found = sessions(cache, [folder], [])
    (folder / name(1)).unlink()
    [(place, words)] = judge(cache, found)
    assert place == str(folder / name(2)) and "reachable" in words


def test_without_a_process_nothing_is_said_and_nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    write(folder / name(1), LOST, 1000)
    found = sessions(cache, [folder], [])
    assert list(judge(cache, found, read=False)) == []
    with monkeypatch.context() as patched:
        patched.setattr("sys.executable", "/no/python")
        assert list(judge(cache, found)) == []
    assert len(list(judge(cache, found))) == 1
