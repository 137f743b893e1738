"""A block made of what the text says."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.checks.missing_frontmatter import name_of
from memtui.memory.sentences import first_sentence
from tests.memory.folders import fixed, text, topic


@pytest.mark.parametrize(
    ("name", "body", "block"),
    [
        (
            "feedback_x.md",
            "# Title here\n\nFirst sentence. Second.\n",
            "name: Title here\ndescription: First sentence. Second.\ntype: feedback",
        ),
        ("notes.md", "- **Bold** [link](a.md) and `code`\n", "name: notes\ndescription: Bold link and code"),
        ("notes.md", "```\ncode\n```\n", "name: notes"),
        ("notes.md", "\ufeff# T\r\n\r\nText\r\n", "name: T\ndescription: Text"),
        ("notes.md", "# 제목\n\n한국어 문장이다.\n", "name: 제목\ndescription: 한국어 문장이다."),
    ],
)
def test_front_matter_is_made_of_what_the_text_says(tmp_path: Path, name: str, body: str, block: str) -> None:
    fixed(tmp_path, {"MEMORY.md": f"[x]({name}) a.md\n", name: body, "a.md": topic("a")}, "missing-frontmatter")
    newline = "\r\n" if "\r\n" in body else "\n"
    mark = "\ufeff" if body.startswith("\ufeff") else ""
    lines = ["---", *block.split("\n"), "---", "", ""]
    assert text(tmp_path, name) == mark + newline.join(lines) + body.removeprefix("\ufeff")


@given(st.text(max_size=200))
def test_any_text_gives_a_name_and_a_sentence(body: str) -> None:
    assert name_of(body, "a_b.md")
    assert "\n" not in first_sentence(body) and len(first_sentence(body)) <= 150


def test_a_description_keeps_names_as_they_are() -> None:
    assert first_sentence("- **Use** `test_a_b` and __init__, not _this_ [one](x.md).") == (
        "Use test_a_b and init, not this one."
    )
    assert first_sentence("`__init__.py` and snake_case stay.") == "__init__.py and snake_case stay."
