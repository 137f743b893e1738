"""What every command takes: the shared options, before or after the command's name, and its `CliContext`."""

from pathlib import Path
from typing import Any

import click

from memtui.cli.context import CliContext
from memtui.util.errors import NotFound
from memtui.util.paths import expand_tilde
from memtui.util.text import visible

pass_context = click.make_pass_decorator(CliContext, ensure=True)  # hands a command its `CliContext`


class WrittenPath(click.Path):
    """A path as a person writes it, with "~/" for the home; `users`: a directory, so "~name" may be a user's home."""

    def __init__(self, *, users: bool = False) -> None:
        super().__init__(path_type=Path)
        self._users = users

    def convert(self, value: Any, parameter: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("a path is missing", parameter, ctx)
        expanded = expand_tilde(value, users=self._users) if isinstance(value, str) else value
        return super().convert(expanded, parameter, ctx)


FILE = WrittenPath()
DIRECTORY = WrittenPath(users=True)


def _take(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    """Put an option where every command finds it; one that isn't given changes nothing."""
    if value is not None and value is not False and parameter.name is not None:
        setattr(ctx.ensure_object(CliContext).options, parameter.name, value)


def shared_options(*, hidden: bool) -> list[click.Parameter]:
    """The options of every command; `hidden` leaves them out of the help, because that of `memtui` itself has them."""

    def option(*names: str, help: str, metavar: str | None = None) -> click.Option:
        flag = metavar is None
        return click.Option(  # a plain False would make click take no value that begins with a dash
            names, metavar=metavar, is_flag=flag or None, expose_value=False, callback=_take, hidden=hidden, help=help
        )

    return [
        option("--project", metavar="P", help="Another project: a directory, its name, or a part that only one has."),
        option("--json", help="One JSON object instead of text."),
        option("--jsonl", help="One JSON object a line."),
        option("--plain", help="Words and tabs instead of marks, columns and colour."),
        option("-q", "--quiet", help="Print only the answer."),
        option("-v", "--verbose", help="Print more detail."),
        option("--no-color", help="No colour; NO_COLOR does the same."),
        option("--ascii", help="Draw with ASCII characters only."),
        option("--show-secrets", help="Show what looks like a secret, which is masked otherwise."),
        option("--no-input", help="Never ask."),
        option("-y", "--yes", help="Yes to every question."),
        option("-n", "--dry-run", help="Show what would be written, and write nothing."),
        option("--read-only", help="Refuse to write."),
        option("--config-dir", metavar="D", help="Claude Code's folder, as CLAUDE_CONFIG_DIR."),
    ]


def _with_shared(own: list[click.Parameter]) -> list[click.Parameter]:
    names = {name for parameter in own for name in parameter.opts}
    return own + [option for option in shared_options(hidden=True) if not names.intersection(option.opts)]


class CliCommand(click.Command):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params = _with_shared(self.params)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text("Options of every command (--json, --project, -n, -y …): memtui --help")


class CliGroup(click.Group):
    command_class = CliCommand

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params = _with_shared(self.params)


def complete_names(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of memory files for the shell; names that a terminal would obey are left out."""
    root = ctx.find_root()
    context = root.obj if isinstance(root.obj, CliContext) else CliContext()
    try:
        folder = context.location.folder
        paths = [path.relative_to(folder) for path in folder.rglob("*.md") if not path.name.startswith(".")]
    except (OSError, NotFound):
        return []
    names = sorted(path.as_posix() for path in paths)
    return [name for name in names if name.startswith(incomplete) and visible(name, keep="") == name]
