"""Notes in the index."""

from pathlib import Path

from tests.memory.folders import GOOD, codes, snapshot_of


def test_many_lines_of_notes(tmp_path: Path) -> None:
    notes = "".join(f"- fact {number}\n" for number in range(21))
    found = codes(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": f"{GOOD['MEMORY.md']}\n## Facts\n\n{notes}"}))
    assert found == [("MEMORY.md", "index-prose", 8)]


def test_an_introduction_is_fine(tmp_path: Path) -> None:
    index = "What this project remembers.\nRead a topic before you work on it.\n\n" + GOOD["MEMORY.md"]
    assert codes(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index})) == []
