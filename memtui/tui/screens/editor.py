"""The editor: properties above, body below, problems while you type, and a disk that may move meanwhile."""

from pathlib import Path
from typing import ClassVar

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input, Label, Static, TextArea

from memtui.memory.budget import measure_index
from memtui.memory.checks.base import Problem
from memtui.memory.workspace import Workspace
from memtui.tui import keys, styles
from memtui.tui.editor_model import EditorText, OpenedFile, field_edits, problems_of
from memtui.tui.messages import EditorRequest
from memtui.tui.reach import app_of
from memtui.tui.render.markdown import draw
from memtui.tui.theme import Glyphs
from memtui.tui.widgets.body_area import BodyArea
from memtui.tui.widgets.budget_meter import thousands
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.problem_list import ProblemList
from memtui.tui.widgets.reader import ReaderView
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.text import visible

PAUSE = 0.15
"""Seconds without a key after which problems, meter and draft are brought up to date: never on the key path."""

BESIDE_FROM = 120
"""Cells from which the preview stands beside the text without being asked for."""


class Closed(Struct, frozen=True):
    """How the editor was left: what to do next."""

    external: bool = False
    compare: bool = False


class Editor(Screen[Closed]):
    """One file. Saving, drafts and merging are the workspace's; this holds the text."""

    CSS_PATH = styles.sheets("editor")
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.EDITOR, priority=True)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012

    def __init__(self, workspace: Workspace, opened: OpenedFile, glyphs: Glyphs, *, line: int | None = None) -> None:
        super().__init__()
        self.workspace = workspace
        self.opened = opened
        self.sheet = opened.sheet
        self.glyphs = glyphs
        self._line = line
        self._pause: Timer | None = None
        self._disk_note = ""

    @property
    def path(self) -> Path:
        """The file that is edited."""
        return self.opened.path

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with Vertical(id="properties"):
            for key, value in self.opened.fields.items():
                with Horizontal(classes="field"):
                    yield Label(f"{key:<12}")
                    yield Input(visible(value, keep=""), id=f"field-{key}", compact=True, select_on_focus=False)
        with Horizontal(id="texts"):
            yield BodyArea(self.sheet.body, line_number_start=self.sheet.body_line)
            yield ReaderView(id="beside", classes="pane")
        yield ProblemList(self.glyphs, id="problems")
        yield Static(id="disk")
        hints = HintBar(id="hints")
        hints.hints = keys.hints(keys.EDITOR)
        yield hints

    def on_mount(self) -> None:
        self.call_after_refresh(app_of(self).type_ahead.opened)
        self.query_one("#beside").display = self.app.size.width >= BESIDE_FROM
        self.query_one("#disk").display = False
        self.query_one("#properties").display = bool(self.opened.fields)
        body = self.body
        if self._line is not None:
            row = max(0, self._line - self.sheet.body_line)
            body.move_cursor((min(row, body.document.line_count - 1), 0), center=True)
        body.focus()
        if self.opened.note:
            self.say_disk(self.opened.note)
        self._bring_up_to_date()

    @property
    def body(self) -> BodyArea:
        """The text."""
        return self.query_one(BodyArea)

    @property
    def dirty(self) -> bool:
        """Whether the text differs from what was read or saved last."""
        return self.current().to_bytes() != self.opened.data

    def current(self) -> EditorText:
        """The text as it stands, fields put in by span."""
        values = {key: self.query_one(f"#field-{key}", Input).value for key in self.opened.fields}
        return EditorText(field_edits(self.sheet, self.opened.fields, values), self.body.text, self.sheet.newline)

    # While typing.

    @on(TextArea.Changed)
    @on(Input.Changed)
    def typed(self) -> None:
        """Start the pause anew; nothing else happens on the key path."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self._bring_up_to_date)

    @on(TextArea.SelectionChanged)
    def moved(self) -> None:
        """The line and column in the title."""
        self._say_title()

    def _bring_up_to_date(self) -> None:
        self._say_title()
        self.look(self.current())

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="look")
    def look(self, sheet: EditorText) -> None:
        """Check the text and keep it as a draft."""
        problems = problems_of(self.workspace, self.opened, sheet)
        self._keep(sheet)
        self.app.call_from_thread(self._show_problems, problems, sheet)

    def _show_problems(self, problems: tuple[Problem, ...], sheet: EditorText) -> None:
        if not self.is_attached:
            return
        panel = self.query_one(ProblemList)
        panel.show(problems)
        panel.display = bool(problems)
        beside = self.query_one("#beside", ReaderView)
        if beside.display:
            beside.show(list(draw(sheet.body, beside.draw_width, self.glyphs, first=sheet.body_line)), keep_place=True)

    def _say_title(self) -> None:
        row, column = self.body.cursor_location
        mark = f" {self.glyphs.unsaved}" if self.dirty else ""
        ends = "CRLF" if self.sheet.newline == "\r\n" else "LF"
        right = f"Ln {row + self.sheet.body_line} Col {column + 1}   UTF-8 {ends}"
        if self.opened.is_index:
            budget = measure_index(self.current().text)
            right += f"   index {budget.lines}/{budget.max_lines}  {thousands(budget.units)}"
            cut = budget.cut_line_in_file
            self.body.cut_row = cut - self.sheet.body_line if cut is not None else None
            right += f"   not loaded from line {cut} on" if cut is not None else ""
        name = visible(self.opened.name, keep="")
        title = Content.assemble((f" {name}", "bold"), (mark, "$mark bold"), (f"   {right}", "$dim"))
        self.query_one("#title", Static).update(title)

    def say_disk(self, words: str) -> None:
        """Say that the file moved on disk, or what was restored; "" takes the line away."""
        line = self.query_one("#disk", Static)
        line.display = bool(words)
        line.update(Content.styled(f" {self.glyphs.problem} {visible(words, keep='')}", "$warn"))

    def disk_moved(self, digest: str | None) -> None:
        """The watcher saw the file; `digest` is None when it is gone."""
        if digest == self.opened.base:
            self.say_disk("")
        elif digest is None:
            self.say_disk("the file is gone from disk; ^S writes it again")
        else:
            self.say_disk("changed on disk just now: F9 compares and merges, ^S merges what does not overlap")

    # Keys.

    def action_save(self) -> None:
        """Write it; what cannot be merged opens the comparison."""
        self.post_message(EditorRequest(self, "save"))

    def saved(self, opened: OpenedFile) -> None:
        """Go on from what is on disk now."""
        row = self.body.cursor_location
        changed = opened.data != self.current().to_bytes()
        self.opened, self.sheet = opened, opened.sheet
        if changed:
            self.body.load_text(opened.sheet.body)
            self.body.move_cursor(row)
        self.say_disk("")
        self._bring_up_to_date()

    def action_external(self) -> None:
        """Go on in $EDITOR with the text as it is here."""
        self.dismiss(Closed(external=True))

    def action_properties(self) -> None:
        """To the properties and back."""
        first = next(iter(self.opened.fields), None)
        if first is None:
            self.app.notify("the frontmatter cannot be read: it is part of the text here", markup=False)
        elif isinstance(self.focused, Input):
            self.body.focus()
        else:
            self.query_one(f"#field-{first}").focus()

    def action_preview(self) -> None:
        """The preview beside the text, where there is room; else in its place."""
        beside = self.query_one("#beside", ReaderView)
        beside.display = not beside.display
        if beside.display:
            self.call_after_refresh(self._bring_up_to_date)

    @on(ReaderView.WidthChanged)
    def redraw_beside(self) -> None:
        """The preview has another width."""
        self._bring_up_to_date()

    def action_problem(self, step: int) -> None:
        """To the next problem in the text."""
        panel = self.query_one(ProblemList)
        if not panel.problems:
            return
        panel.cursor = (panel.cursor + step) % len(panel.problems) if panel.visited else panel.cursor
        panel.visited = True
        self.to_problem(panel.problems[panel.cursor])

    @on(VirtualList.Chosen, "#problems")
    def chosen_problem(self, event: VirtualList.Chosen) -> None:
        """Enter or a double click on a problem goes to its line."""
        self.to_problem(self.query_one(ProblemList).problems[event.index])

    def to_problem(self, problem: Problem) -> None:
        """Put the cursor where the problem is."""
        row = (problem.line or 1) - self.sheet.body_line
        if row < 0 and self.opened.fields:
            self.action_properties()
            return
        self.body.move_cursor((max(0, row), (problem.column or 1) - 1), center=True)
        self.body.focus()

    def action_compare(self) -> None:
        """Compare with the disk."""
        self.post_message(EditorRequest(self, "compare"))

    def action_find(self) -> None:
        """Find text from the cursor on."""
        self.post_message(EditorRequest(self, "find"))

    def action_close(self) -> None:
        """Back to the list; unsaved text stays as a draft."""
        if isinstance(self.focused, Input):
            self.body.focus()
            return
        self.leave()

    def leave(self) -> None:
        """Close it, wherever the focus is; unsaved text stays as a draft."""
        self.keep_draft()
        self.dismiss(Closed())

    def keep_draft(self) -> None:
        """Keep what is unsaved as a draft; drop the draft if nothing is."""
        self._keep(self.current())

    def _keep(self, sheet: EditorText) -> None:
        if sheet.to_bytes() != self.opened.data:
            self.workspace.drafts.save(self.path, sheet.exact, self.opened.base)
        else:
            self.workspace.drafts.drop(self.path)
