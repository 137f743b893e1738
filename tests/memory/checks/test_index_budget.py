"""An index over its limit."""

from pathlib import Path

from tests.memory.folders import fixed, one, snapshot_of, topic


def test_over_the_limit_by_lines(tmp_path: Path) -> None:
    files = {f"project_t{n}.md": topic(f"t{n}") for n in range(203)}
    index = "".join(f"- [T{n}](project_t{n}.md) — x\n" for n in range(203))
    problem = one(snapshot_of(tmp_path, {"MEMORY.md": index, **files}), "over-budget")
    assert (problem.severity, problem.line, problem.fix) == ("error", 201, "tidy the index")
    assert problem.message == "3 lines too many: not loaded from line 201 on, 3 entries are lost"


def test_over_the_limit_by_size(tmp_path: Path) -> None:
    index = "".join(f"line {n} {'한' * 150}\n" for n in range(190))
    problem = one(snapshot_of(tmp_path, {"MEMORY.md": index}), "over-budget")
    assert "characters too many: not loaded from line" in problem.message and problem.message.endswith(
        "no entry is lost"
    )


def test_over_the_limit_is_tidied(tmp_path: Path) -> None:
    files = {f"project_t{n}.md": topic(f"t{n}") for n in range(203)}
    index = "".join(f"- [T{n}](project_t{n}.md) — x\n" for n in range(203))
    after = fixed(tmp_path, {"MEMORY.md": index, **files}, "over-budget")
    assert after.auto is not None and after.auto.budget is not None and not after.auto.budget.over
