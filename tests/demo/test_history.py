"""Steps of the demo's history, as text."""

import pytest

from memtui.demo.history import changed, parse_steps

TEXT = """\
# a comment
=== 3d you
Create and edit
create new.md
edit a.md
-one
+1
+uno

=== 2h outside undone
edit a.md
+two

=== 5m dream
Tidy
delete old.md
"""


def test_steps_are_read_in_order() -> None:
    first, second, third = parse_steps(TEXT)
    assert (first.ago, first.who, first.why, first.undone) == (3 * 86_400, "you", "Create and edit", False)
    assert [edit.name for edit in first.edits] == ["new.md", "a.md"]
    assert (first.edits[1].before, first.edits[1].after) == ("one\n", "1\nuno\n")
    assert second.undone and second.why == ""
    assert third.edits[0].kind == "delete"


def test_an_edit_changes_one_passage() -> None:
    create, edit = parse_steps(TEXT)[0].edits
    assert changed("0\none\n", edit) == "0\n1\nuno\n"
    assert changed("n\n", create) == "n\n"


@pytest.mark.parametrize("text", ["0\n1\n", "one\none\n"])
def test_an_edit_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="hold once"):
        changed(text, parse_steps(TEXT)[0].edits[1])


def test_a_line_of_no_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="neither"):
        parse_steps("=== 1d you\nwhy\nedit a.md\nrename b.md\n")
