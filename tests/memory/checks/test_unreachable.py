"""Topics that nothing leads to."""

from pathlib import Path

from tests.memory.folders import NOW, codes, read, snapshot_of, topic, write


def test_old_topics_that_nothing_leads_to(tmp_path: Path) -> None:
    files = {f"t{number}.md": topic(f"t{number}") for number in range(201)}
    index = "".join(f"- [T](t{number}.md) — said\n" for number in range(200))
    snapshot_of(tmp_path, {**files, "MEMORY.md": index})
    write(tmp_path / "memory", {"t200.md": topic("t200")}, old=9e6)
    assert ("t200.md", "unreachable", None) in codes(read(tmp_path, now=NOW))
    write(tmp_path / "memory", {"t1.md": topic("t1", body="See [[t200]].\n")})
    assert "unreachable" not in {code for _, code, _ in codes(read(tmp_path))}
