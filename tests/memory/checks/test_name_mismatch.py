"""A name field and a file name that have nothing in common."""

from pathlib import Path

import pytest

from tests.memory.folders import codes, snapshot_of, topic


@pytest.mark.parametrize(
    ("file", "name", "is_told"),
    [
        ("postgres-setup.md", "mysql-install", True),
        ("postgres-setup.md", "postgres-setup", False),
        ("feedback_testing.md", "testing-rules", False),
        ("project_oncall.md", "on-call", False),
        ("os-accept.md", "OS bugs that we accept", False),
        ("a.md", "shared-name", False),
    ],
)
def test_name_and_file(tmp_path: Path, file: str, name: str, is_told: bool) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": f"- [x]({file}) — said\n", file: topic(name)})
    assert codes(snapshot) == ([(file, "name-mismatch", 2)] if is_told else [])
