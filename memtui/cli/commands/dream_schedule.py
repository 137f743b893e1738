"""When dreams start by themselves: shown in words, put into the crontab, printed as a systemd timer."""

import time
from collections.abc import Iterator

import click

from memtui.cli.asking import answered, may_write
from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, StyledText, iso
from memtui.dream.schedule.cron import Schedule, cron_of, describe_cron, next_starts, read_schedule, schedule_id
from memtui.dream.schedule.units import systemd_units
from memtui.services import dreams
from memtui.util.errors import MemtuiError, UsageError


@click.command("schedule", cls=CliCommand, short_help="When dreams start by themselves.")
@click.argument("cron", required=False, metavar="[CRON]")
@click.option("--install", is_flag=True, help="Put it into your crontab.")
@click.option("--print-timer", is_flag=True, help="Print a systemd timer and its service instead.")
@click.option("--remove", is_flag=True, help="Take it out of your crontab.")
@pass_context
def schedule(context: CliContext, cron: str | None, install: bool, print_timer: bool, remove: bool) -> None:
    """When dreams of this project start by themselves, in words, and the next three times.

    CRON is five fields, as in "30 3 * * 1-5"; it is kept. Without one a time between 0:00 and 5:59 is chosen at random,
    once. Only --install and --remove change your crontab, and only this project's line. With -n nothing is written.
    """
    if install + print_timer + remove > 1 or (remove and cron is not None):
        raise UsageError("one of --install, --print-timer and --remove, the last without a time")
    if remove:
        return _remove(context)
    kept = dreams.schedule_of(context.workspace, cron, keep=not context.options.dry_run)
    if print_timer:
        return _print_timer(context, kept)
    if install:
        context.out.status("the line for your crontab:", dreams.crontab_line(context.workspace, kept), *_keys(context))
        if not context.options.dry_run:
            may_write(context)
            kept = answered(context, lambda allow: dreams.install_schedule(context.workspace, kept, allow)) or kept
    return _show(context, kept)


def _keys(context: CliContext) -> list[str]:
    words = dreams.key_warning(context.workspace)
    return [words] if words else []


def _remove(context: CliContext) -> None:
    line, removed = dreams.scheduled_line(context.workspace), False
    if line is None:
        words = "your crontab has no line for this project"
        if not context.options.dry_run:
            dreams.remove_schedule(context.workspace)  # what we kept of one that went by hand is forgotten
    elif context.options.dry_run:
        words = f"would take out: {line}"
    else:
        may_write(context)
        removed = bool(answered(context, lambda allow: dreams.remove_schedule(context.workspace, allow)))
        words = "taken out of your crontab" if removed else "left in your crontab"
    context.out.result("schedule", {"removed": removed, "line": line}, [words])


def _print_timer(context: CliContext, kept: Schedule) -> None:
    files = systemd_units(schedule_id(context.location), kept.cron, dreams.schedule_job(context.workspace))
    timer = next(name for name in files if name.endswith(".timer"))

    def text() -> Iterator[Line]:
        for name, content in files.items():
            yield StyledText(f"# ~/.config/systemd/user/{name}", "dim")
            yield from content.splitlines()
            yield ""
        for words in _keys(context):
            yield StyledText(f"# {words}", "dim")
        yield StyledText(f"# systemctl --user daemon-reload && systemctl --user enable --now {timer}", "dim")

    context.out.result("timer", {"cron": kept.cron, "files": files}, text())


def _show(context: CliContext, kept: Schedule) -> None:
    now = context.now()
    words, next_ = describe_cron(kept.cron, now), next_starts(kept.cron, now)
    line, problem = None, ""
    try:
        line = dreams.scheduled_line(context.workspace)
    except MemtuiError as error:
        problem = error.message
    installed = cron_of(line) if line is not None else None
    lasting = read_schedule(context.dirs, context.location) == kept
    drawn = "" if not kept.drawn else "  chosen at random, once" if lasting else "  chosen at random, not kept"
    data: Data = {
        "cron": kept.cron, "words": words, "drawn": kept.drawn, "next": [iso(at) for at in next_],
        "installed": installed, "line": line, "problem": problem or None,
    }  # fmt: skip

    def text() -> Iterator[Line]:
        yield [StyledText(kept.cron, "bold"), f"  {words}", StyledText(drawn, "dim")]
        yield "next  " + ", ".join(time.strftime("%a %Y-%m-%d %H:%M", time.localtime(at)) for at in next_)
        if problem:
            yield [StyledText("crontab  ", "warn"), problem]
            yield StyledText("  --print-timer prints a systemd timer", "dim")
        elif installed is None:
            yield "not in your crontab: --install puts it there, --print-timer prints a systemd timer"
        elif installed != kept.cron:
            yield [StyledText("your crontab still has ", "warn"), f"{installed}: --install takes the new time over"]
        else:
            yield [StyledText("in your crontab", "good"), StyledText("  --remove takes it out", "dim")]

    context.out.result("schedule", data, text())
