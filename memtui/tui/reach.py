"""From a widget to our app, typed."""

from typing import TYPE_CHECKING

from textual.widget import Widget

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


def app_of(widget: Widget) -> "MemtuiApp":
    """The app that a widget of ours is in: never another, since our widgets run nowhere else."""
    app: MemtuiApp = widget.app  # type: ignore[assignment]
    return app
