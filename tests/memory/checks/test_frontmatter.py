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


BLOCK = "---\nname: x\ndescription: d\ntype: project\n---\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (f"<!-- made by a tool -->\n{BLOCK}\nBody.\n", 2, "a block stands in line 2"),
        (f"<!-- two\nlines -->\n\n# Title\n\n{BLOCK}", 6, "a block stands in line 6"),
        ('+++\nname = "x"\n+++\n\nBody.\n', 1, "a +++ block stands in line 1"),
        (f"---\npermalink: kb/x\n---\n\n{BLOCK}\nBody.\n", 5, "a second block stands in line 5"),
    ],
)
def test_a_block_that_is_not_the_first_thing_is_told_and_never_fixed(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "[x](x.md)\n", "x.md": text})
    told = next(one for one in snapshot.problems if words in one.message)
    assert (told.line, told.severity) == (line, "warning")
    assert all(not one.fix for one in snapshot.problems)


@pytest.mark.parametrize(
    "body",
    [
        "Text.\n\n---\nname: no\n---\n",
        f"```\n{BLOCK}```\n",
        "---\n\n# Two\n\nText enough to say something.\n\n---\n",
        "# A\n\n---\nnext\n---\n",
    ],
)
def test_a_rule_or_an_example_is_no_block(tmp_path: Path, body: str) -> None:
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": "[x](x.md)\n", "x.md": f"{BLOCK}\n{body}"})
    assert snapshot.problems == ()
