"""The second line: the views by name, each with the digit that shows it; a click does the same."""

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from memtui.tui.views.table import VIEWS


def clickable(words: str, command: str, style: str = "") -> Content:
    """Words of a `CommandLine` that carry a command out; not Textual's links, which have colours of their own."""
    return Content.styled(words, style).stylize(Style.from_meta({"command": command}))


class CommandLine(Widget):
    """A line with words that can be clicked."""

    async def on_click(self, event: events.Click) -> None:
        if (id := event.style.meta.get("command")) is not None:
            await self.run_action(f"app.go({id!r})")


class ViewTabs(CommandLine):
    shown: reactive[str] = reactive("memory")

    def render(self) -> Content:
        """All names, or where there is no room only the one of the view that is shown."""
        fits = sum(len(view.title) + 4 for view in VIEWS) <= self.size.width
        tabs = [
            clickable(
                f" {view.key} {view.title} " if fits or view.name == self.shown else f" {view.key} ",
                f"view.{view.name}", "bold reverse" if view.name == self.shown else "$dim",
            )
            for view in VIEWS
        ]  # fmt: skip
        return Content("").join(tabs)
