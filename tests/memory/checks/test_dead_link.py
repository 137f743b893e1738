"""A dead link: what is offered, and what the fix does."""

from pathlib import Path

import pytest

from tests.memory.folders import FILES, GOOD, fixed, one, snapshot_of, text, topic


def test_a_dead_link_in_a_topic(tmp_path: Path) -> None:
    files = {
        **GOOD,
        "feedback_testing.md": topic("testing", type="feedback", body="x [ci](ci_notes.md) [[who knows]]\n"),
    }
    snapshot = snapshot_of(tmp_path, files)
    first, second = snapshot.problems
    assert (first.code, first.severity, first.line, first.column) == ("dead-link", "error", 7, 3)
    assert first.message == "link target missing: ci_notes.md"
    assert first.fix == "make it plain text"
    assert (second.severity, second.subject) == ("warning", "who knows")
    assert first.path == tmp_path / "memory/feedback_testing.md"


def test_a_dead_link_is_offered_the_closest_name(tmp_path: Path) -> None:
    files = {**GOOD, "feedback_testing.md": topic("testing", type="feedback", body="[o](project_on_call.md)\n")}
    problem = one(snapshot_of(tmp_path, files), "dead-link")
    assert (problem.better, problem.fix) == ("project_oncall.md", "link to project_oncall.md instead")


def test_a_dead_entry_of_the_index(tmp_path: Path) -> None:
    index = (
        GOOD["MEMORY.md"] + "- [Old](reference_old.md) — gone\n- [On call](project_oncal.md) — listed rightly above\n"
    )
    snapshot = snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index})
    assert [(p.line, p.severity, p.fix) for p in snapshot.problems] == [
        (5, "error", "drop this line"),
        (6, "error", "drop this line"),
    ]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("a [b *c*](gone.md) d", "a b *c* d"),
        ("a [[gone]] d", "a gone d"),
        ("a [[gone|label]] d", "a label d"),
        ("a [b](project_on_call.md#x) d", "a [b](project_oncall.md#x) d"),
        ("a [[project_on_call]] d", "a [[project_oncall]] d"),
        ("a [[project_on_call.md|b]] d", "a [[project_oncall.md|b]] d"),
    ],
)
def test_a_dead_link_is_fixed(tmp_path: Path, line: str, wanted: str) -> None:
    files = {**FILES, "sub/deep.md": topic("deep", body=f"{line}\n").replace("project_on_call", "../project_on_call")}
    files["sub/deep.md"] = files["sub/deep.md"].replace("[[../", "[[")
    after = fixed(tmp_path, files, "dead-link")
    assert text(tmp_path, "sub/deep.md").splitlines()[-1] == wanted.replace("(project_oncall", "(../project_oncall")
    assert all(problem.code != "dead-link" for problem in after.problems)


def test_a_dead_entry_goes_with_its_line_only(tmp_path: Path) -> None:
    index = FILES["MEMORY.md"] + "- [Old](gone.md) — x\n  more of it\n- prose\n"
    fixed(tmp_path, {**FILES, "MEMORY.md": index}, "dead-link")
    assert text(tmp_path, "MEMORY.md") == FILES["MEMORY.md"] + "- prose\n"
