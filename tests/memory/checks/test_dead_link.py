"""A dead link: what is offered, and what the fix does."""

from pathlib import Path

import pytest

from memtui.memory.checks.registry import is_certain
from tests.memory.folders import FILES, GOOD, fixed, location_of, one, snapshot_of, text, topic, write


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
    assert (second.code, second.severity, second.subject, second.fix) == ("unwritten-link", "info", "who knows", "")
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
        ("a [b *c*](gone.md) d", "a b *c* (`gone.md`) d"),
        ('a [b](gone.md#x "Its title") d', 'a b (`gone.md#x` "Its title") d'),
        ("a [gone.md](gone.md) d", "a gone.md d"),
        ("a [b](project_on_call.md#x) d", "a [b](project_oncall.md#x) d"),
    ],
)
def test_a_dead_link_is_fixed(tmp_path: Path, line: str, wanted: str) -> None:
    files = {**FILES, "sub/deep.md": topic("deep", body=f"{line}\n").replace("project_on_call", "../project_on_call")}
    after = fixed(tmp_path, files, "dead-link")
    assert text(tmp_path, "sub/deep.md").splitlines()[-1] == wanted.replace("(project_oncall", "(../project_oncall")
    assert all(problem.code != "dead-link" for problem in after.problems)


def test_a_dead_entry_goes_with_its_line_only(tmp_path: Path) -> None:
    index = FILES["MEMORY.md"] + "- [Old](gone.md) — x\n  more of it\n- prose\n"
    fixed(tmp_path, {**FILES, "MEMORY.md": index}, "dead-link")
    assert text(tmp_path, "MEMORY.md") == FILES["MEMORY.md"] + "- prose\n"


@pytest.mark.parametrize(
    "words",
    ["s/[[:space:]]*$//", "[[ -f build.log ]]", "[[tool.mypy.overrides]]", "[[a,b]]", "[[ ]]", "[[0]]", "[[$x]]",
     "https://x.y/[[x=1]]"],
)  # fmt: skip
def test_double_brackets_that_are_no_name_are_text(tmp_path: Path, words: str) -> None:
    files = {**GOOD, "feedback_testing.md": topic("testing", type="feedback", body=f"Use {words} here.\n")}
    assert snapshot_of(tmp_path, files).problems == ()


@pytest.mark.parametrize("target", ["docs/guide.md", "./docs/guide.md", "README.md#use", "x.md?raw=1"])
def test_a_file_of_the_project_is_not_missing(tmp_path: Path, target: str) -> None:
    location_of(tmp_path)
    write(tmp_path / "repo", {"docs/guide.md": "x", "README.md": "x"})
    files = {**GOOD, "feedback_testing.md": topic("testing", type="feedback", body=f"[guide]({target})\n")}
    assert snapshot_of(tmp_path, files).problems == ()


def test_only_one_file_called_so_makes_a_fix_certain(tmp_path: Path) -> None:
    body = "[a](oncall.md) [b](docs/oncall.md) [c](project_on_call.md) [d](rules.md)\n"
    twins = {"user_rules.md": topic("u"), "project_rules.md": topic("p")}
    index = GOOD["MEMORY.md"] + "- [u](user_rules.md)\n- [p](project_rules.md)\n"
    files = {**GOOD, **twins, "MEMORY.md": index, "feedback_testing.md": topic("testing", type="feedback", body=body)}
    found = [(one.subject, one.better, is_certain(one)) for one in snapshot_of(tmp_path, files).problems]
    assert found == [
        ("oncall.md", "project_oncall.md", True),
        ("docs/oncall.md", "", False),
        ("project_on_call.md", "project_oncall.md", False),
        ("rules.md", "", False),
    ]
