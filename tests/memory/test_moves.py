"""Merging two topics, moving one to another scope, moving an index entry above the cut."""

from pathlib import Path

import pytest

from memtui.dream.rules.merge import merge_texts
from memtui.memory.index import EntryRow, add_entries, move_entry_up, read_entries
from memtui.memory.moves import plan_above_cut, plan_merge, plan_promotion
from memtui.memory.snapshot import Snapshot
from memtui.util.errors import NotFound, Refused
from tests.memory.folders import carry_out, location_of, read, snapshot_of, text, topic, write

FILES = {
    "MEMORY.md": "# Memory\n\n- [Testing](testing.md) — real database\n- [Commits](commits.md) — short\n",
    "testing.md": topic("testing", body="# Testing\n\nNever mock.\n\nSee [commits](commits.md).\n"),
    "commits.md": topic("commit-rules", body="# Commits\n\nShort ones.\n\nNever mock.\n\nSee [us](sub/oncall.md).\n"),
    "sub/oncall.md": topic("oncall", body="[c](../commits.md#x), [[commit-rules]], [[commits]], [t](../testing.md)\n"),
}


def _merge(snapshot: Snapshot, kept: str, gone: str) -> Snapshot:
    one, other = snapshot.find(kept), snapshot.find(gone)
    assert one is not None and other is not None
    return carry_out(snapshot.location.folder.parent, plan_merge(snapshot, one, other, merge_texts))


def test_links_and_index_lead_to_the_result(tmp_path: Path) -> None:
    after = _merge(snapshot_of(tmp_path, FILES), "testing.md", "commits.md")
    assert text(tmp_path, "testing.md") == topic(
        "testing",
        body="# Testing\n\nNever mock.\n\nSee [testing](testing.md).\n\nShort ones.\n\nSee [us](sub/oncall.md).\n",
    )
    assert "[c](../testing.md#x), [[testing]], [[testing]], [t]" in text(tmp_path, "sub/oncall.md")
    assert text(tmp_path, "MEMORY.md") == "# Memory\n\n- [Testing](testing.md) — real database\n"
    assert after.find("commits.md") is None
    assert [one.code for one in after.problems if one.severity != "info"] == ["orphan"]  # sub/oncall.md, as before


def test_the_only_entry_leads_to_the_result(tmp_path: Path) -> None:
    index = "- [Commits](commits.md) — short\n"
    _merge(snapshot_of(tmp_path, {**FILES, "MEMORY.md": index}), "testing.md", "commits.md")
    assert text(tmp_path, "MEMORY.md") == "- [Commits](testing.md) — short\n"


def test_a_merge_with_a_file_of_another_folder(tmp_path: Path) -> None:
    after = _merge(snapshot_of(tmp_path, FILES), "sub/oncall.md", "commits.md")
    assert "See [us](oncall.md)" in text(tmp_path, "sub/oncall.md")
    assert "[oncall](sub/oncall.md)" in text(tmp_path, "testing.md")
    assert not [one for one in after.problems if one.code == "dead-link"]


@pytest.mark.parametrize(("kept", "gone"), [("testing.md", "testing.md"), ("testing.md", "MEMORY.md")])
def test_what_cant_be_merged(tmp_path: Path, kept: str, gone: str) -> None:
    with pytest.raises(Refused):
        _merge(snapshot_of(tmp_path, FILES), kept, gone)


def test_a_topic_moves_to_the_team(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**FILES, "team/MEMORY.md": "# Team\n"})
    file = snapshot.find("commits.md")
    assert file is not None
    plan, then = plan_promotion(snapshot, file, "team")
    assert then is None
    after = carry_out(tmp_path, plan)
    assert text(tmp_path, "team/MEMORY.md") == "# Team\n\n- [commit-rules](commits.md) — short\n"
    assert "[us](../sub/oncall.md)" in text(tmp_path, "team/commits.md")
    assert "[commits](team/commits.md)" in text(tmp_path, "testing.md")
    assert "[c](../team/commits.md#x), [[../team/commits]], [[../team/commits]]" in text(tmp_path, "sub/oncall.md")
    assert "commits.md" not in text(tmp_path, "MEMORY.md")
    assert not [one for one in after.problems if one.code == "dead-link" and one.scope == "auto"]


def test_a_topic_moves_to_an_agent(tmp_path: Path) -> None:
    _, location = location_of(tmp_path)
    agent = location.config / "agent-memory/rev"
    write(agent, {"commits.md": "x\n"})
    snapshot = snapshot_of(tmp_path, FILES)
    file = snapshot.find("commits.md")
    assert file is not None
    with pytest.raises(Refused, match="there already"):
        plan_promotion(snapshot, file, "agent:user:rev")
    (agent / "commits.md").unlink()
    with pytest.raises(NotFound, match="no such scope"):
        plan_promotion(snapshot, file, "agent:user:gone")
    plan, then = plan_promotion(read(tmp_path), file, "agent:user:rev")
    assert then is not None
    assert "testing.md:11 links to commits.md: nowhere then" in then.notes
    carry_out(tmp_path, plan)
    carry_out(tmp_path, then)
    assert (agent / "MEMORY.md").read_text() == "# Memory\n\n- [commit-rules](commits.md) — short\n"
    assert not (tmp_path / "memory/commits.md").exists()


def test_an_entry_moves_above_the_cut(tmp_path: Path) -> None:
    index = "# Memory\n\n" + "- [T](testing.md) — x\n" * 198 + "- [Commits](commits.md) — short\n  and more\n"
    snapshot = snapshot_of(tmp_path, {**FILES, "MEMORY.md": index})
    file, first = snapshot.find("commits.md"), snapshot.find("testing.md")
    assert file is not None and first is not None
    assert plan_above_cut(snapshot, first).changes == ()
    after = carry_out(tmp_path, plan_above_cut(snapshot, file))
    assert text(tmp_path, "MEMORY.md").startswith("# Memory\n\n- [Commits](commits.md) — short\n  and more\n- [T]")
    assert after.auto is not None and after.auto.entries[0].loaded
    with pytest.raises(NotFound, match="doesn't list"):
        oncall = after.find("sub/oncall.md")
        assert oncall is not None
        plan_above_cut(after, oncall)


def test_an_entry_stays_in_its_section_where_that_is_loaded() -> None:
    index = "## A\n\n- [A](a.md)\n\n## B\n\n- [B](b.md)\n- [C](c.md)\n- [D](d.md)"
    assert move_entry_up(index, "d.md", 8) == "## A\n\n- [A](a.md)\n\n## B\n\n- [D](d.md)\n- [B](b.md)\n- [C](c.md)"
    assert move_entry_up(index, "d.md", 7).startswith("## A\n\n- [D](d.md)\n- [A](a.md)\n")
    assert move_entry_up(index, "a.md", 8) == index


def test_a_new_entry_goes_where_its_type_is() -> None:
    index = "# M\n\n## Ways\n\n- [A](a.md)\n- [B](b.md)\n\n## Facts\n\n- [C](c.md)\n"
    types = {"a.md": "feedback", "b.md": "feedback", "c.md": "project"}
    added = add_entries(index, [EntryRow("N", "n.md", "", "feedback"), EntryRow("O", "o.md", "", "user")], types)
    assert [entry.target for entry in read_entries(added)] == ["a.md", "b.md", "n.md", "c.md", "o.md"]
