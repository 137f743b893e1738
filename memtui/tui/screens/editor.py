"""The editor: properties above, body below, problems while you type."""

from pathlib import Path

from msgspec import Struct
from textual import getters, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Label, Static, TextArea

from memtui.fs.atomic import digest
from memtui.memory.budget import measure_index
from memtui.memory.checks.base import Problem
from memtui.memory.snapshot import Snapshot
from memtui.memory.workspace import Workspace
from memtui.services import memory as services
from memtui.services.memory import SavedFile
from memtui.tui.app_base import CommandContext, Selection, ShowsState
from memtui.tui.commands import questions, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.dialogs.ask import Ask
from memtui.tui.editor_model import EditorText, NotEditable, OpenedFile, field_edits, open_file, problems_of, take_fixed
from memtui.tui.render.markdown import draw
from memtui.tui.screens.hinted import HintedScreen
from memtui.tui.state import AppState
from memtui.tui.widgets.body_area import BodyArea
from memtui.tui.widgets.budget_meter import thousands
from memtui.tui.widgets.hint_bar import HintBar
from memtui.tui.widgets.problem_list import ProblemList
from memtui.tui.widgets.reader import ReaderView
from memtui.tui.widgets.virtual_list import VirtualList
from memtui.util.errors import NotFound, Refused
from memtui.util.text import visible

UPDATE_DELAY_S = 0.15
"""Seconds without a key after which problems, meter and draft are brought up to date: never on the key path."""

BESIDE_FROM = 120  # cells from which the preview stands beside the text without being asked for


class Closed(Struct, frozen=True):
    """How the editor was left; `external`: to go on in $EDITOR, at a line of the file."""

    external: bool = False
    line: int | None = None


async def save(context: CommandContext) -> None:
    """Write what the editor holds; text that cannot be written stays as a draft and on the screen."""
    editor, workspace = context.find(Editor), context.workspace
    opened, data = editor.opened, editor.current().to_bytes()
    if data == opened.data and opened.base is not None:
        context.notify("nothing changed since the last save")
        return
    saved = await questions.save(
        context,
        lambda allow: services.save_file(workspace, opened.path, data, opened.base, base_data=opened.data, allow=allow),
    )
    await _after_save(context, editor, saved)


async def compare(context: CommandContext) -> None:
    editor, opened = context.find(Editor), context.find(Editor).opened
    mine = editor.current().to_bytes()
    conflict = await context.in_thread(
        services.conflict_with_disk, context.workspace, opened.path, opened.name, mine, opened.base
    )
    await _after_save(context, editor, await questions.decide(context, conflict))


async def fix(context: CommandContext) -> None:
    """Fix the problem under the cursor of the list, in the text that is typed: nothing is saved."""
    editor = context.find(Editor)
    problem = editor.problem
    if problem is None or not problem.fix:
        raise NotFound("only you can fix this" if problem else "nothing here is to be fixed")
    text, snapshot = editor.current().text, editor.opened.snapshot
    fixed = await context.in_thread(services.fixed_text, context.workspace, snapshot, problem, text)
    try:
        editor.take(take_fixed(editor.opened, fixed))
    except NotEditable as reason:
        raise Refused(str(reason)) from reason


async def _after_save(context: CommandContext, editor: "Editor", saved: SavedFile | None) -> None:
    """Go on from what is on disk now; where the person said no, the text stays as it is."""
    if saved is None:
        return
    workspace, snapshot = context.workspace, editor.opened.snapshot
    editor.saved(await context.in_thread(open_file, workspace, snapshot, editor.path, draft=False))
    questions.say_saved(context, saved)


async def find(context: CommandContext) -> None:
    body = context.find(Editor).body
    text = await context.ask(Ask("Find", does="find"))
    if not text:
        return
    row, column = body.cursor_location
    lines = body.text.lower().split("\n")
    for number, start in [(row, column + 1), *((r % len(lines), 0) for r in range(row + 1, row + 1 + len(lines)))]:
        at = lines[number].find(text.lower(), start)
        if at >= 0:
            body.move_cursor((number, at), center=True)
            body.selection = type(body.selection)((number, at), (number, at + len(text)))
            return
    context.notify("not found")


COMMANDS = declare(
    registry.EDITOR,
    Command("editor.save", "Save", "ctrl+s", save, "^S save"),
    Command("editor.close", "Back to the list; unsaved text stays as a draft", "escape",
            lambda at: at.find(Editor).back(), "Esc list"),
    Command("editor.external", "Go on in $EDITOR", "ctrl+g", lambda at: at.find(Editor).go_on_outside(), "^G $EDITOR"),
    Command("editor.properties", "Properties", "f2", lambda at: at.find(Editor).focus_properties(), "F2 properties"),
    Command("editor.preview", "Preview on or off", "f3", lambda at: at.find(Editor).toggle_preview(), "F3 preview"),
    Command("editor.problem", "Next problem", "f8", lambda at: at.find(Editor).go_to_problem(1), "F8 problem"),
    Command("editor.problem_back", "Previous problem", "shift+f8", lambda at: at.find(Editor).go_to_problem(-1)),
    Command("editor.fix", "Fix this problem; nothing is saved", "f7", fix, "F7 fix"),
    Command("editor.compare", "Compare with the disk", "f9", compare, "F9 compare"),
    Command("editor.find", "Find", "ctrl+f", find),
)  # fmt: skip


class Editor(HintedScreen[Closed], ShowsState):
    """One file. Saving, drafts and merging are the workspace's; this holds the text."""

    BINDINGS = registry.bindings(COMMANDS, priority=True)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    body = getters.query_one(BodyArea)

    def __init__(self, workspace: Workspace, opened: OpenedFile, *, line: int | None = None) -> None:
        super().__init__()
        self.workspace = workspace
        self.opened = opened
        self.text = opened.text
        self._line = line
        self._pause: Timer | None = None
        self._seen: Snapshot | None = None

    @property
    def path(self) -> Path:
        return self.opened.path

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with Vertical(id="properties"):
            for key, value in self.opened.fields.items():
                with Horizontal(classes="field"):
                    yield Label(f"{key:<12}")
                    yield Input(visible(value, keep=""), id=f"field-{key}", compact=True, select_on_focus=False)
        with Horizontal(id="texts"):
            yield BodyArea(self.text.body, line_number_start=self.text.body_line)
            yield ReaderView(id="beside", classes="pane")
        yield ProblemList(id="problems")
        yield Static(id="disk")
        yield HintBar(id="hints")

    def on_mount(self) -> None:
        self.query_one("#beside").display = self.app.size.width >= BESIDE_FROM
        self.query_one("#disk").display = False
        self.query_one("#properties").display = bool(self.opened.fields)
        body = self.body
        if self._line is not None:
            row = max(0, self._line - self.text.body_line)
            body.move_cursor((min(row, body.document.line_count - 1), 0), center=True)
        body.focus()
        if self.opened.note:
            self.say_disk(self.opened.note)
        self.bring_up_to_date()

    @property
    def dirty(self) -> bool:
        return self.current().to_bytes() != self.opened.data

    def current(self) -> EditorText:
        values = {key: self.query_one(f"#field-{key}", Input).value for key in self.opened.fields}
        return EditorText(field_edits(self.text, self.opened.fields, values), self.body.text, self.text.newline)

    # While typing.

    @on(TextArea.Changed)
    @on(Input.Changed)
    def typed(self) -> None:
        """Start the pause again; nothing else happens on the key path."""
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(UPDATE_DELAY_S, self.bring_up_to_date)

    @on(ReaderView.WidthChanged)
    def bring_up_to_date(self) -> None:
        self.say_title()
        self.look(self.current())

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="look")
    def look(self, text: EditorText) -> None:
        problems = problems_of(self.workspace, self.opened, text)
        self._keep(text)
        self.app.call_from_thread(self._show_problems, problems, text)

    def _show_problems(self, problems: tuple[Problem, ...], text: EditorText) -> None:
        if not self.is_attached:
            return
        panel = self.query_one(ProblemList)
        panel.show(problems)
        panel.display = bool(problems)
        beside = self.query_one("#beside", ReaderView)
        if beside.display:
            beside.show(
                list(draw(text.body, beside.draw_width, self.app.glyphs, first=text.body_line)), keep_place=True
            )

    @on(TextArea.SelectionChanged)
    def say_title(self) -> None:
        row, column = self.body.cursor_location
        mark = f" {self.app.glyphs.unsaved}" if self.dirty else ""
        ends = "CRLF" if self.text.newline == "\r\n" else "LF"
        right = f"Ln {row + self.text.body_line} Col {column + 1}   UTF-8 {ends}"
        if self.opened.is_index:
            budget = measure_index(self.current().text)
            right += f"   index {budget.lines}/{budget.max_lines}  {thousands(budget.units)}"
            cut = budget.cut_line_in_file
            self.body.cut_row = cut - self.text.body_line if cut is not None else None
            right += f"   not loaded from line {cut} on" if cut is not None else ""
        name = visible(self.opened.name, keep="")
        title = Content.assemble((f" {name}", "bold"), (mark, "$mark bold"), (f"   {right}", "$dim"))
        self.query_one("#title", Static).update(title)

    @property
    def selection(self) -> Selection:
        return Selection(path=self.path)

    def show(self, state: AppState) -> None:
        """The folder was read again: somebody else may have changed the file."""
        if state.snapshot is not self._seen:
            self._seen = state.snapshot
            self.look_at_disk()

    @work(thread=True, exclusive=True, group="disk", exit_on_error=False, description="disk")
    def look_at_disk(self) -> None:
        try:
            disk = services.text_on_disk(self.workspace, self.path)
        except OSError:
            return  # a save says why
        self.app.call_from_thread(self._tell_disk, None if disk is None else digest(disk))

    def _tell_disk(self, disk: str | None) -> None:
        """Say that the file is another one than was opened; what is typed stays, and a save merges or asks."""
        if self.is_attached and disk != self.opened.base:
            changed = "gone from the disk" if disk is None else "changed on disk"
            self.say_disk(f"{changed} since you opened it: ^S merges or asks, F9 compares")
        elif self.is_attached:
            self.say_disk(self.opened.note)

    def say_disk(self, words: str) -> None:
        """Say what was restored, or what others did; "" takes the line away."""
        line = self.query_one("#disk", Static)
        line.display = bool(words)
        line.update(Content.styled(f" {self.app.glyphs.problem} {visible(words, keep='')}", "$warn"))

    # Keys.

    def saved(self, opened: OpenedFile) -> None:
        row = self.body.cursor_location
        changed = opened.data != self.current().to_bytes()
        self.opened, self.text = opened, opened.text
        if changed:
            self.body.load_text(opened.text.body)
            self.body.move_cursor(row)
        self.say_disk("")
        self.bring_up_to_date()

    @property
    def problem(self) -> Problem | None:
        panel = self.query_one(ProblemList)
        return panel.rows[panel.cursor] if panel.rows else None

    def take(self, opened: OpenedFile) -> None:
        """Show another unsaved text of the file; ^Z takes its body back."""
        self.opened, self.text = opened, opened.text
        for key, value in opened.fields.items():
            self.query_one(f"#field-{key}", Input).value = value
        body, at = self.body, self.body.cursor_location
        body.line_number_start = self.text.body_line
        if body.text != self.text.body:
            body.replace(self.text.body, (0, 0), body.document.end)
            body.move_cursor((min(at[0], body.document.line_count - 1), at[1]))
        self.bring_up_to_date()

    def go_on_outside(self) -> None:
        """Go on in $EDITOR, which begins with the draft."""
        self.keep_draft()
        self.dismiss(Closed(external=True, line=self.body.cursor_location[0] + self.text.body_line))

    def focus_properties(self) -> None:
        first = next(iter(self.opened.fields), None)
        if first is None:
            self.app.notify("the frontmatter cannot be read: it is part of the text here", markup=False)
        elif isinstance(self.focused, Input):
            self.body.focus()
        else:
            self.query_one(f"#field-{first}").focus()

    def toggle_preview(self) -> None:
        beside = self.query_one("#beside", ReaderView)
        beside.display = not beside.display
        if beside.display:
            self.call_after_refresh(self.bring_up_to_date)

    def go_to_problem(self, step: int) -> None:
        panel = self.query_one(ProblemList)
        if panel.rows:
            panel.cursor = (panel.cursor + step) % len(panel.rows) if panel.visited else panel.cursor
            panel.visited = True
            self.to_problem(panel.rows[panel.cursor])

    @on(VirtualList.Chosen, "#problems")
    def chosen_problem(self, event: VirtualList.Chosen) -> None:
        self.to_problem(self.query_one(ProblemList).rows[event.index])

    def to_problem(self, problem: Problem) -> None:
        row = (problem.line or 1) - self.text.body_line
        if row < 0 and self.opened.fields:
            self.focus_properties()
        else:
            self.body.move_cursor((max(0, row), (problem.column or 1) - 1), center=True)
            self.body.focus()

    def back(self) -> None:
        if isinstance(self.focused, Input):
            self.body.focus()
        else:
            self.leave()

    def leave(self) -> None:
        """Close it, wherever the focus is; unsaved text stays as a draft."""
        self.keep_draft()
        self.dismiss(Closed())

    def keep_draft(self) -> None:
        self._keep(self.current())

    def _keep(self, text: EditorText) -> None:
        if text.to_bytes() != self.opened.data:
            self.workspace.drafts.save(self.path, text.exact, self.opened.base)
        else:
            self.workspace.drafts.drop(self.path)
