"""Topics that say nothing."""

from pathlib import Path

import pytest

from tests.memory.folders import codes, snapshot_of, topic


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("", True),
        ("TODO\n", True),
        ("# Testing\n\n<!-- later -->\n", True),
        ("See the code.\n", True),
        ("Use pnpm.\n", False),
        ("See `make test`.\n", False),
        ("할 일 없음\n", False),
        ("word " * 200, False),
    ],
)
def test_stubs(tmp_path: Path, body: str, is_told: bool) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "- [x](x.md) — said\n", "x.md": topic(body=body)})
    assert codes(snapshot) == ([("x.md", "stub", 6)] if is_told else [])
