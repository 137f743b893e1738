"""The command line: everything that is on screen, as text and as JSON.

In: words. Out: text, or one JSON object (`--json`), or one object a line (`--jsonl`), and an exit code.

- `call`      one call: options, surroundings, and the workspace that they lead to; the screen starts from it, too
- `context`   the options that every command takes
- `main`      the group of all commands; `main.answer` is the door for the program
- `faults`    what becomes of a fault: one line and an exit code
- `opening`   which workspace plain `memtui` opens: a project, or the made-up home
- `output`    the only place that prints: text, JSON, colours, questions · `table` lines of tables for it
- `names`     which file a word means
- `doing`     carrying a plan out: shown, asked for, told
- `files`, `writing`, `checking`, `index`, `past`, `explain`, `explain_sessions`, `explain_permission`, `sessions`,
  `session_show`, `session_tree`, `session_deeds`, `resume`, `projects`, `moving`, `config`, `doctor`, `completion`,
  `dream`, `dream_review`, `dream_kill`, `dream_schedule`, `dream_doctor`   commands
- `dream_data` runs and events as text and as JSON
- `findings`  what `doctor` and `dream doctor` tell
- `dashboard` what plain `memtui` shows, as text

Invariants: no foreign byte reaches a terminal but through `base.text.visible`; what the text shows is in the JSON
too; a command that only reads writes nothing; `-n` writes nothing.
"""

COMMANDS: dict[str, str] = {
    "ls": "memtui.cli.files:ls",
    "show": "memtui.cli.files:show",
    "new": "memtui.cli.writing:new",
    "edit": "memtui.cli.writing:edit",
    "set": "memtui.cli.writing:set_fields",
    "mv": "memtui.cli.writing:mv",
    "rm": "memtui.cli.writing:rm",
    "pin": "memtui.cli.writing:pin",
    "check": "memtui.cli.checking:check",
    "index": "memtui.cli.index:index",
    "budget": "memtui.cli.index:budget",
    "history": "memtui.cli.past:history",
    "undo": "memtui.cli.past:undo",
    "redo": "memtui.cli.past:redo",
    "restore": "memtui.cli.past:restore",
    "explain": "memtui.cli.explain_permission:explain",
    "dream": "memtui.cli.dream:dream",
    "kill": "memtui.cli.dream_kill:kill",
    "sessions": "memtui.cli.session_tree:sessions",
    "resume": "memtui.cli.resume:resume",
    "export": "memtui.cli.sessions:export",
    "projects": "memtui.cli.projects:projects",
    "config": "memtui.cli.config:config",
    "doctor": "memtui.cli.doctor:doctor",
    "completion": "memtui.cli.completion:completion",
    "version": "memtui.cli.main:version",
}
"""Every command and where it is; a module is imported when its command is wanted."""
