"""Lists that are only ever added to."""

import json
from pathlib import Path

from memtui.fs.jsonl import append_record
from tests.fs.faults import Crash, FaultFS, upward


def test_a_record_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "list.jsonl"
    append_record(path, {"a": "\ud800é\n"})
    path.write_bytes(path.read_bytes() + b'{"cut')
    append_record(path, {"b": 2})
    lines = path.read_bytes().split(b"\n")
    assert [json.loads(lines[0]), lines[1], json.loads(lines[2]), lines[3]] == [
        {"a": "\ud800é\n"},
        b'{"cut',
        {"b": 2},
        b"",
    ]


def test_what_was_there_stays_wherever_the_world_stops(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"

    def crashing(number: int) -> FaultFS:
        path.write_bytes(b'{"a":1}\n')
        fs = FaultFS()
        fs.crash_at(number)
        return fs

    for fs in upward(crashing):
        try:
            append_record(path, {"b": 2}, fs=fs)
        except Crash:
            pass
        assert path.read_bytes().startswith(b'{"a":1}\n'), fs.where
    assert path.read_bytes() == b'{"a":1}\n{"b":2}\n'
