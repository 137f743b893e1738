"""All checks together: nothing else is called a problem, the editor agrees, every fix works."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from memtui.memory import checks, plans
from memtui.memory.checks import registry
from memtui.memory.snapshot import check_text
from memtui.util.errors import MemtuiError
from tests.memory.folders import FILES, GOOD, carry_out, read, snapshot_of, topic, write


def test_a_good_folder_has_no_problem(tmp_path: Path) -> None:
    assert snapshot_of(tmp_path, GOOD, old=40 * 86_400).problems == ()


def test_logs_are_no_topics(tmp_path: Path) -> None:
    snapshot = snapshot_of(
        tmp_path, {**GOOD, "logs/2026/03/2026-03-01.md": "yesterday we did this, see [x](../../../project_oncall.md)\n"}
    )
    assert snapshot.problems == ()


EDITED = [
    ("project_new.md", "x [a](gone.md)\n", ["missing-frontmatter", "dead-link"]),
    ("project_oncall.md", topic("testing", body="[ok](feedback_testing.md)\n"), ["duplicate-topic", "name-mismatch"]),
    ("project_oncall.md", topic("oncall", body="[[testing]] yesterday\n"), ["relative-date"]),
    (
        "MEMORY.md",
        "- [a](feedback_testing.md)\n- [b](feedback_testing.md)\n- [c](c.md)\n",
        ["duplicate-entry", "dead-link"],
    ),
    ("MEMORY.md", "line\n" * 201, ["index-prose", "over-budget"]),
    ("project_oncall.md", "", []),
]


@pytest.mark.parametrize(("name", "text", "wanted"), EDITED)
def test_a_text_in_the_editor(tmp_path: Path, name: str, text: str, wanted: list[str]) -> None:
    snapshot = snapshot_of(tmp_path, GOOD)
    found = check_text(snapshot, tmp_path / "memory" / name, text)
    assert [problem.code for problem in found] == wanted
    assert all(problem.path == tmp_path / "memory" / name for problem in found)


def test_the_editor_says_what_the_folder_says(tmp_path: Path) -> None:
    body = "[a](gone.md) [[nothing]]\n"
    files = {**GOOD, "project_oncall.md": f"---\nname: testing\ntype: Project\n---\n{body}"}
    snapshot = snapshot_of(tmp_path, files, old=0)
    for file in snapshot.auto.files if snapshot.auto else ():
        text = file.path.read_text("utf-8")
        here = [(p.code, p.severity, p.line, p.message) for p in check_text(snapshot, file.path, text)]
        assert Counter(here) == Counter(
            (p.code, p.severity, p.line, p.message) for p in snapshot.problems_of(file.path)
        )


def test_instructions_in_the_editor_are_only_looked_through_for_secrets(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, GOOD)
    text = "[a](gone.md) yesterday\nuse ghp_" + "aB3dE5fG7h" * 4 + "\n"
    found = check_text(snapshot, tmp_path / "repo/CLAUDE.md", text)
    assert [(p.code, p.scope, p.line) for p in found] == [("secret", "instructions", 2)]


def test_a_text_belongs_to_the_innermost_folder(tmp_path: Path) -> None:
    files = {**GOOD, "team/MEMORY.md": "- [A](a.md)\n", "team/a.md": topic("a"), "logs/2026/03/2026-03-01.md": "x\n"}
    snapshot = snapshot_of(tmp_path, files)
    found = check_text(snapshot, tmp_path / "memory/team/b.md", topic("a", body="[x](a.md) [y](project_oncall.md)\n"))
    assert [(p.scope, p.file, p.code) for p in found] == [
        ("team", "b.md", "duplicate-topic"),
        ("team", "b.md", "dead-link"),
    ]
    assert check_text(snapshot, tmp_path / "memory/logs/2026/03/2026-03-02.md", "yesterday we did\n") == ()


def test_corpus_folders_raise_no_false_alarm(tmp_path: Path, shared: Path) -> None:
    """Each of these was looked at: it is what the folder really has."""
    total: Counter[str] = Counter()
    for folder in sorted((shared / "corpus/memory").iterdir()):
        copy = tmp_path / folder.name
        copy.mkdir()
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.md")}
        total += Counter(
            problem.code for problem in snapshot_of(copy, files, old=3 * 86_400).problems if problem.severity != "info"
        )
    assert total == {
        "long-line": 17,
        "frontmatter": 16,
        "missing-frontmatter": 10,
        "orphan": 7,
        "duplicate-topic": 2,
        "over-budget": 2,
        "duplicate-entry": 1,
        "stub": 1,
        "wrong-type": 1,
        "no-index": 1,
    }


def test_problems_come_by_file_the_index_first(tmp_path: Path) -> None:
    files = {"MEMORY.md": "[x](gone.md)\n", "A.md": "text\n", "z.md": "text\n"}
    snapshot = snapshot_of(tmp_path, files)
    assert [p.file for p in snapshot.problems if p.severity != "info"] == ["MEMORY.md", "A.md", "A.md", "z.md", "z.md"]
    write(tmp_path / "memory", {"MEMORY.md": "[x](A.md) [z](z.md)\n"})
    assert [p.file for p in read(tmp_path).problems if p.severity != "info"] == ["A.md", "z.md"]


def test_what_only_a_person_can_fix_is_said(tmp_path: Path) -> None:
    snapshot = snapshot_of(
        tmp_path, {"MEMORY.md": "[a](a.md) [b](b.md)\n", "a.md": topic("same"), "b.md": topic("same")}
    )
    with pytest.raises(MemtuiError, match="only you"):
        plans.plan_fix(snapshot, snapshot.problems[0])


def test_a_problem_that_is_gone_is_said(tmp_path: Path) -> None:
    files = {**FILES, "sub/deep.md": topic("deep", body="[a](gone.md)\n")}
    snapshot = snapshot_of(tmp_path, files)
    problem = next(problem for problem in snapshot.problems if problem.code == "dead-link")
    write(tmp_path / "memory", {"sub/deep.md": topic("deep", body="mended\n")})
    with pytest.raises(MemtuiError, match="changed meanwhile"):
        plans.plan_fix(snapshot, problem)


def test_every_fix_on_offer_works_in_every_corpus_folder(tmp_path: Path, shared: Path) -> None:
    for folder in sorted((shared / "corpus/memory").iterdir()):
        copy = tmp_path / folder.name
        copy.mkdir()
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.md")}
        snapshot = snapshot_of(copy, files)
        for problem in snapshot.problems:
            if problem.fix:
                plan = plans.plan_fix(snapshot, problem)
                assert plan.changes and plan.diff(), problem
        for _ in range(200):
            problem = next((problem for problem in snapshot.problems if problem.fix), None)  # type: ignore[assignment]
            if problem is None:
                break
            snapshot = carry_out(copy, plans.plan_fix(snapshot, problem))
        assert [one for one in snapshot.problems if one.fix] == [], folder.name


def test_a_new_file_is_a_check_and_nothing_else_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new_check.py").write_text(
        "from memtui.memory.checks.base import ANY, Check\nCHECK = Check(('new',), ANY, lambda file: iter(()))\n"
    )
    monkeypatch.setattr(checks, "__path__", [*checks.__path__, str(tmp_path)])
    monkeypatch.setattr(checks, "new_check", None, raising=False)  # put back at the end, as is the next
    monkeypatch.setitem(sys.modules, f"{checks.__name__}.new_check", None)
    del sys.modules[f"{checks.__name__}.new_check"]
    *known, new = registry.find_checks()
    assert tuple(known) == registry.CHECKS
    assert new.codes == ("new",)


def test_every_check_has_a_place_of_its_own() -> None:
    orders = [check.order for check in registry.CHECKS]
    assert orders == sorted(set(orders))


def test_only_small_fixes_are_certain() -> None:
    fixes = {code: check.is_certain for check in registry.CHECKS if check.fix is not None for code in check.codes}
    assert {code for code, certain in fixes.items() if not certain} == {
        "over-budget",
        "index-full",
        "no-index",
        "secret",
        "long-line",
        "suspicious",
        "control-character",
    }


def test_a_problem_without_a_fix_is_never_certain(tmp_path: Path) -> None:
    files = {**GOOD, "x.md": topic("x", type="bogus"), "gone.md": topic("x", body="[a](nowhere.md) [t](testing.md)\n")}
    certain = {
        (problem.code, problem.subject, registry.is_certain(problem))
        for problem in snapshot_of(tmp_path, files).problems
    }
    assert certain >= {
        ("wrong-type", "", False),
        ("duplicate-topic", "gone.md", False),
        ("dead-link", "nowhere.md", False),
        ("dead-link", "testing.md", True),
        ("orphan", "x.md", True),
    }
