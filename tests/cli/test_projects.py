"""The list of projects."""

import json
import os
from pathlib import Path

from memtui.client.paths import project_name
from tests.cli.conftest import Run


def session(home: Path, cwd: Path, number: int, age: float = 0.0) -> Path:
    path = home / ".claude/projects" / project_name(str(cwd)) / f"00000000-0000-4000-8000-{number:012}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"type": "user", "cwd": str(cwd), "message": {"content": "hi"}}
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    return path


def test_an_empty_home_has_none(run: Run, shop: Path) -> None:
    ran = run("projects", "--json")
    assert ran.code == 1
    assert ran.data == []
    assert "no project" in ran.err


def test_projects_are_told_by_the_directory_in_their_sessions(run: Run, shop: Path, home: Path) -> None:
    session(home, shop, 1)
    session(home, home / "gone.b", 2, age=50.0)
    session(home, home / "gone-b", 3, age=60.0)
    ran = run("projects", "--jsonl")
    assert ran.code == 0
    first, second = ran.lines
    assert (first["name"], first["cwd"], first["gone"]) == ("shop", str(shop), False)
    assert second["collision"] and second["gone"] and second["sessions"] == 2
    assert first["newest"] == "2023-11-14T22:13:20Z"
    text = run("projects").out
    assert "shares its folder" in text and str(shop) in text
    assert [row["name"] for row in run("projects", "--gone", "--json").data] == [second["name"]]


def test_other_commands_take_a_project_by_name(run: Run, shop: Path, home: Path) -> None:
    session(home, shop, 1)
    assert run("--project", "sho", "explain", "place", "--json").data["cwd"] == str(shop)
    assert run("explain", "place", "shop", "--json").data["cwd"] == str(shop)
    assert run("explain", "place", "--project", str(shop), "--json").data["cwd"] == str(shop)
    missing = run("ls", "--project", "elsewhere")
    assert missing.code == 3
    assert "shop" in missing.err
