"""An index cut into lines of a kind."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.index import collapse_blank_lines, drop_empty_headings, index_lines, read_entries, remove_entries


def kinds(text: str) -> list[tuple[str, int]]:
    return [(line.kind, line.number) for line in index_lines(text)]


def test_kinds_and_numbers() -> None:
    text = "---\nname: i\n---\n<!-- c\nd -->\n# H\n\nprose\n- [A](a.md)\n  more\n```\n- [B](b.md)\n\n```\n"
    text += "text <!-- e -->\n"
    assert kinds(text) == [
        ("free", 1), ("free", 2), ("free", 3), ("free", 4), ("heading", 6), ("blank", 7), ("prose", 8), ("entry", 9),
        ("prose", 11), ("prose", 15),
    ]  # fmt: skip
    assert kinds(text.replace("\n", "\r\n")) == kinds(text)


def test_cost_counts_lines_and_units() -> None:
    lines = index_lines("---\na: b\n---\n- [🙂](a.md)\n  x\n")
    assert [line.cost for line in lines] == [(0, 0), (0, 0), (0, 0), (2, 17)]


def test_headings_that_lost_what_they_had() -> None:
    before = "# I\n\n## A\n\n- [A](a.md)\n\n## B\n\n### C\n\n- [C](c.md)\n\n## D\n"
    after = remove_entries(before, [entry for entry in read_entries(before) if entry.target == "a.md"])
    assert drop_empty_headings(before, after) == "# I\n\n## B\n\n### C\n\n- [C](c.md)\n\n## D\n"
    assert drop_empty_headings(before, before) is before


def test_single_blanks_leave_code_alone() -> None:
    text = "a\n\n\n\nb\n```\n\n\n\n```\n"
    assert collapse_blank_lines(text) == "a\n\nb\n```\n\n\n\n```\n"


PIECES = st.sampled_from(
    ["# H", "- [A](a.md)", "  more", "", "```", "<!-- c -->", "<!--", "-->", "prose", "---", "> q"]
)


@given(st.lists(PIECES, max_size=20), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_lines_are_the_text(pieces: list[str], newline: str, final: bool) -> None:
    text = newline.join(pieces) + (newline if final else "")
    lines = index_lines(text)
    assert "".join(line.text for line in lines) == text
    number = 1
    for line in lines:
        assert line.number == number
        number += line.text.count("\n")
