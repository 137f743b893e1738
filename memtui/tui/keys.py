"""Every binding as data: one table a place, from which widgets take their bindings and help its text.

Rules (UX.md 6): arrows and vim both; a letter means one thing in every pane; nothing destructive on Ctrl; Esc goes back
one step and never quits. An `id` is what a user's `[keys]` table in config.toml rebinds.
"""

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from textual.binding import BindingType


class KeyBinding(Struct, frozen=True):
    """One wish and the keys that ask for it; `words` is what help, palette and hints call it."""

    id: str
    keys: str
    action: str
    words: str
    hint: str = ""
    """The short form in the hints line; empty: not shown there."""
    display: str = ""


EVERYWHERE = (
    KeyBinding("view.memory", "1", "view('memory')", "Memory"),
    KeyBinding("view.dream", "2", "view('dream')", "Dream", "2-5 views", "2-5"),
    KeyBinding("view.sessions", "3", "view('sessions')", "Sessions"),
    KeyBinding("view.search", "4", "view('search')", "Search"),
    KeyBinding("view.settings", "5", "view('settings')", "Settings"),
    KeyBinding("view.run", "w,shift+down", "wish('dream_show')", "The dream that is on or waits", display="w ⇧↓"),
    KeyBinding("view.run_typing", "f4", "wish('dream_show:typing')", "The same, also while you type", display="F4"),
    KeyBinding("app.palette", "colon,ctrl+p", "wish('palette')", "Commands", ": commands", ":"),
    KeyBinding("app.help", "question_mark,f1", "wish('help')", "Keys", "? keys", "?"),
    KeyBinding("app.undo", "z", "wish('undo')", "Undo the last write", "z undo"),
    KeyBinding("app.redo", "Z", "wish('redo')", "Redo"),
    KeyBinding("app.activity", "at", "wish('activity')", "Activity: every write, with its diff", display="@"),
    KeyBinding("app.project", "ctrl+r", "wish('project')", "Switch project", display="^R"),
    KeyBinding("app.reload", "R", "reload", "Read the disk again"),
    KeyBinding("app.redraw", "ctrl+l", "redraw", "Redraw", display="^L"),
    KeyBinding("app.suspend", "ctrl+z", "suspend_process", "To the shell", display="^Z"),
    KeyBinding("app.quit", "q", "wish('leave')", "Quit", "q quit"),
)

PANES = (
    KeyBinding("pane.next", "tab", "app.focus_next", "Next pane", display="Tab"),
    KeyBinding("pane.previous", "shift+tab", "app.focus_previous", "Previous pane", display="⇧Tab"),
    KeyBinding("pane.preview", "0", "focus_preview", "Go to the preview"),
    KeyBinding("pane.bigger", "plus", "resize(4)", "Bigger pane", display="+"),
    KeyBinding("pane.smaller", "underscore", "resize(-4)", "Smaller pane", display="_"),
    KeyBinding("preview.down", "J", "preview_scroll(1)", "Scroll the preview down"),
    KeyBinding("preview.up", "K", "preview_scroll(-1)", "Scroll the preview up"),
)

LINES = (
    KeyBinding("lines.down", "down,j", "cursor(1)", "Down", display="↓ j"),
    KeyBinding("lines.up", "up,k", "cursor(-1)", "Up", display="↑ k"),
    KeyBinding("lines.home", "g,home", "cursor_to(0)", "First", display="g"),
    KeyBinding("lines.end", "G,end", "cursor_to(-1)", "Last", display="G"),
    KeyBinding("lines.page_down", "pagedown", "page(1)", "Page down", display="PgDn"),
    KeyBinding("lines.page_up", "pageup", "page(-1)", "Page up", display="PgUp"),
    KeyBinding("lines.half_down", "ctrl+d", "page(0.5)", "Half a page down", display="^D"),
    KeyBinding("lines.half_up", "ctrl+u", "page(-0.5)", "Half a page up", display="^U"),
)

TOPICS = (
    KeyBinding("topics.open", "enter", "open", "Edit here, or fold a group", "⏎ edit", "⏎"),
    KeyBinding("topics.unfold", "right,l", "fold(False)", "Unfold, or to the next pane", display="→ l"),
    KeyBinding("topics.fold", "left,h", "fold(True)", "Fold", display="← h"),
)

MEMORY = (
    KeyBinding("memory.external", "e", "external", "Edit in $EDITOR", "e $EDITOR"),
    KeyBinding("memory.new", "n", "new", "New topic file", "n new"),
    KeyBinding("memory.filter", "slash", "filter", "Filter: 'exact ^start end$ !not", "/ filter", "/"),
    KeyBinding("memory.delete", "d", "delete", "Delete (kept in history and trash)", "d delete"),
    KeyBinding("memory.rename", "r", "rename", "Rename, links repaired", "r rename"),
    KeyBinding("memory.type", "t", "set_type", "Change the type", "t type"),
    KeyBinding("memory.add", "a", "add_to_index", "Add to the index", "a add to index"),
    KeyBinding("memory.fix", "f", "fix", "Fix the first problem of the file"),
    KeyBinding("memory.backlinks", "b", "preview_mode('links')", "Links, backlinks, unlinked mentions"),
    KeyBinding("memory.compare", "c", "compare", "Compare with an earlier version or another file"),
    KeyBinding("memory.restore", "u", "restore", "Restore an earlier version"),
    KeyBinding("memory.pin", "P", "pin", "Pin: no background run may touch it"),
    KeyBinding("memory.mark", "space", "mark", "Mark for delete, type and pin", display="Space"),
    KeyBinding("memory.group", "v", "next_grouping", "Group by type, by folder, or not at all"),
    KeyBinding("memory.order", "o", "next_order", "Order by name, age or size"),
    KeyBinding("memory.problems", "exclamation_mark", "only_problems", "Only files with problems", display="!"),
    KeyBinding("memory.preview", "p", "toggle_preview", "Preview on or off"),
    KeyBinding("memory.copy", "y", "copy", "Copy the path"),
    KeyBinding("memory.origin", "O", "origin", "Go to the session that wrote it"),
    KeyBinding("memory.tidy", "T", "tidy", "Tidy the index to 70 % of its limits"),
    KeyBinding(
        "memory.next_tab", "right_square_bracket", "preview_step(1)", "Next: preview, links, history", display="]"
    ),
    KeyBinding("memory.previous_tab", "left_square_bracket", "preview_step(-1)", "Previous", display="["),
    KeyBinding("memory.escape", "escape", "back", "Filter and marks off", display="Esc"),
)

SESSION_LIST = (
    KeyBinding("sessions.open", "enter", "open", "Resume, fork, copy or export", "⏎ resume", "⏎"),
    KeyBinding(
        "sessions.unfold", "right,l", "fold(False)", "Branches and agents, or to the next pane", "→ branches", "→ l"
    ),
    KeyBinding("sessions.fold", "left,h", "fold(True)", "Fold", display="← h"),
)

SESSIONS = (
    KeyBinding("sessions.read", "p", "read", "Read the whole conversation", "p read"),
    KeyBinding("sessions.filter", "slash", "filter", "Filter: 'exact ^start end$ !not", "/ filter", "/"),
    KeyBinding("sessions.rename", "r", "rename", "Rename, as the agent client does", "r rename"),
    KeyBinding("sessions.all", "A", "scope('all')", "Of all projects, or of this one", "A all"),
    KeyBinding("sessions.worktrees", "W", "scope('worktrees')", "Of all worktrees of this repository", "W worktrees"),
    KeyBinding("sessions.branch", "B", "branch", "Only those of the git branch that is checked out", "B branch"),
    KeyBinding("sessions.save", "s", "save", "Save a copy of the transcript", "s save"),
    KeyBinding(
        "sessions.archive", "a", "archive", "Archive: kept from the client's clean-up; or put back", "a archive"
    ),
    KeyBinding("sessions.delete", "d", "delete", "Delete (kept for 30 days; z brings it back)", "d delete"),
    KeyBinding("sessions.copy", "y", "copy", "Copy the command that resumes it"),
    KeyBinding("sessions.memory", "O", "memory", "Go to the memory that this session wrote"),
    KeyBinding("sessions.mark", "space", "mark", "Mark for archive and delete", display="Space"),
    KeyBinding("sessions.order", "o", "next_order", "Order by age, size, messages or title"),
    KeyBinding("sessions.escape", "escape", "back", "Filter and marks off", display="Esc"),
)

DREAM_LIST = (
    KeyBinding("dream.diff", "enter", "open", "What the run, or the file under the cursor, changes", "⏎ diff", "⏎"),
)

RUN = (
    KeyBinding("dream.now", "D", "now", "Dream now: asks how", "D dream now"),
    KeyBinding("dream.stop", "x", "stop", "Stop the dream that is on, or clear a stale lock", "x stop"),
    KeyBinding("dream.adopt", "a", "adopt", "Adopt the file under the cursor", "a adopt"),
    KeyBinding("dream.adopt_all", "A", "adopt_all", "Adopt all that the run drafted", "A adopt all"),
    KeyBinding("dream.discard", "X", "discard", "Throw away what the run drafted", "X throw away"),
    KeyBinding("dream.restore", "u", "restore", "Restore the file under the cursor from before the dream", "u restore"),
    KeyBinding("dream.restore_all", "U", "restore_all", "Restore all that the dream changed", "U restore all"),
    KeyBinding("dream.compare", "c", "compare", "Compare the file: before the dream, the dream's, now", "c compare"),
)

DREAM = (
    KeyBinding("dream.follow", "f", "follow", "The run whole, its log followed", "f follow"),
    KeyBinding("dream.details", "right,l", "focus_preview", "To the details of the run", display="→ l"),
    KeyBinding("dream.runs", "left,h,escape", "back", "Back to the runs", display="← h Esc"),
)

WATCH = (
    KeyBinding("watch.follow", "f", "follow", "Follow the log, or leave it where it is", "f follow"),
    KeyBinding("watch.log_down", "J", "log_scroll(1)", "Scroll the log down"),
    KeyBinding("watch.log_up", "K", "log_scroll(-1)", "Scroll the log up"),
    KeyBinding("watch.undo", "z", "wish('undo')", "Undo the last write", "z undo"),
    KeyBinding("watch.help", "question_mark,f1", "wish('help')", "Keys", "? keys", "?"),
    KeyBinding("watch.close", "escape,w,shift+down,f4", "no", "Close; a dream goes on", "Esc close", "Esc"),
)

READER = (
    KeyBinding("reader.find", "slash", "find", "Find in the text", "/ find", "/"),
    KeyBinding("reader.next", "n", "find_next(1)", "Next match"),
    KeyBinding("reader.previous", "N", "find_next(-1)", "Previous match"),
    KeyBinding("reader.follow", "enter", "follow", "Follow the link of this line", "⏎ follow link", "⏎"),
    KeyBinding("reader.back", "minus", "back", "Back to where the link was", "- back", "-"),
    KeyBinding("reader.edit", "e", "edit_here", "Edit at this line", "e edit here"),
    KeyBinding("reader.copy", "y", "copy_line", "Copy this line"),
    KeyBinding("reader.next_tab", "right_square_bracket", "step(1)", "Next: preview, links, history", display="]"),
    KeyBinding("reader.previous_tab", "left_square_bracket", "step(-1)", "Previous", display="["),
    KeyBinding("reader.escape", "escape", "wish('leave')", "Back to the list", display="Esc"),
)

TRANSCRIPT = (
    KeyBinding("transcript.fold", "enter", "turn", "Unfold, show more, or fold", "⏎ fold", "⏎"),
    KeyBinding("transcript.next_prompt", "right_curly_bracket", "prompt(1)", "Next prompt", "{ } prompts", "}"),
    KeyBinding("transcript.previous_prompt", "left_curly_bracket", "prompt(-1)", "Previous prompt", display="{"),
    KeyBinding("transcript.find", "slash", "find", "Find", "/ find", "/"),
    KeyBinding("transcript.next", "n", "find_next(1)", "Next match", "n N next"),
    KeyBinding("transcript.previous", "N", "find_next(-1)", "Previous match"),
    KeyBinding("transcript.unfold_all", "L", "fold_all(False)", "Unfold everything", "L H all"),
    KeyBinding("transcript.fold_all", "H", "fold_all(True)", "Fold everything"),
    KeyBinding("transcript.unfold", "right,l", "fold(False)", "Unfold, or show more", display="→ l"),
    KeyBinding("transcript.fold_one", "left,h", "fold(True)", "Fold", display="← h"),
    KeyBinding("transcript.from", "F", "from_here", "From here: resume, fork, copy, export", "F from here"),
    KeyBinding("transcript.view", "v", "view", "View: chain or file order", "v view"),
    KeyBinding("transcript.copy", "y", "copy_line", "Copy this line", "y copy"),
    KeyBinding("transcript.escape", "escape", "leave", "Search off, marks off, or back", "Esc back", "Esc"),
)

SETTINGS = (
    KeyBinding("settings.toggle", "space", "switch", "On or off", "Space on/off", "Space"),
    KeyBinding("settings.change", "enter", "change", "Change the value", "⏎ change", "⏎"),
    KeyBinding("settings.default", "u", "unset", "Back to the default", "u default"),
    KeyBinding("settings.open", "e", "external", "Open config.toml in $EDITOR", "e config.toml"),
)

EDITOR = (
    KeyBinding("editor.save", "ctrl+s", "save", "Save", "^S save", "^S"),
    KeyBinding("editor.external", "ctrl+g", "external", "Go on in $EDITOR", "^G $EDITOR", "^G"),
    KeyBinding("editor.properties", "f2", "properties", "Properties", "F2 properties", "F2"),
    KeyBinding("editor.preview", "f3", "preview", "Preview on or off", "F3 preview", "F3"),
    KeyBinding("editor.problem", "f8", "problem(1)", "Next problem", "F8 problem", "F8"),
    KeyBinding("editor.problem_back", "shift+f8", "problem(-1)", "Previous problem", display="⇧F8"),
    KeyBinding("editor.compare", "f9", "compare", "Compare with the disk", "F9 compare", "F9"),
    KeyBinding("editor.find", "ctrl+f", "find", "Find", display="^F"),
    KeyBinding("editor.close", "escape", "close", "Back to the list; unsaved text stays as a draft", "Esc list", "Esc"),
)

COMPARE = (
    KeyBinding("compare.next", "right_square_bracket", "change(1)", "Next change", "] [ change", "]"),
    KeyBinding("compare.previous", "left_square_bracket", "change(-1)", "Previous change", display="["),
    KeyBinding("compare.mine", "1", "take('mine')", "Take mine", "1 mine"),
    KeyBinding("compare.disk", "2", "take('disk')", "Take the disk's", "2 disk"),
    KeyBinding("compare.both", "3", "take('both')", "Take both", "3 both"),
    KeyBinding("compare.merge", "m", "merge", "Write the merge (markers where nothing was chosen)", "m write merged"),
    KeyBinding("compare.copy", "s", "save_copy", "Save mine as a copy beside it", "s save mine as copy"),
    KeyBinding("compare.drop", "d", "drop", "Drop mine, use the disk's", "d use disk"),
    KeyBinding("compare.escape", "escape", "close", "Back, nothing written", "Esc back", "Esc"),
)

PLACES: dict[str, tuple[KeyBinding, ...]] = {
    "Everywhere": EVERYWHERE,
    "Panes": PANES,
    "Lists": LINES,
    "Memory list": TOPICS,
    "Memory": MEMORY,
    "Session list": SESSION_LIST,
    "Sessions": SESSIONS,
    "Dream runs": DREAM_LIST,
    "Dream run": RUN,
    "Dream": DREAM,
    "Dream, whole": WATCH,
    "Reader": READER,
    "Transcript": TRANSCRIPT,
    "Settings": SETTINGS,
    "Editor": EDITOR,
    "Compare": COMPARE,
}


def bindings(*tables: tuple[KeyBinding, ...], priority: bool = False) -> "list[BindingType]":
    """The tables as Textual bindings; `priority` for a place in which a text field has the focus."""
    from textual.binding import Binding  # here, because the first picture needs the hints but no Textual

    return [
        Binding(
            key.keys,
            key.action,
            key.words,
            show=bool(key.hint),
            id=key.id,
            key_display=key.display or None,
            priority=priority,
        )
        for table in tables
        for key in table
    ]


def hints(*tables: tuple[KeyBinding, ...]) -> tuple[str, ...]:
    """The short forms for the hints line, in the order of the tables."""
    return tuple(key.hint for table in tables for key in table if key.hint)
