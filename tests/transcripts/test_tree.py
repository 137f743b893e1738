import json
from pathlib import Path

import pytest

from memtui.transcripts.transcript import read_transcript
from memtui.transcripts.tree import Tree, build_tree
from tests.transcripts.rows import Script


def tree_of(script: Script, folder: Path) -> Tree:
    return build_tree(script.read(folder).entries)


def shape(tree: Tree) -> list[tuple[str, str, str | None]]:
    return [(branch.kind, branch.start.uuid, branch.off.uuid if branch.off else None) for branch in tree.branches]


def test_parallel_calls_hooks_and_attachments_are_no_branches(tmp_path: Path) -> None:
    script = Script().user("u0", None).row("attachment", "x1", "u0", attachment={"type": "hook_success"})
    script.call("c1", "x1", "t1", id="m").call("c2", "c1", "t2", id="m").row(
        "progress", "p1", "c1", data={"type": "hook_progress"}
    )
    script.result("r1", "c1", "t1").result("r2", "c2", "t2").answer("a3", "r1").system("s1", "a3", "stop_hook_summary")
    script.row("attachment", "x2", "a3", attachment={"type": "task_reminder"}).user("u4", "s1").answer("a5", "u4")
    tree = tree_of(script, tmp_path)
    assert shape(tree) == [("root", "u0", None)]
    assert len(tree.branches[0].rows) == len(script.lines)


def test_a_rewind_is_a_branch(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").system("s1", "a1", "turn_duration")
    script.user("u2", "s1").answer("a3", "u2").user("u4", "s1").answer("a5", "u4")
    tree = tree_of(script, tmp_path)
    assert shape(tree) == [("root", "u0", None), ("rewind", "u2", "s1")]
    assert [row.uuid for row in tree.branches[0].rows] == ["u0", "a1", "s1", "u4", "a5"]
    assert (tree.branches[1].tip.uuid, tree.branches[1].prompts, tree.branches[1].parent) == ("a3", 1, 0)


def test_a_second_answer_to_one_prompt_is_a_retry(tmp_path: Path) -> None:
    script = Script().user("u0", None).system("e", "u0", "api_error").answer("a1", "u0").answer("a2", "e")
    assert shape(tree_of(script, tmp_path)) == [("root", "u0", None), ("retry", "a1", "u0")]


def test_a_compaction_hangs_behind_what_it_summarised(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    script.system("b", None, "compact_boundary", logicalParentUuid="a1", compactMetadata={}).summary("s", "b").user(
        "u2", "s"
    )
    tree = tree_of(script, tmp_path)
    assert shape(tree) == [("root", "u0", None), ("compaction", "b", "a1")]
    kept = Script().user("u0", None).answer("a1", "u0").system("b", "a1", "compact_boundary", compactMetadata={})
    assert shape(tree_of(kept.summary("s", "b").user("u2", "s"), tmp_path)) == shape(tree), "one that has a parent"


def test_sub_agents_inside_the_file_are_branches_of_their_own(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c", "u0", "t1", "Task", prompt="look")
    script.user("s1", None, "look", isSidechain=True, agentId="x").answer("s2", "s1", isSidechain=True, agentId="x")
    script.result("r", "c", "t1").answer("a", "r")
    assert shape(tree_of(script, tmp_path)) == [("root", "u0", None), ("sub-agent", "s1", None)]


def test_links_that_are_wrong_are_counted_and_every_row_is_somewhere(tmp_path: Path) -> None:
    script = (
        Script().user("self", "self").user("x", "y").user("y", "x").user("o", "lost").user("o", None).user("k", "o")
    )
    tree = tree_of(script, tmp_path)
    assert [row.uuid for row in tree.cycles] == ["self", "x"]
    assert [row.uuid for row in tree.orphans] == ["o"]
    assert [row.line for row in tree.duplicates] == [5]
    assert {row.uuid for branch in tree.branches for row in branch.rows} == {"self", "x", "y", "o", "k"}


def test_a_hundred_thousand_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    rows = ({"type": "user", "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None} for n in range(100_000))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tree = build_tree(read_transcript(path).entries)
    assert [len(branch.rows) for branch in tree.branches] == [100_000]


@pytest.mark.parametrize(
    ("name", "rewinds"),
    [
        ("cclog-ideas-2.1.42", 1),
        ("entire-query-update", 0),
        ("entire-thirteen-kinds-popall", 0),
        ("entire-pr-link-deep", 0),
    ],
)
def test_rewinds_of_the_corpus(shared: Path, name: str, rewinds: int) -> None:
    files = sorted((shared / "corpus" / "sessions" / name).glob("*.jsonl"))
    branches = [branch for file in files for branch in build_tree(read_transcript(file).entries).branches]
    assert sum(branch.kind == "rewind" for branch in branches) == rewinds


def test_every_row_of_the_corpus_is_in_one_branch(shared: Path) -> None:
    for file in sorted((shared / "corpus" / "sessions").glob("*/*.jsonl")):
        tree = build_tree(read_transcript(file).entries)
        rows = [row.uuid for branch in tree.branches for row in branch.rows]
        assert sorted(rows) == sorted(tree.by_uuid), file.name
