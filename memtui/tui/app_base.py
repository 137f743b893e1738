"""What the app is to its views, widgets and commands; `app` fills it in.

`AppBase` knows its terminal: keys in their order, signals, the clipboard, what it can show. Widgets get it as
`self.app` by the mixin `InApp`; commands get a `CommandContext` with the app and what the cursor is on.
"""

import asyncio
import inspect
import os
import shutil
import subprocess
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace
from textual import events, getters
from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.message_pump import MessagePump
from textual.reactive import reactive
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.widget import Widget
from textual.worker import Worker

from memtui.client.memory_location import MemoryLocation
from memtui.tui.keyboard import KeyQueue
from memtui.tui.messages import CommandDone, CommandFailed
from memtui.tui.startup.start import StartContext
from memtui.tui.startup.terminal import Terminal
from memtui.tui.state import AppState, KeepsDraft
from memtui.tui.theme import ANSI, THEMES, Glyphs, PlainScrollBar
from memtui.util.config import Config
from memtui.util.errors import MemtuiError, NotFound
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.dream.run.spawn import StartedRun
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace
    from memtui.transcripts.transcript import Transcript

Args = ParamSpec("Args")
Result = TypeVar("Result")
Node = TypeVar("Node")

BREAKPOINTS = [(0, "-one"), (60, "-two"), (100, "-three"), (120, "-wide")]
"""Columns from which on a class is set: how many panes there are."""

QUIT_WITHIN_S = 2.0  # seconds within which a second ^C quits


class Body(Screen[object]):
    BLANK = True


class Selection(Struct, frozen=True):
    """What the cursor is on."""

    path: Path | None = None  # a memory file, or a session's
    marked: tuple[Path, ...] = ()  # those that are marked instead
    message: str = ""  # the uuid of a message of the session
    run: str | None = None  # the id of a dream; "" another program's
    file: str = ""  # that the run touched
    setting: str = ""  # its key
    ours: bool = False  # whether it is memtui's own


class ShowsState:
    """Base of what draws the state and has the cursor that commands act on: a view, or a dialog that shows a run."""

    @property
    def selection(self) -> Selection:
        return Selection()

    def show(self, state: AppState) -> None:
        """Draw the state."""

    def tick(self, now: float) -> None:
        """A second has passed while a run is on."""


class AppBase(App[object]):
    """An app that knows its terminal, and what its widgets may ask of it; `MemtuiApp` says what it is made from."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "Copy, twice quits", show=False, system=True)
    ]

    state: reactive[AppState] = reactive(None, init=False, repaint=False)  # type: ignore[arg-type]
    """Set by `app` before anything is shown; repaints nothing by itself: what shows a part of it does."""

    def __init__(self, start: StartContext, config: Config, glyphs: Glyphs) -> None:
        self.glyphs = glyphs
        super().__init__()
        self.start = start
        self.config = config
        self.sample = False
        self.open_sample: Callable[[], Workspace] | None = None
        self._workspace: Workspace | None = None
        self._interrupted_at = 0.0
        self.touched = False  # whether a key or a button was pressed
        self.key_queue = KeyQueue(self)
        self.terminal = Terminal()
        self.crash: Exception | None = None
        for theme in THEMES:
            self.register_theme(theme)

    # What widgets and commands ask for.

    @property
    def workspace(self) -> "Workspace":
        """The project that is open; made when it is first wanted, behind the first frame."""
        if self._workspace is None:
            self._workspace = self.start.make()
        return self._workspace

    @property
    def still(self) -> bool:
        """Whether nothing moves that need not."""
        return self.config["motion"] == "none"

    @property
    def typing(self) -> bool:
        return self.focused is not None and self.focused.check_consume_key("a", "a")

    @property
    def view(self) -> "View":
        return self.screen_stack[0].query_one(f"#{self.state.view}", View)

    async def show_view(self, name: str) -> "View":
        """Show a view; it is mounted when it is wanted for the first time."""
        raise NotImplementedError

    async def show_run(self, id: str) -> None:
        """Show a run where runs are shown: in the dialog if that is open, else in the Dream view."""

    def watch_run(self, id: str) -> None:
        """Show a run ("" another program's) full screen, over whatever is shown."""

    def transcript(self, path: Path) -> "Transcript":
        """A session's transcript, read on from where it was read the last time; for a thread."""
        raise NotImplementedError

    def read_again(self) -> None:
        """Read again what changed on disk."""

    def follow_run(self, run: "StartedRun") -> None:
        """A run was started by this process, which has to ask now and then whether it has ended."""

    def open_workspace(self, workspace: "Workspace") -> None:
        """Go to another project; the rest of the screen stays."""

    def take_config(self, config: Config) -> None:
        """Use other settings of ours from now on."""

    def toggle_secrets(self) -> None:
        self.state = replace(self.state, secrets_shown=not self.state.secrets_shown)

    def take_location(self, location: MemoryLocation) -> None:
        self.state = replace(self.state, location=location)

    def start_thread(self, group: str, work: Callable[[], None], *, exclusive: bool = True) -> Worker[None]:
        """Work in a thread; with `exclusive` it cancels what goes on in the group.

        With a description of its own: Textual would make one from the arguments, a whole snapshot among them.
        """
        return self.run_worker(
            work, thread=True, exclusive=exclusive, group=group, exit_on_error=False, description=group
        )

    # Commands.

    @property
    def selection(self) -> Selection:
        for node in self.focus_path():
            if isinstance(node, ShowsState):
                return node.selection
        return self.view.selection

    def focus_path(self) -> list[Any]:
        focused = self.screen.focused
        return [self.screen] if focused is None else focused.ancestors_with_self

    def perform(self, run: "Callable[[CommandContext], object]", selection: Selection | None = None) -> None:
        """Carry a command out, about what the cursor is on if nothing is given; keys wait for a dialog of it."""
        try:
            done = run(CommandContext(self, self.selection if selection is None else selection))
        except MemtuiError as error:
            self.post_message(CommandFailed(error.message, error.hint))
            return
        if inspect.iscoroutine(done):
            self.key_queue.opening()
            self.run_worker(self._finish(done), group="command", exit_on_error=False, description="command")

    async def _finish(self, done: Coroutine[Any, Any, object]) -> None:
        try:
            await done
        except MemtuiError as error:
            self.post_message(CommandFailed(error.message, error.hint))
        except SystemExit as end:  # a signal, while another program had the terminal
            self.end_by(int(str(end.code)) - 128)
        finally:
            self.key_queue.opened()

    # The terminal.

    def get_default_screen(self) -> Screen[object]:
        # Textual sets these classes after the first paint, and then paints all of it once more.
        width = shutil.get_terminal_size().columns
        return Body(id="_default", classes=next(name for at, name in reversed(BREAKPOINTS) if width >= at))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return asdict(ANSI)

    def meet_terminal(self) -> None:
        ascii = self.glyphs.border == "ascii"
        self.set_class(ascii, "-ascii")
        ScrollBar.renderer = PlainScrollBar if ascii else ScrollBarRender  # of all apps of a process: it has one
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True, repaint=True))

    def keep_drafts(self) -> None:
        """Keep unsaved text of all screens; what can't be kept takes no other down."""
        for screen in self.screen_stack:
            if isinstance(screen, KeepsDraft):
                with suppress(MemtuiError, NoMatches):  # no room; or the screen isn't composed yet
                    screen.keep_draft()

    def end_by(self, number: int) -> None:
        """The terminal was closed (SIGHUP) or another signal came: unsaved text stays as a draft."""
        try:
            self.keep_drafts()
        finally:
            self.exit(128 + number, 128 + number)

    def _fatal_error(self) -> None:
        """Leave after a crash, which `run` raises to be logged; Textual would print all variables, memory included."""
        if not self._exit:  # what fails while all is taken down fails nobody
            self.crash = self._exception
        self.keep_drafts()
        self._close_messages_no_wait()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent) and not isinstance(event, events.MouseMove):
            self.touched = True
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif not self.key_queue.hold(event):
            target = self.focused or self.screen
            await super().on_event(event)
            self.key_queue.follow(target)

    def action_interrupt(self) -> None:
        """^C copies what is selected; twice within two seconds quits."""
        selected = self.screen.get_selected_text()
        now = self.start.now()
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif now - self._interrupted_at < QUIT_WITHIN_S:
            self.exit(130, 130)
        else:
            self._interrupted_at = now
            self.notify("press ^C once more to quit", timeout=2, markup=False)

    def copy_to_clipboard(self, text: str) -> None:
        """Send text to the clipboard; there is no answer whether it arrived, so callers say "sent".

        tmux drops the terminal's own sequence (OSC 52) by default, so there tmux gets the text.
        """
        if os.environ.get("TMUX"):
            command = ["tmux", "load-buffer", "-w", "-"]
            with suppress(OSError, subprocess.SubprocessError):
                subprocess.run(command, input=text.encode(), timeout=2, check=True, capture_output=True)
                return
        super().copy_to_clipboard(text)

    def copy_line(self, text: str) -> None:
        self.copy_to_clipboard(text)
        self.notify("line sent to the clipboard", timeout=2, markup=False)

    def notify(self, message: str, **options: Any) -> None:
        """As Textual's, with secrets masked."""
        super().notify(self.state.masked(message) if isinstance(message, str) else message, **options)

    def bell(self) -> None:
        """Nothing can be done here; silent."""


class InApp(MessagePump):
    """Gives `self.app` its type: our widgets run in no other app."""

    app = getters.app(AppBase)


class View(InApp, ShowsState, Widget):
    """One of the bodies of the screen."""

    BLANK = True  # its panes cover it

    @property
    def glyphs(self) -> Glyphs:
        return self.app.glyphs

    def start_over(self) -> None:
        """Another project: nothing that is shown is about it."""

    def focus_default(self) -> None:
        """Put the focus where keys go when the view is shown."""

    def go_to(self, key: str) -> None:
        """Put the cursor on a file, a session or a run."""

    def unmark(self) -> None:
        """What was asked for is done with all that was marked."""

    def focus_preview(self) -> None:
        """Go to the pane that shows what the cursor is on."""

    def scroll_preview(self, step: int) -> None:
        """Scroll that pane while the list keeps the focus."""

    def resize(self, cells: int) -> None:
        """Make the list wider or narrower."""


class CommandContext:
    """What a command gets: the app, and what the cursor was on when it was asked for."""

    def __init__(self, app: AppBase, selection: Selection) -> None:
        self.app = app
        self.selection = selection

    @property
    def workspace(self) -> "Workspace":
        return self.app.workspace

    @property
    def state(self) -> AppState:
        return self.app.state

    @property
    def snapshot(self) -> "Snapshot":
        """The memory folder as it was read last; raises NotFound before the first reading."""
        if self.app.state.snapshot is None:
            raise NotFound("the folder is still being read", hint="try again in a moment")
        return self.app.state.snapshot

    @property
    def path(self) -> Path:
        """The file under the cursor; raises NotFound if it was on none."""
        if self.selection.path is None:
            raise NotFound("no file is under the cursor")
        return self.selection.path

    @property
    def paths(self) -> tuple[Path, ...]:
        """The marked files, or else the one under the cursor; raises NotFound if there is neither."""
        return self.selection.marked or (self.path,)

    def find(self, kind: type[Node]) -> Node:
        """The first of a kind around the focus, or else on the screen; raises NotFound if there is none."""
        for node in [*self.app.focus_path(), *self.app.screen.walk_children(with_self=False)]:
            if isinstance(node, kind):
                return node
        raise NotFound("this can't be done here")

    async def ask(self, dialog: Screen[Result]) -> Result | None:
        """Show a dialog or a screen until it is left; messages about what was shown before don't lie over it."""
        self.app.clear_notifications()
        return await self.app.push_screen_wait(dialog)

    @staticmethod
    async def in_thread(function: Callable[Args, Result], *args: Args.args, **kwargs: Args.kwargs) -> Result:
        """Run engine code in a thread, so that no key waits for a disk."""
        return await asyncio.to_thread(function, *args, **kwargs)

    def done(self, words: str, focus: Path | None = None, problem: str = "") -> None:
        """Say what was done and have the disk read again; the arguments are those of `CommandDone`."""
        self.app.post_message(CommandDone(words, focus, problem))

    def notify(self, words: str) -> None:
        """Say something that changed nothing."""
        self.app.notify(visible(words), markup=False)
