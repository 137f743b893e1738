import errno
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts.entries import Entry, entry_of
from memtui.transcripts.lines import MAX_LINE_BYTES
from memtui.transcripts.reader import TranscriptReader
from memtui.transcripts.records import RecordView
from memtui.transcripts.tree import build_tree
from tests.support import REPO

CASES = json.loads((REPO / "tests" / "data" / "cases" / "jsonl.json").read_text(encoding="utf-8"))

WRITER = """
import os, sys
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
for number in range(int(sys.argv[2])):
    for byte in b'{"type":"user","uuid":"%d","text":"\\xed\\x95\\x9c"}\\n' % number:
        os.write(out, bytes([byte]))
"""


class Follow:
    """A reader with what it has taken, as a screen would hold it."""

    def __init__(self, path: Path) -> None:
        self.reader = TranscriptReader(path)
        self.entries: list[Entry] = []
        self.reset = self.gone = False
        self.error = ""

    def poll(self) -> None:
        self.gone, self.error = False, ""
        try:
            self.reset |= self.reader.poll(self.take, self.entries.clear)
        except FileNotFoundError:
            self.gone = True
        except OSError as error:
            self.error = errno.errorcode[error.errno or 0]

    def take(self, found: RecordView) -> None:
        self.entries.append(entry_of(found, len(self.entries)))


def make(path: Path, given: Any) -> None:
    if isinstance(given, str):
        path.write_bytes(given.encode("utf-8", "surrogatepass"))
    elif "hex" in given:
        path.write_bytes(bytes.fromhex(given["hex"]))
    elif "chain" in given:
        rows = range(given["chain"]["count"])
        lines = [{"type": "user", "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None} for n in rows]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    else:
        part = given["repeat"]
        with path.open("wb") as file:
            file.write(part["prefix"].encode())
            for _ in range(64):
                file.write(part["unit"].encode() * (part["times"] // 64))
            file.write(part["unit"].encode() * (part["times"] % 64) + part["suffix"].encode())


def act(path: Path, follow: Follow, step: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    kind: str = step[0]
    value: Any = step[1] if len(step) > 1 else 0
    if kind == "poll":
        follow.poll()
    elif kind in ("append", "append_as_root", "append_hex"):
        with path.open("ab") as file:
            file.write(bytes.fromhex(value) if kind == "append_hex" else str(value).encode())
    elif kind == "truncate":
        os.truncate(path, value)
    elif kind == "replace":
        other = path.with_suffix(".new")
        other.write_bytes(str(value).encode())
        other.replace(path)
    elif kind == "delete":
        path.unlink()
    elif kind == "chmod":
        real = os.open

        def refuse(name: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
            if Path(name) == path and value == 0:  # root may read everything, so the refusal is played
                raise PermissionError(13, "Permission denied")
            return real(name, flags, mode, **more)

        monkeypatch.setattr(os, "open", refuse)
    else:
        raise AssertionError(kind)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_cases(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.jsonl"
    follow = Follow(path)
    if isinstance(case["input"], dict) and "steps" in case["input"]:
        for step in case["input"]["steps"]:
            with monkeypatch.context() as patched:
                act(path, follow, step, monkeypatch if step[0] == "chmod" else patched)
    else:
        make(path, case["input"])
        follow.poll()
    reader, tree = follow.reader, build_tree(follow.entries)
    found = {
        "records": reader.records,
        "bad": reader.bad,
        "pending": reader.pending,
        "salvaged": reader.salvaged,
        "lossy": reader.lossy,
        "cycles": len(tree.cycles),
        "orphans": len(tree.orphans),
        "duplicates": len(tree.duplicates),
        "reset": follow.reset,
        "gone": follow.gone,
        "error": follow.error,
    }
    assert {key: found[key] for key in case["expect"]} == case["expect"], case["why"]
    assert len(reader.problems) == reader.bad


def test_a_writer_that_appends_byte_by_byte_loses_and_doubles_nothing(tmp_path: Path) -> None:
    path, count = tmp_path / "s.jsonl", 3_000
    follow = Follow(path)
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(count)])
    try:
        while writer.poll() is None:
            follow.poll()
    finally:
        writer.wait()
    follow.poll()
    assert [entry.uuid for entry in follow.entries] == [str(number) for number in range(count)]
    assert (follow.reader.bad, follow.reader.lossy, follow.reader.pending, follow.reset) == (0, 0, False, False)


@given(st.lists(st.binary(max_size=30), max_size=8), st.data())
def test_the_same_records_however_it_grew(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], data: Any
) -> None:
    text = b"".join(b'{"type":"user"}\n' + part for part in parts)
    folder = tmp_path_factory.mktemp("grow")
    whole, grown = folder / "whole", folder / "grown"
    whole.write_bytes(text)
    grown.touch()
    once, often = Follow(whole), Follow(grown)
    once.poll()
    at = 0
    while at < len(text):
        step = data.draw(st.integers(1, len(text) - at))
        with grown.open("ab") as file:
            file.write(text[at : at + step])
        at += step
        often.poll()
    often.poll()
    for name in ("records", "bad", "salvaged", "lossy", "pending", "problems"):
        assert getattr(often.reader, name) == getattr(once.reader, name)
    assert not often.reset


def test_a_reader_goes_on_from_a_kept_position(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"a":1}\n{"a":2}\n{"a"', encoding="utf-8")
    first = TranscriptReader(path)
    first.poll([].append)
    later = TranscriptReader(path, first.position)
    with path.open("a", encoding="utf-8") as file:
        file.write(":3}\n")
    records: list[RecordView] = []
    assert not later.poll(records.append)
    assert [(found.line, found.offset, found.data) for found in records] == [(3, 16, {"a": 3})]


def test_a_file_with_another_middle_is_another_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    head = '{"type":"user","uuid":"' + "x" * 80 + '"}\n'
    path.write_text(head + '{"a":1}\n', encoding="utf-8")
    reader = TranscriptReader(path)
    reader.poll([].append)
    path.write_text(head + '{"b":2}\n{"c":3}\n', encoding="utf-8")
    records: list[RecordView] = []
    assert reader.poll(records.append)
    assert [found.data for found in records][1:] == [{"b": 2}, {"c": 3}]


def test_a_line_just_below_the_limit_is_read_and_one_above_skipped(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    room = MAX_LINE_BYTES - len('{"x":""}')
    with path.open("wb") as file:
        file.write(b'{"x":"' + b"A" * room + b'"}\n')
        file.write(b'{"x":"' + b"A" * (room + 1) + b'"}\n{"y":1}\n')
    reader = TranscriptReader(path)
    lengths: list[tuple[int, int]] = []
    reader.poll(lambda found: lengths.append((found.line, found.length)))
    assert lengths == [(1, MAX_LINE_BYTES), (3, 7)]
    assert [(bad.line, bad.why) for bad in reader.problems] == [(2, "longer than 32 MiB")]


def test_the_tail_is_a_record_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"a":1}\n{"b":2}', encoding="utf-8")
    reader = TranscriptReader(path)
    reader.poll([].append)
    tail = reader.tail()
    assert tail is not None
    assert (tail.data, tail.line, tail.offset, tail.pending) == ({"b": 2}, 2, 8, True)
    with path.open("a", encoding="utf-8") as file:
        file.write(',"c"')
    reader.poll([].append)
    tail = reader.tail()
    assert tail is not None
    assert (tail.data, tail.shared) == ({"b": 2}, True)
    path.write_text('{"a":1}\nx{"b":2}', encoding="utf-8")
    reader.poll([].append)
    assert reader.tail() is None
