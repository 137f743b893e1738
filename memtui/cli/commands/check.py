"""Problems of the memory, and fixing them."""

from collections.abc import Iterator
from pathlib import Path

import click

from memtui.cli.asking import answered, may_write, settle
from memtui.cli.commands.memory import problem_data, problem_line
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.names import find_all
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import Data, Line, StyledText
from memtui.memory.checks.base import Problem
from memtui.memory.checks.registry import is_certain
from memtui.memory.snapshot import Snapshot
from memtui.presentation.problem_text import problem_counts
from memtui.services import memory
from memtui.util.errors import MemtuiError
from memtui.util.text import pluralize


@click.command("check", cls=CliCommand, short_help="Look for problems, and fix them.")
@click.argument("names", nargs=-1, shell_complete=complete_names, metavar="[NAME…]")
@click.option("--fix", is_flag=True, help="Fix what needs no decision; each fix can be undone.")
@click.option("--secrets", is_flag=True, help="Only what looks like a secret.")
@pass_context
def check(context: CliContext, names: tuple[str, ...], fix: bool, secrets: bool) -> int:
    """Look for dead links, topics that the index misses, duplicates, doubtful front matter, long lines, secrets.

    On a terminal, --fix then offers the fixes that need your decision, each with its diff; elsewhere they are left, and
    -y says yes to no decision but that of --secrets. Ends with 1 if there is an error or a warning.
    """
    if fix:
        may_write(context)
    else:
        settle(context)
    snapshot = context.snapshot()
    paths = {named.path for named in find_all(snapshot, names, context.cwd)}

    def wanted(problem: Problem) -> bool:
        return (not paths or problem.path in paths) and (not secrets or problem.code == "secret")

    found = [problem for problem in snapshot.problems if wanted(problem)]
    fixed: list[Data] = []
    if fix:
        chosen = [problem for problem in found if problem.fix]
        fixed = _fix(context, snapshot, sorted(chosen, key=lambda problem: not is_certain(problem)), secrets)
        if not context.options.dry_run:
            snapshot = context.snapshot()
            found = [problem for problem in snapshot.problems if wanted(problem)]
    rows = [problem_data(snapshot, problem) for problem in found]
    real = sum(row["severity"] != "info" for row in rows)
    data = {"problems": rows, "count": real, "fixed": fixed}

    def text() -> Iterator[Line]:
        for one in fixed:
            yield [StyledText("fixed: " if one["written"] else "would fix: ", "good"), one["title"]]
            if not one["written"]:
                yield from diff_lines(one["diff"])
        if context.out.quiet:
            return
        for row in rows:
            if row["severity"] != "info" or context.out.verbose or names:
                yield problem_line(context.out, row)
        fixable, open_ = sum(map(is_certain, found)), sum(bool(one.fix) and not is_certain(one) for one in found)
        counts = problem_counts(row["severity"] for row in rows)
        if real:
            offers = [f"--fix fixes {fixable}"] if fixable else []
            offers += [f"{open_} {'needs' if open_ == 1 else 'need'} your decision"] if open_ else []
            yield StyledText("; ".join([counts, ", ".join(offers)] if offers else [counts]), "bold")
        else:
            yield StyledText("no problems", "good")
        if (hints := len(rows) - real) and not context.out.verbose:
            yield StyledText(f"{pluralize(hints, 'hint')}: -v lists {'it' if hints == 1 else 'them'}", "dim")

    warnings = [*context.location.warnings, *snapshot.around.store_notes()]
    context.out.result("problems", data, text(), rows=rows, warnings=warnings)
    return int(real > 0)


def _fix(context: CliContext, snapshot: Snapshot, problems: list[Problem], secrets: bool) -> list[Data]:
    """Fix one problem after the other, each on the snapshot as the one before left it.

    What needs a decision is asked on a terminal. Elsewhere nobody decided: -y answers questions about what a command
    names, and of these fixes only that for secrets is named.
    """
    done: list[Data] = []
    asks = context.out.interactive() and not context.options.yes
    refused: set[str] = set()
    dry_run = context.options.dry_run
    for problem in problems:
        if not (is_certain(problem) or asks or (secrets and problem.code == "secret")):
            continue
        if done and not dry_run:
            snapshot = context.snapshot()
        same = next((one for one in snapshot.problems if _identity(one) == _identity(problem)), None)
        if same is None:
            continue  # an earlier one fixed it too
        shown = problem_data(snapshot, same)
        try:
            change = memory.fix_problem(context.workspace, snapshot, same)
            if not change.plan.changes or not (dry_run or _made(context, shown["name"], same, change)):
                continue
        except MemtuiError as error:
            if error.message not in refused:
                context.out.warn([f"{shown['name']}: {problem.message}: not fixed, {error.message}"])
            refused.add(error.message)
            continue
        plan = change.plan
        done.append({"title": plan.title, "problem": shown, "diff": plan.diff(), "written": not dry_run})
    return done


def _made(context: CliContext, name: str, problem: Problem, change: memory.PreparedChange) -> bool:
    """Make the change, asked about where it needs a yes; nobody to ask is a no to this one problem."""
    if change.question is not None and not context.options.yes and not context.out.interactive():
        context.out.status(f"{name}: {problem.fix}: needs a yes, --yes gives it")
        return False
    return answered(context, lambda allow: memory.apply(context.workspace, change, allow)) is not None


def _identity(problem: Problem) -> tuple[Path, str, str]:
    return problem.path, problem.code, problem.message  # without lines: these may have moved
