"""What a session is given at its start: every file with its size and its share, and what is left out."""

from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.context import CliContext, find_directory
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, Output, StyledText, fields
from memtui.cli.table import columns, table
from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.client.paths import tilde_path
from memtui.memory.context import SessionContext, session_context
from memtui.memory.instructions import read_instructions
from memtui.presentation.context_text import context_rows, context_title, omitted_rows


def named_location(context: CliContext, directory: str) -> MemoryLocation:
    """Where the memory of a directory or project is, named as an argument; "." also stands for `--project`."""
    if directory == ".":
        return context.location
    cwd = context.cwd / directory
    if "/" not in directory and not cwd.is_dir():
        cwd = find_directory(context.env, context.cwd, directory)
    return locate_memory(context.env, cwd)


def read_context(env: Env, location: MemoryLocation) -> SessionContext:
    return session_context(env, location, read_instructions(env, location))


def context_data(found: SessionContext) -> Data:
    """The files with their text and what is left out, as Claude Code's own record of a start has them."""
    return {
        "files": [{"path": file.name, "type": file.type, "content": file.content} for file in found.files],
        "omitted": [{"path": str(one.path), "reason": one.reason} for one in found.omitted],
    }


@click.command("context", cls=CliCommand, short_help="What a session is given at its start, file by file.")
@click.argument("directory", default=".", metavar="[DIR]")
@pass_context
def context(context: CliContext, directory: str) -> None:
    """What a session that starts in a directory is given, file by file, and what is not loaded and why.

    Instructions with their imports and rules, then MEMORY.md; characters and lines as they are loaded, tokens about.
    `memtui explain context` has the texts.
    """
    location = named_location(context, directory)
    found = read_context(context.env, location)
    data = {
        "directory": str(location.cwd), **fields(found, "chars tokens"),
        "files": [
            {
                "path": file.name, "imported_by": None if file.imported_by is None else str(file.imported_by),
                **fields(file, "type lines chars tokens"), "share": round(file.chars / (found.chars or 1), 4),
            }
            for file in found.files
        ],
        "omitted": [
            {"imported_by": None if one.imported_by is None else str(one.imported_by), "path": str(one.path),
             **fields(one, "type line reason")}
            for one in found.omitted
        ],
    }  # fmt: skip
    text = context_lines(context.out, found, location, context.env.home)
    context.out.result("context", data, text, warnings=location.warnings)


def context_lines(out: Output, found: SessionContext, location: MemoryLocation, home: Path) -> Iterator[Line]:
    yield StyledText(f"{tilde_path(location.cwd, home)}: {context_title(found)}", "bold")
    rows: list[list[str | StyledText]] = [
        [StyledText(row.type, "dim"), row.name, row.chars, row.lines, row.tokens, row.share]
        for row in context_rows(found, location.cwd, home)
    ]
    yield from table(out, columns("", "file*", ">characters", ">lines", ">tokens", ">share"), rows)
    if found.omitted:
        yield ""
        yield StyledText(f"not loaded: {len(found.omitted)}", "bold")
        for name, reason in omitted_rows(found, location.cwd, home):
            yield [f"  {name}  ", StyledText(reason, "dim")]
