"""The text twin of the screen: meter, problems, topics, gates, last sessions.

It is what `memtui` prints where there is no terminal, and `memtui --json` in any case.
"""

from collections.abc import Iterator
from pathlib import Path

from memtui.cli.asking import settle
from memtui.cli.commands.budget import budget_data, meter
from memtui.cli.commands.memory import file_rows, file_table, problem_data, problem_line
from memtui.cli.context import CliContext
from memtui.cli.entry import OpenedWorkspace, open_workspace
from memtui.cli.output import Cell, Data, Line, Output, StyledText, fields, iso
from memtui.cli.table import columns, table
from memtui.client.git import branch_of
from memtui.client.projects import list_projects
from memtui.client.session_files import RecentSession, recent_sessions
from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.gates.last_dream import last_dream
from memtui.memory.snapshot import Snapshot
from memtui.presentation.dream_text import gate_text, gates_summary
from memtui.presentation.problem_text import problems_in_files
from memtui.util.text import age, size

_TOPICS = 30
_PROBLEMS = 12
_SESSIONS = 5


def show(context: CliContext, *, demo: bool) -> int:
    """Print the dashboard; its exit code is 0 whatever it shows."""
    with open_workspace(context, demo=demo) as found:
        _print(context, found)
    return 0


def _print(context: CliContext, found: OpenedWorkspace) -> None:
    workspace = found.context.workspace
    settle(found.context)
    snapshot = workspace.read(full=True)
    place = snapshot.location
    now = context.now()
    rows = [row for _, row in file_rows(workspace.pins, snapshot)]
    last = last_dream(workspace, now)
    listed = evaluate_gates(workspace, workspace.dirs, now)
    sessions = recent_sessions(place.transcripts, _SESSIONS)
    auto = snapshot.auto
    problems = [problem_data(snapshot, problem) for problem in snapshot.problems if problem.severity != "info"]
    data: Data = {
        **fields(place, "cwd folder enabled"), **fields(found, "sample banner"), "branch": branch_of(place.cwd),
        "project": place.root.name or str(place.root), "exists": auto is not None,
        "budget": None if auto is None or auto.budget is None else budget_data(auto), "problems": problems,
        "files": rows, "last_dream": iso(last), "gates": [gate_data(gate) for gate in listed],
        "sessions": [{**fields(one, "id title size"), "modified": iso(one.modified)} for one in sessions],
    }  # fmt: skip

    def text() -> Iterator[Line]:
        yield from _heading(context.out, data, workspace.env.home, now, last)
        if auto is None:
            yield from _first_run(context, found, snapshot)
        else:
            yield ""
            if auto.budget is not None:
                yield from meter(context.out, auto.budget)
            else:
                yield auto.problem or "no MEMORY.md: nothing is loaded at the start of a session"
            yield from _problems(context.out, problems)
            yield from _topics(context, rows)
        yield from gate_lines(context.out, listed, now)
        yield from _sessions(context.out, sessions, now)
        yield ""
        yield StyledText("memtui ls, show, check, history, projects; memtui --help", "dim")

    context.out.result("dashboard", data, text(), warnings=place.warnings)


def _heading(out: Output, data: Data, home: Path, now: float, last: float | None) -> Iterator[Line]:
    if data["banner"]:
        yield StyledText(data["banner"], "warn")
    orphans = sum(row["in_index"] is False for row in data["files"])
    words = [StyledText("memtui  "), StyledText(data["project"], "bold")]
    words += [StyledText(f"  {data['branch']}")] if data["branch"] else []
    folder = Path(data["folder"])
    shown = f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) and not out.plain else str(folder)
    words += [StyledText(f"  {shown}", "dim")]
    paths = [problem["path"] for problem in data["problems"] if problem["code"] != "orphan"]
    words += [StyledText(f"  {problems_in_files(len(paths), len({*paths}))}", "problem")] if paths else []
    words += [StyledText(f"  {orphans} not in MEMORY.md", "warn")] if orphans else []
    words += [StyledText("  last dream never" if last is None else f"  last dream {age(now - last)} ago")]
    yield words
    if not data["enabled"]:
        why = "memtui config get autoMemoryEnabled -v says why"
        yield StyledText(f"memory is off: Claude Code loads nothing ({why})", "warn")


def _first_run(context: CliContext, found: OpenedWorkspace, snapshot: Snapshot) -> Iterator[Line]:
    yield ""
    yield StyledText("No memory for this project yet.", "bold")
    yield f"Looked in  {snapshot.location.folder}  (does not exist)"
    others = [project for project in list_projects(found.context.workspace.env) if project.topics]
    yield "  memtui new NAME --type TYPE --description S    writes the first memory"
    if others:
        names = ", ".join(f"{project.name} {project.topics}" for project in others[:6])
        yield f"  memtui --project P                             opens another: {names}"
    yield "  memtui --demo                                  shows sample data; nothing of yours is touched"
    yield "Memory appears here by itself once Claude Code saves one."


def _problems(out: Output, problems: list[Data]) -> Iterator[Line]:
    if not problems:
        return
    yield ""
    yield StyledText("problems", "bold")  # no count: the first line tells those not in the index apart
    shown = len(problems) if out.verbose else _PROBLEMS
    for problem in problems[:shown]:
        yield problem_line(out, problem)
    if len(problems) > shown:
        yield StyledText(f"and {len(problems) - shown} more: memtui check", "dim")


def _topics(context: CliContext, rows: list[Data]) -> Iterator[Line]:
    topics = [row for row in rows if row["kind"] == "topic" and row["scope"] in ("auto", "team")]
    topics.sort(key=lambda row: row["modified"] or "", reverse=True)
    if not topics:
        return
    yield ""
    yield StyledText(f"topics  {len(topics)}", "bold")
    shown = len(topics) if context.out.verbose else _TOPICS
    yield from file_table(context.out, topics[:shown], context.now())
    if len(topics) > shown:
        yield StyledText(f"and {len(topics) - shown} more: memtui ls", "dim")


def gate_data(gate: Gate) -> Data:
    return {**fields(gate, "name open words reason source"), "opens_at": iso(gate.opens_at)}


def gate_lines(out: Output, gates: tuple[Gate, ...], now: float) -> Iterator[Line]:
    yield ""
    yield [StyledText("Would a dream start now?  ", "bold"), gates_summary(gates, now)]
    rows: list[list[Cell]] = []
    for gate in gates:
        mark = "" if out.plain else out.glyphs.open if gate.open else out.glyphs.closed
        told = gate_text(gate, now)
        rows.append([StyledText(mark, told.tone), StyledText(told.label, told.tone), gate.words, told.text])
    yield from table(out, columns("", "", "", "*"), rows)


def _sessions(out: Output, sessions: tuple[RecentSession, ...], now: float) -> Iterator[Line]:
    if not sessions:
        return
    yield ""
    yield StyledText("last sessions", "bold")
    yield from table(out, columns(">", "*", ">", ""), (
        [age(now - one.modified), one.title, size(one.size), StyledText(one.id[:8], "dim")] for one in sessions
    ))  # fmt: skip
