"""Problems are true, said in plain words, and nothing else is called one."""

from collections import Counter
from pathlib import Path

import pytest

from memtui.memory.checks.base import Problem
from memtui.memory.frontmatter import type_of_name
from memtui.memory.snapshot import Snapshot, check_text, load_snapshot
from tests.memory.folders import NOW, location_of, read, snapshot_of, topic, write

GOOD = {
    "MEMORY.md": "# Memory\n\n- [Testing](feedback_testing.md) — real database\n- [On call](project_oncall.md) — who\n",
    "feedback_testing.md": topic("testing", type="feedback", body="Never mock. See [on call](project_oncall.md).\n"),
    "project_oncall.md": topic("oncall", body="Kim, 2026-03-02. [[testing]]\n"),
}


def codes(snapshot: Snapshot, severity: str = "") -> list[tuple[str, str, int | None]]:
    return [(p.file, p.code, p.line) for p in snapshot.problems if not severity or p.severity == severity]


def one(snapshot: Snapshot, code: str) -> Problem:
    (problem,) = [problem for problem in snapshot.problems if problem.code == code]
    return problem


def test_a_good_folder_has_no_problem(tmp_path: Path) -> None:
    assert snapshot_of(tmp_path, GOOD, old=40 * 86_400).problems == ()


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


def test_an_orphan(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "user_role.md": topic("role", type="user")})
    problem = one(snapshot, "orphan")
    assert (problem.file, problem.severity, problem.fix) == ("user_role.md", "warning", "add it to the index")


@pytest.mark.parametrize("line", ["See user_role.md for the person.\n", "`user_role.md`\n"])
def test_a_topic_named_in_prose_is_only_a_hint(tmp_path: Path, line: str) -> None:
    snapshot = snapshot_of(
        tmp_path, {**GOOD, "MEMORY.md": GOOD["MEMORY.md"] + line, "user_role.md": topic("role", type="user")}
    )
    assert one(snapshot, "orphan").severity == "info"


def test_a_wiki_link_of_the_index_lists_a_topic(tmp_path: Path) -> None:
    index = GOOD["MEMORY.md"] + "- [[role]] — the person\n"
    assert (
        snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index, "user_role.md": topic("role", type="user")}).problems == ()
    )


def test_no_index(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"project_a.md": topic("a")})
    problem = one(snapshot, "no-index")
    assert (problem.file, problem.path) == ("MEMORY.md", tmp_path / "memory/MEMORY.md")
    assert codes(snapshot, "warning") == [("MEMORY.md", "no-index", None)]
    assert snapshot_of(tmp_path / "empty", {}).problems == () if (tmp_path / "empty").mkdir() is None else True


def test_a_duplicate_entry(tmp_path: Path) -> None:
    index = GOOD["MEMORY.md"] + "- [Tests again](feedback_testing.md) — later\n"
    problem = one(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}), "duplicate-entry")
    assert (problem.line, problem.fix) == (5, "drop this line")
    assert problem.message == "feedback_testing.md is listed already in line 3"


def test_a_long_line(tmp_path: Path) -> None:
    hook = "This is the first sentence. " + "word " * 44
    index = f"- [Testing](feedback_testing.md) — {hook}\n- [On call](project_oncall.md) — {'x' * 140}\n"
    problem = one(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}), "long-line")
    assert problem.line == 1 and problem.fix == "shorten it"
    length = len(index.splitlines()[0])
    assert problem.message == f"index line is long: {length} characters; shortening it saves 220 bytes"


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


@pytest.mark.parametrize(
    ("text", "code", "severity", "fix"),
    [
        ("# Notes\n\nText.\n", "missing-frontmatter", "warning", "add it"),
        ("\n---\nname: x\n---\n", "missing-frontmatter", "warning", ""),
        ("---\nname: x\ndescription: d\ntype: project\n", "frontmatter", "error", ""),
        ("---\nname: x\ntype: project\n---\n", "frontmatter", "warning", ""),
        ("---\nname: x\ndescription: d\n---\n", "wrong-type", "warning", "set it to project"),
        ("---\nname: x\ndescription: d\ntype: Project\n---\n", "wrong-type", "warning", "write it as project"),
        ("---\nname: x\ndescription: d\ntype: projekt\n---\n", "wrong-type", "warning", "set it to project"),
        ("---\nname: x\ndescription: d\ntype: project\nstray line\n---\n", "frontmatter", "warning", ""),
        ("---\nname: x\nname: y\ndescription: d\ntype: project\n---\n", "frontmatter", "warning", ""),
        ("---\nname: x\ndescription: d\u202ee\ntype: project\n---\n", "frontmatter", "warning", ""),
    ],
)
def test_front_matter(tmp_path: Path, text: str, code: str, severity: str, fix: str) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "[x](project_x.md)\n", "project_x.md": text})
    found = [(p.code, p.severity, p.fix) for p in snapshot.problems if p.severity != "info"]
    assert found == [(code, severity, fix)]


def test_unknown_type_of_a_file_whose_name_tells_nothing(tmp_path: Path) -> None:
    snapshot = snapshot_of(
        tmp_path, {"MEMORY.md": "[x](x.md)\n", "x.md": "---\nname: x\ndescription: d\ntype: bogus\n---\n"}
    )
    assert one(snapshot, "wrong-type").fix == ""
    assert type_of_name("sub/feedback-a.md") == "feedback"
    assert type_of_name("feedbacks.md") is None


def test_metadata_type_and_unknown_keys_are_fine(tmp_path: Path) -> None:
    text = (
        "---\nname: x\ndescription: 'a: b # c'\nmetadata: \n  node_type: memory\n  type: project\n  x: [1]\n---\nBody\n"
    )
    assert snapshot_of(tmp_path, {"MEMORY.md": "[x](x.md)\n", "x.md": text}).problems == ()


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


def test_relative_dates_are_a_problem_once_they_are_old(tmp_path: Path) -> None:
    files = {
        "MEMORY.md": "[a](project_a.md)\n",
        "project_a.md": topic("a", body="Release next week, see today's plan.\n어제 정함\n"),
    }
    fresh = snapshot_of(tmp_path, files)
    assert {(p.code, p.severity) for p in fresh.problems} == {("relative-date", "info")}
    old = snapshot_of(tmp_path, files, old=12 * 86_400)
    assert [(p.severity, p.subject) for p in old.problems] == [
        ("warning", "next week"),
        ("info", "today"),
        ("warning", "어제"),
    ]
    assert old.problems[0].message == '"next week" was written 12d ago or earlier: write the date'


def test_many_relative_dates_are_summed_up(tmp_path: Path) -> None:
    files = {"MEMORY.md": "[a](project_a.md)\n", "project_a.md": topic("a", body="yesterday\n\n" * 9)}
    snapshot = snapshot_of(tmp_path, files, old=12 * 86_400)
    assert [p.message for p in snapshot.problems][3:] == ["6 more relative dates"]


def test_two_topics_of_one_name(tmp_path: Path) -> None:
    files = {"MEMORY.md": "[a](a.md) [b](b.md)\n", "a.md": topic("Shared name"), "b.md": topic("shared-name")}
    snapshot = snapshot_of(tmp_path, files)
    assert codes(snapshot) == [("a.md", "duplicate-topic", 1), ("b.md", "duplicate-topic", 1)]
    assert "b.md has the same name" in snapshot.problems[0].message


def test_what_opens_read_only_says_why(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "MEMORY.md": "[a](a.md) [b](b.md) [c](c.md) [d](d.md) [e](e.md)\n",
        "a.md": b"---\nname: a\n---\n\xff\xfe\n",
        "b.md": b"a\0b",
        "c.md": topic("c").encode() + b"x" * 1_000_001,
        "d.md": topic("d") + "one\r\ntwo\n",
        "e.md": "to be a link",
    }
    (tmp_path / "outside.md").write_text("x")
    snapshot_of(tmp_path, files)
    (tmp_path / "memory/e.md").unlink()
    (tmp_path / "memory/e.md").symlink_to(tmp_path / "outside.md")
    snapshot = read(tmp_path)
    found = {p.file: (p.severity, p.message) for p in snapshot.problems if p.code == "read-only"}
    assert found["a.md"][0] == found["b.md"][0] == "error"
    assert found["c.md"] == ("info", "opens read only: 1.0 MB, more than 1 MB")
    assert found["d.md"] == ("info", "opens read only: mixed line ends")
    assert found["e.md"] == ("warning", "not read: a link that leaves the folder")


def test_a_copy_of_a_sync_tool(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "project_oncall.sync-conflict-20260301-101010-AB.md": topic("oncall")})
    assert codes(snapshot) == [("project_oncall.sync-conflict-20260301-101010-AB.md", "conflict-copy", None)]


def test_logs_are_no_topics(tmp_path: Path) -> None:
    snapshot = snapshot_of(
        tmp_path, {**GOOD, "logs/2026/03/2026-03-01.md": "yesterday we did this, see [x](../../../project_oncall.md)\n"}
    )
    assert snapshot.problems == ()


def test_imports_of_instructions(tmp_path: Path) -> None:
    location_of(tmp_path)
    (tmp_path / "repo/CLAUDE.md").write_text("@docs/gone.md ask @kim or @scope/pkg\n\n@b1.md,\n")
    (tmp_path / "repo/b1.md").write_text("x")
    snapshot = snapshot_of(tmp_path, {})
    assert [(p.line, p.code, p.severity) for p in snapshot.problems] == [
        (1, "dead-link", "warning"),
        (3, "dead-link", "warning"),
    ]
    assert "put a blank between" in snapshot.problems[1].message


EDITED = [
    ("project_new.md", "x [a](gone.md)\n", ["missing-frontmatter", "dead-link"]),
    ("project_oncall.md", topic("testing", body="[ok](feedback_testing.md)\n"), ["duplicate-topic"]),
    ("project_oncall.md", topic("oncall", body="[[testing]] yesterday\n"), ["relative-date"]),
    (
        "MEMORY.md",
        "- [a](feedback_testing.md)\n- [b](feedback_testing.md)\n- [c](c.md)\n",
        ["duplicate-entry", "dead-link"],
    ),
    ("MEMORY.md", "line\n" * 201, ["over-budget"]),
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


def test_what_the_person_allowed_is_no_problem(tmp_path: Path) -> None:
    value = "ghp_" + "aB3dE5fG7h" * 4
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": f"{value}\n"})
    allowed = frozenset({problem.subject for problem in snapshot.problems})
    env, place = location_of(tmp_path)
    again = load_snapshot(place, env, full=True, known=snapshot, now=NOW, allowed=allowed)
    assert again.problems == ()
    assert check_text(again, tmp_path / "memory/MEMORY.md", f"{value}\n") == ()
    assert len(check_text(snapshot, tmp_path / "memory/MEMORY.md", f"{value}\n")) == 1


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
        "dead-link": 9,
        "orphan": 7,
        "duplicate-topic": 2,
        "over-budget": 2,
        "duplicate-entry": 1,
        "wrong-type": 1,
        "no-index": 1,
    }


def test_problems_come_by_file_the_index_first(tmp_path: Path) -> None:
    files = {"MEMORY.md": "[x](gone.md)\n", "A.md": "text\n", "z.md": "text\n"}
    snapshot = snapshot_of(tmp_path, files)
    assert [p.file for p in snapshot.problems if p.severity != "info"] == ["MEMORY.md", "A.md", "A.md", "z.md", "z.md"]
    write(tmp_path / "memory", {"MEMORY.md": "[x](A.md) [z](z.md)\n"})
    assert [p.file for p in read(tmp_path).problems if p.severity != "info"] == ["A.md", "z.md"]
