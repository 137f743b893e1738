"""How full the index is, and what of it is not loaded."""

from collections.abc import Iterator

import click

from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, Output, OutputGlyphs, StyledText, fields
from memtui.memory.budget import IndexBudget, Limit
from memtui.memory.scope import Scope
from memtui.memory.snapshot import Snapshot
from memtui.presentation.budget_text import LIMIT_UNITS, amount_left, budget_verdict
from memtui.util.errors import NotFound

_CELLS = 20  # of a bar


def budget_data(scope: Scope) -> Data:
    budget = scope.budget
    if budget is None:
        return {"scope": scope.id, "path": None}
    lost = [fields(entry, "line title target") for entry in scope.entries if entry.loaded is False]
    counted = fields(
        budget, "lines max_lines lines_left units max_units units_left over first_limit limit cut_line"
        " cut_line_in_file lost_lines",
    )  # fmt: skip
    return {
        "scope": scope.id, "path": str(scope.root / "MEMORY.md"), **counted, "used": round(budget.used, 4),
        "lost": lost, "entries": len(scope.entries), "size": scope.index.size if scope.index is not None else None,
    }  # fmt: skip


def bar(used: float, glyphs: OutputGlyphs) -> str:
    full = min(int(used * _CELLS), _CELLS)
    return glyphs.edges[0] + glyphs.bar * full + glyphs.rest * (_CELLS - full) + glyphs.edges[1]


def meter(out: Output, budget: IndexBudget, warn: int = 80) -> Iterator[Line]:
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


def index_scope(snapshot: Snapshot, wanted: str) -> Scope:
    """The scope whose index is meant; `NotFound` if it isn't there, or has no index."""
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
def budget(context: CliContext, check: bool, warn: int | None, scope: str) -> int:
    """How full MEMORY.md is: lines and characters as Claude Code counts them, and what is not loaded.

    Ends with 1 if a part is not loaded; --check --warn N also from N percent on.
    """
    out = context.out
    found = index_scope(context.snapshot(full=False), scope)
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

    out.result("budget", data, text(), warnings=context.location.warnings)
    return int(measured.over or near)
