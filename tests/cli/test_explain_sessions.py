"""`explain resume` and `explain transcript`, against the recordings and the catalogue."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.resume.recordings import load, same, session_bytes
from tests.support import REPO, digest_tree

DATA = REPO / "tests" / "data"
VECTORS = load(DATA / "oracle" / "vectors.jsonl")
BAD: list[dict[str, Any]] = json.loads((DATA / "cases" / "jsonl.json").read_text(encoding="utf-8"))


def test_what_the_client_sends(run: Run, tmp_path: Path) -> None:
    files = []
    for number, case in enumerate(VECTORS):
        path = tmp_path / f"{number:03}.jsonl"
        path.write_bytes(session_bytes(case))
        files.append(path)
    before = digest_tree(tmp_path)
    answer = run("explain", "resume", "--jsonl", *map(str, files))
    rows = [json.loads(line) for line in answer.out.splitlines()]
    assert [same(case["expected"], row["blocks"]) for case, row in zip(VECTORS, rows, strict=True)] == [True] * len(
        files
    )
    assert all(row["leaf_reason"] for row in rows)
    assert digest_tree(tmp_path) == before


def test_another_point_and_an_unknown_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(session_bytes(VECTORS[3]))
    leaf = run("explain", "resume", "--json", str(path)).data["leaf"]
    told = run("explain", "resume", "--json", "--at", leaf, str(path))
    assert told.data["leaf_reason"] == "you chose it"
    assert run("explain", "resume", "--at", "nowhere", str(path)).code == 1


def test_counts_of_bad_transcripts(run: Run, tmp_path: Path) -> None:
    cases = [case for case in BAD if isinstance(case["input"], str)]
    files = []
    for case in cases:
        path = tmp_path / f"{case['id']}.jsonl"
        path.write_bytes(case["input"].encode("utf-8", "surrogatepass"))
        files.append(str(path))
    rows = run("explain", "transcript", "--jsonl", *files).lines
    assert len(rows) == len(cases) > 20
    for case, row in zip(cases, rows, strict=True):
        assert {key: row[key] for key in case["expect"]} == case["expect"], case["id"]


def test_as_text_and_a_file_that_is_not_there(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(session_bytes(VECTORS[0]) + b'{"half')
    answer = run("explain", "transcript", str(path), str(tmp_path / "none.jsonl"))
    assert answer.code == 1
    assert "records" in answer.out
    assert "error" in answer.out
    assert "continues at" in run("explain", "resume", str(path)).out


@pytest.mark.parametrize("what", ["resume", "transcript", "index", "frontmatter"])
def test_what_is_no_regular_file_is_said_at_once(run: Run, tmp_path: Path, what: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    told = run("explain", what, str(tmp_path / "pipe"), "/dev/zero", str(tmp_path))
    assert told.code == 1
    assert told.out.count("error: ") == 3
