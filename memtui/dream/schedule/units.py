"""The command that a schedule starts, as a line for cron or as systemd units.

A scheduler starts it with hardly any environment: PATH is set so that the agent client and git are found as now, and
the variables that determine the client's and our own folders are passed on. A key is not: it would stand in a file, and
in the process list.
"""

import os
import pwd
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which

from msgspec import Struct

from memtui.dream.run.spawn import PROGRAM
from memtui.dream.schedule.cron import parse_cron
from memtui.util.errors import UsageError

_KEPT_VARIABLES = (
    "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_PROJECT_DIR_NAME",
    "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "CLAUDE_CODE_REMOTE_MEMORY_DIR",
)  # fmt: skip
_NEEDED = ("claude", "git")
_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_DAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Job(Struct, frozen=True):
    """A command, the directory it runs in, and the variables it needs."""

    words: tuple[str, ...]
    cwd: Path
    variables: Mapping[str, str]

    @property
    def command(self) -> str:
        values = [f"{name}={value}" for name, value in self.variables.items()]
        return f"cd {shlex.quote(str(self.cwd))} && {shlex.join(['/usr/bin/env', *values, *self.words])}"


def make_job(cwd: Path, environ: Mapping[str, str], home: Path, program: Sequence[str] = PROGRAM) -> Job:
    """Make the job that dreams for the project in `cwd`, with what it needs of the present environment."""
    path = environ.get("PATH", "")
    programs = (which(name, path=path) for name in _NEEDED)
    folders = [str(Path(found).parent) for found in programs if found is not None]
    variables = {"PATH": ":".join(dict.fromkeys((*folders, *_PATH)))}
    if str(home) != _home_of_cron():
        variables["HOME"] = str(home)
    variables |= {name: environ[name] for name in _KEPT_VARIABLES if environ.get(name)}
    return Job((*program, "dream", "now", "--trigger", "schedule"), cwd, variables)


def _home_of_cron() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def systemd_units(id: str, cron: str, job: Job) -> dict[str, str]:
    """A systemd timer and its service by file name, for the user's units; `UsageError` if a name has a line end."""
    parts = [*job.words, str(job.cwd), *job.variables.values()]
    if any("\n" in part or "\r" in part for part in parts):
        raise UsageError("a systemd unit can't hold a folder whose name has a line end")
    name = f"memtui-dream-{id}"
    variables = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in job.variables.items())
    # --wait: systemd kills what is left of a service when its first process ends.
    command = " ".join(_quoted(word).replace("$", "$$") for word in (*job.words, "--wait"))
    service = (
        f"[Unit]\nDescription=memtui: dream of {_escaped(str(job.cwd))}\n\n[Service]\nType=oneshot\n"
        f"WorkingDirectory={_escaped(str(job.cwd))}\n{variables}ExecStart={command}\n"
    )
    times = "".join(f"OnCalendar={when}\n" for when in systemd_calendar(cron))
    timer = (
        f"[Unit]\nDescription=memtui: when to dream in {_escaped(str(job.cwd))}\n\n[Timer]\n{times}Persistent=true\n\n"
        "[Install]\nWantedBy=timers.target\n"
    )
    return {f"{name}.service": service, f"{name}.timer": timer}


def systemd_calendar(cron: str) -> tuple[str, ...]:
    """Translate a cron expression to `OnCalendar` values: two where cron means either day; raises as `parse_cron`."""
    found = parse_cron(cron, 0.0)
    clock = f"{_listed(found.hours, 24)}:{_listed(found.minutes, 60)}:00"
    months, days = _listed(found.months, 12), _listed(found.days, 31)
    week = sorted(int(day) % 7 for day in found.weekdays if isinstance(day, int))
    names = ",".join(dict.fromkeys(_DAYS[day] for day in week))
    any_week, any_day = len(set(week)) == 7, days == "*"
    if found.day_and:
        return (f"{'' if any_week else f'{names} '}*-{months}-{days} {clock}",)
    if any_week or any_day:
        return (f"*-{months}-* {clock}",)
    return f"*-{months}-{days} {clock}", f"{names} *-{months}-* {clock}"


def _listed(values: set[int], whole: int) -> str:
    return "*" if len(values) == whole else ",".join(f"{value:02}" for value in sorted(values))


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped.replace("%", "%%")}"'


def _escaped(word: str) -> str:
    return word.replace("%", "%%")
