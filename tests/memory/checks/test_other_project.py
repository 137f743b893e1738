"""Memory of another project."""

from pathlib import Path

import pytest

from memtui.client.paths import project_name
from tests.memory.folders import GOOD, codes, location_of, snapshot_of, topic


@pytest.mark.parametrize(
    ("body", "type", "is_told"),
    [
        ("Build /srv/other/a.py with /srv/other/Makefile.\n", "project", True),
        ("Build /srv/other/a.py with /srv/other/Makefile.\n", "user", False),
        ("Build /srv/other/a.py.\n", "project", False),
        ("Build /srv/other/a.py with /usr/bin/make.\n", "project", False),
        ("Build {repo}/a.py and {repo}/sub/b.py.\n", "project", False),
        ("See https://x.example/srv/other/a and https://x.example/srv/other/b.\n", "project", False),
    ],
)
def test_paths(tmp_path: Path, body: str, type: str, is_told: bool) -> None:
    _, location = location_of(tmp_path)
    for place in ("/srv/other", str(location.root), str(tmp_path)):
        (location.config / "projects" / project_name(place)).mkdir(parents=True)
    text = topic("oncall", type=type, body=body.format(repo=location.root))
    found = codes(snapshot_of(tmp_path, {**GOOD, "project_oncall.md": text}))
    assert found == ([("project_oncall.md", "other-project", 7)] if is_told else [])
