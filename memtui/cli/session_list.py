"""The list of past sessions, of one project or of all.

click is not known here: where there are thousands of sessions its import would be a third of the answer (`shortcut`).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.cli.context import CliContext
from memtui.cli.output import SHORT, Data, Line, StyledText, iso
from memtui.cli.table import Column, columned
from memtui.client.paths import projects_dir
from memtui.client.retention import cleanup_days, cleanup_mark, days_left
from memtui.client.running import RunningSession, running_sessions
from memtui.client.session_files import UNTITLED, listed_files
from memtui.client.settings_files import read_layers
from memtui.sessions.listing import Session, project_folders
from memtui.util.errors import MemtuiError
from memtui.util.prefetch_fork import prefetch
from memtui.util.text import age, pluralize, size

if TYPE_CHECKING:  # its import takes 11 ms
    from memtui.transcripts.summary import SessionSummary

MANY = 20  # folders from which on a second process looks at their files meanwhile


def places(context: CliContext, *, everywhere: bool) -> list[Path]:
    return project_folders(projects_dir(context.env)) if everywhere else [context.location.transcripts]


def list_sessions(
    context: CliContext, *, everywhere: bool = False, branch: str | None = None, programs: bool = False
) -> int:
    """List the sessions of the project or of all, newest first; 1 if there is none.

    `branch` keeps those whose last prompt was typed on it; those that programs began are listed with `programs` only,
    as in Claude Code's picker.
    """
    folders = places(context, everywhere=everywhere)
    look = prefetch(lambda: listed_files(folders)) if len(folders) > MANY else None
    from memtui.sessions.catalog import Catalogue  # 5 ms in which the second process looks at the files already

    days = cleanup_days(read_layers(context.env, context.directory))
    now, live = context.now(), running_sessions(context.env)

    def wanted(page: list[Session]) -> list[Session]:
        return [one for one in page if branch in (None, one.branch) and (programs or not one.by_program)]

    def left(one: Session) -> float | None:
        return None if days is None else days_left(one.modified, now, days)

    def state(one: Session, name: str) -> str | StyledText:
        if name in live and not one.marks:
            return StyledText("live", "good")
        return " ".join(filter(None, ("live" if name in live else cleanup_mark(left(one)), one.marks)))

    def lines(page: list[Session]) -> list[Line]:
        found = wanted(page)
        ids = [one.id for one in found]
        return list(_table(context, found, ids, list(map(state, found, ids)), everywhere=everywhere))

    errors: list[MemtuiError] = []
    rows: list[Data] = []
    with Catalogue(context.dirs.cache) as catalogue:
        page = catalogue.cached(folders)
        text = [] if context.out.structured else lines(page)  # while the files are looked at: few lists differ
        checked = catalogue.current(folders, errors, look, page)
        if checked is not page and not context.out.structured:
            text = lines(checked)
        found = wanted(checked)
        if context.out.structured:
            known = catalogue.summaries(folders)
            rows = [_session_data(one, known[one.file_path], live.get(one.id), left(one)) for one in found]
    context.out.result("sessions", rows, text, rows=rows, warnings=[error.message for error in errors], page=True)
    if hidden := 0 if programs else sum(one.by_program for one in checked):
        context.out.status(f"{pluralize(hidden, 'session')} of programs hidden; --programs lists them")
    if not found:
        context.out.status("no session here" if branch is None else f"no session on branch {branch}")
    return int(not found)


def _session_data(session: Session, facts: "SessionSummary", live: RunningSession | None, left: float | None) -> Data:
    """A session for scripts; `left` are the days to Claude Code's clean-up, `None` while that is off."""
    return {
        "id": session.id, "path": session.file_path, "modified": iso(session.modified), "size": session.size,
        "live": live is not None, "pid": live.pid if live else None,
        "days_left": None if left is None else round(left, 2),
        **{name: getattr(facts, name) for name in facts.__struct_fields__},
    }  # fmt: skip


def _table(
    context: CliContext, found: list[Session], ids: Sequence[str], states: Sequence[str | StyledText], *,
    everywhere: bool,
) -> Iterator[Line]:  # fmt: skip
    now = context.now()
    nameless = StyledText(UNTITLED, "dim")
    columns: dict[Column, Sequence[str | StyledText]] = {
        Column("age", right=True): [age(now - one.when) for one in found],
        Column("messages", right=True): [str(one.messages) for one in found],
        Column("size", right=True): [size(one.size) for one in found],
        Column("id", style="dim"): [name[:SHORT] for name in ids],
    }
    if everywhere:
        columns[Column("project", rest=2)] = [one.cwd.rpartition("/")[2] for one in found]
    columns[Column("branch", rest=1)] = [one.branch for one in found]
    if context.out.plain or any(states):
        columns[Column("state", style="warn")] = states
    columns[Column("title", rest=3)] = [one.title or nameless for one in found]
    return columned(context.out, list(columns), list(columns.values()))
