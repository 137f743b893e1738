"""A list to choose from, of any length on any screen."""

import pytest

from memtui.tui.dialogs.choose import Choose, Option, OptionLines
from tests.tui.conftest import Maker
from tests.tui.driving import press, settle


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
@pytest.mark.parametrize("count", [9, 60])
async def test_the_cursor_is_never_out_of_sight(make_app: Maker, size: tuple[int, int], count: int) -> None:
    async with make_app().run_test(size=size) as pilot:
        app = await settle(pilot)
        app.push_screen(Choose("any", [Option(number, f"option {number}") for number in range(count)]))
        await settle(pilot)
        await press(pilot, *["pagedown"] * (count // 10))
        lines = app.screen.query_one(OptionLines)
        frame = app.screen.query_one("#frame")
        assert lines.cursor == min(count - 1, count // 10 * 10)
        shown = lines.cursor - lines.scroll_offset.y
        assert 0 <= shown < lines.size.height
        assert frame.content_region.contains_region(lines.region)
