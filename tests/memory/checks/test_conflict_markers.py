"""A conflict that was left open in a file."""

from pathlib import Path

import pytest

from memtui.memory import plans
from memtui.memory.conflict_markers import marker_lines
from memtui.util.errors import MemtuiError
from tests.memory.folders import GOOD, codes, one, snapshot_of, topic

CONFLICT = "<<<<<<< HEAD\nmine\n||||||| base\nold\n=======\ntheirs\n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (CONFLICT, (1, 3, 5, 7)),
        (CONFLICT.replace("\n", "\r\n"), (1, 3, 5, 7)),
        ("<<<<<<<\na\n=======\nb\n>>>>>>>\n", (1, 3, 5)),
        ("x\n<<<<<<< HEAD\nnever ended\n", (2,)),
        ("a\n=======\nb\n>>>>>>> other\n", (2, 4)),
        ("Title\n=======\n\n>>>> quoted\n", ()),
        (">>>>>>> deep quotation\n", ()),
        ("a <<<<<<< b\n <<<<<<< c\n<<<<<<<< d\n", ()),
    ],
)
def test_the_lines_of_a_conflict(text: str, lines: tuple[int, ...]) -> None:
    assert marker_lines(text) == lines


def test_an_open_conflict_is_an_error_that_names_the_lines(tmp_path: Path) -> None:
    files = {**GOOD, "project_oncall.md": topic("oncall", body=CONFLICT + "[x](gone.md)\n")}
    snapshot = snapshot_of(tmp_path, files)
    problem = one(snapshot, "conflict-markers")
    assert (problem.severity, problem.line, problem.fix) == ("error", 7, "")
    assert problem.message == "a conflict is left open, lines 7, 9, 11 and 13: keep one side and delete the markers"
    with pytest.raises(MemtuiError, match="conflict markers in lines 7, 9, 11 and 13"):
        plans.plan_fix(snapshot, one(snapshot, "dead-link"))


def test_an_index_with_an_open_conflict_is_not_repaired(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "MEMORY.md": GOOD["MEMORY.md"] + CONFLICT, "user_x.md": topic("x")})
    with pytest.raises(MemtuiError, match="conflict markers"):
        plans.plan_fix(snapshot, one(snapshot, "orphan"))
    with pytest.raises(MemtuiError, match="conflict markers"):
        plans.plan_tidy(snapshot)


def test_an_example_in_code_is_a_hint(tmp_path: Path) -> None:
    body = f"It looks so:\n\n```\n{CONFLICT}```\n"
    snapshot = snapshot_of(tmp_path, {**GOOD, "project_oncall.md": topic("oncall", body=body)})
    assert codes(snapshot) == [("project_oncall.md", "conflict-markers", 10)]
    assert snapshot.problems[0].severity == "info"
