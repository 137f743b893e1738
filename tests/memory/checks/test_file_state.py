"""Files that can't be edited, and copies of sync tools."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, read, snapshot_of, topic


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
    target = (tmp_path / "outside.md").resolve()
    assert found["e.md"] == ("info", f"opens read only: its file {target} lies outside the home and the project")


def test_a_copy_of_a_sync_tool(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "project_oncall.sync-conflict-20260301-101010-AB.md": topic("oncall")})
    assert codes(snapshot) == [("project_oncall.sync-conflict-20260301-101010-AB.md", "conflict-copy", None)]


TAILS = [
    "X (Ana's conflicted copy 2026-11-29)", "X (Ana's conflicted copy 2026-11-29 (1))", "X (Case Conflict)",
    "X (Konfliktkopie von Ana 2026-11-29)", "X (copie en conflit de Ana 2026-11-29)", "X (충돌된 사본 Ana 2026-11-29)",
    "X (Ana の競合コピー 2026-11-29)", "X (Ana 的冲突副本 2026-11-29)", "X (конфликтующая копия Ana 2026-11-29)",
    "X.sync-conflict-20261129-101500-ABCDEFG", "X-DESKTOP-AB12CD", "X-Anas-MacBook-Pro", "X 2", "X (1)",
    "X_conflict-20261129-101500", "X (Conflicted copy MacBook 202611291015)",
    "X (SFConflict a@b.c 2026-11-29-10-15-00)",
    "X.dup", "X.conflict", "X.Conflict", "X [conflicted]", "X_DESKTOP_Nov-29-101500-2026_Conflict", "X copy",
    "X copy 2",
    "X - Copy", "X - Copy (2)", "X (copy)", "X (another copy)", "Copy of X", "X - Kopie", "Kopie von X", "X のコピー",
    "X - コピー", "X - 복사본", "X 사본", "X - copie", "Copie de X", "X copia", "X 副本",
]  # fmt: skip


@pytest.mark.parametrize("stem", ["project_oncall", "MEMORY"])
def test_copies_of_sync_tools_and_file_managers(tmp_path: Path, stem: str) -> None:
    text = topic("oncall", body="Kim, and an older Lee.\n") if stem != "MEMORY" else GOOD["MEMORY.md"]
    copies = {f"{tail.replace('X', stem)}.md": text for tail in TAILS}
    found = {one.file: one for one in snapshot_of(tmp_path, {**GOOD, **copies}).problems}
    assert {name for name, one in found.items() if one.code == "conflict-copy"} == set(copies)
    assert all(not one.fix for one in found.values())
    of = "of project_oncall.md" if stem != "MEMORY" else "of the index MEMORY.md"
    assert sum(of in one.message for one in found.values()) >= len(TAILS) - 2


@pytest.mark.parametrize("name", ["~$ject_oncall.md", ".~lock.project_oncall.md", "project_oncall 2.md"])
def test_what_is_no_topic_or_has_no_original(tmp_path: Path, name: str) -> None:
    files = {"MEMORY.md": "", name: topic("oncall")}
    (tmp_path / "memory").mkdir()
    expected = {"~$ject_oncall.md": ["conflict-copy"], "project_oncall 2.md": ["orphan"]}.get(name, [])
    assert [code for _, code, _ in codes(snapshot_of(tmp_path, files))] == expected


@pytest.mark.parametrize(
    "name", ["project_oncall_2.md", "project_oncall-notes.md", "project_oncall 3.md", "project_oncall_conflicts.md"]
)
def test_a_topic_with_a_name_of_its_own_is_no_copy(tmp_path: Path, name: str) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, name: topic("on call in summer")})
    assert codes(snapshot) == [(name, "orphan", None)]


def test_a_link_by_name_never_leads_to_a_copy(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "feedback_testing (1).md": topic("testing", type="feedback")})
    assert snapshot.graphs["auto"].names.resolve("MEMORY.md", "testing", "wiki").name == "feedback_testing.md"


def test_a_copy_is_a_topic_once_its_original_is_gone(tmp_path: Path) -> None:
    first = snapshot_of(tmp_path, {**GOOD, "project_oncall 2.md": topic("oncall")})
    assert first.auto is not None and first.auto.find("project_oncall 2.md").kind == "other"  # type: ignore[union-attr]
    (tmp_path / "memory/project_oncall.md").unlink()
    again = read(tmp_path, known=first).auto
    assert again is not None and again.find("project_oncall 2.md").kind == "topic"  # type: ignore[union-attr]
