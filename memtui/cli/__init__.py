"""The command line: everything that is on screen, as text and as JSON.

In: words. Out: text, or one JSON object (`--json`), or one object a line (`--jsonl`), and an exit code. A command
parses, calls a service (`memtui.services`), puts its questions to the person, and prints; it decides nothing.

- `context`       one call: options, surroundings, and the workspace that they lead to; the screen starts from it, too
- `main`          the group of all commands · `options` what every command takes
- `errors`        what becomes of an error: one line and an exit code
- `entry`         which workspace plain `memtui` opens: a project, or the sample home · `dashboard` the same as text
- `output`        the only place that prints: text, JSON, colours, questions · `table` lines of tables for it
- `names`         which file a word means
- `asking`        a service's questions put to the person; a change shown, made and reported
- `dream_data`    runs and events as text and as JSON · `findings` what the two doctors print
- `session_list`  the list of sessions, which doesn't wait for click
- `commands/`     one file a group of commands

Invariants: no foreign byte reaches a terminal but through `util.text.visible`; what the text shows is in the JSON
too; a command that only reads writes nothing; `-n` writes nothing.

Imports stand at the top of a command's module, which is loaded when the command is wanted. `context`, `errors` and
`session_list` are loaded by what may not wait (the screen's start, `sessions ls`): theirs come when they are needed.
"""


class GlobalOptions:
    project: str | None = None
    json: bool = False
    jsonl: bool = False
    plain: bool = False
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    ascii: bool = False
    no_input: bool = False
    yes: bool = False
    dry_run: bool = False
    read_only: bool = False
    config_dir: str | None = None
    show_secrets: bool = False


COMMANDS: dict[str, str] = {
    "ls": "memtui.cli.commands.memory:ls",
    "show": "memtui.cli.commands.memory:show",
    "new": "memtui.cli.commands.memory_edit:new",
    "edit": "memtui.cli.commands.memory_edit:edit",
    "set": "memtui.cli.commands.memory_edit:set_fields",
    "mv": "memtui.cli.commands.memory_edit:mv",
    "rm": "memtui.cli.commands.memory_edit:rm",
    "merge": "memtui.cli.commands.memory_edit:merge",
    "promote": "memtui.cli.commands.memory_edit:promote",
    "stores": "memtui.cli.commands.stores:stores",
    "pin": "memtui.cli.commands.memory_edit:pin",
    "check": "memtui.cli.commands.check:check",
    "index": "memtui.cli.commands.index:index",
    "budget": "memtui.cli.commands.budget:budget",
    "context": "memtui.cli.commands.session_context:context",
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
