"""The table of views: a line here gives a view its key, its command, its stylesheet and its place among the imports."""

from msgspec import Struct


class ViewEntry(Struct, frozen=True):
    """A view that can be shown."""

    name: str  # the widget's id, that of the command `view.NAME`, and of the module that has the class `view`
    title: str
    key: str
    view: str
    sheet: str = ""  # the stylesheet's name

    @property
    def module(self) -> str:
        return f"memtui.tui.views.{self.name}"


VIEWS = (
    ViewEntry("memory", "Memory", "1", "MemoryView", "memory"),
    ViewEntry("dream", "Dream", "2", "DreamView", "dream"),
    ViewEntry("sessions", "Sessions", "3", "SessionsView", "sessions"),
    ViewEntry("search", "Search", "4", "SearchView"),
    ViewEntry("settings", "Settings", "5", "SettingsView", "settings"),
)
