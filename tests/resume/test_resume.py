"""The chain against recordings of client 2.1.332: vectors, random sessions, the corpus, and our own probes."""

import json
from pathlib import Path

import pytest

from memtui.resume.health import check_health
from memtui.resume.outline import record_line
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.transcripts.entries import result_text
from memtui.transcripts.lines import Record
from memtui.transcripts.transcript import read_transcript
from memtui.util.errors import NotFound
from tests.resume.recordings import Case, load, same, session_bytes
from tests.support import REPO, digest_tree
from tests.transcripts.rows import SESSION, Script, spoken

ORACLE = REPO / "tests" / "data" / "oracle"
RECORDED = [*load(ORACLE / "vectors.jsonl"), *load(ORACLE / "resume.jsonl")]
PROBES = [*load(ORACLE / "resume_probes.jsonl"), *load(ORACLE / "resume_more.jsonl")]


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_recorded_sessions(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(session_bytes(case))
    before = digest_tree(tmp_path)
    assert same(case["expected"], plan_resume(read_transcript(path)).blocks())
    assert digest_tree(tmp_path) == before


@pytest.mark.parametrize("case", PROBES, ids=lambda case: case["name"])
def test_our_own_probes(case: Case, tmp_path: Path) -> None:
    """One question each, and random sessions: asked of the real client when the rules were found."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(session_bytes(case))
    assert plan_resume(read_transcript(path)).blocks() == case["expected"]


@pytest.mark.parametrize("file", ["resume_random", "resume_client"])
def test_other_generators_sessions_and_the_clients_own(file: str, tmp_path: Path) -> None:
    """Queued prompts, pictures, older models, API errors, several compactions."""
    path, wrong = tmp_path / "s.jsonl", []
    for case in load(ORACLE / f"{file}.jsonl"):
        path.write_bytes(session_bytes(case))
        if not same(case["expected"], plan_resume(read_transcript(path)).blocks()):
            wrong.append(case["name"])
    assert wrong == []


def test_the_corpus(shared: Path) -> None:
    wrong = []
    for case in load(shared / "oracle" / "cases" / "corpus_resume.jsonl"):
        ours = plan_resume(read_transcript(shared / "corpus" / "sessions" / case["file"])).blocks()
        if not same(case["expected"], ours):
            wrong.append(case["file"])
    assert wrong == []


def shape(told: ResumePlan) -> object:
    """Everything but what is said: which blocks there are, and what isn't sent."""
    said = [
        (one.role, one.id, one.bare, [(block.type, block.reminder, block.entry.uuid) for block in one.blocks])
        for one in told.messages or ()
    ]
    return told.messages is None, said, told.leaf, told.path, told.model, told.omitted, told.defects


def briefly(path: Path) -> None:
    transcript = read_transcript(path)
    whole, brief = plan_resume(transcript), plan_resume(transcript, brief=True)
    assert shape(brief) == shape(whole)


def test_who_sends_nothing_has_long_texts_cut(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for case in (*RECORDED, *PROBES):
        path.write_bytes(session_bytes(case))
        briefly(path)
    script = Script().user("u0", None, "x" * 5000).user("u1", "u0", " " * 3000 + "x").answer("a2", "u1")
    path = script.write(tmp_path)
    briefly(path)
    said = [
        block.data["text"]
        for one in plan_resume(read_transcript(path), brief=True).messages or ()
        for block in one.blocks
    ]
    assert [len(one) for one in said[:2]] == [2000, 3001]


def test_of_the_corpus_too(shared: Path) -> None:
    for path in sorted((shared / "corpus" / "sessions").rglob("*.jsonl")):
        briefly(path)


def test_any_message_can_be_the_point(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").user("u2", "a1").answer("a3", "u2").user("u4", "a1")
    transcript = script.read(tmp_path)
    assert spoken(plan_resume(transcript).blocks()) == "u0 a1 u4"
    told = plan_resume(transcript, "a3")
    assert spoken(told.blocks()) == "u0 a1 u2 a3"
    assert told.leaf.reason == "chosen"


def test_a_message_before_a_compaction_that_kept_some_can_be_the_point(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").user("u2", "a1").answer("a3", "u2")
    script.boundary("b", preservedMessages={"anchorUuid": "s", "uuids": ["u2", "a3"]}).summary("s", "b").user("u4", "s")
    transcript = script.read(tmp_path)
    assert spoken(plan_resume(transcript).blocks()) == "s u2 a3 u4"
    assert spoken(plan_resume(transcript, "a1").blocks()) == "u0 a1"


def test_what_the_model_ended_is_not_resumed_but_a_message_can_be_the_point(tmp_path: Path) -> None:
    for session, ended in ((SESSION, True), ("another", False), (None, False)):
        script = Script().user("u0", None).answer("a1", "u0").note(type="ended-by-model", sessionId=session)
        transcript = script.user("u2", "a1").read(tmp_path)
        plan = plan_resume(transcript)
        assert (plan.leaf.reason == "ended", plan.messages is None) == (ended, ended)
        assert (check_health(transcript, plan).ok, plan.omitted) == (not ended, ())
        assert spoken(plan_resume(transcript, "a1").blocks()) == "u0 a1"


@pytest.mark.parametrize("marks", [{}, {"humanTurn": True, "origin": {"kind": "human"}}])
def test_what_is_typed_while_the_model_works_is_a_prompt_and_named_where_it_is_not_sent(
    marks: Record, tmp_path: Path
) -> None:
    typed = {"type": "queued_command", "commandMode": "prompt", "prompt": "typed", **marks}
    script = Script().user("u0", None).call("c", "u0", "t1").result("r", "c", "t1")
    script.row("attachment", "q", "r", attachment=typed).row(
        "attachment", "m", "q", attachment={**typed, "isMeta": True}
    )
    transcript = script.answer("a1", "m").read(tmp_path)
    assert [entry.uuid for entry in transcript.entries if entry.prompt] == ["u0", "q"]
    assert record_line(transcript.data(transcript.entries[3])) == "typed"
    plan = plan_resume(transcript)
    assert ("typed" in str(plan.blocks())) == bool(marks)
    assert [item.uuid for item in plan.omitted] == ([] if marks else ["q"])
    beside = script.user("u2", "r").answer("a3", "u2").note(type="attachment", attachment=typed).read(tmp_path)
    assert [item.uuid for item in plan_resume(beside).omitted] == ["q", "a1", ""]


def test_an_unknown_message_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        plan_resume(Script().user("u0", None).read(tmp_path), "nowhere")


def test_what_is_left_out_and_why(tmp_path: Path) -> None:
    script = (
        Script().user("u0", None).system("e", "u0", "api_error").answer("a1", "u0").user("u2", "e").answer("a3", "u2")
    )
    script.user("s", None, isSidechain=True).user("u4", "u2").answer("a5", "u4")
    told = plan_resume(script.read(tmp_path))
    assert spoken(told.blocks()) == "u0 u2 u4 a5"
    assert {item.uuid: item.why for item in told.omitted} == {"a1": "dead-end", "a3": "dead-end", "s": "sub-agent"}


def test_rows_before_a_boundary_are_left_out_as_such(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").boundary("b").summary("s", "b").user("u2", "s")
    told = plan_resume(script.read(tmp_path))
    assert [(item.uuid, item.why) for item in told.omitted] == [("u0", "before-boundary"), ("a1", "before-boundary")]


def test_rows_behind_a_lost_parent_and_a_late_row(tmp_path: Path) -> None:
    lost = Script().user("u0", None).answer("a1", "u0").user("u2", "lost").answer("a3", "u2")
    told = plan_resume(lost.read(tmp_path))
    assert {item.uuid: item.why for item in told.omitted} == {"u0": "lost-parent", "a1": "lost-parent"}
    assert [(defect.kind, defect.uuid) for defect in told.defects] == [("orphan", "u2")]
    late = Script().user("u0", None).answer("a1", "u0").user("u2", "a1").answer("a3", "u2").row("attachment", "x", "a1")
    told = plan_resume(late.read(tmp_path))
    assert spoken(told.blocks()) == "u0 a1"
    assert {item.uuid: item.why for item in told.omitted} == {"u2": "late-side-row", "a3": "late-side-row"}


def test_a_call_that_was_never_answered_is_named(tmp_path: Path) -> None:
    told = plan_resume(Script().user("u0", None).call("c", "u0", "t1").user("u2", "c").read(tmp_path))
    assert [(item.uuid, item.why, item.detail) for item in told.omitted] == [
        ("c", "not-sent", "a call that was never answered")
    ]


@pytest.mark.parametrize("between", ["", " ", "\t\r", ",", "}]", "42", "\0\0", "// note", "\u2028"])
def test_of_a_line_only_the_object_that_begins_it_is_read(between: str, tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").user("u2", "a1").answer("a3", "u2").user("u4", "u2")
    script.lines[2:4] = [script.lines[2] + between + script.lines[3]]
    told = plan_resume(script.read(tmp_path))
    assert spoken(told.blocks()) == "u0 a1 u2 u4"
    assert [(item.uuid, item.why) for item in told.omitted] == [("a3", "bad-line")]
    script.lines[2:] = ["x" + script.lines[2]]
    assert spoken(plan_resume(script.read(tmp_path)).blocks()) == "u0 a1"


def test_the_last_line_counts_without_its_end_whatever_stands_behind_its_record(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").user("u2", "a1")
    last = script.lines.pop()
    for behind in ("", last, '{"type":"us', "\0"):
        path = script.write(tmp_path, tail=last + behind)
        assert spoken(plan_resume(read_transcript(path)).blocks()) == "u0 a1 u2"
    assert spoken(plan_resume(read_transcript(script.write(tmp_path, tail="x" + last))).blocks()) == "u0 a1"


def test_a_result_that_hangs_elsewhere_stands_behind_its_answers_last_row(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").call("c2", "c1", "t2", id="m")
    script.result("r1", "lost", "t1").result("r2", "c2", "t2").answer("a3", "r2", id="m").answer("a4", "a3")
    assert spoken(plan_resume(script.read(tmp_path)).blocks()) == "u0 a3 +t1 +t2 =t2 =t1 a4"


@pytest.mark.parametrize(("parent", "sent"), [("lost", "done"), ("c1", "mine")])
def test_such_a_result_counts_only_where_its_call_has_no_other(parent: str, sent: str, tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").call("c2", "c1", "t2", id="m")
    script.result("r1", "gone", "t1").result("again", parent, "t1", "mine").result("r2", "c2", "t2").answer("a3", "r2")
    blocks = plan_resume(script.read(tmp_path)).blocks()
    assert spoken(blocks) == "u0 +t1 +t2 =t1 =t2 a3"
    assert [block[3] for block in blocks or () if block[1] == "tool_result"] == [sent, "done"]


@pytest.mark.parametrize(("mark", "open_end"), [({}, True), ({"explicit": True}, True), ({"rewound": True}, False)])
def test_a_rewind_to_the_last_message_leaves_no_call_open(
    mark: dict[str, bool], open_end: bool, tmp_path: Path
) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").call("c2", "c1", "t2", id="m")
    script.result("r2", "c2", "t2").note(type="last-prompt", leafUuid="r2", **mark)
    assert spoken(plan_resume(script.read(tmp_path)).blocks()) == ("u0 +t1 +t2 =t2 =t1" if open_end else "u0 +t2 =t2")
    late = script.row("attachment", "x", "r2")
    assert spoken(plan_resume(late.read(tmp_path)).blocks()) == "u0 +t1 +t2 =t2 =t1"


def test_an_explicit_point_beside_the_way_is_another_branch(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").call("c2", "c1", "t2", id="m")
    for mark, sent in (({}, "u0 +t1 =t1 u3"), ({"explicit": True}, "u0 +t1 +t2 =t1 =t2")):
        branch = Script()
        branch.lines, branch.seconds = list(script.lines), script.seconds
        branch.note(type="last-prompt", leafUuid="c2", **mark).result("r1", "c1", "t1").user("u3", "r1")
        assert spoken(plan_resume(branch.read(tmp_path)).blocks()) == sent


def test_what_the_user_said_last_is_joined_by_the_next_prompt_if_an_answer_was_begun_before(tmp_path: Path) -> None:
    said = [{"type": "text", "text": "with"}, {"type": "tool_result", "tool_use_id": "t1", "content": "done"}]
    script = Script().user("u0", None).call("c1", "u0", "t1", id="m").user("r1", "c1", said)
    assert spoken(plan_resume(script.read(tmp_path)).blocks()) == "u0 +t1 with =t1"
    assert spoken(plan_resume(script.answer("a2", "r1", id="m").read(tmp_path)).blocks()) == "u0 a2 +t1 =t1 with"


@pytest.mark.parametrize(
    ("torn", "read"),
    [('{"a": ', False), ('{"a": [', False), ('{"a": 1', True), ('{"a": 1, ', True), ("{", True), ('{"a": "x', True)],
)
def test_a_line_that_waits_for_a_value_takes_the_last_one(torn: str, read: bool, tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    script.lines.append(torn)
    told = plan_resume(script.user("u2", "a1").read(tmp_path))
    assert spoken(told.blocks()) == ("u0 a1 u2" if read else "u0 a1")
    assert [(item.uuid, item.why) for item in told.omitted] == ([] if read else [("u2", "bad-line")])
    assert spoken(plan_resume(script.answer("a3", "u2").read(tmp_path)).blocks()) == "u0 a1 u2 a3"


def test_a_bad_line_is_a_defect(tmp_path: Path) -> None:
    path = Script().user("u0", None).write(tmp_path, tail='{"type":"user"\n')
    assert [(defect.line, defect.kind) for defect in plan_resume(read_transcript(path)).defects] == [(2, "bad-line")]


def test_a_long_chain_needs_no_recursion(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(20_000):
            kind = "assistant" if number % 2 else "user"
            record = {"type": kind, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None}
            message = {"role": kind, "id": f"m{number}", "content": [{"type": "text", "text": str(number)}]}
            file.write(json.dumps({**record, "timestamp": "2026-11-01T09:00:00Z", "message": message}) + "\n")
    blocks = plan_resume(read_transcript(path)).blocks()
    assert blocks is not None
    assert len(blocks) == 20_000


def test_result_text() -> None:
    assert result_text([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]) == "ab"
    assert result_text("\ud800x") == "\ufffdx"
    assert result_text(None) == ""
