"""The group of all commands, and what becomes of an error."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, NoReturn

import click

from memtui import __version__
from memtui.cli import COMMANDS
from memtui.cli.context import CliContext, KeyRow, near_commands
from memtui.cli.errors import guarded
from memtui.cli.options import CliCommand, CliGroup, pass_context, shared_options
from memtui.client.environment import Env
from memtui.client.paths import is_directory, projects_dir
from memtui.util.errors import Unsupported, UsageError


class MainGroup(CliGroup):
    """Imports a command's module when the command is wanted, and ends every call with our own messages and codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        where = COMMANDS.get(cmd_name)
        if where is None:
            return None
        module, _, name = where.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            hint = near_commands(args[0]) or "memtui --help lists the commands"
            raise UsageError(f"there is no command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run and leave the process; `answer` is the same for a caller that stays."""
        extra.pop("standalone_mode", None)
        raise SystemExit(_run(self, sys.argv[1:] if args is None else list(args), CliContext(), **extra))

    def run(self, args: list[str], **extra: Any) -> object:
        return super().main(args, standalone_mode=False, **extra)


@click.command("version", cls=CliCommand)
@pass_context
def version(context: CliContext) -> None:
    """Print the version."""
    context.out.result("version", {"version": __version__}, [f"memtui {__version__}"])


@click.group("memtui", cls=MainGroup, invoke_without_command=True, params=shared_options(hidden=False))
@click.version_option(__version__, message="memtui %(version)s", help="The version.")
@click.option("--demo", is_flag=True, help="A sample home in a temporary folder.")
@click.pass_context
def cli(ctx: click.Context, demo: bool) -> int | None:
    """See and edit what Claude Code remembers.

    Without a command memtui opens the screen (memtui PROJECT or memtui DIR opens another project; --no-mouse leaves the
    mouse to the terminal), or prints the same as text where there is no terminal.
    """
    if ctx.invoked_subcommand is not None:
        if demo:
            raise UsageError("--demo opens the screen or prints its text; it goes with no command")
        return None
    from memtui.cli.dashboard import show  # 60 ms that no command needs

    return show(ctx.ensure_object(CliContext), demo=demo)


def answer(args: Sequence[str], *, keys: Callable[[], Sequence[KeyRow]] | None = None) -> int:
    """Answer one call of the command line; its exit code. `keys` gives the screen's keys, for `config keys`."""
    return _run(cli, list(args), CliContext(keys=keys))


def _run(group: MainGroup, args: list[str], context: CliContext, **extra: Any) -> int:
    extra.setdefault("prog_name", "memtui")
    # a usage error comes before the options are read; it is still printed in the form that is wanted.
    context.options.json = "--json" in args
    context.options.jsonl = "--jsonl" in args
    return guarded(lambda: _run_click(group, args, context, extra), context, args)


def _run_click(group: MainGroup, args: list[str], context: CliContext, extra: dict[str, Any]) -> object:
    args = _without_dashes(args)
    lone = _lone_word(args)
    if lone is not None:
        context.options.project = args[lone]
        context.lone_word()
        args = [*args[:lone], f"--project={args[lone]}", *args[lone + 1 :]]
    try:
        return group.run(args, obj=context, **extra)
    except click.UsageError as error:
        raise UsageError(
            error.format_message(), hint=f"{error.ctx.command_path if error.ctx else 'memtui'} --help tells more"
        ) from error
    except click.ClickException as error:
        raise Unsupported(error.format_message()) from error
    except click.Abort as error:
        raise KeyboardInterrupt from error


def _without_dashes(args: list[str]) -> list[str]:
    """Give a folder below projects/ by its path: its name begins with a dash, and click takes that for options."""
    if not any(_FOLDER_NAME.fullmatch(word) for word in args):
        return args
    environ = dict(os.environ)
    for before, word in pairwise(args):
        if before == "--config-dir":
            environ["CLAUDE_CONFIG_DIR"] = word
    folder = projects_dir(Env.real(environ))
    return [
        str(folder / word) if _FOLDER_NAME.fullmatch(word) and is_directory(folder / word) else word for word in args
    ]


_FOLDER_NAME = re.compile(r"--?(?![qvynpoCh0-9]+$)[A-Za-z0-9][A-Za-z0-9-]+")
"""The name of a project's folder that can't be some of the shared options in one word."""


def _lone_word(args: list[str]) -> int | None:
    """Where the word of `memtui PROJECT` and `memtui DIR` is: the only one, and no command."""
    lone: int | None = None
    after_value = False
    for number, word in enumerate(args):
        if after_value:
            after_value = False
        elif word.startswith("-") or not word:
            after_value = word in ("--project", "--config-dir")
        elif word in COMMANDS or lone is not None:
            return None
        else:
            lone = number
    return lone
