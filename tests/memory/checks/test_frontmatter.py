"""Front matter that is missing, odd or has gaps."""

from pathlib import Path

import pytest

from tests.memory.folders import snapshot_of


@pytest.mark.parametrize(
    ("text", "code", "severity", "fix"),
    [
        ("# Notes\n\nText.\n", "missing-frontmatter", "warning", "add it"),
        ("\n---\nname: x\n---\n", "missing-frontmatter", "warning", ""),
        ("---\nname: x\ndescription: d\ntype: project\n", "frontmatter", "error", ""),
        ("---\nname: x\ntype: project\n---\n", "frontmatter", "warning", ""),
        ("---\nname: x\ndescription: d\n---\n", "wrong-type", "warning", "set it to project"),
        ("---\nname: x\ndescription: d\ntype: Project\n---\n", "wrong-type", "warning", "write it as project"),
        ("---\nname: x\ndescription: d\ntype: projekt\n---\n", "wrong-type", "warning", "set it to project"),
        ("---\nname: x\ndescription: d\ntype: project\nstray line\n---\n", "frontmatter", "warning", ""),
        ("---\nname: x\nname: y\ndescription: d\ntype: project\n---\n", "frontmatter", "warning", ""),
        ("---\nname: x\ndescription: d\u202ee\ntype: project\n---\n", "frontmatter", "warning", ""),
    ],
)
def test_front_matter(tmp_path: Path, text: str, code: str, severity: str, fix: str) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "[x](project_x.md)\n", "project_x.md": f"{text}Body.\n"})
    found = [(p.code, p.severity, p.fix) for p in snapshot.problems if p.severity != "info"]
    assert found == [(code, severity, fix)]
