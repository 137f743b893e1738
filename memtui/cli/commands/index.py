"""The index: what of it is loaded, and making it shorter."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtui.cli.apply_plan import carry_out
from memtui.cli.context import CliContext
from memtui.cli.names import find_all, topic
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import Data, Line, Output, OutputGlyphs, StyledText
from memtui.cli.table import Column, table
from memtui.presentation.budget_text import LIMIT_UNITS, amount_left, budget_verdict
from memtui.util.errors import NotFound, UsageError

if TYPE_CHECKING:
    from memtui.memory.budget import IndexBudget, Limit
    from memtui.memory.scope import Scope
    from memtui.memory.snapshot import Snapshot

_CELLS = 20
"""Of a bar."""


def budget_data(scope: "Scope") -> Data:
    """How full an index is, for scripts."""
    budget = scope.budget
    if budget is None:
        return {"scope": scope.id, "path": None}
    lost = [entry for entry in scope.entries if entry.loaded is False]
    return {
        "scope": scope.id,
        "path": str(scope.root / "MEMORY.md"),
        "lines": budget.lines,
        "max_lines": budget.max_lines,
        "lines_left": budget.lines_left,
        "units": budget.units,
        "max_units": budget.max_units,
        "units_left": budget.units_left,
        "used": round(budget.used, 4),
        "over": budget.over,
        "first_limit": budget.first_limit,
        "limit": budget.limit,
        "cut_line": budget.cut_line,
        "cut_line_in_file": budget.cut_line_in_file,
        "lost_lines": budget.lost_lines,
        "lost": [{"line": entry.line, "title": entry.title, "target": entry.target} for entry in lost],
        "entries": len(scope.entries),
        "size": scope.index.size if scope.index is not None else None,
    }


def bar(used: float, glyphs: OutputGlyphs) -> str:
    """A bar of twenty cells; over the limit it is full."""
    full = min(int(used * _CELLS), _CELLS)
    return glyphs.edges[0] + glyphs.bar * full + glyphs.rest * (_CELLS - full) + glyphs.edges[1]


def meter(out: Output, budget: "IndexBudget", warn: int = 80) -> Iterator[Line]:
    """The meter as text; `warn` is the percentage from which the index is near its limit."""
    verdict = budget_verdict(budget.lost_lines, budget.used, near=warn / 100)
    limits: tuple[tuple[Limit, int, int], ...] = (
        ("lines", budget.lines, budget.max_lines),
        ("units", budget.units, budget.max_units),
    )
    if out.plain:
        yield f"MEMORY.md\t{verdict.text}"
        for limit, used, most in limits:
            yield f"{LIMIT_UNITS[limit]}\t{used}\t{most}\t{amount_left(used, most)}"
        return
    for limit, used, most in limits:
        marked = StyledText(verdict.text, verdict.tone) if limit == budget.first_limit else StyledText("")
        label = "MEMORY.md  " if limit == "lines" else " " * 11
        counts = f" {used:,}/{most:,} ({amount_left(used, most)})  "
        yield [label, f"{LIMIT_UNITS[limit]:<11}", bar(used / most, out.glyphs), counts, marked]


def _scope(snapshot: "Snapshot", wanted: str) -> "Scope":
    """The scope whose index is meant.

    Raises:
        NotFound: If it isn't there, or has no index.
    """
    scope = snapshot.scope(wanted)
    if scope is None and wanted == "auto":
        raise NotFound(f"no memory for this project yet: {snapshot.location.folder} does not exist",
                       hint="memtui new NAME writes the first")  # fmt: skip
    if scope is None:
        known = ", ".join(one.id for one in snapshot.scopes if one.budget is not None)
        raise NotFound(f"there is no scope {wanted!r}", hint=f"with an index: {known}" if known else "")
    if scope.budget is None:
        raise NotFound(f"{scope.label} has no MEMORY.md: nothing is loaded at the start of a session",
                       hint="memtui index --rebuild makes one from the topics")  # fmt: skip
    return scope


@click.command("budget", cls=CliCommand, short_help="How full MEMORY.md is, and what is not loaded.")
@click.option("--check", is_flag=True, help="One line; with --warn, end with 1 from that share on.")
@click.option("--warn", type=click.IntRange(1, 100), metavar="N", help="Percent from which it is near the limit (80).")
@click.option("--scope", default="auto", metavar="S", help="Another index: team, agent:user:NAME …")
@pass_context
def budget(call: CliContext, check: bool, warn: int | None, scope: str) -> int:
    """How full MEMORY.md is: lines and characters as Claude Code counts them, and what is not loaded.

    Ends with 1 if a part is not loaded; --check --warn N also from N percent on.
    """
    out = call.out
    found = _scope(call.snapshot(full=False), scope)
    measured = found.budget
    if measured is None:
        raise NotFound("no index")
    data = budget_data(found)
    near = check and warn is not None and measured.used * 100 >= warn

    def text() -> Iterator[Line]:
        if out.quiet:
            return
        if check:
            verdict = budget_verdict(measured.lost_lines, measured.used, near=(warn or 80) / 100)
            counts = f"{measured.lines}/{measured.max_lines} lines, {measured.units}/{measured.max_units} characters"
            yield ["MEMORY.md  ", StyledText(verdict.text, verdict.tone), f"  {counts}"]
            return
        yield from meter(out, measured, warn or 80)
        yield f"first limit: {LIMIT_UNITS[measured.first_limit]} ({measured.used:.0%} used)"
        if measured.over:
            yield f"cut at line {measured.cut_line_in_file} of the file"
            for entry in data["lost"]:
                yield f"  not loaded: line {entry['line']}  {entry['title']}  {entry['target']}"
            yield StyledText("memtui index --tidy shortens it to 70 %", "dim")

    out.answer("budget", data, text(), warnings=call.location.warnings)
    return int(measured.over or near)


@click.command("index", cls=CliCommand, short_help="List the entries of MEMORY.md, tidy or rebuild it.")
@click.option("--tidy", is_flag=True, help="Shorten it to 70 % of the limits, the most useful entries first.")
@click.option("--rebuild", is_flag=True, help="Make it anew from the topic files.")
@click.option("--add", multiple=True, metavar="NAME", shell_complete=complete_names, help="List a topic in it.")
@click.option("--scope", default="auto", metavar="S", help="Another index: team, agent:user:NAME …")
@pass_context
def index(call: CliContext, tidy: bool, rebuild: bool, add: tuple[str, ...], scope: str) -> int:
    """List the entries of MEMORY.md, or write a shorter one; the difference is shown before it is done."""
    from memtui.memory import plans

    if tidy + rebuild + bool(add) > 1:
        raise UsageError("one of --tidy, --rebuild and --add")
    writes = tidy or rebuild or bool(add)
    if writes:
        call.may_write()
    snapshot = call.snapshot(full=writes)
    if add:
        files = [topic(named) for named in find_all(snapshot, add, call.cwd)]
        return carry_out(call, "index-plan", plans.plan_add_to_index(snapshot, files))
    if tidy or rebuild:
        pinned = call.pins.names(call.location.folder) if scope == "auto" else frozenset()
        make = plans.plan_tidy if tidy else plans.plan_rebuild
        plan = make(snapshot, scope=scope, pinned=pinned)
        return carry_out(call, "index-plan", plan, question=f"{plan.title}?", shown=True)
    found = _scope(snapshot, scope)
    measured = found.budget
    names = {file.name for file in found.files}
    rows: list[Data] = [
        {
            "line": entry.line,
            "title": entry.title,
            "target": entry.target,
            "hook": entry.description,
            "loaded": entry.loaded,
            "exists": entry.target in names,
        }
        for entry in found.entries
    ]

    def text() -> Iterator[Line]:
        columns = [Column("line", right=True), Column("title", rest=1), Column("file", rest=1)]
        columns.append(Column("hook", rest=1))
        lines: list[list[str | StyledText]] = []
        for row in rows:
            style = "problem" if not row["exists"] else "warn" if row["loaded"] is False else ""
            state = "missing: " if not row["exists"] else "not loaded: " if row["loaded"] is False else ""
            lines.append(
                [
                    str(row["line"]),
                    row["title"],
                    StyledText(state + row["target"], style),
                    StyledText(row["hook"], "dim"),
                ]
            )
        yield from table(call.out, columns, lines)
        if measured is not None:
            yield from meter(call.out, measured)

    data = {"entries": rows, "budget": budget_data(found)}
    call.out.answer("index", data, text(), rows=rows, warnings=call.location.warnings)
    return 0
