"""Files that can't be edited, and copies of sync tools."""

from pathlib import Path

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
    assert found["e.md"] == ("warning", "not read: a link that leaves the folder")


def test_a_copy_of_a_sync_tool(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {**GOOD, "project_oncall.sync-conflict-20260301-101010-AB.md": topic("oncall")})
    assert codes(snapshot) == [("project_oncall.sync-conflict-20260301-101010-AB.md", "conflict-copy", None)]
