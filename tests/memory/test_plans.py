"""Plans say all that follows from a wish, touch only the bytes in question, and do what they show."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.history.store import Stale, Store
from memtui.memory import plans
from memtui.memory.checks.missing_frontmatter import first_sentence, name_of
from memtui.memory.plans import Plan
from memtui.memory.snapshot import Snapshot
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from tests.memory.folders import location_of, read, snapshot_of, topic, write
from tests.support import digest_tree

FILES = {
    "MEMORY.md": "# Memory\n\n## Feedback\n\n- [Testing](feedback_testing.md) — real database\n\n## Project\n\n"
    "- [project_oncall.md](project_oncall.md): who is called\n",
    "feedback_testing.md": topic(
        "testing-rules", type="feedback", body="Ask [`project_oncall.md`](./project_oncall.md#who).\n"
    ),
    "project_oncall.md": topic("On call", body="Kim. [[feedback_testing]], [[testing-rules]], [up](sub/deep.md)\n"),
    "sub/deep.md": topic("deep", body="[a](../project_oncall.md) [[../project_oncall]] [b](<../project_oncall.md>)\n"),
}


def dead_links(snapshot: Snapshot) -> list[str]:
    return [problem.message for problem in snapshot.problems if problem.code == "dead-link"]


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return snapshot_of(tmp_path, FILES)


def carry_out(tmp_path: Path, plan: Plan) -> Snapshot:
    """Do what a plan says, through the real store, and read again."""
    store = Store(plan.root, Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k"), allow=plan.allow, trash=None)
    store.apply(plan.changes, why=plan.title)
    return read(tmp_path)


def text(tmp_path: Path, name: str) -> str:
    return (tmp_path / "memory" / name).read_bytes().decode()


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
    with pytest.raises(NotFound):
        plans.plan_new(snapshot, "x", "user", scope="agent:user:nobody")


def test_a_line_that_will_not_be_loaded_is_said(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "x\n" * 200})
    plan = plans.plan_new(snapshot, "late", "project", "d")
    assert plan.notes == ("MEMORY.md is over its limit: from line 201 on nothing is loaded",)


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


def test_type_changes_one_word(tmp_path: Path, snapshot: Snapshot) -> None:
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plan = plans.plan_type(snapshot, [file], "reference")
    assert plan.notes == ("project_oncall.md still begins with project: rename it if that is wrong",)
    carry_out(tmp_path, plan)
    assert text(tmp_path, "project_oncall.md") == FILES["project_oncall.md"].replace("type: project", "type: reference")
    with pytest.raises(UsageError):
        plans.plan_type(snapshot, [file], "opinion")


def test_type_of_bytes_that_are_no_text_elsewhere(tmp_path: Path) -> None:
    data = b"---\r\nname: x\r\nmetadata: \r\n  type: project # why\r\n---\r\nbad \xff\xfe\r\n"
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "", "x.md": data.replace(b"\xff\xfe", b"ok")})
    file = snapshot.find("x.md")
    assert file is not None
    (tmp_path / "memory/x.md").write_bytes(data)
    (change,) = plans.plan_type(snapshot, [file], "user").changes
    assert change.data is not None and change.data.endswith(b"bad \xff\xfe\r\n") and b"type: user" in change.data


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
    rebuilt = carry_out(tmp_path, plans.plan_rebuild(after))
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


# Fixes


def fixed(tmp_path: Path, files: dict[str, str], code: str) -> Snapshot:
    snapshot = snapshot_of(tmp_path, files)
    problem = next(problem for problem in snapshot.problems if problem.code == code)
    return carry_out(tmp_path, plans.plan_fix(snapshot, problem))


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
def test_a_dead_link_is_mended(tmp_path: Path, line: str, wanted: str) -> None:
    files = {**FILES, "sub/deep.md": topic("deep", body=f"{line}\n").replace("project_on_call", "../project_on_call")}
    files["sub/deep.md"] = files["sub/deep.md"].replace("[[../", "[[")
    after = fixed(tmp_path, files, "dead-link")
    assert text(tmp_path, "sub/deep.md").splitlines()[-1] == wanted.replace("(project_oncall", "(../project_oncall")
    assert dead_links(after) == []


def test_a_dead_entry_goes_with_its_line_only(tmp_path: Path) -> None:
    index = FILES["MEMORY.md"] + "- [Old](gone.md) — x\n  more of it\n- prose\n"
    fixed(tmp_path, {**FILES, "MEMORY.md": index}, "dead-link")
    assert text(tmp_path, "MEMORY.md") == FILES["MEMORY.md"] + "- prose\n"


def test_the_later_of_two_entries_goes(tmp_path: Path) -> None:
    index = FILES["MEMORY.md"] + "- [Again](feedback_testing.md) — x\n"
    fixed(tmp_path, {**FILES, "MEMORY.md": index}, "duplicate-entry")
    assert text(tmp_path, "MEMORY.md") == FILES["MEMORY.md"]


def test_an_orphan_is_listed(tmp_path: Path) -> None:
    after = fixed(tmp_path, FILES, "orphan")
    assert after.problems == ()


def test_a_long_line_is_shortened(tmp_path: Path) -> None:
    hook = "The first sentence says enough. " + "and more" * 30
    files = {**FILES, "MEMORY.md": FILES["MEMORY.md"].replace("real database", hook)}
    fixed(tmp_path, files, "long-line")
    assert "- [Testing](feedback_testing.md) — The first sentence says enough.\n" in text(tmp_path, "MEMORY.md")


@pytest.mark.parametrize("word", ["Project", "projekt", "PROJECT"])
def test_a_type_is_put_right(tmp_path: Path, word: str) -> None:
    files = {**FILES, "sub/deep.md": FILES["sub/deep.md"].replace("type: project", f"type: {word}")}
    fixed(tmp_path, files, "wrong-type")
    assert text(tmp_path, "sub/deep.md") == FILES["sub/deep.md"]


@pytest.mark.parametrize(
    ("name", "body", "block"),
    [
        (
            "feedback_x.md",
            "# Title here\n\nFirst sentence. Second.\n",
            "name: Title here\ndescription: First sentence. Second.\ntype: feedback",
        ),
        ("notes.md", "- **Bold** [link](a.md) and `code`\n", "name: notes\ndescription: Bold link and code"),
        ("notes.md", "```\ncode\n```\n", "name: notes"),
        ("notes.md", "\ufeff# T\r\n\r\nText\r\n", "name: T\ndescription: Text"),
        ("notes.md", "# 제목\n\n한국어 문장이다.\n", "name: 제목\ndescription: 한국어 문장이다."),
    ],
)
def test_front_matter_is_made_of_what_the_text_says(tmp_path: Path, name: str, body: str, block: str) -> None:
    fixed(tmp_path, {"MEMORY.md": f"[x]({name}) a.md\n", name: body, "a.md": topic("a")}, "missing-frontmatter")
    newline = "\r\n" if "\r\n" in body else "\n"
    mark = "\ufeff" if body.startswith("\ufeff") else ""
    lines = ["---", *block.split("\n"), "---", "", ""]
    assert text(tmp_path, name) == mark + newline.join(lines) + body.removeprefix("\ufeff")


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


def test_no_index_is_made_from_the_topics(tmp_path: Path) -> None:
    after = fixed(tmp_path, {"project_a.md": topic("A", "what a says")}, "no-index")
    assert "- [A](project_a.md) — what a says\n" in text(tmp_path, "MEMORY.md") and after.problems == ()


def test_over_the_limit_is_tidied(tmp_path: Path) -> None:
    files = {f"project_t{n}.md": topic(f"t{n}") for n in range(203)}
    index = "".join(f"- [T{n}](project_t{n}.md) — x\n" for n in range(203))
    after = fixed(tmp_path, {"MEMORY.md": index, **files}, "over-budget")
    assert after.auto is not None and after.auto.budget is not None and not after.auto.budget.over


def test_what_only_a_person_can_mend_is_said(tmp_path: Path) -> None:
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


def test_making_plans_writes_nothing(tmp_path: Path, snapshot: Snapshot) -> None:
    before = digest_tree(tmp_path)
    file = snapshot.find("project_oncall.md")
    assert file is not None
    plans.plan_rename(snapshot, file, "x.md").diff()
    plans.plan_delete(snapshot, [file]).diff()
    plans.plan_new(snapshot, "x", "user").diff()
    assert digest_tree(tmp_path) == before


@given(st.text(max_size=200))
def test_any_text_gives_a_name_and_a_sentence(body: str) -> None:
    assert name_of(body, "a_b.md")
    assert "\n" not in first_sentence(body) and len(first_sentence(body)) <= 150


def test_a_description_keeps_names_as_they_are() -> None:
    assert first_sentence("- **Use** `test_a_b` and __init__, not _this_ [one](x.md).") == (
        "Use test_a_b and init, not this one."
    )
    assert first_sentence("`__init__.py` and snake_case stay.") == "__init__.py and snake_case stay."
