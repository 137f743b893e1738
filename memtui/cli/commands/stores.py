"""Memory of one agent or project that lies in several folders."""

from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.asking import carry_out, may_write
from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Line, StyledText
from memtui.services import stores as services
from memtui.util.errors import NotFound, Refused


@click.command("stores", cls=CliCommand, short_help="List memory that lies in several folders, or merge it.")
@click.argument("name", required=False, default="")
@click.option(
    "--collisions", type=click.Choice(list(services.COLLISIONS)), help="What becomes of topics with two texts."
)
@click.option("--keep-sources", is_flag=True, help="Leave the other folders as they are.")
@pass_context
def stores(context: CliContext, name: str, collisions: services.Collision | None, keep_sources: bool) -> int:
    """List the memories that lie in several folders; with NAME ("project", or an agent) merge that one.

    A topic with two texts is asked about: ours (that of the folder that is read), theirs, both, or merge. One undo
    takes all of it back. The list ends with 1 if there is none.
    """
    if name:
        may_write(context)
    workspace = context.workspace
    workspace.read(full=False)
    found = services.find_fragments(workspace)
    if not name:
        rows = [{"name": one.name, "target": str(one.target), "sources": list(map(str, one.sources))} for one in found]

        def text() -> Iterator[Line]:
            for one in found:
                yield [
                    StyledText(f"{one.name}  ", "bold"),
                    f"{one.target} is read, not {', '.join(map(str, one.sources))}",
                ]
                yield StyledText(f"  memtui stores {one.name} merges them", "dim")

        return context.out.listing("stores", rows, text(), empty="every memory lies in one folder")
    fragments = next((one for one in found if one.name == name), None)
    if fragments is None:
        raise NotFound(f"no memory called {name} lies in several folders", hint="memtui stores lists those that do")
    files = services.fragment_files(workspace, fragments)
    choices: dict[tuple[Path, str], services.Collision] = {}
    for file in files:
        if file.state == "collides":
            choices[file.source, file.name] = collisions or _ask(context, file)
    change = services.merge_fragments(workspace, fragments, files, choices, keep_sources=keep_sources)
    return carry_out(context, "stores", change)


def _ask(context: CliContext, file: services.FragmentFile) -> services.Collision:
    hint = f"--collisions {'|'.join(services.COLLISIONS)}"
    if not context.out.interactive() or context.options.yes:
        raise Refused(f"{file.name} has another text in {file.source}", hint=hint)
    word = context.out.choose(f"{file.name} has another text in {file.source}: ours, theirs, both or merge?", "o/t/b/m")
    choice = next((one for one in services.COLLISIONS if word and one.startswith(word)), None)
    if choice is None:
        raise Refused("nothing was merged", hint=hint)
    return choice
