"""An index line that is too long."""

from pathlib import Path

from tests.memory.folders import FILES, GOOD, fixed, one, snapshot_of, text


def test_a_long_line(tmp_path: Path) -> None:
    description = "This is the first sentence. " + "word " * 44
    index = f"- [Testing](feedback_testing.md) — {description}\n- [On call](project_oncall.md) — {'x' * 140}\n"
    problem = one(snapshot_of(tmp_path, {**GOOD, "MEMORY.md": index}), "long-line")
    assert problem.line == 1 and problem.fix == "shorten it"
    length = len(index.splitlines()[0])
    assert problem.message == f"index line is long: {length} characters; shortening it saves 220 bytes"


def test_a_long_line_is_shortened(tmp_path: Path) -> None:
    description = "The first sentence says enough. " + "and more" * 30
    files = {**FILES, "MEMORY.md": FILES["MEMORY.md"].replace("real database", description)}
    fixed(tmp_path, files, "long-line")
    assert "- [Testing](feedback_testing.md) — The first sentence says enough.\n" in text(tmp_path, "MEMORY.md")
