"""Many files at once: the same answers from here and from workers, whatever happens to those."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from memtui.client.session_files import SessionFile, session_files
from memtui.sessions import scan_workers as bulk
from memtui.sessions.scan_workers import Scanned, scan_many
from memtui.transcripts.summary import SummaryScanner
from tests.transcripts.rows import SESSION, Script


@pytest.fixture
def files(tmp_path: Path) -> list[SessionFile]:
    """Thirty sessions of different lengths, one that is gone, and a folder of a session's name."""
    for number in range(30):
        script = Script().user("u0", None, f"question {number} \ud83d 질문")
        for turn in range(number):
            script.answer(f"a{turn}", f"u{turn}").user(f"u{turn + 1}", f"a{turn // 2}")
        path = script.write(tmp_path).rename(tmp_path / f"{number:08}{SESSION[8:]}.jsonl")
        os.utime(path, (1_700_000_000, 1_700_000_000 + number))
    found = session_files(tmp_path)
    (tmp_path / "folder.jsonl").mkdir()
    other = (SessionFile(str(tmp_path / name), 1_700_000_000, 9) for name in ("gone.jsonl", "folder.jsonl"))
    return [*found, *other]


def told(scanned: list[Scanned]) -> dict[str, object]:
    """What was said of each file, in a form that can be compared."""
    return {
        file.file_path: (found.errno if isinstance(found, OSError) else (found.summary, found.state()))
        for file, found in scanned
    }


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> list[bulk._Worker]:
    """Workers are used for any size; those that were started."""
    started: list[bulk._Worker] = []
    make = bulk._Worker.__init__

    def init(worker: bulk._Worker) -> None:
        make(worker)
        started.append(worker)

    monkeypatch.setattr(bulk._Worker, "__init__", init)
    monkeypatch.setattr(bulk, "MIN_WORKER_BYTES", 0)
    return started


def test_newest_first(files: list[SessionFile]) -> None:
    order = [file.modified for file, _ in scan_many(reversed(files), processes=0)]
    assert order == sorted(order, reverse=True)


def test_workers_say_the_same(files: list[SessionFile], crew: list[bulk._Worker]) -> None:
    here = list(scan_many(files, processes=0))
    assert not crew
    there = list(scan_many(files, processes=2))
    assert len(crew) == 2
    assert len(there) == len(files)
    assert told(there) == told(here)
    read = [(file, found) for file, found in here if isinstance(found, SummaryScanner)]
    assert len(read) == 30
    assert all(found.summary == SummaryScanner().file(file.path) for file, found in read)
    assert all(worker.process.returncode is not None for worker in crew)


def test_little_is_read_here(
    files: list[SessionFile], crew: list[bulk._Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "MIN_WORKER_BYTES", sum(file.size for file in files) + 1)
    assert len(list(scan_many(files))) == len(files)
    assert not crew


def test_it_can_be_stopped(files: list[SessionFile], crew: list[bulk._Worker]) -> None:
    with closing(scan_many(files)) as found:
        next(found)
    assert len(crew) == 2
    assert all(worker.process.returncode is not None for worker in crew)


def test_what_a_dead_worker_had_is_read_all_the_same(files: list[SessionFile], crew: list[bulk._Worker]) -> None:
    found = scan_many(files)
    first = [next(found)]
    crew[0].process.kill()
    assert told(first + list(found)) == told(list(scan_many(files, processes=0)))
    found = scan_many(files)
    first = [next(found)]
    for worker in crew[2:]:
        worker.process.kill()
    assert told(first + list(found)) == told(list(scan_many(files, processes=0)))


def test_without_an_interpreter_it_is_read_here(
    files: list[SessionFile], crew: list[bulk._Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert len(list(scan_many(files))) == len(files)
    assert not crew


def test_a_worker_runs_no_module_of_the_directory(
    files: list[SessionFile], crew: list[bulk._Worker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "project"
    trap.mkdir()
    (trap / "json.py").write_text("open('sprung', 'w')\n", encoding="ascii")
    monkeypatch.chdir(trap)
    assert len(list(scan_many(files))) == len(files)
    assert crew
    assert not (trap / "sprung").exists()
