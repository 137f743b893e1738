"""Every binding as data: one table a place, from which widgets take their bindings and help its text.

Rules (UX.md 6): arrows and vim both; a letter means one thing in every pane; nothing destructive on Ctrl; Esc goes back
one step and never quits. An `id` is what a user's `[keys]` table in config.toml rebinds.
"""

from memtui.util.record import Record

TYPE_CHECKING = False  # see base.record
if TYPE_CHECKING:
    from textual.binding import BindingType


class Key(Record):
    """One wish and the keys that ask for it; `words` is what help, palette and hints call it."""

    id: str
    keys: str
    action: str
    words: str
    hint: str = ""
    """The short form in the hints line; empty: not shown there."""
    display: str = ""


EVERYWHERE = (
    Key("view.memory", "1", "view('memory')", "Memory"),
    Key("view.dream", "2", "view('dream')", "Dream", "2-5 views", "2-5"),
    Key("view.sessions", "3", "view('sessions')", "Sessions"),
    Key("view.search", "4", "view('search')", "Search"),
    Key("view.settings", "5", "view('settings')", "Settings"),
    Key("view.run", "w,shift+down", "wish('dream_show')", "The dream that is on or waits", display="w ⇧↓"),
    Key("view.run_typing", "f4", "wish('dream_show:typing')", "The same, also while you type", display="F4"),
    Key("app.palette", "colon,ctrl+p", "wish('palette')", "Commands", ": commands", ":"),
    Key("app.help", "question_mark,f1", "wish('help')", "Keys", "? keys", "?"),
    Key("app.undo", "z", "wish('undo')", "Undo the last write", "z undo"),
    Key("app.redo", "Z", "wish('redo')", "Redo"),
    Key("app.activity", "at", "wish('activity')", "Activity: every write, with its diff", display="@"),
    Key("app.project", "ctrl+r", "wish('project')", "Switch project", display="^R"),
    Key("app.reload", "R", "reload", "Read the disk again"),
    Key("app.redraw", "ctrl+l", "redraw", "Redraw", display="^L"),
    Key("app.suspend", "ctrl+z", "suspend_process", "To the shell", display="^Z"),
    Key("app.quit", "q", "wish('leave')", "Quit", "q quit"),
)

PANES = (
    Key("pane.next", "tab", "app.focus_next", "Next pane", display="Tab"),
    Key("pane.previous", "shift+tab", "app.focus_previous", "Previous pane", display="⇧Tab"),
    Key("pane.preview", "0", "focus_preview", "Go to the preview"),
    Key("pane.bigger", "plus", "resize(4)", "Bigger pane", display="+"),
    Key("pane.smaller", "underscore", "resize(-4)", "Smaller pane", display="_"),
    Key("preview.down", "J", "preview_scroll(1)", "Scroll the preview down"),
    Key("preview.up", "K", "preview_scroll(-1)", "Scroll the preview up"),
)

LINES = (
    Key("lines.down", "down,j", "cursor(1)", "Down", display="↓ j"),
    Key("lines.up", "up,k", "cursor(-1)", "Up", display="↑ k"),
    Key("lines.home", "g,home", "cursor_to(0)", "First", display="g"),
    Key("lines.end", "G,end", "cursor_to(-1)", "Last", display="G"),
    Key("lines.page_down", "pagedown", "page(1)", "Page down", display="PgDn"),
    Key("lines.page_up", "pageup", "page(-1)", "Page up", display="PgUp"),
    Key("lines.half_down", "ctrl+d", "page(0.5)", "Half a page down", display="^D"),
    Key("lines.half_up", "ctrl+u", "page(-0.5)", "Half a page up", display="^U"),
)

TOPICS = (
    Key("topics.open", "enter", "open", "Edit here, or fold a group", "⏎ edit", "⏎"),
    Key("topics.unfold", "right,l", "fold(False)", "Unfold, or to the next pane", display="→ l"),
    Key("topics.fold", "left,h", "fold(True)", "Fold", display="← h"),
)

MEMORY = (
    Key("memory.external", "e", "external", "Edit in $EDITOR", "e $EDITOR"),
    Key("memory.new", "n", "new", "New topic file", "n new"),
    Key("memory.filter", "slash", "filter", "Filter: 'exact ^start end$ !not", "/ filter", "/"),
    Key("memory.delete", "d", "delete", "Delete (kept in history and trash)", "d delete"),
    Key("memory.rename", "r", "rename", "Rename, links repaired", "r rename"),
    Key("memory.type", "t", "set_type", "Change the type", "t type"),
    Key("memory.add", "a", "add_to_index", "Add to the index", "a add to index"),
    Key("memory.fix", "f", "fix", "Fix the first problem of the file"),
    Key("memory.backlinks", "b", "preview_mode('links')", "Links, backlinks, unlinked mentions"),
    Key("memory.compare", "c", "compare", "Compare with an earlier version or another file"),
    Key("memory.restore", "u", "restore", "Restore an earlier version"),
    Key("memory.pin", "P", "pin", "Pin: no background run may touch it"),
    Key("memory.mark", "space", "mark", "Mark for delete, type and pin", display="Space"),
    Key("memory.group", "v", "next_grouping", "Group by type, by folder, or not at all"),
    Key("memory.order", "o", "next_order", "Order by name, age or size"),
    Key("memory.problems", "exclamation_mark", "only_problems", "Only files with problems", display="!"),
    Key("memory.preview", "p", "toggle_preview", "Preview on or off"),
    Key("memory.copy", "y", "copy", "Copy the path"),
    Key("memory.origin", "O", "origin", "Go to the session that wrote it"),
    Key("memory.tidy", "T", "tidy", "Tidy the index to 70 % of its limits"),
    Key("memory.next_tab", "right_square_bracket", "preview_step(1)", "Next: preview, links, history", display="]"),
    Key("memory.previous_tab", "left_square_bracket", "preview_step(-1)", "Previous", display="["),
    Key("memory.escape", "escape", "back", "Filter and marks off", display="Esc"),
)

SESSION_LIST = (
    Key("sessions.open", "enter", "open", "Resume, fork, copy or export", "⏎ resume", "⏎"),
    Key("sessions.unfold", "right,l", "fold(False)", "Branches and agents, or to the next pane", "→ branches", "→ l"),
    Key("sessions.fold", "left,h", "fold(True)", "Fold", display="← h"),
)

SESSIONS = (
    Key("sessions.read", "p", "read", "Read the whole conversation", "p read"),
    Key("sessions.filter", "slash", "filter", "Filter: 'exact ^start end$ !not", "/ filter", "/"),
    Key("sessions.rename", "r", "rename", "Rename, as the agent client does", "r rename"),
    Key("sessions.all", "A", "scope('all')", "Of all projects, or of this one", "A all"),
    Key("sessions.worktrees", "W", "scope('worktrees')", "Of all worktrees of this repository", "W worktrees"),
    Key("sessions.branch", "B", "branch", "Only those of the git branch that is checked out", "B branch"),
    Key("sessions.save", "s", "save", "Save a copy of the transcript", "s save"),
    Key("sessions.archive", "a", "archive", "Archive: kept from the client's clean-up; or put back", "a archive"),
    Key("sessions.delete", "d", "delete", "Delete (kept for 30 days; z brings it back)", "d delete"),
    Key("sessions.copy", "y", "copy", "Copy the command that resumes it"),
    Key("sessions.memory", "O", "memory", "Go to the memory that this session wrote"),
    Key("sessions.mark", "space", "mark", "Mark for archive and delete", display="Space"),
    Key("sessions.order", "o", "next_order", "Order by age, size, messages or title"),
    Key("sessions.escape", "escape", "back", "Filter and marks off", display="Esc"),
)

DREAM_LIST = (Key("dream.diff", "enter", "open", "What the run, or the file under the cursor, changes", "⏎ diff", "⏎"),)

RUN = (
    Key("dream.now", "D", "now", "Dream now: asks how", "D dream now"),
    Key("dream.stop", "x", "stop", "Stop the dream that is on, or clear a stale lock", "x stop"),
    Key("dream.adopt", "a", "adopt", "Adopt the file under the cursor", "a adopt"),
    Key("dream.adopt_all", "A", "adopt_all", "Adopt all that the run drafted", "A adopt all"),
    Key("dream.discard", "X", "discard", "Throw away what the run drafted", "X throw away"),
    Key("dream.restore", "u", "restore", "Restore the file under the cursor from before the dream", "u restore"),
    Key("dream.restore_all", "U", "restore_all", "Restore all that the dream changed", "U restore all"),
    Key("dream.compare", "c", "compare", "Compare the file: before the dream, the dream's, now", "c compare"),
)

DREAM = (
    Key("dream.follow", "f", "follow", "The run whole, its log followed", "f follow"),
    Key("dream.details", "right,l", "focus_preview", "To the details of the run", display="→ l"),
    Key("dream.runs", "left,h,escape", "back", "Back to the runs", display="← h Esc"),
)

WATCH = (
    Key("watch.follow", "f", "follow", "Follow the log, or leave it where it is", "f follow"),
    Key("watch.log_down", "J", "log_scroll(1)", "Scroll the log down"),
    Key("watch.log_up", "K", "log_scroll(-1)", "Scroll the log up"),
    Key("watch.undo", "z", "wish('undo')", "Undo the last write", "z undo"),
    Key("watch.help", "question_mark,f1", "wish('help')", "Keys", "? keys", "?"),
    Key("watch.close", "escape,w,shift+down,f4", "no", "Close; a dream goes on", "Esc close", "Esc"),
)

READER = (
    Key("reader.find", "slash", "find", "Find in the text", "/ find", "/"),
    Key("reader.next", "n", "find_next(1)", "Next match"),
    Key("reader.previous", "N", "find_next(-1)", "Previous match"),
    Key("reader.follow", "enter", "follow", "Follow the link of this line", "⏎ follow link", "⏎"),
    Key("reader.back", "minus", "back", "Back to where the link was", "- back", "-"),
    Key("reader.edit", "e", "edit_here", "Edit at this line", "e edit here"),
    Key("reader.copy", "y", "copy_line", "Copy this line"),
    Key("reader.next_tab", "right_square_bracket", "step(1)", "Next: preview, links, history", display="]"),
    Key("reader.previous_tab", "left_square_bracket", "step(-1)", "Previous", display="["),
    Key("reader.escape", "escape", "wish('leave')", "Back to the list", display="Esc"),
)

TRANSCRIPT = (
    Key("transcript.fold", "enter", "turn", "Unfold, show more, or fold", "⏎ fold", "⏎"),
    Key("transcript.next_prompt", "right_curly_bracket", "prompt(1)", "Next prompt", "{ } prompts", "}"),
    Key("transcript.previous_prompt", "left_curly_bracket", "prompt(-1)", "Previous prompt", display="{"),
    Key("transcript.find", "slash", "find", "Find", "/ find", "/"),
    Key("transcript.next", "n", "find_next(1)", "Next match", "n N next"),
    Key("transcript.previous", "N", "find_next(-1)", "Previous match"),
    Key("transcript.unfold_all", "L", "fold_all(False)", "Unfold everything", "L H all"),
    Key("transcript.fold_all", "H", "fold_all(True)", "Fold everything"),
    Key("transcript.unfold", "right,l", "fold(False)", "Unfold, or show more", display="→ l"),
    Key("transcript.fold_one", "left,h", "fold(True)", "Fold", display="← h"),
    Key("transcript.from", "F", "from_here", "From here: resume, fork, copy, export", "F from here"),
    Key("transcript.view", "v", "view", "View: chain or file order", "v view"),
    Key("transcript.copy", "y", "copy_line", "Copy this line", "y copy"),
    Key("transcript.escape", "escape", "leave", "Search off, marks off, or back", "Esc back", "Esc"),
)

SETTINGS = (
    Key("settings.toggle", "space", "switch", "On or off", "Space on/off", "Space"),
    Key("settings.change", "enter", "change", "Change the value", "⏎ change", "⏎"),
    Key("settings.default", "u", "unset", "Back to the default", "u default"),
    Key("settings.open", "e", "external", "Open config.toml in $EDITOR", "e config.toml"),
)

EDITOR = (
    Key("editor.save", "ctrl+s", "save", "Save", "^S save", "^S"),
    Key("editor.external", "ctrl+g", "external", "Go on in $EDITOR", "^G $EDITOR", "^G"),
    Key("editor.properties", "f2", "properties", "Properties", "F2 properties", "F2"),
    Key("editor.preview", "f3", "preview", "Preview on or off", "F3 preview", "F3"),
    Key("editor.problem", "f8", "problem(1)", "Next problem", "F8 problem", "F8"),
    Key("editor.problem_back", "shift+f8", "problem(-1)", "Previous problem", display="⇧F8"),
    Key("editor.compare", "f9", "compare", "Compare with the disk", "F9 compare", "F9"),
    Key("editor.find", "ctrl+f", "find", "Find", display="^F"),
    Key("editor.close", "escape", "close", "Back to the list; unsaved text stays as a draft", "Esc list", "Esc"),
)

COMPARE = (
    Key("compare.next", "right_square_bracket", "change(1)", "Next change", "] [ change", "]"),
    Key("compare.previous", "left_square_bracket", "change(-1)", "Previous change", display="["),
    Key("compare.mine", "1", "take('mine')", "Take mine", "1 mine"),
    Key("compare.disk", "2", "take('disk')", "Take the disk's", "2 disk"),
    Key("compare.both", "3", "take('both')", "Take both", "3 both"),
    Key("compare.merge", "m", "merge", "Write the merge (markers where nothing was chosen)", "m write merged"),
    Key("compare.copy", "s", "save_copy", "Save mine as a copy beside it", "s save mine as copy"),
    Key("compare.drop", "d", "drop", "Drop mine, use the disk's", "d use disk"),
    Key("compare.escape", "escape", "close", "Back, nothing written", "Esc back", "Esc"),
)

PLACES: dict[str, tuple[Key, ...]] = {
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


def bindings(*tables: tuple[Key, ...], priority: bool = False) -> "list[BindingType]":
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


def hints(*tables: tuple[Key, ...]) -> tuple[str, ...]:
    """The short forms for the hints line, in the order of the tables."""
    return tuple(key.hint for table in tables for key in table if key.hint)
