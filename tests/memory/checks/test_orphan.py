"""A topic that the index doesn't list."""

from pathlib import Path

import pytest

from tests.memory.folders import FILES, GOOD, fixed, one, snapshot_of, text, topic


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


def test_an_orphan_is_listed(tmp_path: Path) -> None:
    after = fixed(tmp_path, FILES, "orphan")
    assert after.problems == ()


def test_the_new_entry_is_no_long_one(tmp_path: Path) -> None:
    description = "The first sentence says enough. " + "and more " * 30
    files = {**GOOD, "user_role.md": topic("role", description, type="user")}
    after = fixed(tmp_path, files, "orphan")
    assert "- [role](user_role.md) — The first sentence says enough.\n" in text(tmp_path, "MEMORY.md")
    assert after.problems == ()
