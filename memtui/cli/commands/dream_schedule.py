"""When dreams start by themselves: shown in words, put into the crontab, printed as a systemd timer."""

import time
from collections.abc import Iterator
from random import SystemRandom

import click
from msgspec.structs import replace

from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, StyledText, iso
from memtui.dream.backends.credentials import find_key, variables
from memtui.dream.schedule.cron import (
    Crontab,
    Schedule,
    cron_line,
    cron_of,
    draw,
    in_words,
    keep_schedule,
    parsed,
    read_schedule,
    schedule_id,
    starts,
)
from memtui.dream.schedule.units import Job, make_job, units
from memtui.util.errors import MemtuiError, UsageError


@click.command("schedule", cls=CliCommand, short_help="When dreams start by themselves.")
@click.argument("cron", required=False, metavar="[CRON]")
@click.option("--install", is_flag=True, help="Put it into your crontab.")
@click.option("--print-timer", is_flag=True, help="Print a systemd timer and its service instead.")
@click.option("--remove", is_flag=True, help="Take it out of your crontab.")
@pass_context
def schedule(context: CliContext, cron: str | None, install: bool, print_timer: bool, remove: bool) -> None:
    """When dreams of this project start by themselves, in words, and the next three times.

    CRON is five fields, as in "30 3 * * 1-5"; it is kept. Without one a time between 0:00 and 5:59 is drawn, once. Only
    --install and --remove touch your crontab, and there only the line of this project. With -n nothing is written.
    """
    if install + print_timer + remove > 1 or (remove and cron is not None):
        raise UsageError("one of --install, --print-timer and --remove, the last without a time")
    if remove:
        _remove(context)
        return
    kept = _kept(context, cron)
    parsed(kept.cron, context.now())
    if print_timer:
        _print_timer(context, kept)
        return
    if install:
        kept = _install(context, kept)
    _show(context, kept)


def _kept(context: CliContext, cron: str | None) -> "Schedule":
    """The schedule that is meant; what is new in it is kept, if anything may be written."""
    before = read_schedule(context.dirs, context.location)
    found = before or Schedule(draw(SystemRandom()), drawn=True)
    if cron is not None:
        parsed(cron, context.now())
        found = replace(found, cron=" ".join(cron.split()), drawn=False)
    if found != before and not context.options.dry_run:
        if cron is not None:
            context.may_write()
        if not context.options.read_only:
            keep_schedule(context.dirs, context.location, found)
    return found


def _job(context: CliContext) -> "Job":
    return make_job(context.directory, context.env.environ, context.env.home)


def _install(context: CliContext, kept: "Schedule") -> "Schedule":
    id, command = schedule_id(context.location), _job(context).command
    context.out.status("the line for your crontab:", cron_line(id, kept.cron, command), *_key_words(context))
    if context.options.dry_run:
        return kept
    context.may_write()
    crontab = Crontab(context.env.environ)
    crontab.line(id)  # one that can't be read is told before anything is asked
    if not context.out.ask("Put this line into your crontab? Nothing else in it changes."):
        return kept
    crontab.put(id, kept.cron, command)
    kept = replace(kept, installed=kept.cron)
    keep_schedule(context.dirs, context.location, kept)
    return kept


def _key_words(context: CliContext) -> Iterator[str]:
    """What a person has to know whose key is in the shell alone: it is never written down."""
    found = variables(context.env, context.location)
    key = find_key(found)
    if key is not None and found[key.name].layer == "env":
        yield f"{key.name} of this shell is not written down: a scheduled dream takes the next backend that can work"


def _remove(context: CliContext) -> None:
    crontab, id = Crontab(context.env.environ), schedule_id(context.location)
    line = crontab.line(id)
    kept = read_schedule(context.dirs, context.location)
    if line is None:
        words, removed = "your crontab has no line for this project", False
    elif context.options.dry_run:
        words, removed = f"would take out: {line}", False
    else:
        context.may_write()
        removed = context.out.ask(f"Take this line out of your crontab? {line}") and crontab.remove(id)
        words = "taken out of your crontab" if removed else "left in your crontab"
    if kept is not None and kept.installed and (removed or line is None) and not _only_looks(context):
        keep_schedule(context.dirs, context.location, replace(kept, installed=""))
    context.out.result("schedule", {"removed": removed, "line": line}, [words])


def _only_looks(context: CliContext) -> bool:
    return context.options.dry_run or context.options.read_only


def _print_timer(context: CliContext, kept: "Schedule") -> None:
    files = units(schedule_id(context.location), kept.cron, _job(context))
    timer = next(name for name in files if name.endswith(".timer"))

    def text() -> Iterator[Line]:
        for name, content in files.items():
            yield StyledText(f"# ~/.config/systemd/user/{name}", "dim")
            yield from content.splitlines()
            yield ""
        for words in _key_words(context):
            yield StyledText(f"# {words}", "dim")
        yield StyledText(f"# systemctl --user daemon-reload && systemctl --user enable --now {timer}", "dim")

    context.out.result("timer", {"cron": kept.cron, "files": files}, text())


def _show(context: CliContext, kept: "Schedule") -> None:
    now = context.now()
    words, next_ = in_words(kept.cron, now), starts(kept.cron, now)
    line, problem = None, ""
    try:
        line = Crontab(context.env.environ).line(schedule_id(context.location))
    except MemtuiError as error:
        problem = error.message
    installed = cron_of(line) if line is not None else None
    lasting = read_schedule(context.dirs, context.location) == kept
    drawn = "" if not kept.drawn else "  drawn by lot, once" if lasting else "  drawn by lot, not kept"
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
