"""What a tidy by rules leaves to a person: each proposal with its evidence, and what can be done about it."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from memtui.dream.proposals import Proposal
from memtui.tui.dialogs.dialog import Dialog
from memtui.tui.widgets.diff_lines import DiffLines
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.text import clip, visible

KINDS = {"merge": "near-duplicate", "contradiction": "contradiction", "index": "index", "copy": "copy"}
DOES = {"merge": "merge", "index": "shorten"}  # what can be done about a kind at once; the others want an edit


class ProposalAnswer(Struct, frozen=True):
    """What a person wants done with a proposal, by its number from 0."""

    what: Literal["open", "do", "dismiss"]
    index: int


class ProposalLines(VirtualList):
    """A line for each proposal."""

    def __init__(self, proposals: Sequence[Proposal]) -> None:
        super().__init__(id="proposals")
        self.rows: Sequence[Proposal] = proposals

    def row(self, index: int, width: int) -> Content:
        one = self.rows[index]
        masked = self.app.state.masked
        words = visible(masked(f"{one.names[0]}: {one.words}"), keep="")
        words = clip(words, max(1, width - 16), ellipsis=self.glyphs.ellipsis)
        return Content.assemble((f"{KINDS.get(one.kind, one.kind):<15}", "$warn"), words)


class Proposals(Dialog[ProposalAnswer]):
    """Returns what to do with one of them, or None; `evidence` is a text for each, `start` where the cursor begins."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer('open')", "Open a topic of it", id="proposals.open"),
        Binding("a", "answer('do')", "Do it", id="proposals.do"),
        Binding("X", "answer('dismiss')", "Dismiss it", id="proposals.dismiss"),
        Binding("J", "scroll(3)", "Scroll the evidence down", id="proposals.down"),
        Binding("K", "scroll(-3)", "Scroll the evidence up", id="proposals.up"),
    ]

    def __init__(
        self, proposals: Sequence[Proposal], evidence: Sequence[str], start: int = 0, *, read_only: bool = False
    ) -> None:
        super().__init__("What the rules leave to your judgement", classes="-large")
        self._proposals, self._evidence, self._start, self._read_only = proposals, evidence, start, read_only

    def body(self) -> ComposeResult:
        yield ProposalLines(self._proposals)
        yield DiffLines("")

    @property
    def lines(self) -> ProposalLines:
        return self.query_one(ProposalLines)

    def on_mount(self) -> None:
        self.lines.rows_changed()
        self.lines.cursor = self._start
        self.lines.focus()
        self.moved()

    @on(VirtualList.Moved, "#proposals")
    def moved(self) -> None:
        self.query_one(DiffLines).show(self._evidence[self.lines.cursor])
        does = DOES.get(self._proposals[self.lines.cursor].kind, "")
        keys = ["⏎ open", *([f"a {does}"] if does else []), "X dismiss"] if not self._read_only else ["⏎ open"]
        frame = self.query_one("#frame")
        frame.border_subtitle = Content(self.app.glyphs.spell(f" {'   '.join([*keys, 'J K scroll', 'Esc back'])} "))

    @on(VirtualList.Chosen, "#proposals")
    def chosen(self) -> None:
        self.action_answer("open")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self._read_only and action == "answer" and parameters != ("open",))

    def action_answer(self, what: Literal["open", "do", "dismiss"]) -> None:
        self.dismiss(ProposalAnswer(what, self.lines.cursor))

    def action_scroll(self, rows: int) -> None:
        self.query_one(DiffLines).move_cursor(rows)
