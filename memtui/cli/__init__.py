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
    "ls": "memtui.cli.commands.memory:ls",
    "show": "memtui.cli.commands.memory:show",
    "new": "memtui.cli.commands.memory:new",
    "edit": "memtui.cli.commands.memory:edit",
    "set": "memtui.cli.commands.memory:set_fields",
    "mv": "memtui.cli.commands.memory:mv",
    "rm": "memtui.cli.commands.memory:rm",
    "pin": "memtui.cli.commands.memory:pin",
    "check": "memtui.cli.commands.check:check",
    "index": "memtui.cli.commands.index:index",
    "budget": "memtui.cli.commands.index:budget",
    "history": "memtui.cli.commands.history:history",
    "undo": "memtui.cli.commands.history:undo",
    "redo": "memtui.cli.commands.history:redo",
    "restore": "memtui.cli.commands.history:restore",
    "explain": "memtui.cli.commands.explain:explain",
    "dream": "memtui.cli.commands.dream:dream",
    "kill": "memtui.cli.commands.dream:kill",
    "sessions": "memtui.cli.commands.sessions:sessions",
    "resume": "memtui.cli.commands.resume:resume",
    "export": "memtui.cli.commands.sessions:export",
    "projects": "memtui.cli.commands.projects:projects",
    "config": "memtui.cli.commands.config:config",
    "doctor": "memtui.cli.commands.doctor:doctor",
    "completion": "memtui.cli.commands.completion:completion",
    "version": "memtui.cli.main:version",
}
"""Every command and where it is; a module is imported when its command is wanted."""
