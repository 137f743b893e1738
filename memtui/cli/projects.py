"""The projects that have left sessions or memory: listed, and brought to where they are now."""

from collections.abc import Iterator

import click

from memtui.base.errors import Usage
from memtui.base.text import age
from memtui.cli.call import Call
from memtui.cli.context import Group, pass_call
from memtui.cli.moving import move, undo_move
from memtui.cli.output import Data, Line, Part, iso
from memtui.cli.table import Column, table


@click.group("projects", cls=Group, invoke_without_command=True, short_help="List the projects, move one.")
@click.option("--gone", is_flag=True, help="Only those whose directory no longer exists.")
@click.pass_context
def projects(context: click.Context, gone: bool) -> int | None:
    """List the projects, or bring what one has left to the directory where it is now.

    Without a command they are listed as by ls.
    """
    if context.invoked_subcommand is not None:
        if gone:
            raise Usage("--gone goes with the list", hint="memtui projects ls --gone")
        return None
    return _list(context.ensure_object(Call), gone=gone)


@projects.command("ls")
@click.option("--gone", is_flag=True, help="Only those whose directory no longer exists.")
@pass_call
def projects_ls(call: Call, gone: bool) -> int:
    """List the projects: directory, topics, sessions, when the newest session was.

    Ends with 1 if there is none.
    """
    return _list(call, gone=gone)


projects.add_command(move)
projects.add_command(undo_move)


def _list(call: Call, *, gone: bool) -> int:
    from memtui.host.projects import list_projects

    out = call.out
    found = [project for project in list_projects(call.env) if project.gone or not gone]
    rows: list[Data] = [
        {
            "name": project.name,
            "cwd": None if project.cwd is None else str(project.cwd),
            "cwds": [str(path) for path in project.cwds],
            "folder": str(project.folder),
            "memory": None if project.memory is None else str(project.memory),
            "topics": project.topics,
            "sessions": project.sessions,
            "newest": iso(project.newest),
            "collision": project.collision,
            "gone": project.gone,
        }
        for project in found
    ]

    def text() -> Iterator[Line]:
        columns = [Column("project"), Column("topics", right=True), Column("sessions", right=True), Column("last")]
        columns += [Column("directory", rest=1), Column("")]
        lines = []
        for project, row in zip(found, rows, strict=True):
            last = "never" if project.newest is None else age(call.now() - project.newest)
            marks = [word for word, on in (("gone", project.gone), ("shares its folder", project.collision)) if on]
            topics = str(project.topics) if project.memory is not None else "-"
            where = row["cwd"] or f"unknown ({project.folder.name})"
            lines.append([project.name, topics, str(project.sessions), last, where, Part(", ".join(marks), "warn")])
        yield from table(out, columns, lines)
        if out.verbose:
            for project in found:
                for path in project.cwds[1:] if project.collision else ():
                    yield f"{project.folder.name} is also {path}"

    out.answer("projects", rows, text(), rows=rows)
    if not rows:
        from memtui.host.paths import projects_dir

        out.note(f"no project in {projects_dir(call.env)}")
    return int(not rows)
