"""Changing files: what is written, what is asked, what is refused, what is kept."""

import os
from pathlib import Path

import pytest

from memtui.memory.drafts import Drafts
from memtui.util.app_dirs import Dirs
from tests.cli.conftest import INDEX, TOPICS, Run, Talk
from tests.support import digest_tree

# Made up, in two pieces so that no scanner takes this file for a leak.
SECRET = "ghp_" + "q7Zp2Lk9Xv4Rt8Wm1Ns6Bd3Fg5Hj0KcYaQeU"


def drafts(home: Path) -> Drafts:
    return Drafts(Dirs.from_env({}, home.resolve()))


def test_a_new_topic_is_listed_in_the_index(run: Run, memory: Path) -> None:
    ran = run("new", "caching", "--type", "feedback", "--description", "Cache: nothing", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["written"] is True
    assert {change["name"]: change["kind"] for change in ran.data["changes"]} == {
        "MEMORY.md": "changed",
        "feedback_caching.md": "new",
    }
    text = (memory / "feedback_caching.md").read_text(encoding="utf-8")
    assert text.startswith('---\nname: caching\ndescription: "Cache: nothing"\ntype: feedback\n---\n')
    assert (memory / "MEMORY.md").read_text(encoding="utf-8").startswith(INDEX)
    assert "feedback_caching.md" in (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert run("undo").code == 0
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == INDEX
    assert not (memory / "feedback_caching.md").exists()


def test_the_first_memory_of_a_project(run: Run, shop: Path, home: Path) -> None:
    assert run("new", "user_role", "--description", "Who I am").code == 0
    assert [row["name"] for row in run("ls", "--json").data] == ["MEMORY.md", "user_role.md"]


def test_the_body_comes_from_standard_input_or_a_file(run: Run, memory: Path, tmp_path: Path) -> None:
    assert run("new", "project_a.md", "--from", "-", input="Body\nof it").code == 0
    assert (memory / "project_a.md").read_text(encoding="utf-8").endswith("---\n\nBody\nof it\n")
    assert "name: project_a\n" in (memory / "project_a.md").read_text(encoding="utf-8")
    (tmp_path / "b").write_bytes(b"\xff")
    assert run("new", "project_b", "--from", tmp_path / "b").code == 5
    assert run("new", "project_b", "--from", tmp_path / "absent").code == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["new", "caching"], 2),
        (["new", "caching", "--type", "note"], 2),
        (["new", "testing", "--type", "feedback"], 5),
        (["new", " ", "--type", "feedback"], 2),
        (["set", "testing", "type=note"], 2),
        (["set", "testing", "words"], 2),
        (["set", "testing", "=x"], 2),
        (["set", "absent", "a=b"], 3),
        (["set", "project", "a=b"], 2),
        (["mv", "testing", "../x"], 2),
        (["mv", "testing", "project_checkout"], 5),
        (["mv", "MEMORY", "x"], 5),
        (["mv", "CLAUDE.md", "x"], 5),
        (["rm", "testing"], 5),
        (["rm", "-y", "MEMORY"], 5),
        (["rm", "-y", "testing", "absent"], 3),
        (["edit", "testing"], 6),
        (["--read-only", "new", "a", "--type", "user"], 5),
        (["--read-only", "set", "testing", "a=b"], 5),
        (["--read-only", "mv", "testing", "x"], 5),
        (["--read-only", "rm", "-y", "testing"], 5),
        (["--read-only", "edit", "testing"], 5),
        (["--read-only", "pin", "testing"], 5),
        (["--read-only", "index", "--rebuild", "-y"], 5),
        (["--read-only", "check", "--fix"], 5),
        (["--read-only", "undo"], 5),
        (["index", "--rebuild"], 5),
    ],
)
def test_what_is_not_done_writes_nothing(run: Run, memory: Path, words: list[str], code: int) -> None:
    before = digest_tree(memory)
    ran = run(*words)
    assert ran.code == code, ran.err
    assert ran.err.startswith("memtui: ")
    assert digest_tree(memory) == before


@pytest.mark.parametrize(
    "words",
    [
        ["new", "caching", "--type", "user"],
        ["set", "testing", "description=x"],
        ["mv", "testing", "feedback_tests"],
        ["rm", "testing"],
        ["index", "--rebuild"],
        ["index", "--add", "oncall"],
        ["pin", "testing"],
        ["check", "--fix"],
    ],
)
def test_a_dry_run_writes_nothing_at_all(run: Run, memory: Path, home: Path, words: list[str]) -> None:
    before = digest_tree(home)
    ran = run("-n", *words)
    assert ran.code in (0, 1), ran.err
    if words[0] not in ("pin", "check"):
        assert "nothing was written" in ran.err
        assert ran.out.startswith(("--- ", "rename "))
    assert digest_tree(home) == before


def test_fields_are_set_and_every_other_byte_stays(run: Run, memory: Path) -> None:
    odd = b"\xef\xbb\xbf---\r\nname: 'Odd'\r\n# comment\r\nzebra: 1.10\r\ntype: user\r\n---\r\n\r\nno end"
    (memory / "odd.md").write_bytes(odd)
    assert run("set", "odd", "type=feedback", "name=It's").code == 0
    changed = odd.replace(b"type: user", b"type: feedback").replace(b"'Odd'", b"'It''s'")
    assert (memory / "odd.md").read_bytes() == changed
    assert run("undo").code == 0
    assert (memory / "odd.md").read_bytes() == odd
    assert run("set", "odd", "zebra=").code == 0
    assert (memory / "odd.md").read_bytes() == odd.replace(b"zebra: 1.10\r\n", b"")
    again = run("set", "odd", "type=user")
    assert again.code == 0
    assert "nothing to change" in again.err


def test_a_nested_type_stays_where_it_is(run: Run, memory: Path) -> None:
    assert run("set", "checkout", "type=reference").code == 0
    text = (memory / "project_checkout.md").read_text(encoding="utf-8")
    assert text == TOPICS["project_checkout.md"].replace("  type: project", "  type: reference")


def test_a_rename_takes_links_and_index_along(run: Run, memory: Path) -> None:
    ran = run("mv", "checkout", "project_cart")
    assert ran.code == 0, ran.err
    assert "(project_cart.md)" in (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert "(project_cart.md)" in (memory / "feedback_testing.md").read_text(encoding="utf-8")
    assert not (memory / "project_checkout.md").exists()
    assert run("undo").code == 0
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == INDEX
    assert (memory / "project_checkout.md").read_text(encoding="utf-8") == TOPICS["project_checkout.md"]


def test_deleting_asks_or_wants_a_yes(run: Run, talk: Talk, memory: Path) -> None:
    assert run("rm", "testing").code == 5
    no = talk("rm", "testing", answers=["n"])
    assert (no.code, (memory / "feedback_testing.md").exists()) == (1, True)
    assert "nothing was written" in no.screen
    nothing = talk("rm", "testing", answers=[""])
    assert (nothing.code, (memory / "feedback_testing.md").exists()) == (1, True)
    assert talk("rm", "testing", "--no-input").code == 5
    assert talk("rm", "testing", answers=["\x03"]).code == 130
    assert talk("rm", "testing", answers=["y"]).code == 0
    assert not (memory / "feedback_testing.md").exists()
    assert "feedback_testing" not in (memory / "MEMORY.md").read_text(encoding="utf-8")
    assert run("rm", "-y", "checkout", "oncall", "--json").data["written"] is True
    assert run("undo").code == 0
    assert run("undo").code == 0
    assert (memory / "MEMORY.md").read_text(encoding="utf-8") == INDEX
    assert sorted(os.listdir(memory)) == sorted(["MEMORY.md", "team", *(n for n in TOPICS if "/" not in n)])  # noqa: PTH208


def test_an_editor_edits_a_copy_which_is_saved(talk: Talk, run: Run, memory: Path) -> None:
    ran = talk("edit", "testing", editor='printf "More.\\n" >> "$file"')
    assert ran.code == 0, ran.screen
    assert (memory / "feedback_testing.md").read_text(encoding="utf-8") == TOPICS["feedback_testing.md"] + "More.\n"
    assert talk("edit", "testing", editor=":").screen.startswith("nothing changed")
    assert talk("edit", "CLAUDE.md", editor='printf "x\\n" >> "$file"').code == 0
    assert run("undo").code == 0
    assert run("undo").code == 0
    assert (memory / "feedback_testing.md").read_text(encoding="utf-8") == TOPICS["feedback_testing.md"]


def test_what_somebody_else_did_meanwhile_is_merged(talk: Talk, memory: Path) -> None:
    path = memory / "project_checkout.md"
    other = f'sed -i "s/^name: Checkout/name: Till/" "{path}"; sed -i "s/Live\\./Live, really./" "$file"'
    ran = talk("edit", "checkout", editor=other)
    assert ran.code == 0, ran.screen
    assert "merged" in ran.screen
    text = path.read_text(encoding="utf-8")
    assert "name: Till" in text and "Live, really." in text


def test_a_conflict_keeps_both_texts_for_the_next_edit(talk: Talk, run: Run, memory: Path, home: Path) -> None:
    path = memory / "project_checkout.md"
    both = f'sed -i "s/Live\\./Theirs./" "{path}"; sed -i "s/Live\\./Mine./" "$file"'
    ran = talk("edit", "checkout", editor=both)
    assert ran.code == 4, ran.screen
    assert "memtui edit" in ran.screen
    assert "Theirs." in path.read_text(encoding="utf-8")
    draft = drafts(home).load(path)
    assert draft is not None and "Mine." in draft.text and "Theirs." in draft.text
    solved = talk("edit", "checkout", editor='sed -i -e "/^[<|=>]\\{7\\}/d" -e "/^Live\\./d" "$file"')
    assert solved.code == 0, solved.screen
    text = path.read_text(encoding="utf-8")
    assert "Mine." in text and "Theirs." in text and "<<<" not in text
    assert drafts(home).load(path) is None


def test_an_editor_that_fails_loses_nothing(talk: Talk, memory: Path, home: Path) -> None:
    path = memory / "feedback_testing.md"
    ran = talk("edit", "testing", editor='printf "typed\\n" >> "$file"; exit 3')
    assert ran.code == 6
    assert path.read_text(encoding="utf-8") == TOPICS["feedback_testing.md"]
    draft = drafts(home).load(path)
    assert draft is not None and draft.text.endswith("typed\n")
    again = talk("edit", "testing", editor=":")
    assert again.code == 0, again.screen
    assert "continuing the draft" in again.screen
    assert path.read_text(encoding="utf-8").endswith("typed\n")
    assert talk("edit", "testing", editor='rm "$file"').code == 3
    assert path.read_text(encoding="utf-8").endswith("typed\n")
    assert talk("edit", "testing", env={"EDITOR": "/nonexistent/editor"}).code == 6


def test_an_interrupt_while_somebody_edits_is_the_editors_business(talk: Talk, memory: Path) -> None:
    ran = talk("edit", "testing", editor='trap "" INT; kill -INT $PPID; kill -INT 0; printf "typed\\n" >> "$file"')
    assert ran.code == 0, ran.screen
    assert (memory / "feedback_testing.md").read_text(encoding="utf-8").endswith("typed\n")


def test_being_terminated_while_somebody_edits_keeps_the_text(talk: Talk, memory: Path, home: Path) -> None:
    ran = talk("edit", "testing", editor='printf "typed\\n" >> "$file"; kill -TERM $PPID; exec sleep 1000')
    assert ran.code == 143
    draft = drafts(home).load(memory / "feedback_testing.md")
    assert draft is not None and draft.text.endswith("typed\n")


def test_a_draft_can_be_forgotten(talk: Talk, memory: Path, home: Path) -> None:
    path = memory / "feedback_testing.md"
    assert talk("edit", "testing", editor='printf "typed\\n" >> "$file"; exit 3').code == 6
    assert "nothing changed" in talk("edit", "testing", "--discard", editor=":").screen
    assert drafts(home).load(path) is None


def test_a_secret_is_asked_about_and_the_text_kept(talk: Talk, run: Run, memory: Path, home: Path) -> None:
    ran = run("new", "project_key", "--from", "-", input=f"token: {SECRET}\n")
    assert ran.code == 5
    assert SECRET not in ran.err and "project_key.md" in ran.err
    assert not (memory / "project_key.md").exists()
    assert drafts(home).load(memory / "project_key.md") is not None
    assert talk("edit", "project_key", editor=":", answers=["n"]).code == 5
    assert talk("edit", "project_key", editor=":", answers=["y"]).code == 0
    assert SECRET in (memory / "project_key.md").read_text(encoding="utf-8")
    assert run("set", "project_key", "description=x").code == 0, "it was there before: nothing to ask"


def test_pins(run: Run, memory: Path) -> None:
    assert run("pin").out == ""
    assert run("pin", "testing", "team/build").out == "feedback_testing.md\nteam/build.md\n"
    pinned = [row["name"] for row in run("ls", "--json").data if row["pinned"]]
    assert pinned == ["feedback_testing.md", "team/build.md"]
    assert run("pin", "--off", "testing", "--json").data["pinned"] == ["team/build.md"]
    assert run("pin", "CLAUDE.md").code == 5


def test_two_topics_are_merged_and_taken_apart_again(run: Run, memory: Path) -> None:
    before = {path: path.read_bytes() for path in memory.rglob("*.md")}
    assert run("merge", "testing", "project_checkout").code == 5  # nobody there to look at it
    assert run("merge", "testing", "absent").code == 3
    ran = run("merge", "-y", "testing", "project_checkout", "--json")
    assert ran.code == 0, ran.err
    assert {one["name"]: one["kind"] for one in ran.data["changes"]}["project_checkout.md"] == "deleted"
    assert run("undo").code == 0
    assert {path: path.read_bytes() for path in memory.rglob("*.md")} == before


def test_a_topic_is_promoted_to_a_scope_that_exists(run: Run, memory: Path, home: Path) -> None:
    (home / ".claude/agent-memory/rev").mkdir(parents=True)
    before = {path: path.read_bytes() for path in memory.rglob("*.md")}
    assert [row["scope"] for row in run("promote", "testing", "--json").data] == ["team", "agent:user:rev"]
    assert run("promote", "-y", "testing", "logs").code == 3
    assert run("promote", "testing", "team").code == 5  # nobody there to be asked
    assert run("promote", "-y", "testing", "agent:user:rev").code == 0
    assert (home / ".claude/agent-memory/rev/MEMORY.md").exists()
    assert run("undo").code == 0
    assert {path: path.read_bytes() for path in memory.rglob("*.md")} == before
    assert not (home / ".claude/agent-memory/rev/MEMORY.md").exists()


def test_the_index_follows_a_description_on_request(run: Run, talk: Talk, memory: Path) -> None:
    index = memory / "MEMORY.md"
    before = index.read_text(encoding="utf-8")
    ran = run("set", "testing", "description=Containers")
    assert ran.code == 0
    assert "--index changes that too" in ran.err
    assert index.read_text(encoding="utf-8") == before
    assert run("set", "testing", "description=Containers only", "--no-index").err == ""
    assert run("set", "testing", "description=No mocks", "--index").code == 0
    assert "— No mocks\n" in index.read_text(encoding="utf-8")
    assert run("undo").code == 0
    assert index.read_text(encoding="utf-8") == before


def test_a_day_until_which_a_topic_holds(run: Run, memory: Path) -> None:
    assert run("set", "testing", "valid_until=soon").code == 2
    assert run("set", "testing", "valid_until=2020-01-01").code == 0
    assert [row["code"] for row in run("check", "testing", "--json").data["problems"]] == ["expired"]
    assert run("set", "testing", "valid_until=").code == 0
    assert run("check", "testing").code == 0


def test_a_new_entry_below_the_cut_is_told_and_moved(run: Run, memory: Path) -> None:
    index = memory / "MEMORY.md"
    index.write_text("- [T](feedback_testing.md)\n" + "line\n" * 210 + "## User\n", encoding="utf-8")
    ran = run("new", "late", "--type", "user")
    assert ran.code == 0
    assert "memtui index --up user_late.md" in ran.out
    assert run("index", "--up", "user_late").code == 0
    entries = run("index", "--json").data["entries"]
    assert next(one for one in entries if one["target"] == "user_late.md")["loaded"]


def test_a_promotion_is_taken_back_by_one_undo(run: Run, home: Path, memory: Path) -> None:
    agent = home / ".claude/agent-memory/rev"
    agent.mkdir(parents=True)
    before = digest_tree(memory)
    assert run("promote", "-y", "testing", "agent:user:rev").code == 0
    assert (agent / "feedback_testing.md").exists() and not (memory / "feedback_testing.md").exists()
    assert [row["kind"] for row in run("history", "--json").data[:1]] == ["move"]
    assert "feedback_testing.md" in run("history", "-p").out
    assert run("undo").out == "undone: move feedback_testing.md to agent:user:rev\n"
    assert not (agent / "feedback_testing.md").exists() and digest_tree(memory).keys() == before.keys()
    assert run("redo").code == 0 and (agent / "feedback_testing.md").exists()
