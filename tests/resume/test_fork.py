"""Forks: our own answer for them, and the real client's where one is installed."""

import importlib.util
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memtui.resume.fork import fork, line_of
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import MemtuiError, NotFound
from tests.resume.recordings import load, session_bytes
from tests.support import REPO, digest_tree
from tests.transcripts.rows import SESSION, Script, spoken

NOW = 1_795_000_000.25
CLIENT = os.environ.get("MEMTUI_TEST_CLIENT", "")
"""The executable of client 2.1.332."""

POINTS = 50


def branched() -> Script:
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").call("c2", "c1", "t2", id="m")
    script.result("r1", "c1", "t1").result("r2", "c2", "t2").answer("a3", "r1").user("u4", "a3").answer("a5", "u4")
    return script.note(type="custom-title", customTitle="Mine", sessionId=SESSION)


def test_a_fork_is_a_new_file_that_sends_the_same(tmp_path: Path) -> None:
    transcript = branched().read(tmp_path)
    before = digest_tree(transcript.path)
    (tmp_path / "new").mkdir()
    made = fork(transcript, "a3", now=NOW, folder=tmp_path / "new")
    again = read_transcript(made.path)
    assert plan_resume(again).blocks() == made.resume.blocks()
    assert spoken(made.resume.blocks()) == "u0 +t1 +t2 =t1 =t2 a3"
    assert digest_tree(transcript.path) == before
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.title == "Mine (fork)"


def test_what_a_fork_changes_in_a_row(tmp_path: Path) -> None:
    script = Script().user("u0", None, teamName="t", slug="s", strange={"kept": 1})
    script.note(type="content-replacement", sessionId=SESSION, replacements=["x"])
    names = iter(f"id{number}" for number in range(9))
    made = fork(script.read(tmp_path), now=NOW, new_id=lambda: next(names))
    first, replaced, title = (json.loads(line) for line in made.path.read_text(encoding="utf-8").splitlines())
    assert (made.id, first["uuid"], first["parentUuid"], first["sessionId"]) == ("id0", "id1", None, "id0")
    assert first["forkedFrom"] == {"sessionId": SESSION, "messageUuid": "u0"}
    assert first["timestamp"] == "2026-11-18T11:06:40.250Z"
    assert first["strange"] == {"kept": 1}
    assert not {"teamName", "slug"} & set(first)
    assert replaced == {"type": "content-replacement", "sessionId": "id0", "replacements": ["x"]}
    assert title == {"type": "custom-title", "customTitle": "u0 (fork)", "sessionId": "id0"}


def test_a_sub_agents_row_can_be_the_point(tmp_path: Path) -> None:
    script = Script().user("u0", None).user("s1", None, isSidechain=True).answer("s2", "s1", isSidechain=True)
    made = fork(script.read(tmp_path), "s2", now=NOW)
    assert spoken(plan_resume(read_transcript(made.path)).blocks()) == "s1 s2"


def test_no_fork_of_nothing(tmp_path: Path) -> None:
    transcript = Script().note(type="mode", mode="normal").read(tmp_path)
    with pytest.raises(MemtuiError):
        fork(transcript, now=NOW)
    with pytest.raises(NotFound):
        fork(transcript, "nowhere", now=NOW)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MemtuiError, match="gone"):
        fork(branched().read(tmp_path), now=NOW, folder=tmp_path / "nowhere")


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    transcript = Script().user("u0", None).read(tmp_path)
    with pytest.raises(MemtuiError):
        fork(transcript, now=NOW, new_id=lambda: SESSION)


def test_half_characters_and_numbers_without_end_are_written_as_json() -> None:
    line = line_of({"a": "\ud800", "b": [1e999, {"c": -1e999}]})
    assert json.loads(line) == {"a": "\ud800", "b": [None, {"c": None}]}
    assert line.isascii()


def sources(shared: Path) -> list[tuple[str, bytes]]:
    oracle = REPO / "tests" / "data" / "oracle"
    found = [
        (case["name"], session_bytes(case)) for name in ("vectors", "resume") for case in load(oracle / f"{name}.jsonl")
    ]
    return found + [
        (file.name, file.read_bytes()) for file in sorted((shared / "corpus" / "sessions").glob("*/*.jsonl"))
    ]


def points(shared: Path, folder: Path, seed: int, count: int) -> list[tuple[str, Transcript, str]]:
    """Random messages of random sessions."""
    chance = random.Random(seed)
    found: list[tuple[str, Transcript, str]] = []
    everything = sources(shared)
    while len(found) < count:
        name, data = chance.choice(everything)
        path = folder / str(len(found)) / f"{SESSION}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        transcript = read_transcript(path)
        rows = [e.uuid for e in transcript.entries if e.speaks and e.uuid and not e.salvaged]
        if rows:
            found.append((name, transcript, chance.choice(rows)))
    return found


def test_forks_at_random_points_send_what_was_said(shared: Path, tmp_path: Path) -> None:
    for name, transcript, at in points(shared, tmp_path, 7, 150):
        before = transcript.path.read_bytes()
        made = fork(transcript, at, now=NOW)
        assert plan_resume(read_transcript(made.path)).blocks() == made.resume.blocks(), (name, at)
        assert transcript.path.read_bytes() == before


def sent(messages: list[dict[str, Any]]) -> list[list[Any]]:
    """The blocks before the new prompt, as the recordings write them."""
    found: list[list[Any]] = []
    for message in messages:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            said = block.get("text", "").strip()
            if said == "THE NEW PROMPT":
                return found
            if message["role"] not in ("user", "assistant") or said.startswith("<system-reminder>"):
                continue
            if block["type"] == "text":
                found += [[message["role"], "text", said]] if said != "No response requested." else []
            elif block["type"] == "tool_use":
                found.append([message["role"], "tool_use", block["id"], block["name"], block.get("input")])
            elif block["type"] == "tool_result":
                body = block.get("content", "")
                parts = (
                    body if isinstance(body, str) else "".join(p.get("text", "") for p in body if p["type"] == "text")
                )
                made_up = parts.startswith("[Tool call interrupted")
                found.append(
                    [
                        message["role"],
                        "tool_result",
                        block["tool_use_id"],
                        "<interrupted>" if made_up else parts.strip(),
                    ]
                )
            else:
                found.append([message["role"], block["type"]])
    return found


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.skipif(not CLIENT, reason=f"{POINTS} forks not tried with the real client: MEMTUI_TEST_CLIENT is not set")
def test_the_real_client_sends_the_same_blocks(shared: Path, tmp_path: Path) -> None:
    version = subprocess.run([CLIENT, "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.1.332"):
        pytest.skip(f"{POINTS} forks not tried: the rules are those of client 2.1.332, this is {version.strip()}")
    spec = importlib.util.spec_from_file_location("oracle_client", shared / "oracle" / "client.py")
    assert spec is not None
    assert spec.loader is not None
    oracle = importlib.util.module_from_spec(spec)
    sys.modules["oracle_client"] = oracle
    spec.loader.exec_module(oracle)
    for name, transcript, at in points(shared, tmp_path, 11, POINTS):
        home, cwd = tmp_path / "home", tmp_path / "w"
        cwd.mkdir(exist_ok=True)
        folder = home / ".claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", str(cwd.resolve()))
        folder.mkdir(parents=True, exist_ok=True)
        made = fork(transcript, at, now=NOW, folder=folder)
        done = oracle.run(CLIENT, home, cwd, ["--resume", made.id, "-p", "THE NEW PROMPT"])
        assert sent(done.main_request()["messages"]) == made.resume.blocks(), (name, at)
