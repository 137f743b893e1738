"""Steps of the demo's history, as text."""

import pytest

from memtui.demo.history import parse_steps, states_of

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
LAST = {"a.md": "0\n1\nuno\n", "new.md": "n\n", "old.md": "o\n"}


def test_steps_are_read_in_order() -> None:
    first, second, third = parse_steps(TEXT)
    assert (first.ago, first.who, first.why, first.undone, first.names) == (
        3 * 86_400,
        "you",
        "Create and edit",
        False,
        ("new.md", "a.md"),
    )
    assert (first.edits[1].before, first.edits[1].after) == ("one\n", "1\nuno\n")
    assert second.undone and second.why == ""
    assert third.edits[0].kind == "delete"


def test_states_go_back_to_before_the_first_step() -> None:
    states = states_of(LAST, parse_steps(TEXT))
    assert states[0] == {"a.md": "0\none\n", "old.md": "o\n"}
    assert states[1] == states[2] == {"a.md": "0\n1\nuno\n", "new.md": "n\n", "old.md": "o\n"}
    assert states[3] == {"a.md": "0\n1\nuno\n", "new.md": "n\n"}


def test_a_step_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="hold once"):
        states_of(LAST | {"a.md": "0\n1\n"}, parse_steps(TEXT))


def test_a_line_of_no_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="neither"):
        parse_steps("=== 1d you\nwhy\nedit a.md\nrename b.md\n")
