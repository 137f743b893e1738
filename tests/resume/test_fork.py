"""Forks: our own answer for them, and the real client's where one is installed."""

import json
import random
from pathlib import Path

import pytest

from memtui.resume.fork import encode_line, write_forked_session
from memtui.resume.resume import FAMILIES, plan_resume
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import MemtuiError, NotFound
from tests.resume.record import CLIENT, client_version, project_folder, sent_by_client
from tests.resume.recordings import load, session_bytes
from tests.support import REPO, digest_tree
from tests.transcripts.rows import SESSION, Script, spoken

NOW = 1_795_000_000.25
POINTS = 50


def branched() -> Script:
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").call("c2", "c1", "t2", id="m")
    script.result("r1", "c1", "t1").result("r2", "c2", "t2").answer("a3", "r1").user("u4", "a3").answer("a5", "u4")
    return script.note(type="custom-title", customTitle="Mine", sessionId=SESSION)


def test_a_fork_is_a_new_file_that_sends_the_same(tmp_path: Path) -> None:
    transcript = branched().read(tmp_path)
    before = digest_tree(transcript.path)
    (tmp_path / "new").mkdir()
    made = write_forked_session(transcript, "a3", now=NOW, folder=tmp_path / "new")
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
    made = write_forked_session(script.read(tmp_path), now=NOW, new_id=lambda: next(names))
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
    made = write_forked_session(script.read(tmp_path), "s2", now=NOW)
    assert spoken(plan_resume(read_transcript(made.path)).blocks()) == "s1 s2"


def test_no_fork_of_nothing(tmp_path: Path) -> None:
    transcript = Script().note(type="mode", mode="normal").read(tmp_path)
    with pytest.raises(MemtuiError):
        write_forked_session(transcript, now=NOW)
    with pytest.raises(NotFound):
        write_forked_session(transcript, "nowhere", now=NOW)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MemtuiError, match="gone"):
        write_forked_session(branched().read(tmp_path), now=NOW, folder=tmp_path / "nowhere")


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    transcript = Script().user("u0", None).read(tmp_path)
    with pytest.raises(MemtuiError):
        write_forked_session(transcript, now=NOW, new_id=lambda: SESSION)


def test_half_characters_and_numbers_without_end_are_written_as_json() -> None:
    line = encode_line({"a": "\ud800", "b": [1e999, {"c": -1e999}]})
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
        rows = [e.uuid for e in transcript.entries if e.has_content and e.uuid and not e.salvaged]
        if rows:
            found.append((name, transcript, chance.choice(rows)))
    return found


def test_forks_at_random_points_send_what_was_said(shared: Path, tmp_path: Path) -> None:
    for name, transcript, at in points(shared, tmp_path, 7, 150):
        before = transcript.path.read_bytes()
        made = write_forked_session(transcript, at, now=NOW)
        assert plan_resume(read_transcript(made.path)).blocks() == made.resume.blocks(), (name, at)
        assert transcript.path.read_bytes() == before


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.skipif(not CLIENT, reason=f"{POINTS} forks not tried with the real client: MEMTUI_TEST_CLIENT is not set")
def test_the_real_client_sends_the_same_blocks(shared: Path, tmp_path: Path) -> None:
    if (version := client_version()) != FAMILIES[-1].recorded:
        pytest.skip(f"{POINTS} forks not tried: the rules are those of {FAMILIES[-1].recorded}, this is {version}")
    for name, transcript, at in points(shared, tmp_path, 11, POINTS):
        home, cwd = tmp_path / "home", tmp_path / "w"
        cwd.mkdir(exist_ok=True)
        made = write_forked_session(transcript, at, now=NOW, folder=project_folder(home, cwd))
        assert sent_by_client(home, cwd, made.id) == made.resume.blocks(), (name, at)
