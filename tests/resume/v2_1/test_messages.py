from pathlib import Path

import pytest

from memtui.resume.resume import plan_resume
from memtui.resume.v2_1.messages import DEFAULT_MODEL
from tests.transcripts.rows import Script, spoken

THOUGHT = [{"type": "thinking", "thinking": "", "signature": "s"}]


def with_model(script: Script, model: str) -> Script:
    script.lines = [line.replace("claude-opus-5-5", model) for line in script.lines]
    return script


@pytest.mark.parametrize(
    "model", ["claude-opus-4-5-20251101", "claude-opus-4-8", "claude-sonnet-4-6", "claude-fable-5"]
)
def test_a_resume_goes_on_with_the_last_model_and_its_thinking(model: str, tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0", THOUGHT, id="m").answer("a2", "a1", id="m")
    told = plan_resume(with_model(script, model).read(tmp_path))
    assert told.model == model
    assert spoken(told.blocks()) == "u0 thinking a2"


@pytest.mark.parametrize(
    "model", ["claude-sonnet-4-5-20250929", "claude-3-opus-20240229", "claude-haiku-5", "gpt-4", ""]
)
def test_a_model_that_is_gone_is_replaced_and_its_thinking_dropped(model: str, tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0", THOUGHT, id="m").answer("a2", "a1", id="m")
    told = plan_resume(with_model(script, model).read(tmp_path))
    assert told.model == DEFAULT_MODEL
    assert spoken(told.blocks()) == "u0 a2"
    assert [item.detail for item in told.omitted] == ["thinking of another model"]


@pytest.mark.parametrize(("model", "inside"), [("claude-opus-4-7", True), ("claude-opus-5", False)])
def test_older_models_get_reminders_at_the_end_of_a_result(model: str, inside: bool, tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1").result("r1", "c1", "t1")
    script.row("attachment", "x", "r1", attachment={"type": "date_change", "newDate": "2026-11-02"}).answer("a2", "x")
    blocks = plan_resume(with_model(script, model).read(tmp_path)).blocks()
    assert blocks is not None
    assert blocks[2][3].startswith("done")
    assert ("2026-11-02" in blocks[2][3]) is inside


def test_what_was_rendered_stands_in_the_result_for_every_model(tmp_path: Path) -> None:
    script = (
        Script().user("u0", None).call("c1", "u0", "t1").result("r1", "c1", "t1", [{"type": "text", "text": "done"}])
    )
    script.row("attachment", "x", "r1", attachment={"type": "new"}, rendered=[{"content": "noted"}]).answer("a2", "x")
    blocks = plan_resume(script.read(tmp_path)).blocks()
    assert blocks is not None
    assert blocks[2][3] == "done\nnoted"


def test_calls_go_behind_the_rest_unless_thoughts_would_meet(tmp_path: Path) -> None:
    def script(first: object) -> Script:
        told = Script().user("u0", None).answer("a1", "u0", first, id="m").call("c2", "a1", "t2", id="m")
        return told.result("r3", "c2", "t2").answer("a4", "r3", THOUGHT, id="m").answer("a5", "a4", id="n")

    text = [{"type": "text", "text": "a1"}]
    assert spoken(plan_resume(script(text).read(tmp_path)).blocks()) == "u0 a1 thinking +t2 =t2 a5"
    assert spoken(plan_resume(script(THOUGHT).read(tmp_path)).blocks()) == "u0 thinking +t2 thinking =t2 a5"
