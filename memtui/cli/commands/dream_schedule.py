"""When dreams start by themselves: shown in words, put into the crontab, printed as a systemd timer."""

import time
from collections.abc import Iterator
from random import SystemRandom
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from memtui.cli.context import CliContext
from memtui.cli.options import CliCommand, pass_context
from memtui.cli.output import Data, Line, StyledText, iso
from memtui.util.errors import MemtuiError, UsageError

if TYPE_CHECKING:
    from memtui.dream.schedule.cron import Schedule
    from memtui.dream.schedule.units import Job


@click.command("schedule", cls=CliCommand, short_help="When dreams start by themselves.")
@click.argument("cron", required=False, metavar="[CRON]")
@click.option("--install", is_flag=True, help="Put it into your crontab.")
@click.option("--print-timer", is_flag=True, help="Print a systemd timer and its service instead.")
@click.option("--remove", is_flag=True, help="Take it out of your crontab.")
@pass_context
def schedule(call: CliContext, cron: str | None, install: bool, print_timer: bool, remove: bool) -> None:
    """When dreams of this project start by themselves, in words, and the next three times.

    CRON is five fields, as in "30 3 * * 1-5"; it is kept. Without one a time between 0:00 and 5:59 is drawn, once. Only
    --install and --remove touch your crontab, and there only the line of this project. With -n nothing is written.
    """
    if install + print_timer + remove > 1 or (remove and cron is not None):
        raise UsageError("one of --install, --print-timer and --remove, the last without a time")
    if remove:
        _remove(call)
        return
    from memtui.dream.schedule.cron import parse_cron

    kept = _kept(call, cron)
    parse_cron(kept.cron, call.now())
    if print_timer:
        _print_timer(call, kept)
        return
    if install:
        kept = _install(call, kept)
    _show(call, kept)


def _kept(call: CliContext, cron: str | None) -> "Schedule":
    """The schedule that is meant; what is new in it is kept, if anything may be written."""
    from memtui.dream.schedule.cron import Schedule, draw_cron, parse_cron, read_schedule, save_schedule

    before = read_schedule(call.dirs, call.location)
    found = before or Schedule(draw_cron(SystemRandom()), drawn=True)
    if cron is not None:
        parse_cron(cron, call.now())
        found = replace(found, cron=" ".join(cron.split()), drawn=False)
    if found != before and not call.asked.dry_run:
        if cron is not None:
            call.may_write()
        if not call.asked.read_only:
            save_schedule(call.dirs, call.location, found)
    return found


def _job(call: CliContext) -> "Job":
    from memtui.dream.schedule.units import make_job

    return make_job(call.directory, call.env.environ, call.env.home)


def _install(call: CliContext, kept: "Schedule") -> "Schedule":
    from memtui.dream.schedule.cron import Crontab, cron_line, save_schedule, schedule_id

    id, command = schedule_id(call.location), _job(call).command
    call.out.note("the line for your crontab:", cron_line(id, kept.cron, command), *_key_words(call))
    if call.asked.dry_run:
        return kept
    call.may_write()
    crontab = Crontab(call.env.environ)
    crontab.line(id)  # one that can't be read is told before anything is asked
    if not call.out.ask("Put this line into your crontab? Nothing else in it changes."):
        return kept
    crontab.put(id, kept.cron, command)
    kept = replace(kept, installed=kept.cron)
    save_schedule(call.dirs, call.location, kept)
    return kept


def _key_words(call: CliContext) -> Iterator[str]:
    """What a person has to know whose key is in the shell alone: it is never written down."""
    from memtui.dream.backends.credentials import find_key, variables

    found = variables(call.env, call.location)
    key = find_key(found)
    if key is not None and found[key.name].layer == "env":
        yield f"{key.name} of this shell is not written down: a scheduled dream takes the next backend that can work"


def _remove(call: CliContext) -> None:
    from memtui.dream.schedule.cron import Crontab, read_schedule, save_schedule, schedule_id

    crontab, id = Crontab(call.env.environ), schedule_id(call.location)
    line = crontab.line(id)
    kept = read_schedule(call.dirs, call.location)
    if line is None:
        words, removed = "your crontab has no line for this project", False
    elif call.asked.dry_run:
        words, removed = f"would take out: {line}", False
    else:
        call.may_write()
        removed = call.out.ask(f"Take this line out of your crontab? {line}") and crontab.remove(id)
        words = "taken out of your crontab" if removed else "left in your crontab"
    if kept is not None and kept.installed and (removed or line is None) and not _only_looks(call):
        save_schedule(call.dirs, call.location, replace(kept, installed=""))
    call.out.answer("schedule", {"removed": removed, "line": line}, [words])


def _only_looks(call: CliContext) -> bool:
    return call.asked.dry_run or call.asked.read_only


def _print_timer(call: CliContext, kept: "Schedule") -> None:
    from memtui.dream.schedule.cron import schedule_id
    from memtui.dream.schedule.units import systemd_units

    files = systemd_units(schedule_id(call.location), kept.cron, _job(call))
    timer = next(name for name in files if name.endswith(".timer"))

    def text() -> Iterator[Line]:
        for name, content in files.items():
            yield StyledText(f"# ~/.config/systemd/user/{name}", "dim")
            yield from content.splitlines()
            yield ""
        for words in _key_words(call):
            yield StyledText(f"# {words}", "dim")
        yield StyledText(f"# systemctl --user daemon-reload && systemctl --user enable --now {timer}", "dim")

    call.out.answer("timer", {"cron": kept.cron, "files": files}, text())


def _show(call: CliContext, kept: "Schedule") -> None:
    from memtui.dream.schedule.cron import Crontab, cron_of, describe_cron, next_starts, read_schedule, schedule_id

    now = call.now()
    words, next_ = describe_cron(kept.cron, now), next_starts(kept.cron, now)
    line, problem = None, ""
    try:
        line = Crontab(call.env.environ).line(schedule_id(call.location))
    except MemtuiError as error:
        problem = error.message
    installed = cron_of(line) if line is not None else None
    lasting = read_schedule(call.dirs, call.location) == kept
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

    call.out.answer("schedule", data, text())
