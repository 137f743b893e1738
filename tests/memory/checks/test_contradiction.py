"""Topics that say the opposite of an instruction file."""

from pathlib import Path

import pytest

from tests.memory.folders import GOOD, codes, location_of, snapshot_of, topic, write

RULE = (
    "# Rules\n\nThe parser of our notes is `src/io/parse.py`.\n\n"
    "- `x`, `y`, `z` and `w`.\n- Always run the tests before you push.\n"
    "- Install the packages with `pnpm install` first.\n"
)


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("Never run the tests before you push.\n", True),
        ("Do not run the tests before you push.\n", True),
        ("Install the packages with `npm install` first.\n", True),
        ("**Run the tests** before you push.\n", False),
        ("Install the packages with `pnpm install` first.\n", False),
        ("Never install the packages with `npm install` first.\n", False),
        ("Run the tests.\n", False),
        ("The parser of our notes is `io/parse.py`.\n", False),
        ("`a`, `b`, `c` and `d`.\n", False),
        ("```\nNever run the tests before you push.\n```\n", False),
        ("Install the packages with `a` first.\nInstall the packages with `b` first.\n", False),
    ],
)
def test_contradictions(tmp_path: Path, body: str, is_told: bool) -> None:
    location_of(tmp_path)
    write(tmp_path / "repo", {"CLAUDE.md": RULE})
    found = codes(snapshot_of(tmp_path, {**GOOD, "project_oncall.md": topic("oncall", body=body)}))
    assert found == ([("project_oncall.md", "contradiction", 7)] if is_told else [])
