"""The script with which a shell completes memtui's words."""

import click
from click.shell_completion import get_completion_class

from memtui.cli.context import CliContext
from memtui.cli.main import cli
from memtui.cli.options import CliCommand, pass_context
from memtui.util.errors import UsageError

_WHERE = {
    "bash": 'eval "$(memtui completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(memtui completion zsh)" in ~/.zshrc',
    "fish": "memtui completion fish > ~/.config/fish/completions/memtui.fish",
}


@click.command("completion", cls=CliCommand)
@click.argument("shell", type=click.Choice(tuple(_WHERE)))
@pass_context
def completion(context: CliContext, shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  eval "$(memtui completion bash)"   in ~/.bashrc
    zsh:   eval "$(memtui completion zsh)"    in ~/.zshrc
    fish:  memtui completion fish > ~/.config/fish/completions/memtui.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise UsageError(f"no completion for {shell}")
    script = kind(cli, {}, "memtui", "_MEMTUI_COMPLETE").source()
    data = {"shell": shell, "script": script, "use": _WHERE[shell]}
    context.out.result("completion", data, script.strip("\n").split("\n"))
