"""Mine and the disk's, side by side where there is room, above what they give merged: choose, merge, or keep both."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, zip_longest
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct
from textual import getters, on
from textual.app import ComposeResult
from textual.content import Content

from memtui.history.merge import Hunk, Side, resolve, three_way
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.dialogs.question import Question
from memtui.tui.screens.hinted import HintedScreen
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.virtual_list import LaidLines, VirtualList
from memtui.util import text

BESIDE_FROM = 90  # cells from which the two texts stand side by side
NUMBER_CELLS = 5  # cells of a line's number and the blank behind it
FOLD_FROM = 8  # equal lines in a row of which more are folded
CONTEXT = 3  # equal lines that stay before and behind a change
MIN_ALIKE = 0.4  # share of equal words from which on the others are marked
Rows: TypeAlias = list[Content]
Spans: TypeAlias = Sequence[tuple[int, int]]
STYLES = {"same": "", "mine": "$warn", "disk": "$good", "conflict": "$problem"}


class CompareResult(Struct, frozen=True):
    """What is to be done: write `text`, made by `choices`; save mine as a copy; or drop mine."""

    what: Literal["write", "copy", "drop"]
    text: str = ""
    choices: Mapping[int, Side] = MappingProxyType({})


class HunkRows(LaidLines):
    """Rows that belong to hunks, each with the number of its hunk."""

    rows: Sequence[tuple[int, Content]] = ()

    def __init__(self, hunks: tuple[Hunk, ...], choices: dict[int, Side], *, id: str) -> None:
        super().__init__(id=id, classes="pane")
        self.hunks = hunks
        self.choices = choices

    def side(self, at: int) -> Side:
        return self.choices.get(at, self.hunks[at].default)

    def row(self, index: int, width: int) -> Content:
        return self.rows[index][1]

    def first_row(self, hunk: int) -> int:
        return next((at for at, row in enumerate(self.rows) if row[0] == hunk), 0)

    def numbered(self, number: int, line: str, style: str, width: int, marks: Sequence[tuple[int, int]] = ()) -> Rows:
        """A line with its number, wrapped to `width` cells."""
        content = Content.styled(shown(line), style)
        for start, end in marks:
            content = content.stylize("reverse", start, end)
        if line and not line.endswith("\n"):
            content += Content.styled(" (no line end)", "$dim")
        parts = content.wrap(max(1, width - NUMBER_CELLS))
        leads = [f"{number:>{NUMBER_CELLS - 1}} ", *[" " * NUMBER_CELLS] * len(parts)]
        return [Content.styled(lead, "$dim") + part for lead, part in zip(leads, parts, strict=False)]


class CompareLines(HunkRows):
    """Both sides in a row where there is room; else mine above the disk's. Long runs of equal lines are folded."""

    def __init__(self, hunks: tuple[Hunk, ...], choices: dict[int, Side], start: int) -> None:
        super().__init__(hunks, choices, id="hunks")
        self._start = start
        self._unfolded: set[int] = set()

    @property
    def hunk(self) -> int:
        """The number of the hunk under the cursor."""
        return self.rows[self.cursor][0] if self.cursor < len(self.rows) else self._start

    def go(self, hunk: int) -> None:
        self._start, self.cursor = hunk, self.first_row(hunk)
        self.scroll_to(y=max(0, self.cursor - CONTEXT), animate=False)

    def on_resize(self) -> None:
        here = self.hunk
        super().on_resize()
        self.rows_changed()
        self.go(here)

    @property
    def beside(self) -> bool:
        return self.size.width >= BESIDE_FROM

    def unfold(self) -> None:
        self._unfolded ^= {self.hunk}
        self.draw_again()

    def lay(self) -> None:
        rows, mine, disk = list[tuple[int, Content]](), 1, 1
        for at, hunk in enumerate(self.hunks):
            drawn = self._same(at, hunk, mine, disk) if hunk.kind == "same" else self._changed(at, hunk, mine, disk)
            rows += [(at, row) for row in drawn]
            mine, disk = mine + len(hunk.mine), disk + len(hunk.disk)
        self.rows = rows

    def _same(self, at: int, hunk: Hunk, mine: int, disk: int) -> Rows:
        lines = len(hunk.mine)
        first, last = CONTEXT * (at > 0), lines - CONTEXT * (at < len(self.hunks) - 1)
        if lines <= FOLD_FROM or at in self._unfolded:
            first = last = lines

        def drawn(numbers: range) -> Rows:
            pairs = (((mine + at, hunk.mine[at]), (disk + at, hunk.disk[at])) for at in numbers)
            return [row for left, right in pairs for row in self._pair(left, right, ("", ""), "")]

        words = f"{self.glyphs.ellipsis:>{NUMBER_CELLS + 1}} {last - first} equal lines: Enter shows them"
        return [*drawn(range(first)), *[Content.styled(words, "$dim")] * (first < last), *drawn(range(last, lines))]

    def _changed(self, at: int, hunk: Hunk, mine: int, disk: int) -> Rows:
        side = self.side(at)
        sign = {"mine": "1", "disk": "2", "both": "3", "markers": "?"}[side]
        style = STYLES[hunk.kind]
        styles = [f"{style} {'bold' if side in (whose, 'both') else ''}".strip() for whose in ("mine", "disk")]
        pairs = list(zip_longest(enumerate(hunk.mine, mine), enumerate(hunk.disk, disk)))
        marks = [changed_words(a[1] if a else "", b[1] if b else "") for a, b in pairs]
        if self.beside:
            return [
                row
                for pair, spans in zip(pairs, marks, strict=True)
                for row in self._pair(*pair, (styles[0], styles[1]), sign, spans)
            ]
        rows: Rows = []
        for at_side, whose in enumerate(("1", "2")):
            lead = Content.styled(f"{whose} ", "$mark bold" if sign in (whose, "3") else "$dim")
            for pair, spans in zip(pairs, marks, strict=True):
                if (one := pair[at_side]) is not None:
                    number, line = one
                    drawn = self.numbered(number, line, styles[at_side], self._room, spans[at_side])
                    rows += [lead + part for part in drawn]
        return rows

    @property
    def _room(self) -> int:
        """Cells of a line with its number."""
        return max(1, (self.size.width - 4) // 2 if self.beside else self.size.width - 3)

    def _pair(
        self, mine: tuple[int, str] | None, disk: tuple[int, str] | None, styles: tuple[str, str], sign: str,
        marks: tuple[Spans, Spans] = ((), ()),
    ) -> Rows:  # fmt: skip
        """A line of either side, beside each other; where there is no room, of equal lines mine alone."""
        room = self._room
        left = self.numbered(*mine, styles[0], room, marks[0]) if mine is not None else []
        if not self.beside:
            return [Content("  ") + part for part in left]
        right = self.numbered(*disk, styles[1], room, marks[1]) if disk is not None else []
        blank, between = Content(" " * room), Content.styled(f"{sign:^3}", "$mark bold")
        return [
            (a or blank).pad_right(max(0, room - (a or blank).cell_length)) + between + (b or Content(""))
            for a, b in zip_longest(left, right)
        ]


class MergedLines(HunkRows):
    """What the choices give: the text that is written."""

    show_cursor = False

    def lay(self) -> None:
        rows, number = list[tuple[int, Content]](), 1
        for at, hunk in enumerate(self.hunks):
            side = self.side(at)
            style = STYLES["conflict" if side == "markers" else hunk.kind]
            for line in resolve([hunk], {0: side}).splitlines(keepends=True):
                rows += [(at, part) for part in self.numbered(number, line, style, max(1, self.size.width - 1))]
                number += 1
        self.rows = rows

    def to_hunk(self, hunk: int) -> None:
        self.scroll_to(y=max(0, self.first_row(hunk) - 1), animate=False)

    def move_cursor(self, rows: int) -> None:
        self.scroll_relative(y=rows, animate=False)


def shown(line: str) -> str:
    return text.visible(line.removesuffix("\n"), keep="").replace("␉", "    ")


def changed_words(mine: str, disk: str) -> tuple[Spans, Spans]:
    """Which characters of two shown lines belong to words that differ; none where hardly anything is alike."""
    words: list[list[str]] = [re.findall(r"\w+|\W", shown(line)) for line in (mine, disk)]
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    if not all(words) or matcher.ratio() < MIN_ALIKE:
        return (), ()
    ends = [[0, *accumulate(map(len, one))] for one in words]
    spans = [(a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    return (
        tuple((ends[0][a], ends[0][b]) for a, b, _, _ in spans if b > a),
        tuple((ends[1][c], ends[1][d]) for _, _, c, d in spans if d > c),
    )


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
    Command("compare.unfold", "Show or fold equal lines", "enter", lambda at: at.find(CompareLines).unfold()),
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
        choices = dict(self._choices)
        lines, merged = CompareLines(self.hunks, choices, self._first()), MergedLines(self.hunks, choices, id="merged")
        clean = sum(hunk.kind in ("mine", "disk") for hunk in self.hunks)
        open_ = sum(hunk.kind == "conflict" for hunk in self.hunks)
        name = text.visible(self.app.state.masked_name(self._file_name), keep="")
        lines.border_title = Content(f"1 mine (unsaved) · 2 disk · {name}")
        lines.border_subtitle = f"{clean} merge cleanly, {open_} overlap"
        merged.border_title = "merged: m writes this"
        yield lines
        yield merged
        yield HintBar(id="hints")

    def _first(self) -> int:
        """The change that the cursor is on at first: back here after a no, one that wants a choice still."""
        changed = [at for at, one in enumerate(self.hunks) if one.kind != "same"]
        open_ = [at for at in changed if self.hunks[at].kind == "conflict" and at not in self._choices]
        return next(iter((open_ if self._choices else []) + changed), 0)

    def on_mount(self) -> None:
        self.lines.focus()

    def change(self, step: int) -> None:
        here = self.lines.hunk
        changed = [at for at, one in enumerate(self.hunks) if one.kind != "same"]
        ahead = [at for at in changed if (at > here if step > 0 else at < here)]
        if ahead:
            self.lines.go(ahead[0] if step > 0 else ahead[-1])
        elif changed and self.hunks[here].kind == "same":
            self.lines.go(changed[0])

    @on(VirtualList.Moved, "#hunks")
    def follow(self) -> None:
        self.query_one(MergedLines).to_hunk(self.lines.hunk)

    @on(VirtualList.Chosen, "#hunks")
    def unfold(self) -> None:
        self.lines.unfold()

    def take(self, side: Side) -> None:
        if self.lines.rows:
            self.lines.choices[self.lines.hunk] = side
            self.lines.draw_again()
            self.query_one(MergedLines).draw_again()
            self.change(1)

    def merge(self) -> None:
        choices = self.lines.choices
        self.dismiss(CompareResult("write", resolve(self.hunks, choices), choices))

    def save_copy(self) -> None:
        self.dismiss(CompareResult("copy", self._mine))
