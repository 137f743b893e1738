"""The second line: the views by name, each with the digit that shows it; a click does the same."""

from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from memtui.tui.views.table import VIEWS


def clickable(words: str, action: str, style: str = "") -> Content:
    """Words that have the app do something when they are clicked."""
    return Content.styled(words, style).stylize(Style.from_meta({"@click": f"app.{action}"}))


class ViewTabs(Widget):
    shown: reactive[str] = reactive("memory")

    def render(self) -> Content:
        """All names, or where there is no room only the one of the view that is shown."""
        fits = sum(len(view.title) + 4 for view in VIEWS) <= self.size.width
        tabs = [
            clickable(
                f" {view.key} {view.title} " if fits or view.name == self.shown else f" {view.key} ",
                f"command('view.{view.name}')", "bold reverse" if view.name == self.shown else "$dim",
            )
            for view in VIEWS
        ]  # fmt: skip
        return Content("").join(tabs)
