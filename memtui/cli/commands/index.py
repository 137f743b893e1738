"""The entries of the index, and making it shorter."""

from collections.abc import Iterator

import click

from memtui.cli.asking import carry_out, may_write
from memtui.cli.commands.budget import budget_data, index_scope, meter
from memtui.cli.context import CliContext
from memtui.cli.names import find, find_all, memory_file
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import Cell, Line, StyledText, fields
from memtui.cli.table import columns, table
from memtui.services import memory
from memtui.util.errors import UsageError


@click.command("index", cls=CliCommand, short_help="List the entries of MEMORY.md, tidy or rebuild it.")
@click.option("--tidy", is_flag=True, help="Shorten it to 70 % of the limits, the most useful entries first.")
@click.option("--split", is_flag=True, help="Make its ## sections topics until it fits; every entry stays.")
@click.option("--rebuild", is_flag=True, help="Make it anew from the topic files.")
@click.option("--add", multiple=True, metavar="NAME", shell_complete=complete_names, help="List a topic in it.")
@click.option("--up", metavar="NAME", shell_complete=complete_names, help="Move a topic's entry above the cut.")
@click.option("--scope", default="auto", metavar="S", help="Another index: team, agent:user:NAME …")
@pass_context
def index(
    context: CliContext, tidy: bool, split: bool, rebuild: bool, add: tuple[str, ...], up: str | None, scope: str
) -> int:
    """List the entries of MEMORY.md, or write a shorter one; the difference is shown before it is done."""
    if tidy + split + rebuild + bool(add) + (up is not None) > 1:
        raise UsageError("one of --tidy, --split, --rebuild, --add and --up")
    writes = tidy or split or rebuild or bool(add) or up is not None
    if writes:
        may_write(context)
    snapshot = context.snapshot(full=writes)
    if add:
        files = [memory_file(named) for named in find_all(snapshot, add, context.cwd)]
        return carry_out(context, "index-plan", memory.add_to_index(snapshot, files))
    if up is not None:
        file = memory_file(find(snapshot, up, context.cwd))
        return carry_out(context, "index-plan", memory.raise_entry(snapshot, file))
    if split:
        return carry_out(context, "index-plan", memory.split_index(snapshot, scope=scope))
    if tidy or rebuild:
        make = memory.tidy_index if tidy else memory.rebuild_index
        return carry_out(context, "index-plan", make(context.workspace, snapshot, scope=scope))
    found = index_scope(snapshot, scope)
    measured = found.budget
    names = {file.name for file in found.files}
    rows = [
        {**fields(entry, "line title target loaded"), "hook": entry.description, "exists": entry.target in names}
        for entry in found.entries
    ]

    def text() -> Iterator[Line]:
        lines: list[list[Cell]] = []
        for row in rows:
            style = "problem" if not row["exists"] else "warn" if row["loaded"] is False else ""
            state = "missing: " if not row["exists"] else "not loaded: " if row["loaded"] is False else ""
            file = StyledText(state + row["target"], style)
            lines.append([str(row["line"]), row["title"], file, StyledText(row["hook"], "dim")])
        yield from table(context.out, columns(">line", "title*", "file*", "description*"), lines)
        if measured is not None:
            yield from meter(context.out, measured)

    data = {"entries": rows, "budget": budget_data(found)}
    context.out.result("index", data, text(), rows=rows, warnings=context.location.warnings)
    return 0
