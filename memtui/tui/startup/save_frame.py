"""Save the first complete frame of this start for the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.tui.app_base import AppBase
from memtui.tui.startup.first_state import FirstState, encode
from memtui.tui.startup.frame_cache import Stamp
from memtui.tui.views.memory import MemoryView
from memtui.tui.widgets.budget_meter import BudgetMeter
from memtui.tui.widgets.properties import PropertyTable
from memtui.tui.widgets.title_bar import TitleBar
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.memory.snapshot import Snapshot

CLOCK_STEP_S = 0.02
"""What changed so shortly before the reading may have changed behind it, too, in the same step of the disk's clock."""


def save_first_frame(app: AppBase, memory: MemoryView, loaded: tuple[Snapshot, list[Stamp]] | None) -> bool:
    """Save what is on screen if it is what a start shows once all is read, and nothing else.

    `loaded` is the last full reading and the stamps of all that it was made from. False while something is still being
    read, so that it has to be asked again.
    """
    state, cache = app.state, app.start.frame_cache
    if cache is None or app.touched or app.sample or len(app.screen_stack) > 1:
        return True
    preview = state.preview
    drawn = (preview.path, preview.width) == (memory.current, memory.reader.draw_width) or memory.current is None
    if loaded is None or state.snapshot is not loaded[0] or not drawn:
        return False
    stamps, since = loaded[1], loaded[0].read_at - CLOCK_STEP_S
    if (
        state.pill is not None
        or app.query("Toast")
        or app.focused is not memory.list
        or app.size != cache.size
        or any(since <= time / 1e9 <= app.start.now() for _, _, time, _ in stamps)
    ):
        return True
    frame, data = _frame(app), encode(_first_state(app, memory))
    if data:
        app.start_thread("save-frame", lambda: cache.write(frame, data, stamps), exclusive=False)
    return True


def _frame(app: AppBase) -> str:
    """The screen as Textual writes it to the terminal, row by row.

    Textual has no public way to ask for that (`export_screenshot` draws an image): what its own full update is made of
    are the compositor's strips, each rendered for the terminal's colours.
    """
    rows = enumerate(app.screen._compositor.render_strips(), 1)
    return "".join(f"\x1b[{y};1H{strip.render(app.console)}" for y, strip in rows) + "\x1b[0m"


def _first_state(app: AppBase, memory: MemoryView) -> FirstState:
    assert app.state.snapshot is not None
    title, meter, table = app.query_one(TitleBar).status, app.query_one(BudgetMeter), app.query_one(PropertyTable)
    assert title is not None
    auto, reader = app.state.snapshot.auto, memory.reader
    return FirstState(
        str(app.state.location.folder), len(auto.files) if auto else 0, tuple(memory.list.rows), title,
        meter.budget, meter.note, visible(app.state.preview.title, keep=""), reader.lines[: app.size.height],
        len(reader.lines), table.pairs, table.notes,
    )  # fmt: skip
