"""Secrets are found, masked and taken out."""

from pathlib import Path

from memtui.memory import plans
from memtui.memory.checks import secret
from memtui.memory.snapshot import check_text, load_snapshot
from tests.memory.folders import FILES, NOW, carry_out, location_of, read, snapshot_of, text, topic


def test_secrets_in_topics_index_and_instructions(tmp_path: Path) -> None:
    value = "ghp_" + "aB3dE5fG7h" * 4
    files = {"MEMORY.md": f"- [a](project_a.md) — {value}\n", "project_a.md": topic("a", body=f"use {value}\n")}
    location_of(tmp_path)
    (tmp_path / "repo/CLAUDE.md").write_text(f"x\n{value}\n")
    snapshot = snapshot_of(tmp_path, files)
    found = [problem for problem in snapshot.problems if problem.code == "secret"]
    assert [(p.scope, p.file, p.line) for p in found] == [
        ("auto", "MEMORY.md", 1),
        ("auto", "project_a.md", 7),
        ("instructions", "CLAUDE.md", 2),
    ]
    assert all(value not in f"{problem}" for problem in found)
    assert {problem.fix for problem in found} == {"take it out"}


def test_what_the_person_allowed_is_no_problem(tmp_path: Path) -> None:
    value = "ghp_" + "aB3dE5fG7h" * 4
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": f"{value}\n"})
    allowed = frozenset({problem.subject for problem in snapshot.problems})
    env, location = location_of(tmp_path)
    again = load_snapshot(location, env, full=True, known=snapshot, now=NOW, allowed=allowed)
    assert again.problems == ()
    assert check_text(again, tmp_path / "memory/MEMORY.md", f"{value}\n") == ()
    assert len(check_text(snapshot, tmp_path / "memory/MEMORY.md", f"{value}\n")) == 1


def test_secrets_come_masked() -> None:
    value = "ghp_" + "aB3dE5fG7h" * 4
    (hit,) = secret.find_in_text(f"a\nuse {value}\n")
    assert (hit.line, hit.column) == (2, 5) and value not in hit.words


def test_a_secret_is_taken_out(tmp_path: Path) -> None:
    value, other = "ghp_" + "aB3dE5fG7h" * 4, "ghp_" + "zY9xW7vU5t" * 4
    snapshot = snapshot_of(tmp_path, {**FILES, "sub/deep.md": topic("deep", body=f"{value} {other}\n{value}\n")})
    problem = next(problem for problem in snapshot.problems if problem.code == "secret")
    plan = plans.plan_fix(snapshot, problem)
    assert plan.notes[0] == "2 values are replaced by [removed]"
    carry_out(tmp_path, plan)
    assert text(tmp_path, "sub/deep.md").endswith(f"[removed] {other}\n[removed]\n")
    all_of_it = plans.plan_redact(read(tmp_path), tmp_path / "memory/sub/deep.md")
    assert other not in str(all_of_it.changes[0].data)


def test_a_secret_in_an_instruction_file(tmp_path: Path) -> None:
    location_of(tmp_path)
    value = "ghp_" + "aB3dE5fG7h" * 4
    (tmp_path / "repo/CLAUDE.md").write_text(f"use {value}\n")
    snapshot = snapshot_of(tmp_path, {})
    (problem,) = snapshot.problems
    plan = plans.plan_fix(snapshot, problem)
    assert (plan.root, plan.allow) == (tmp_path / "repo", frozenset({"CLAUDE.md"}))
    carry_out(tmp_path, plan)
    assert (tmp_path / "repo/CLAUDE.md").read_text() == "use [removed]\n"
