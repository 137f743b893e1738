"""How much of a session a resume reaches: what was left on purpose doesn't count against it."""

from pathlib import Path

import pytest

from memtui.resume.fork import write_forked_session
from memtui.resume.health import Health, LostEnd, check_health, find_lost_end
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from memtui.transcripts.tree import build_tree
from tests.resume.recordings import load, session_bytes
from tests.support import REPO
from tests.transcripts.rows import SESSION, Script


def health(script: Script, folder: Path, tail: str = "") -> Health:
    transcript = read_transcript(script.write(folder, tail))
    return check_health(transcript, plan_resume(transcript))


def turn(script: Script, number: int, parent: str | None) -> Script:
    return script.user(f"u{number}", parent).answer(f"a{number}", f"u{number}")


def test_a_whole_session(tmp_path: Path) -> None:
    found = health(turn(turn(Script(), 0, None), 1, "a0"), tmp_path)
    assert (found.ok, found.total, found.reachable, found.sent, found.percent) == (True, 4, 4, 4, 100)
    assert found.words == "all 4 messages reachable"


def test_what_was_left_on_purpose_is_healthy(tmp_path: Path) -> None:
    rewound = turn(turn(turn(Script(), 0, None), 1, "a0"), 2, "a0")
    rewound.user("s", "a0", isSidechain=True)
    found = health(rewound, tmp_path)
    assert (found.ok, found.total, found.reachable, found.percent) == (True, 6, 4, 100)
    compacted = turn(Script(), 0, None).boundary("b").summary("s", "b")
    found = health(turn(compacted, 1, "s"), tmp_path)
    assert (found.ok, found.total, found.reachable) == (True, 5, 3)
    back = turn(turn(Script(), 0, None), 1, "a0").note(type="last-prompt", leafUuid="a0", explicit=True, rewound=True)
    found = health(back, tmp_path)
    assert (found.ok, found.total, found.reachable) == (True, 4, 2)


def test_a_broken_link(tmp_path: Path) -> None:
    script = turn(turn(turn(Script(), 0, None), 1, "a0"), 2, "never-written")
    found = health(script, tmp_path)
    assert (found.ok, found.broken, found.lost, found.percent) == (False, 1, {"lost-parent": 4}, 33)
    assert found.words == "only 2 of 6 messages (33%) reachable: 1 broken link"


def test_dead_ends(tmp_path: Path) -> None:
    script = turn(turn(Script(), 0, None), 1, "a0").row("attachment", "x", "a0")
    found = health(script, tmp_path)
    assert (found.ok, found.behind, found.words) == (
        False, 2, "only 2 of 4 messages (50%) reachable: 2 messages behind a dead end",
    )  # fmt: skip


def test_lost_messages_come_back_in_a_fork_at_their_end(tmp_path: Path) -> None:
    behind = turn(turn(Script(), 0, None), 1, "a0").row("attachment", "x", "a0").read(tmp_path)
    assert find_lost_end(behind, plan_resume(behind)) == LostEnd("a1", 2, 0)
    made = write_forked_session(behind, "a1", now=0.0)
    assert check_health(read_transcript(made.path), plan_resume(read_transcript(made.path))).total == 4
    broken = turn(turn(turn(Script(), 0, None), 1, "a0"), 2, "never-written").read(tmp_path)
    end = find_lost_end(broken, plan_resume(broken))
    assert end == LostEnd("a1", 4, 2)
    assert end.words == "4 messages more than Claude Code loads, 2 less"
    whole = turn(Script(), 0, None).read(tmp_path)
    assert find_lost_end(whole, plan_resume(whole)) is None


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("Continue from where you left off.", {"isMeta": True}),
        ("<task-notification>x</task-notification>", {}),
        ("go on", {"origin": {"kind": "auto-continuation"}}),
        ("typed, whatever it looks like", {"origin": {"kind": "human"}}),
    ],
)
def test_only_what_a_person_typed_is_a_rewind(words: str, more: dict[str, object], tmp_path: Path) -> None:
    script = turn(turn(Script(), 0, None), 1, "a0").row("attachment", "x", "a0")
    found = health(script.user("m", "x", words, **more).answer("am", "m"), tmp_path)
    fork = build_tree(read_transcript(tmp_path / f"{SESSION}.jsonl").entries).branches[1]
    if words.startswith("typed"):
        assert (found.ok, fork.kind) == (True, "rewind")
    else:
        assert (found.lost, fork.kind) == ({"machine-turn": 2}, "left")
        assert found.words.endswith(": 2 messages behind a branch that a machine began")


def test_lines_and_rings(tmp_path: Path) -> None:
    script = turn(Script(), 0, None)
    script.lines.append("{torn")
    found = health(script, tmp_path)
    assert (found.ok, found.bad, found.words) == (False, 1, "all 2 messages reachable: 1 bad line")
    ring = Script().user("u0", "a0").answer("a0", "u0")
    found = health(ring, tmp_path)
    assert (found.ok, found.cycles) == (False, 1)
    glued = turn(Script(), 0, None)
    glued.lines[-1] += glued.lines[-1].replace('"a0"', '"a9"')
    found = health(glued, tmp_path)
    assert not found.ok
    assert "on a line with another record" in found.words


def test_the_same_record_twice_is_harmless(tmp_path: Path) -> None:
    script = turn(Script(), 0, None)
    script.lines.append(script.lines[-1])
    found = health(script, tmp_path)
    assert (found.ok, found.duplicates, found.total, found.reachable) == (True, 1, 2, 2)


def test_nothing_to_reach(tmp_path: Path) -> None:
    found = health(Script().note(type="mode", mode="normal"), tmp_path)
    assert (found.ok, found.words) == (True, "no message yet")
    side = turn(Script(), 0, None).user("s", None, isSidechain=True).note(type="last-prompt", leafUuid="s")
    found = health(side, tmp_path)
    assert (found.ok, found.found) == (False, False)
    assert found.words.startswith("a resume finds no conversation, though the file holds 2 messages")


def test_a_record_without_a_line_end_counts(tmp_path: Path) -> None:
    script = turn(Script(), 0, None)
    tail = script.lines.pop()
    assert health(script, tmp_path, tail).total == 2


@pytest.mark.parametrize("name", ["vectors", "resume", "resume_probes", "resume_more"])
def test_numbers_agree_over_the_recordings(name: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for case in load(REPO / "tests" / "data" / "oracle" / f"{name}.jsonl"):
        path.write_bytes(session_bytes(case))
        transcript = read_transcript(path)
        found = check_health(transcript, plan_resume(transcript))
        assert 0 <= found.sent <= found.reachable <= found.total - found.missing
        assert (found.percent == 100) == (found.missing == 0)
        assert found.words
