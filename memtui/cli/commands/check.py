"""Problems of the memory, and mending them."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memtui.cli.commands.memory import problem_data, problem_line
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.names import find_all
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import Data, Line, StyledText
from memtui.presentation.problem_text import problem_counts
from memtui.util.errors import MemtuiError

if TYPE_CHECKING:
    from memtui.memory.checks.base import Problem
    from memtui.memory.plans import Plan
    from memtui.memory.snapshot import Snapshot


@click.command("check", cls=CliCommand, short_help="Look for problems, and mend them.")
@click.argument("names", nargs=-1, shell_complete=complete_names, metavar="[NAME…]")
@click.option("--fix", is_flag=True, help="Mend what can be mended without a decision; each can be undone.")
@click.option("--secrets", is_flag=True, help="Only what looks like a secret.")
@pass_context
def check(call: CliContext, names: tuple[str, ...], fix: bool, secrets: bool) -> int:
    """Look for dead links, topics that the index misses, duplicates, doubtful front matter, long lines, secrets.

    Ends with 1 if there is an error or a warning.
    """
    if fix:
        call.may_write()
    snapshot = call.snapshot()
    paths = {named.path for named in find_all(snapshot, names, call.cwd)}

    def wanted(problem: "Problem") -> bool:
        return (not paths or problem.path in paths) and (not secrets or problem.code == "secret")

    found = [problem for problem in snapshot.problems if wanted(problem)]
    fixed: list[Data] = []
    if fix:
        fixed = _mend(call, snapshot, [problem for problem in found if problem.fix])
        if not call.asked.dry_run:
            snapshot = call.snapshot()
            found = [problem for problem in snapshot.problems if wanted(problem)]
    rows = [problem_data(snapshot, problem) for problem in found]
    real = sum(row["severity"] != "info" for row in rows)
    data = {"problems": rows, "count": real, "fixed": fixed}

    def text() -> Iterator[Line]:
        for one in fixed:
            yield [StyledText("fixed: " if one["written"] else "would fix: ", "good"), one["title"]]
            if not one["written"]:
                yield from diff_lines(one["diff"])
        if call.out.quiet:
            return
        for row in rows:
            if row["severity"] != "info" or call.out.verbose or names:
                yield problem_line(call.out, row)
        yield from _summary(rows, verbose=call.out.verbose)

    call.out.answer("problems", data, text(), rows=rows, warnings=call.location.warnings)
    return int(real > 0)


def _summary(rows: list[Data], *, verbose: bool) -> Iterator[Line]:
    counts = Counter(row["severity"] for row in rows)
    mendable = sum(bool(row["fix"]) for row in rows)
    if not counts["error"] and not counts["warning"]:
        yield StyledText("no problems", "good")
    else:
        words = problem_counts(row["severity"] for row in rows)
        yield StyledText(f"{words}; --fix fixes {mendable}" if mendable else words, "bold")
    if counts["info"] and not verbose:
        yield StyledText(f"{counts['info']} hints: -v lists them", "dim")


def _mend(call: CliContext, snapshot: "Snapshot", problems: "list[Problem]") -> list[Data]:
    """Mend one problem after the other, each on the world as the one before left it."""
    from memtui.memory.plans import plan_fix

    pinned = call.pins.names(call.location.folder)
    done: list[Data] = []
    for problem in problems:
        if done and not call.asked.dry_run:
            snapshot = call.snapshot()
        same = next((one for one in snapshot.problems if _same(one, problem)), None)
        if same is None:
            continue  # an earlier one mended it too
        shown = problem_data(snapshot, same)
        try:
            plan = plan_fix(snapshot, same, pinned=pinned)
            if not plan.changes or not _wanted(call, shown["name"], same, plan):
                continue
            if not call.asked.dry_run:
                call.workspace.carry_out(plan)
        except MemtuiError as error:
            call.out.warn([f"{shown['name']}: {problem.message}: not mended, {error.message}"])
            continue
        entry = {"title": plan.title, "problem": shown, "diff": plan.diff()}
        done.append({**entry, "written": not call.asked.dry_run})
    return done


def _wanted(call: CliContext, name: str, problem: "Problem", plan: "Plan") -> bool:
    """Whether to do it: a fix that isn't certain is shown and asked for."""
    from memtui.memory.checks.registry import is_certain

    if is_certain(problem) or call.asked.dry_run or call.asked.yes:
        return True
    if not call.out.interactive():
        call.out.note(f"{name}: {problem.fix}: not without being asked, -y says yes")
        return False
    call.out.note(*diff_lines(plan.diff()))
    return call.out.ask(f"{plan.title}?")


def _same(one: "Problem", other: "Problem") -> bool:
    """Whether it is the same problem, though lines may have moved."""
    return (one.path, one.code, one.message) == (other.path, other.code, other.message)
