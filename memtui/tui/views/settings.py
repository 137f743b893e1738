"""The Settings view: every switch of the client and of ours, its value, and the layer that set it."""

from collections.abc import Hashable

from msgspec import Struct
from msgspec.structs import replace
from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from memtui.client.switches import Switch
from memtui.tui.app_base import Selection, View
from memtui.tui.commands import app, registry, settings
from memtui.tui.state import AppState
from memtui.tui.widgets.row_list import RowList
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util import text
from memtui.util.config import SETTINGS, Config

VARIABLES = "environment variables: set in your shell"
DESCRIPTION_FROM_CELLS = 100  # cells from which each row says what its setting does


class SettingRow(Struct, frozen=True):
    """One line: a heading (no `key`), a switch of the client, or one `ours`; `set` if its value is no default."""

    words: str
    key: str = ""
    value: str = ""
    layer: str = ""
    source: str = ""
    ours: bool = False
    set: bool = False
    why_not: str = ""  # why it cannot be changed here; empty where it can


def rows(switches: tuple[Switch, ...], warnings: tuple[str, ...], config: Config) -> tuple[SettingRow, ...]:
    listed = [SettingRow("Claude Code's settings")]
    for switch in switches:
        if switch.kind and switch.key.isupper() and not any(row.words == VARIABLES for row in listed):
            listed.append(SettingRow(VARIABLES))
        row = SettingRow(switch.describe, switch.key, _value(switch.value), switch.layer, switch.source)
        listed.append(replace(row, set=switch.layer != "default", why_not="" if switch.writable else switch.why_not))
    listed += [SettingRow(f"! {warning}") for warning in warnings]
    listed.append(SettingRow("memtui's own settings"))
    for setting in SETTINGS:
        value, layer = config[setting.key] or "not set", config.layer(setting.key)
        changed = layer != "default"
        listed.append(SettingRow(setting.words, setting.key, value, layer, str(config.path), ours=True, set=changed))
    listed += [SettingRow(f"! {warning}") for warning in config.warnings]
    return tuple(listed)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "not set" if value is None else str(value)


class SettingLines(RowList[SettingRow]):
    def show(self, rows_: tuple[SettingRow, ...]) -> None:
        if rows_ == self.rows:
            return
        self.put(rows_)
        if not (self.current and self.current.key):
            self.cursor = next((i for i, row in enumerate(rows_) if row.key), 0)

    def key(self, row: SettingRow) -> Hashable:
        return row.key or row.words

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        if not row.key:
            style = "$warn" if row.words.startswith("!") else "bold"
            return Content.styled(text.clip(text.visible(row.words, keep=""), width), style)
        name_width = min(36, width // 2)
        value_width = 26 if width >= DESCRIPTION_FROM_CELLS else max(8, width - name_width - 14)
        value = text.pad(text.visible(self.app.state.masked(row.value), keep=""), value_width)
        layer = text.pad(text.visible(row.layer, keep=""), 12)
        words = text.clip(row.words, width - name_width - value_width - 16) if width >= DESCRIPTION_FROM_CELLS else ""
        key = (text.pad(f" {row.key}", name_width), "$dim" if row.why_not else "")
        return Content.assemble(key, " ", (value, "$mark bold" if row.set else ""), " ", (f"{layer} {words}", "$dim"))


class SettingsView(View):
    BINDINGS = registry.bindings(settings.COMMANDS, app.PANES[:2])
    lines = getters.query_one(SettingLines)

    def __init__(self) -> None:
        super().__init__(id="settings", classes="view")

    def compose(self) -> ComposeResult:
        with Vertical(classes="pane") as pane:
            pane.border_title = "5 Settings"
            pane.border_subtitle = "flag > env > policy > local > project > user > default"
            yield SettingLines(id="switches")
            yield Static(Content(""), id="words")

    def show(self, state: AppState) -> None:
        config = self.app.config
        self.lines.show(rows(state.location.switches, state.location.warnings, config))
        self.explain()

    @on(VirtualList.Moved, "#switches")
    def explain(self) -> None:
        row = self.lines.current
        if row is None or not row.key:
            return
        source = f"set by {row.layer}: {row.source}" if row.source else f"set by {row.layer}"
        locked = f"\ncannot be changed here: {row.why_not}" if row.why_not else ""
        words = text.visible(f"{row.words}\n{source}{locked}")
        self.query_one("#words", Static).update(Content.styled(words, "$dim"))

    @property
    def selection(self) -> Selection:
        row = self.lines.current
        return Selection(setting=row.key, ours=row.ours) if row is not None else Selection()

    @on(VirtualList.Chosen, "#switches")
    def change(self) -> None:
        self.app.perform(settings.change)

    def go_to(self, key: str) -> None:
        self.lines.to_key(key)

    def focus_default(self) -> None:
        self.lines.focus()
