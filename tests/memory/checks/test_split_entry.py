"""Index entries of more than one line."""

from pathlib import Path

from tests.memory.folders import GOOD, carry_out, codes, fixed, one, plans, snapshot_of, text

INDEX = (
    "# Memory\r\n\r\n- [Testing](feedback_testing.md) — real\r\n  database\r\n- [On call](project_oncall.md) — who\r\n"
)


def test_a_wrapped_entry_becomes_one_line(tmp_path: Path) -> None:
    after = fixed(tmp_path, {**GOOD, "MEMORY.md": INDEX}, "split-entry")
    assert text(tmp_path, "MEMORY.md") == INDEX.replace("real\r\n  database", "real database")
    assert after.problems == ()


def test_a_list_below_an_entry_is_only_told_of(tmp_path: Path) -> None:
    index = GOOD["MEMORY.md"].replace("database\n", "database\n  - and more\n")
    problem = one(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}), "split-entry")
    assert (problem.line, problem.severity, problem.fix) == (3, "info", "")


def test_many_long_ones_are_one_problem(tmp_path: Path) -> None:
    names = [f"t{number}.md" for number in range(9)]
    index = "".join(f"- [T]({name}) — {'word ' * 30}\n  {'more ' * 30}\n" for name in names)
    found = codes(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}))
    assert [line for _, code, line in found if code == "split-entry"] == [1, 3, 5, 7]


def test_a_second_fix_changes_nothing(tmp_path: Path) -> None:
    index = "- [Testing](feedback_testing.md) — a\n  b\n- [On call](project_oncall.md) — c\n  d"
    snapshot = snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index})
    for _ in snapshot.problems:
        snapshot = carry_out(tmp_path, plans.plan_fix(snapshot, next(p for p in snapshot.problems if p.fix)))
    assert snapshot.problems == ()
    assert text(tmp_path, "MEMORY.md") == "- [Testing](feedback_testing.md) — a b\n- [On call](project_oncall.md) — c d"
