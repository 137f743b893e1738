"""The Dream view: whether a dream would start and why not, the runs, and what is known of the one under the cursor."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from memtui.client.paths import tilde_path
from memtui.presentation.dream_text import claims_summary, policy_text
from memtui.tui import preload
from memtui.tui.app_base import CommandContext, Selection
from memtui.tui.commands import app, dreams, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import DreamViewShown, RunRequested
from memtui.tui.state import AppState, Dream
from memtui.tui.views.filtered import ListView
from memtui.tui.widgets.gate_list import GateList
from memtui.tui.widgets.run_panes import RunDetails, RunList
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.text import pluralize, visible

LOW_BELOW = 30  # rows below which the checks are a line
FLAT_BELOW = 14  # rows below which there is no room for what becomes of the next dream
NONE_YET = "no dream has run here yet; D starts one"


async def follow(context: CommandContext) -> None:
    dream = context.find(DreamView).current
    if dream is not None:
        await preload.load("memtui.tui.dialogs.watch_run")
        context.app.watch_run(dream.run.id)


COMMANDS = declare(
    registry.DREAM,
    Command("dream.follow", "The run full screen, its log followed", "f", follow, "f follow",
            disabled_reason=dreams.no_runs),
    Command("dream.details", "To the details of the run", "right,l", lambda at: at.find(DreamView).focus_preview()),
    Command("dream.runs", "Back to the runs", "left,h,escape", lambda at: at.find(DreamView).focus_list()),
)  # fmt: skip


class DreamView(ListView):
    """Checks above; runs and details below from 60 cells on, else one of them (stylesheet)."""

    BINDINGS = registry.bindings(COMMANDS, dreams.RUN, app.PANES)

    def __init__(self) -> None:
        super().__init__(id="dream", classes="view")
        self._awaited = ""
        self._requested = ""
        self._has_runs = False

    def compose(self) -> ComposeResult:
        yield GateList(id="gates", classes="pane")
        yield Static(Content(""), id="next")
        with Horizontal(id="dreams"):
            yield RunList(id="runs", classes="pane")
            yield RunDetails(id="run", classes="pane")

    def on_mount(self) -> None:
        self.query_one("#runs").border_title = "Runs"

    def on_resize(self) -> None:
        self._give_room()

    def _give_room(self) -> None:
        """Where it is low, the checks take a line until the person goes there: their title has the answer."""
        has_runs = bool(self.app.state.dreams)
        self.set_class(self.size.height < LOW_BELOW and has_runs, "-low")
        self.set_class(self.size.height < FLAT_BELOW, "-flat")
        if has_runs != self._has_runs:
            self._has_runs = has_runs
            self.screen.refresh_bindings()  # the hints offer only what can be done

    def on_show(self) -> None:
        self.post_message(DreamViewShown(True))

    def on_hide(self) -> None:
        self.post_message(DreamViewShown(False))

    @property
    def list(self) -> RunList:
        return self.query_one(RunList)

    @property
    def reader(self) -> RunDetails:
        return self.query_one(RunDetails)

    @property
    def current(self) -> Dream | None:
        return self.list.current

    def show(self, state: AppState) -> None:
        if not self.is_mounted:
            return  # its panes are to come
        home = self.app.start.home
        now = self.app.start.now()  # a second counts while a run is on
        gates = tuple(replace(gate, source=_short(gate.source, home)) for gate in state.gates)
        self.query_one(GateList).show(gates, now)
        self._show_next(state)
        self._show_runs(now)
        self._give_room()
        if self._awaited and self.list.to_key(self._awaited):
            self._awaited = ""
        self.moved()

    def _show_next(self, state: AppState) -> None:
        """What would become of the next dream's changes, and what the rules leave to the person."""
        lines = [] if state.policy is None else [Content.styled(f"Next: {policy_text(state.policy)}", "$dim")]
        if count := len(dreams.left_to_judge(state)):
            left = f"{pluralize(count, 'proposal')} left to your judgement"
            lines.append(Content.assemble((left, "$warn"), (": i lists them", "$dim")))
        self.query_one("#next", Static).update(Content("\n").join(lines))

    def tick(self, now: float) -> None:
        self._show_runs(now)
        if self.current is not None and self.current.state.word == "running":
            self._show_details(now)

    def _show_runs(self, now: float) -> None:
        state = self.app.state
        self.list.empty = NONE_YET
        self.list.show(state.dreams, state.judging, now, still=self.app.still)
        self.list.border_title = f"Runs {self.glyphs.separator} {pluralize(len(state.dreams), 'dream')}"

    def _show_details(self, now: float) -> None:
        dream, opened = self.current, self.app.state.open_dream
        self.reader.show(dream, opened if dream and opened and opened.id == dream.run.id else None, now)
        words = f"dream {dream.run.id}" if dream else "What is a dream?"
        told = claims_summary(opened.claims) if dream and opened and opened.id == dream.run.id and dream.kept else ""
        title = f" {self.glyphs.separator} ".join(filter(None, (words, told)))
        self.reader.border_title = Content(visible(title, keep=""))

    def go_to(self, key: str) -> None:
        self._awaited = "" if self.list.to_key(key) else key

    @on(VirtualList.Moved, "#runs")
    def moved(self) -> None:
        """Another run: what is known of it at once, the rest when it was read."""
        id = self.current.run.id if self.current else ""
        if id != self._requested:
            self._requested = id
            self.post_message(RunRequested(id))
        self._show_details(self.app.start.now())

    @on(VirtualList.Chosen, "#runs")
    def choose_run(self) -> None:
        self.app.perform(dreams.show_whole_difference)

    @on(VirtualList.Chosen, "#run")
    def choose_detail(self) -> None:
        """Enter on a file: its difference; on any other row that of the run."""
        self.app.perform(dreams.show_difference)

    @property
    def selection(self) -> Selection:
        return Selection(run=self.current.run.id, file=self.reader.file) if self.current is not None else Selection()

    def scroll_preview(self, step: int) -> None:
        self.reader.scroll_relative(y=step * 3, animate=False)

    def start_over(self) -> None:
        self._requested = self._awaited = ""
        self.list.show((), "", 0.0, still=True)
        self.reader.show(None, None, 0.0)
        self.post_message(DreamViewShown(self.display))


def _short(source: str, home: Path) -> str:
    """Where a check was read; a path is shown from the home folder."""
    return tilde_path(Path(source), home) if source.startswith("/") else source
