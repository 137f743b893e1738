"""Paths of the repository that are gone."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, location_of, snapshot_of, topic, write


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("The parser is `src/parse.py`.\n", True),
        ("The parser is `./src/parse.py:12`.\n", True),
        ("The scanner is `src/scan.py`.\n", False),
        ("It lives in `lib/parse.py`.\n", False),
        ("`src/parse.py` was removed.\n", False),
        ("Put it into `src/YYYY-MM-DD.md`.\n", False),
        ("See `.git/index.lock` and `../src/parse.py`.\n", False),
        ("The parser is src/parse.py.\n", False),
    ],
)
def test_paths(tmp_path: Path, body: str, is_told: bool) -> None:
    location_of(tmp_path)
    write(tmp_path / "repo", {"src/scan.py": "", ".git/HEAD": ""})
    found = codes(snapshot_of(tmp_path, {**GOOD, "project_oncall.md": topic("oncall", body=body)}))
    assert found == ([("project_oncall.md", "dead-path", 7)] if is_told else [])
