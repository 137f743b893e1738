"""A type that is missing or misspelt."""

from pathlib import Path

import pytest

from memtui.memory.frontmatter import type_of_name
from tests.memory.folders import FILES, fixed, one, snapshot_of, text


def test_unknown_type_of_a_file_whose_name_tells_nothing(tmp_path: Path) -> None:
    snapshot = snapshot_of(
        tmp_path, {"MEMORY.md": "[x](x.md)\n", "x.md": "---\nname: x\ndescription: d\ntype: bogus\n---\n"}
    )
    assert one(snapshot, "wrong-type").fix == ""
    assert type_of_name("sub/feedback-a.md") == "feedback"
    assert type_of_name("feedbacks.md") is None


def test_metadata_type_and_unknown_keys_are_fine(tmp_path: Path) -> None:
    text = (
        "---\nname: x\ndescription: 'a: b # c'\nmetadata: \n  node_type: memory\n  type: project\n  x: [1]\n---\nBody\n"
    )
    assert snapshot_of(tmp_path, {"MEMORY.md": "[x](x.md)\n", "x.md": text}).problems == ()


@pytest.mark.parametrize("word", ["Project", "projekt", "PROJECT"])
def test_a_type_is_put_right(tmp_path: Path, word: str) -> None:
    files = {**FILES, "sub/deep.md": FILES["sub/deep.md"].replace("type: project", f"type: {word}")}
    fixed(tmp_path, files, "wrong-type")
    assert text(tmp_path, "sub/deep.md") == FILES["sub/deep.md"]
