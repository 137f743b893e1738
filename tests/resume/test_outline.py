"""The tree in the order in which it is drawn."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from memtui.resume.outline import OutlineNode, outline_of
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from memtui.transcripts.tree import build_tree
from tests.resume.recordings import load, session_bytes
from tests.support import REPO
from tests.transcripts.rows import SESSION, Script


def nodes(script: Script, folder: Path) -> tuple[OutlineNode, ...]:
    transcript = read_transcript(script.write(folder))
    return outline_of(transcript, plan_resume(transcript))


def drawn(found: tuple[OutlineNode, ...]) -> list[str]:
    return [f"{'  ' * node.depth}{node.kind} {node.first_text} {node.messages} {'*' if node.leaf else ''}".rstrip()
            for node in found]  # fmt: skip


def test_rewinds_and_retries_stand_below_what_they_leave(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a0", "u0").user("u1", "a0").answer("a1", "u1").answer("x1", "u1")
    script.user("u2", "a0").answer("a2", "u2")
    assert drawn(nodes(script, tmp_path)) == ["root u0 4 *", "  rewind u1 2", "    retry a1 1"]


def test_the_leaf_is_where_the_client_goes_on(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a0", "u0").user("u1", "a0").answer("a1", "u1")
    script.user("u2", "a0").answer("a2", "u2").note(type="last-prompt", leafUuid="a1")
    found = nodes(script, tmp_path)
    (leaf,) = [node for node in found if node.leaf]
    assert (leaf.kind, leaf.leaf_uuid, leaf.uuid) == ("rewind", "a1", "a1")
    assert leaf.off is not None
    assert leaf.off.uuid == "a0"


def test_a_compaction_goes_on_at_the_same_depth(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a0", "u0").user("u1", "a0").answer("a1", "u1").user("u2", "a0")
    script.answer("a2", "u2")
    script.system("b", None, "compact_boundary", logicalParentUuid="a2").summary("s", "b").user("u3", "s")
    assert [(node.kind, node.depth) for node in nodes(script, tmp_path)] == [
        ("root", 0), ("rewind", 1), ("compaction", 0),
    ]  # fmt: skip


def test_orphans_and_rings_are_there(tmp_path: Path) -> None:
    script = Script().user("u0", None).user("u1", "nowhere").user("r1", "r2").user("r2", "r1")
    assert {node.kind for node in nodes(script, tmp_path)} == {"root", "orphan"}
    assert sum(node.messages for node in nodes(script, tmp_path)) == 4


def test_sub_agents_stand_below_the_branch_that_called_them(tmp_path: Path) -> None:
    script = Script().user("u0", None).call("c1", "u0", "t1", "Agent", prompt="look for tests")
    script.user("s1", None, "look for tests", isSidechain=True).answer("s2", "s1", isSidechain=True)
    script.result("r1", "c1", "t1").call("c2", "r1", "t2", "Agent", prompt="count").result("r2", "c2", "t2")
    folder = tmp_path / SESSION / "subagents"
    folder.mkdir(parents=True)
    rows = Script().user("x1", None, "count", isSidechain=True).answer("x2", "x1", isSidechain=True).lines
    (folder / "agent-7.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    meta = {"agentType": "Explore", "description": "Count", "toolUseId": "t2"}
    (folder / "agent-7.meta.json").write_text(json.dumps(meta), encoding="utf-8")
    found = nodes(script, tmp_path)
    assert drawn(found) == ["root u0 5 *", "  sub-agent look for tests 2", "  agent-file Count 2"]
    assert found[1].agent is not None
    assert found[2].agent is not None
    assert (found[1].agent.call, found[2].agent.call, found[2].uuid) == ("t1", "t2", "x2")


def test_many_rewinds_take_no_recursion(tmp_path: Path) -> None:
    script = Script().user("u0", None)
    for number in range(1, 3000):
        script.user(f"v{number}", f"u{number - 1}").user(f"u{number}", f"u{number - 1}")
    found = nodes(script, tmp_path)
    assert len(found) == 3000
    assert found[0].messages == 3000


def test_agents_that_call_each_other_are_still_drawn(tmp_path: Path) -> None:
    script = Script().user("u0", None)
    for own, other in (("a", "b"), ("b", "a")):
        script.user(f"{own}1", None, own, isSidechain=True)
        block = {"type": "tool_use", "id": own, "name": "Agent", "input": {"prompt": other}}
        script.answer(f"{own}2", f"{own}1", [block], isSidechain=True)
    assert sorted(drawn(nodes(script, tmp_path))) == ["  sub-agent a 2", "root u0 1 *", "sub-agent b 2"] or sorted(
        drawn(nodes(script, tmp_path))
    ) == ["  sub-agent b 2", "root u0 1 *", "sub-agent a 2"]


@pytest.mark.parametrize("name", ["vectors", "resume", "resume_probes", "resume_more"])
def test_every_message_of_the_recordings_is_drawn_once(name: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for case in load(REPO / "tests" / "data" / "oracle" / f"{name}.jsonl"):
        path.write_bytes(session_bytes(case))
        transcript = read_transcript(path)
        told, tree = plan_resume(transcript), build_tree(transcript.entries)
        found = outline_of(transcript, told)
        assert sorted(node.branch.index for node in found if node.branch) == list(range(len(tree.branches)))
        assert sum(node.leaf for node in found) == (told.leaf.uuid in tree.by_uuid)
        assert [node.depth for node in found][:1] in ([], [0])
        assert all(after.depth <= before.depth + 1 for before, after in pairwise(found))
