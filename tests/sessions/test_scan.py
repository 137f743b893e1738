"""The fast scan against the careful one, and against sets whose true answers are known."""

import dataclasses
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.sessions import scan as module
from memtui.sessions.lines import parse_line
from memtui.sessions.scan import Facts, Scanner, decode, scan
from tests.sessions.recordings import load, session_bytes
from tests.sessions.rows import Script
from tests.support import REPO

ODD = [
    b'{"a":1e999}', b'{"a":NaN}', b'{"a":"\xff"}', b'{"a":"\\ud800"}', b'{"a":1,"a":2}', b"42", b"", b'{"a":1}{"b":2}',
    b'{"n":' + b"9" * 5000 + b"}", b'{"a":-Infinity}', b'{"a":01}', b'{"a":"\x01"}',
    b'{"a":' * 2000 + b"1" + b"}" * 2000, b'\xef\xbb\xbf{"a":1}',
]  # fmt: skip


def both(path: Path) -> Facts:
    quick = scan(path)
    assert quick == scan(path, quick=False)
    return quick


def generated(shared: Path, folder: Path, seed: int) -> dict[str, Any]:
    argv = sys.argv
    sys.argv = ["gen", str(folder), "--size", "3M", "--sessions", "40", "--projects", "4", "--seed", str(seed)]
    try:
        runpy.run_path(str(shared / "bench" / "gen_sessions.py"), run_name="__main__")
    finally:
        sys.argv = argv
    value: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize("seed", [3, 4])
def test_generated_sessions(shared: Path, tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "set"
    for truth in generated(shared, folder, seed)["sessions"]:
        facts = both(folder / "projects" / truth["project"] / f"{truth['session_id']}.jsonl")
        if truth["truncated"]:
            continue
        for name in ("first_prompt", "first_time", "last_time"):
            assert (getattr(facts, name) or None) == truth[name], name
        for name in ("messages", "prompts", "rewinds", "compactions"):
            assert getattr(facts, name) == truth[name], name
        assert facts.side == truth["sidechain_entries"]
        if truth["title"]:
            assert facts.title == " ".join(truth["title"].split())


def test_both_ways_agree_on_the_corpus(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").rglob("*.jsonl")):
        both(file)


def test_both_ways_agree_on_recorded_sessions(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for case in load(REPO / "tests" / "data" / "oracle" / "resume.jsonl"):
        path.write_bytes(session_bytes(case))
        both(path)


@pytest.mark.parametrize("line", ODD, ids=range(len(ODD)))
def test_the_fast_decoder_never_says_more_than_the_careful_one(line: bytes) -> None:
    fast, careful = decode(line), parse_line(line)
    assert fast is None or [fast] == careful.objects
    assert fast is None or not careful.bad


@given(st.binary(max_size=60))
def test_any_line(line: bytes) -> None:
    fast, careful = decode(line), parse_line(line)
    assert fast is None or ([fast] == careful.objects and not careful.bad and not careful.salvaged)


def test_without_msgspec_the_answers_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = (
        Script()
        .user("u0", None)
        .call("c1", "u0", "t1")
        .result("r1", "c1", "t1", "x" * 900)
        .answer("a2", "r1")
        .write(tmp_path)
    )
    with_it = scan(path)
    monkeypatch.setattr(module, "msgspec", None)
    monkeypatch.setattr(module, "_decode", module._decoder())
    assert module._decode is module._strict
    assert scan(path) == with_it
    assert (with_it.messages, with_it.prompts) == (4, 1)
    for line in ODD:
        fast = decode(line)
        assert fast is None or [fast] == parse_line(line).objects


def test_a_scan_goes_on_where_it_stopped(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    path = script.write(tmp_path)
    scanner = Scanner()
    first = dataclasses.replace(scanner.file(path))
    script.user("u2", "a1").answer("a3", "u2").user("u4", "a1").note(type="custom-title", customTitle="T")
    script.write(tmp_path, tail='{"type":"us')
    assert scanner.file(path) == scan(path)
    assert (first.messages, scanner.facts.messages, scanner.facts.rewinds, scanner.facts.title) == (2, 5, 1, "T")


def test_long_lines_torn_lines_and_lines_without_end(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    row = json.dumps({"type": "user", "uuid": "u", "message": {"role": "user", "content": "y" * (5 << 20)}})
    path.write_bytes(
        row.encode() + b'\n{"type":"user","uu\n' + b"A" * (33 << 20) + b"\n" + row.encode() + b"\n" + row.encode()
    )
    facts = both(path)
    assert (facts.messages, facts.bad, facts.lines) == (2, 2, 4)
    assert facts.offset == path.stat().st_size - len(row)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.touch()
    assert both(path) == Facts()
