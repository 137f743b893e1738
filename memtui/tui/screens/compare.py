"""Mine and the disk's, side by side where there is room: choose, merge, or keep both."""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal

from msgspec import Struct
from textual import getters
from textual.app import ComposeResult
from textual.content import Content

from memtui.history.merge import Hunk, Side, resolve, three_way
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.dialogs.question import Question
from memtui.tui.screens.hinted import HintedScreen
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util import text

BESIDE_FROM = 90  # cells from which the two texts stand side by side
STYLES = {"same": "", "mine": "$warn", "disk": "$good", "conflict": "$problem"}


class CompareResult(Struct, frozen=True):
    """What is to be done: write `text`, made by `choices`; save mine as a copy; or drop mine."""

    what: Literal["write", "copy", "drop"]
    text: str = ""
    choices: Mapping[int, Side] = MappingProxyType({})


class DiffRow(Struct, frozen=True):
    """One drawn row: the hunk that it belongs to and the lines of either side, None where a side has none."""

    hunk: int
    mine: str | None
    disk: str | None


class CompareLines(VirtualList):
    def __init__(self, hunks: tuple[Hunk, ...], choices: Mapping[int, Side]) -> None:
        super().__init__(id="hunks")
        self.hunks = hunks
        self.choices: dict[int, Side] = dict(choices)
        self.rows = self._lay()
        self._laid_beside = self.beside

    def _lay(self) -> list[DiffRow]:
        """Both sides in a row where there is room; else mine above the disk's."""
        return [DiffRow(at, *pair) for at, one in enumerate(self.hunks) for pair in self._pairs(one)]

    def _pairs(self, hunk: Hunk) -> Iterable[tuple[str | None, str | None]]:
        if self.beside or hunk.kind == "same":
            return zip_longest(hunk.mine, hunk.disk)
        return [*((line, None) for line in hunk.mine), *((None, line) for line in hunk.disk)]

    def on_resize(self) -> None:
        if self._laid_beside != self.beside:
            hunk, self._laid_beside = self.rows[self.cursor].hunk if self.rows else 0, self.beside
            self.rows = self._lay()
            self.rows_changed()
            self.cursor = next((at for at, row in enumerate(self.rows) if row.hunk == hunk), 0)
        super().on_resize()

    def row_count(self) -> int:
        return len(self.rows)

    @property
    def beside(self) -> bool:
        return self.size.width >= BESIDE_FROM

    def row(self, index: int, width: int) -> Content:
        row = self.rows[index]
        hunk = self.hunks[row.hunk]
        side = self.choices.get(row.hunk, hunk.default)
        sign = "" if hunk.kind == "same" else {"mine": "1", "disk": "2", "both": "3", "markers": "?"}[side]
        half = (width - 3) // 2 if self.beside else width - 2
        mine = self._side(row.mine, half, hunk, side in ("mine", "both"))
        if not self.beside:
            whose = "" if hunk.kind == "same" else "2" if row.mine is None else "1"
            other = self._side(row.disk, half, hunk, side in ("disk", "both"))
            is_taken = sign in (whose, "3")
            number = Content.styled(f"{whose:<2}", "$mark bold" if is_taken else "$dim")
            return number + (mine if row.mine is not None else other)
        disk = self._side(row.disk, half, hunk, side in ("disk", "both"))
        return mine + Content.styled(f"{sign:^3}", "$mark bold") + disk

    @staticmethod
    def _side(line: str | None, width: int, hunk: Hunk, taken: bool) -> Content:
        shown = text.pad(text.visible((line or "").rstrip("\n"), keep="").replace("␉", "    "), width)
        if hunk.kind == "same":
            return Content(shown)
        return Content.styled(shown, f"{STYLES[hunk.kind]} {'bold' if taken else ''}".strip() if line else "$dim")


COMMANDS = declare(
    registry.COMPARE,
    Command("compare.next", "Next change", "right_square_bracket", lambda at: at.find(Compare).change(1), "] [ change"),
    Command("compare.previous", "Previous change", "left_square_bracket", lambda at: at.find(Compare).change(-1)),
    Command("compare.mine", "Take mine", "1", lambda at: at.find(Compare).take("mine"), "1 mine"),
    Command("compare.disk", "Take the disk's", "2", lambda at: at.find(Compare).take("disk"), "2 disk"),
    Command("compare.both", "Take both", "3", lambda at: at.find(Compare).take("both"), "3 both"),
    Command("compare.merge", "Write the merge (markers where nothing was chosen)", "m",
            lambda at: at.find(Compare).merge(), "m write merged"),
    Command("compare.copy", "Save mine as a copy beside it", "s", lambda at: at.find(Compare).save_copy(),
            "s save mine as copy"),
    Command("compare.drop", "Drop mine, use the disk's", "d", lambda context: drop_mine(context), "d use disk"),
    Command("compare.escape", "Back, nothing written", "escape", lambda at: at.find(Compare).dismiss(None), "Esc back"),
)  # fmt: skip


async def drop_mine(context: CommandContext) -> None:
    compare = context.find(Compare)
    lines = ["Your unsaved text goes into the history and is dropped here."]
    if await context.ask(Question("Use the disk's text?", lines, yes="Use the disk's", no="Back")):
        compare.dismiss(CompareResult("drop"))


class Compare(HintedScreen[CompareResult | None]):
    """Three texts, one decision; Esc writes nothing."""

    BINDINGS = registry.bindings(COMMANDS)
    lines = getters.query_one(CompareLines)

    def __init__(
        self, name: str, base: str, mine: str, disk: str, choices: Mapping[int, Side] = MappingProxyType({})
    ) -> None:
        super().__init__()
        self._file_name = name
        self._mine = mine
        self._choices = choices
        self.hunks = three_way(base, mine, disk)

    def compose(self) -> ComposeResult:
        lines = CompareLines(self.hunks, self._choices)
        merged = sum(hunk.kind in ("mine", "disk") for hunk in self.hunks)
        open_ = sum(hunk.kind == "conflict" for hunk in self.hunks)
        lines.border_title = Content(
            f"mine (unsaved) · {text.visible(self.app.state.masked_name(self._file_name), keep='')} · disk"
        )
        lines.border_subtitle = f"{merged} merge cleanly, {open_} overlap"
        lines.add_class("pane")
        yield lines
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        self.lines.rows_changed()
        self.lines.focus()
        open_ = {at for at, one in enumerate(self.hunks) if one.kind == "conflict"} - self._choices.keys()
        left = [at for at, row in enumerate(self.lines.rows) if row.hunk in open_]
        if left and self._choices:  # back here: to what wants a choice still
            self.lines.cursor = left[0]
        else:
            self.change(1)

    def change(self, step: int) -> None:
        rows = self.lines.rows
        here = rows[self.lines.cursor].hunk if rows else 0
        firsts = [i for i, row in enumerate(rows) if i == 0 or rows[i - 1].hunk != row.hunk]
        starts = [i for i in firsts if self.hunks[rows[i].hunk].kind != "same"]
        ahead = [i for i in starts if (rows[i].hunk > here if step > 0 else rows[i].hunk < here)]
        if ahead:
            self.lines.cursor = ahead[0] if step > 0 else ahead[-1]
        elif starts and self.hunks[here].kind == "same":
            self.lines.cursor = starts[0]

    def take(self, side: Side) -> None:
        if self.lines.rows:
            self.lines.choices[self.lines.rows[self.lines.cursor].hunk] = side
            self.lines.refresh()
            self.change(1)

    def merge(self) -> None:
        choices = self.lines.choices
        self.dismiss(CompareResult("write", resolve(self.hunks, choices), choices))

    def save_copy(self) -> None:
        self.dismiss(CompareResult("copy", self._mine))
