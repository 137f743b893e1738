"""Markdown as lines: every width, every text, no markup run, nothing wider than asked for."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.tui.render.markdown import draw, draw_raw, inline
from memtui.tui.theme import PLAIN, UNICODE
from memtui.util.text import is_plain

TEXT = st.text(alphabet=st.sampled_from("ab *_`[]()#->|~\n\t.1한\x1b\u202e\\!"), max_size=120)


@given(TEXT, st.integers(1, 40))
def test_lines_fit_and_hold_no_control_characters(text: str, width: int) -> None:
    for line in draw(text, width, UNICODE):
        assert is_plain(line.content.plain)
        assert line.content.cell_length <= max(width, 2)


@given(TEXT)
def test_every_line_of_the_file_is_drawn(text: str) -> None:
    count = text.count("\n") + 1
    assert {line.source for line in draw(text, 30, PLAIN)} == set(range(1, count + 1))
    assert {line.source for line in draw_raw(text, 30)} == set(range(1, count + 1))


def test_emphasis_code_and_links() -> None:
    content, links = inline("**Why:** see [on-call](project_oncall.md), [[ci notes]] and `x = [1]`")
    assert content.plain == "Why: see on-call, ci notes and x = [1]"
    assert links == ("project_oncall.md", "ci notes")
    assert [content.plain[s.start : s.end] for s in content.spans] == ["Why:", "on-call", "ci notes", "x = [1]"]


def test_markup_in_a_file_is_text() -> None:
    content, _ = inline("[bold]x[/] [@click=app.quit]y[/")
    assert content.plain == "[bold]x[/] [@click=app.quit]y[/"
    assert content.spans == []


def test_a_list_hangs() -> None:
    lines = [line.content.plain for line in draw("- one two three four", 12, UNICODE)]
    assert lines[0].startswith("• one")
    assert all(line.startswith("  ") for line in lines[1:])


def test_fences_keep_their_text() -> None:
    lines = [line.content.plain for line in draw("```\n**no** [x](y)\n```\n**yes**", 40, UNICODE)]
    assert lines == ["```", "  **no** [x](y)", "```", "yes"]
