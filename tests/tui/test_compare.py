"""The comparison: both sides can be read at any width, and what is going to be written stands below them."""

import pytest

from memtui.tui.screens.compare import Compare, changed_words
from tests.tui.conftest import Maker
from tests.tui.driving import press, screen_text, settle

SAME = "".join(f"line {number}\n" for number in range(1, 30))
LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
BASE = f"{SAME}{LONG}end\nlast\n"
MINE = f"{SAME}{LONG}mine\nlast\n"
DISK = f"disk first\n{SAME}{LONG}theirs\nlast"


@pytest.mark.parametrize("size", [(40, 24), (60, 20), (80, 24), (120, 40)])
async def test_both_sides_whole_and_the_result(make_app: Maker, size: tuple[int, int]) -> None:
    async with make_app().run_test(size=size) as pilot:
        app = await settle(pilot)
        app.push_screen(Compare("a.md", BASE, MINE, DISK))
        await settle(pilot)
        await press(pilot, "right_square_bracket")
        text = screen_text(app)
        assert "mine" in text and "theirs" in text, "the end of a long line, of both sides"
        assert "29" in text and "30" in text, "numbers of lines"
        assert "Esc back" in text
        assert "<<<<<<< mine" in text, "nothing is chosen: what m writes has markers"
        await press(pilot, "2")
        text = screen_text(app)
        assert "<<<<<<<" not in text
        await press(pilot, "left_square_bracket")
        assert "23 equal lines" in screen_text(app)
        await press(pilot, "j", "j", "enter")
        assert "equal lines" not in screen_text(app)
        assert isinstance(app.screen, Compare)


def test_words_that_differ_are_marked() -> None:
    mine, disk = changed_words("Never mock the database\n", "Never mock a database here\n")
    assert [("Never mock the database")[a:b] for a, b in mine] == ["the"]
    assert [("Never mock a database here")[a:b] for a, b in disk] == ["a", " here"]
    assert changed_words("entirely different\n", "nothing of it\n") == ((), ())
