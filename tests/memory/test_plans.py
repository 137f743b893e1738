"""Plans say all that follows from a command, touch only the bytes in question, and do what they show."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.history.store import Stale
from memtui.memory import plans
from memtui.memory.snapshot import Snapshot
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from tests.memory.folders import FILES, carry_out, location_of, read, snapshot_of, text, topic, write
from tests.support import digest_tree


def dead_links(snapshot: Snapshot) -> list[str]:
    return [problem.message for problem in snapshot.problems if problem.code == "dead-link"]


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return snapshot_of(tmp_path, FILES)


# New


@pytest.mark.parametrize(
    ("type", "name", "file"),
    [
        ("feedback", "testing rules", "feedback_testing_rules.md"),
        ("feedback", "Feedback: testing/rules!", "feedback_testing_rules.md"),
        ("project", "Q3 launch (2026)", "project_q3_launch_2026.md"),
        ("user", "사용자 역할", "user_사용자_역할.md"),
        ("user", unicodedata.normalize("NFD", "한글"), "user_한글.md"),
        ("reference", "***", "reference.md"),
        ("reference", "notes.md", "reference_notes.md"),
        ("reference", "../../etc/passwd", "reference_etc_passwd.md"),
        ("project", "x" * 300, f"project_{'x' * 60}.md"),
    ],
)
def test_file_names(type: str, name: str, file: str) -> None:
    assert plans.file_name(type, name) == file
    assert plans.check_name(file) == ""


@given(st.text(max_size=40))
def test_every_name_gives_a_file_name(name: str) -> None:
    file = plans.file_name("project", name)
    assert file.startswith("project") and file.endswith(".md") and "/" not in file
    assert unicodedata.is_normalized("NFC", file)


def test_new_is_listed_under_the_heading_of_its_type(tmp_path: Path, snapshot: Snapshot) -> None:
    plan = plans.plan_new(snapshot, "Commit rules", "feedback", "Small commits: one idea")
    assert plan.title == "new feedback_commit_rules.md" and plan.notes == ()
    after = carry_out(tmp_path, plan)
    file = after.find("feedback_commit_rules.md")
    assert file is not None and (file.type, file.description) == ("feedback", "Small commits: one idea")
    assert "real database\n- [Commit rules](feedback_commit_rules.md) — Small commits: one idea\n\n## P" in text(
        tmp_path, "MEMORY.md"
    )
    assert [problem for problem in after.problems if problem.file == file.name] == []


def test_the_first_memory_makes_folder_and_index(tmp_path: Path) -> None:
    location_of(tmp_path)
    plan = plans.plan_new(read(tmp_path), "한국어 규칙", "feedback", "짧게 쓴다")
    after = carry_out(tmp_path, plan)
    assert after.auto is not None and [file.name for file in after.auto.files] == [
        "MEMORY.md",
        "feedback_한국어_규칙.md",
    ]
    assert text(tmp_path, "MEMORY.md") == "# Memory\n\n- [한국어 규칙](feedback_한국어_규칙.md) — 짧게 쓴다\n"
    assert after.problems == ()


@pytest.mark.parametrize("name", ["a]b [c", "x: y # z", "'quoted' \"name\"", "---", "- dash", "null"])
def test_odd_names_come_back_as_they_were(tmp_path: Path, snapshot: Snapshot, name: str) -> None:
    after = carry_out(tmp_path, plans.plan_new(snapshot, name, "project", f"about {name}"))
    file = after.find(plans.file_name("project", name))
    assert file is not None and (file.front.name, file.description) == (name, f"about {name}")
    assert file.name in {entry.target for entry in (after.auto.entries if after.auto else ())}


def test_new_refuses(snapshot: Snapshot) -> None:
    with pytest.raises(Refused):
        plans.plan_new(snapshot, "testing", "feedback")
    with pytest.raises(UsageError):
        plans.plan_new(snapshot, "x", "opinion")
    with pytest.raises(UsageError):
        plans.plan_new(snapshot, "  ", "user")


def test_a_line_that_will_not_be_loaded_is_said(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "x\n" * 200})
    plan = plans.plan_new(snapshot, "late", "project", "d")
    assert plan.notes[0] == "MEMORY.md is over its limit: from line 201 on nothing is loaded"
    assert plan.notes[1].startswith("line 202, its own entry, isn't loaded: memtui index --up project_late.md")


# Rename


def test_rename_takes_index_and_links_along(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plan = plans.plan_rename(snapshot, file, "project_rota")
    assert plan.renamed == (("project_oncall.md", "project_rota.md"),)
    assert plan.notes[0] == "3 lines with links to it change"
    after = carry_out(tmp_path, plan)
    assert "- [project_rota.md](project_rota.md): who is called\n" in text(tmp_path, "MEMORY.md")
    assert "Ask [`project_rota.md`](./project_rota.md#who).\n" in text(tmp_path, "feedback_testing.md")
    assert text(tmp_path, "sub/deep.md").endswith(
        "[a](../project_rota.md) [[../project_rota]] [b](<../project_rota.md>)\n"
    )
    assert text(tmp_path, "project_rota.md") == FILES["project_oncall.md"]
    assert after.find("project_oncall.md") is None and dead_links(after) == []


def test_rename_shows_what_it_does(snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    diff = plans.plan_rename(snapshot, file, "project_rota.md").diff()
    assert "rename from project_oncall.md\nrename to project_rota.md\n" in diff
    assert (
        "-- [project_oncall.md](project_oncall.md): who is called\n+- [project_rota.md](project_rota.md): who" in diff
    )
    assert "-Kim." not in diff  # its own text stays


def test_wiki_links_by_name_stay_those_by_file_follow(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("feedback_testing.md")
    assert file is not None
    carry_out(tmp_path, plans.plan_rename(snapshot, file, "feedback_tests.md"))
    assert "Kim. [[feedback_tests]], [[testing-rules]], " in text(tmp_path, "project_oncall.md")


def test_rename_into_a_folder_and_back(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    after = carry_out(tmp_path, plans.plan_rename(snapshot, file, "team2/oncall.md"))
    assert "[up](../sub/deep.md)" in text(tmp_path, "team2/oncall.md")
    assert "[a](../team2/oncall.md) [[../team2/oncall]]" in text(tmp_path, "sub/deep.md")
    assert dead_links(after) == []
    moved = after.find("team2/oncall.md")
    assert moved is not None
    back = carry_out(tmp_path, plans.plan_rename(after, moved, "project_oncall.md"))
    assert dead_links(back) == []
    assert text(tmp_path, "sub/deep.md") == FILES["sub/deep.md"]
    assert text(tmp_path, "project_oncall.md") == FILES["project_oncall.md"]


@pytest.mark.parametrize(
    "new", ["", "  ", "../x.md", "/x.md", ".hidden.md", "MEMORY.md", "a\\b.md", "a\nb", "~x/y", "CON/../x", "x" * 300]
)
def test_bad_names_are_refused(snapshot: Snapshot, new: str) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    assert plans.check_name(new) != ""
    with pytest.raises(UsageError):
        plans.plan_rename(snapshot, file, new)


def test_rename_never_hits_another_file(tmp_path: Path, snapshot: Snapshot) -> None:
    file, index = snapshot.find("project_oncall.md"), snapshot.find("MEMORY.md")
    assert file is not None and index is not None
    for new in ("feedback_testing.md", "FEEDBACK_testing.md"):
        with pytest.raises(Refused):
            plans.plan_rename(snapshot, file, new)
    with pytest.raises(Refused):
        plans.plan_rename(snapshot, index, "other.md")
    assert plans.plan_rename(snapshot, file, "project_oncall").changes == ()


def test_rename_changes_the_case_of_a_name(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    after = carry_out(tmp_path, plans.plan_rename(snapshot, file, "project_OnCall.md"))
    assert after.find("project_OnCall.md") is not None and "(project_OnCall.md)" in text(tmp_path, "MEMORY.md")


def test_a_file_that_changed_meanwhile_stops_the_plan(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plan = plans.plan_rename(snapshot, file, "project_rota.md")
    write(tmp_path / "memory", {"project_oncall.md": "other\n"})
    before = digest_tree(tmp_path / "memory")
    with pytest.raises(Stale):
        carry_out(tmp_path, plan)
    assert digest_tree(tmp_path / "memory") == before


# Delete, type, index


def test_delete_takes_the_entry_and_names_the_links(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plan = plans.plan_delete(snapshot, [file])
    assert plan.notes == (
        "feedback_testing.md:7 links to project_oncall.md: nowhere then",
        "sub/deep.md:7 links to project_oncall.md: nowhere then",
    )
    carry_out(tmp_path, plan)
    assert not (tmp_path / "memory/project_oncall.md").exists()
    assert "oncall" not in text(tmp_path, "MEMORY.md")
    assert "+++ /dev/null" in plan.diff()


def test_delete_several(tmp_path: Path, snapshot: Snapshot) -> None:
    files = [file for file in (snapshot.auto.topics if snapshot.auto else ()) if file.name != "sub/deep.md"]
    plan = plans.plan_delete(snapshot, files)
    assert plan.title == "delete 2 files" and len(plan.notes) == 1
    assert [file.name for file in (carry_out(tmp_path, plan).auto.files)] == ["MEMORY.md", "sub/deep.md"]  # type: ignore[union-attr]
    with pytest.raises(NotFound):
        plans.plan_delete(snapshot, [])


def test_add_to_index(tmp_path: Path, snapshot: Snapshot) -> None:
    files = [snapshot.topic(tmp_path / "memory" / name) for name in ("sub/deep.md", "project_oncall.md")]
    plan = plans.plan_add_to_index(snapshot, files)
    assert plan.notes == ("project_oncall.md is listed already",)
    carry_out(tmp_path, plan)
    assert text(tmp_path, "MEMORY.md").endswith("who is called\n- [deep](sub/deep.md): what it says\n")


def test_files_of_two_folders_make_no_plan(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**FILES, "team/t.md": topic("t")})
    files = [snapshot.topic(tmp_path / "memory" / name) for name in ("sub/deep.md", "team/t.md")]
    with pytest.raises(MemtuiError):
        plans.plan_delete(snapshot, files)


def test_tidy_and_rebuild(tmp_path: Path) -> None:
    index = "".join(f"- [T{n}](project_t{n}.md) — {'long words ' * 30}\n" for n in range(150)) + "- [Gone](gone.md)\n"
    files = {f"project_t{n}.md": topic(f"t{n}") for n in range(150)}
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": index, **files})
    plan = plans.plan_tidy(snapshot, pinned={"project_t149.md"})
    assert plan.notes[0].startswith("lines 151 → ") and len(plan.notes) <= 12
    after = carry_out(tmp_path, plan)
    assert after.auto is not None and after.auto.budget is not None
    assert after.auto.budget.used <= 0.7 and "project_t149.md" in text(tmp_path, "MEMORY.md")
    assert plans.plan_tidy(after).changes == ()
    rebuilt = carry_out(tmp_path, plans.plan_tidy(after, rebuild=True))
    assert "## Project" in text(tmp_path, "MEMORY.md") and rebuilt.auto is not None and len(rebuilt.auto.entries) > 50


def test_tidying_keeps_entries_of_other_folders(tmp_path: Path) -> None:
    files = {f"t{number:03}.md": topic(f"T{number}") for number in range(220)}
    index = "- [X](team/x.md) — shared\n" + "".join(f"- [T]({name})\n" for name in files)
    snapshot = snapshot_of(tmp_path, files | {"team/x.md": topic("X"), "MEMORY.md": index})
    after = (plans.plan_tidy(snapshot).changes[0].data or b"").decode()
    assert after.startswith("- [X](team/x.md) — shared\n")
    assert after.count("(t") == 140  # with team/x.md, 139 others


def test_prose_that_tidying_moves_is_kept(tmp_path: Path) -> None:
    prose = "".join(f"Rule {n}: {'words ' * 20}\n" for n in range(220))
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "# Memory\n\n" + prose, "index_notes.md": "older\n"})
    carry_out(tmp_path, plans.plan_tidy(snapshot))
    together = text(tmp_path, "MEMORY.md") + text(tmp_path, "index_notes.md")
    assert all(f"Rule {n}: " in together for n in range(220)) and text(tmp_path, "index_notes.md").startswith("older\n")


def test_making_plans_writes_nothing(tmp_path: Path, snapshot: Snapshot) -> None:
    before = digest_tree(tmp_path)
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plans.plan_rename(snapshot, file, "x.md").diff()
    plans.plan_delete(snapshot, [file]).diff()
    plans.plan_new(snapshot, "x", "user").diff()
    assert digest_tree(tmp_path) == before
