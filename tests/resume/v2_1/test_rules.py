"""Every rule of the table is shown by a recording: without the rule the answer is another one than the client's."""

from functools import cache
from pathlib import Path

import pytest

from memtui.resume.family import Rule
from memtui.resume.resume import FAMILIES, family_of, plan_resume
from memtui.transcripts.transcript import read_transcript
from tests.resume.recordings import Case, load, same, session_bytes
from tests.support import REPO
from tests.transcripts.rows import Script

RULES = [(family, rule) for family in FAMILIES for rule in family.rules]


@cache
def recordings(file: str) -> dict[str, Case]:
    return {case["name"]: case for case in load(REPO / "tests" / "data" / "oracle" / f"{file}.jsonl")}


def recording(name: str) -> Case:
    file, _, case = name.partition("/")
    return recordings(file)[case]


@pytest.mark.parametrize("rule", [rule for _, rule in RULES], ids=lambda rule: rule.id)
def test_a_recording_shows_the_rule(rule: Rule, tmp_path: Path) -> None:
    assert rule.recordings
    for name in rule.recordings:
        case = recording(name)
        path = tmp_path / f"{case.get('session', 's')}.jsonl"
        path.write_bytes(session_bytes(case))
        transcript = read_transcript(path)
        assert same(case["expected"], plan_resume(transcript).blocks()), name
        assert not same(case["expected"], plan_resume(transcript, without_rules=[rule.id]).blocks()), name


@pytest.mark.parametrize("case", recordings("resume_rules").values(), ids=lambda case: case["name"])
def test_recordings_made_for_single_rules(case: Case, tmp_path: Path) -> None:
    path = tmp_path / f"{case.get('session', 's')}.jsonl"
    path.write_bytes(session_bytes(case))
    assert plan_resume(read_transcript(path)).blocks() == case["expected"]


def test_a_rule_has_an_id_of_its_own_and_is_written_down() -> None:
    ids = [rule.id for _, rule in RULES]
    assert len(ids) == len(set(ids))
    for _, rule in RULES:
        assert rule.condition.endswith(".")
        assert rule.effect.endswith(".")
        assert rule.function.__doc__


def test_an_unknown_rule_can_not_be_switched_off(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"leaf\.nonsense"):
        plan_resume(Script().user("u0", None).read(tmp_path), without_rules=["leaf.nonsense"])


def test_the_family_is_found_by_the_version_that_wrote_the_session(tmp_path: Path) -> None:
    assert family_of("2.1.332").name == "2.1"
    assert family_of("9.9.9") is FAMILIES[-1]
    assert family_of("") is FAMILIES[-1]
    plan = plan_resume(Script().user("u0", None, version="2.1.300").read(tmp_path))
    assert plan.family.name == "2.1"
