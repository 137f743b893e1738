"""The Memory view: the list of files, a preview, and what is known of the file under the cursor."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.style import Style

from memtui.tui.app_base import CommandContext, Selection
from memtui.tui.commands import app, editor, history, memory, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import PreviewRequested
from memtui.tui.render.memory_rows import GROUPINGS, ORDERS, FileRow, Wanted, arrange
from memtui.tui.render.properties import dressed, properties
from memtui.tui.startup.first_state import FirstState
from memtui.tui.state import MODES, AppState, Preview
from memtui.tui.views.filtered import FilteredView, next_of
from memtui.tui.widgets.properties import PropertyTable
from memtui.tui.widgets.reader import ReaderView
from memtui.tui.widgets.topic_list import EMPTY, TopicList, first_file, list_title
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.text import visible


async def edit_here(context: CommandContext) -> None:
    line = context.find(ReaderView).line
    await editor.edit(context, line.source if line is not None else None)


READER_COMMANDS = declare(
    registry.READER,
    Command("reader.back", "Back to where the link was", "minus", lambda at: at.find(MemoryView).go_back(), "- back"),
    Command("reader.edit", "Edit at this line", "e", edit_here, "e edit here", disabled_reason=memory.WRITES),
    Command("reader.next_tab", "Next: preview, links, history", "right_square_bracket",
            lambda at: at.find(MemoryView).next_mode(1)),
    Command("reader.previous_tab", "Previous", "left_square_bracket", lambda at: at.find(MemoryView).next_mode(-1)),
)  # fmt: skip

COMMANDS = declare(
    registry.MEMORY,
    Command("memory.filter", "Filter: 'exact ^start end$ !not", "slash", lambda at: at.find(MemoryView).filter(),
            "/ filter"),
    Command("memory.backlinks", "Links, backlinks, unlinked mentions", "b",
            lambda at: at.find(MemoryView).toggle_mode("links")),
    Command("memory.mark", "Mark for delete, type and pin", "space", lambda at: at.find(MemoryView).mark()),
    Command("memory.group", "Group by type, by folder, or not at all", "v",
            lambda at: at.find(MemoryView).next_grouping()),
    Command("memory.order", "Order by name, age or size", "o", lambda at: at.find(MemoryView).next_order()),
    Command("memory.problems", "Only files with problems", "exclamation_mark",
            lambda at: at.find(MemoryView).toggle_only_problems()),
    Command("memory.preview", "Preview on or off", "p", lambda at: at.find(MemoryView).toggle_class("-no-preview")),
    Command("memory.next_tab", "Next: preview, links, history", "right_square_bracket",
            lambda at: at.find(MemoryView).next_mode(1)),
    Command("memory.previous_tab", "Previous", "left_square_bracket", lambda at: at.find(MemoryView).next_mode(-1)),
    Command("memory.context", "What a session is given at its start, file by file", "",
            lambda at: at.find(MemoryView).show_start()),
    Command("memory.escape", "Filter and marks off", "escape", lambda at: at.find(MemoryView).back()),
)  # fmt: skip


class MemoryReader(ReaderView):
    BINDINGS = registry.bindings(READER_COMMANDS)


class MemoryView(FilteredView[Wanted]):
    """Three panes from 100 cells on, two from 60, else one (stylesheet)."""

    BINDINGS = registry.bindings(COMMANDS, memory.COMMANDS, app.PANES)
    MIN_LIST_CELLS = 20

    def __init__(self) -> None:
        super().__init__(id="memory", classes="view")
        self.wanted = Wanted()
        self.mode = MODES[0]
        self.state: AppState | None = None
        self._trail: list[Path] = []
        self._awaited: Path | None = None

    def compose(self) -> ComposeResult:
        # As few widgets as will do: each costs a millisecond or two of the first frame.
        yield TopicList(id="topics", classes="pane")
        yield MemoryReader(id="preview", classes="pane")
        yield PropertyTable(id="properties", classes="pane")

    def on_mount(self) -> None:
        self.screen.set_focus(self.list)

    @property
    def list(self) -> TopicList:
        return self.query_one(TopicList)

    @property
    def reader(self) -> ReaderView:
        return self.query_one(ReaderView)

    @property
    def current(self) -> Path | None:
        row = self.list.current
        return row.path if isinstance(row, FileRow) else None

    @property
    def selection(self) -> Selection:
        return Selection(self.current, tuple(sorted(self.wanted.marked)))

    def show(self, state: AppState) -> None:
        before, self.state = self.state, state
        if state.snapshot is None:
            if state.first is not None and (before is None or before.first is not state.first):
                self.list.show(state.first.rows, state.now)
                self._title(state.first.files)
                self._show_first(state.first)
            return
        self.wanted = replace(self.wanted, unsaved=state.unsaved, pinned=state.pinned, changed=state.changed)
        if before is None or before.snapshot is not state.snapshot or before.unsaved != state.unsaved:
            self.rearrange()
            self.ask_preview()
        elif before.secrets_shown != state.secrets_shown:
            self._show_properties()
            self.ask_preview()
        elif before.pinned != state.pinned or before.changed != state.changed or int(before.now) != int(state.now):
            self.rearrange()
        if before is None or before.preview is not state.preview or before.snapshot is not state.snapshot:
            self._show_preview(state)  # problems of the file stand below its text

    def rearrange(self) -> None:
        state = self.state
        if state is None or state.snapshot is None:
            return
        here = frozenset(path for path in self.wanted.marked if state.snapshot.at(path))
        self.wanted = replace(self.wanted, marked=here)  # a file that is gone is not marked any more
        rows = arrange(state.snapshot, self.wanted)
        self.list.show(rows, state.now)
        if self._awaited is not None and state.snapshot.at(self._awaited):
            path, self._awaited = self._awaited, None
            self.go_to(str(path))
        self._title(len(state.snapshot.auto.files) if state.snapshot.auto else 0)
        self._show_properties()
        if self.current != state.preview.path:
            self.ask_preview()

    def _show_first(self, first: FirstState) -> None:
        """Preview and properties as the last start's first frame had them; none where the cursor went elsewhere."""
        here = self.list.cursor == first_file(first.rows)
        self.reader.show(first.preview_lines if here else ())
        self._show_titles(first.preview_title if here else "")
        table = self.query_one(PropertyTable)
        table.pairs, table.notes = (first.pairs, first.notes) if here else ((), ())

    def _show_titles(self, name: str) -> None:
        self.reader.name_shown = name
        self.reader.border_title = Content(name)
        tabs = [Content(f"[ {mode} ]" if mode == self.mode else mode) for mode in MODES]
        tabs = [tab.stylize(Style.from_meta({"mode": mode})) for tab, mode in zip(tabs, MODES, strict=True)]
        self.reader.border_subtitle = Content(" ").join(tabs)

    def on_click(self, event: events.Click) -> None:
        """Show what one of the words below the preview names."""
        if (mode := event.style.meta.get("mode")) is not None:
            self.mode = mode
            self.ask_preview()

    def _title(self, total: int) -> None:
        wanted = self.wanted
        words = [
            f"by {wanted.grouping}" if wanted.grouping != "flat" else "flat",
            wanted.order if wanted.order != "name" else "",
            "problems only" if wanted.only_problems else "",
            f"{len(wanted.marked)} marked" if wanted.marked else "",
        ]
        filtered = wanted.query or wanted.only_problems
        amount = f"{sum(isinstance(row, FileRow) for row in self.list.rows)} found" if filtered else str(total)
        self.list.border_title = list_title(amount, [*filter(None, words)], self.glyphs)
        self.list.empty = f"0 of {total}, Esc clears" if filtered else EMPTY

    def _show_preview(self, state: AppState) -> None:
        preview, reader = state.preview, self.reader
        if preview.path != self.current and self.current is not None:
            return
        lines = [*preview.lines]
        if preview.path and preview.mode == MODES[0] and not self.query_one(PropertyTable).display:
            above, below = dressed(state, preview.path, self.glyphs, self.app.start.home)
            lines = [*above, *lines, *below]
        name = visible(state.masked_name(preview.title), keep="")
        reader.show(lines, keep_place=bool(preview.path and name == reader.name_shown))
        self._show_titles(name)

    def _show_properties(self) -> None:
        if self.state is not None and self.state.snapshot is not None:
            table = self.query_one(PropertyTable)
            home = self.app.start.home
            table.pairs, table.notes = properties(self.state, self.current, self.glyphs, home)

    @on(ReaderView.WidthChanged)
    def ask_preview(self) -> None:
        shown = self.state is not None and self.state.secrets_shown
        self.post_message(
            PreviewRequested(Preview(self.current, self.mode, width=self.reader.draw_width, secrets=shown))
        )

    @on(VirtualList.Moved, "#topics")
    def moved(self) -> None:
        if self.state is not None and self.state.snapshot is None and self.state.first is not None:
            self._show_first(self.state.first)
        self.ask_preview()
        self._show_properties()

    @on(TopicList.Folded)
    def fold(self, message: TopicList.Folded) -> None:
        folded = self.wanted.folded | {message.key} if message.folded else self.wanted.folded - {message.key}
        self.arrange_by(folded=folded)

    @on(VirtualList.Chosen, "#topics")
    def open_editor(self) -> None:
        self.app.perform(editor.edit)

    def mark(self) -> None:
        if self.current:
            self.arrange_by(marked=self.wanted.marked ^ {self.current})
            self.list.cursor += 1

    def next_grouping(self) -> None:
        self.arrange_by(grouping=next_of(GROUPINGS, self.wanted.grouping))

    def next_order(self) -> None:
        self.arrange_by(order=next_of(ORDERS, self.wanted.order))

    def toggle_only_problems(self) -> None:
        self.arrange_by(only_problems=not self.wanted.only_problems)
        self.list.to_first_file()

    def filter_typed(self, query: str) -> None:
        super().filter_typed(query)
        self.list.to_first_file()

    def back(self) -> None:
        if self.close_filter():
            return
        if self.wanted.only_problems:
            self.toggle_only_problems()
        elif self.wanted.marked:
            self.arrange_by(marked=frozenset())

    def scroll_preview(self, step: int) -> None:
        self.reader.cursor += step * 3

    def toggle_mode(self, mode: str) -> None:
        self.mode = mode if self.mode != mode else MODES[0]
        self.ask_preview()

    def next_mode(self, step: int) -> None:
        self.mode = next_of(MODES, self.mode, step)
        self.ask_preview()

    @on(ReaderView.Follow)
    def follow(self, message: ReaderView.Follow) -> None:
        """Go where the link leads, remembering from where."""
        if message.target.startswith("version:"):
            version = message.target.partition(":")[2]
            self.app.perform(lambda context: history.show_version(context, version))
            return
        snapshot = self.state.snapshot if self.state else None
        target = snapshot.resolve(self.current, message.target) if snapshot and self.current else None
        if target is None:
            self.notify(f"nothing here is called {visible(message.target, keep='')}", severity="warning", markup=False)
        else:
            self._trail.append(self.current)  # type: ignore[arg-type]
            self.go_to(str(target))

    def go_back(self) -> None:
        if self._trail:
            self.go_to(str(self._trail.pop()))

    def go_to(self, key: str) -> None:
        """Put the cursor on a file, unfolding and unfiltering what hides it."""
        if not self.list.to_key(key):
            self.arrange_by(folded=frozenset(), query="", only_problems=False)
            self.list.to_key(key)

    def show_start(self) -> None:
        """Put the cursor on a group's line, where the preview tells what a session is given at its start."""
        if not self.list.to_key("instructions"):
            self.arrange_by(query="", only_problems=False)
            self.list.to_key("instructions") or self.list.to_key("index")

    @on(ReaderView.Left)
    def leave_reader(self) -> None:
        self.focus_list()

    def await_path(self, path: Path) -> None:
        """Put the cursor on this file once the list has it: it was only just written."""
        self._awaited = path

    def start_over(self) -> None:
        self.wanted, self._trail, self.state = Wanted(), [], None
