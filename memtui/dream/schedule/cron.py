"""The schedule of a memory folder, as a cron expression, and our line in the user's crontab.

If no time was chosen, one between 0:00 and 5:59 is drawn and kept: with a fixed default every machine would call the
model service in the same minute. Only what every cron program understands is accepted.

Our line ends with `# memtui-dream:<id>`, a comment for the shell, and is recognised by that. The crontab is read and
written through the `crontab` program, and read again after writing.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct, convert
from msgspec.structs import asdict

from memtui.client.memory_location import MemoryLocation
from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, MemtuiError, Unsupported, UsageError
from memtui.util.json_object import load_json
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    import cronsim
else:  # with `calendar` 0.2 MB, and most people never set a time
    cronsim = LazyModule("cronsim")

PROGRAM = ("crontab",)
CRONTAB_TIMEOUT_S = 20
MAX_COMMAND_BYTES = 990  # Debian's cron refuses a command of a thousand
NIGHT_HOURS = 6  # a default time lies within so many hours after midnight
_NO_CRONTAB = re.compile(r"no (?:f?crontab|such file)|has no f?crontab", re.IGNORECASE)
_STEP_WITHOUT_RANGE = re.compile(r"(?:^|[,\s])\w+/")  # `5/15`: cron programs disagree about its meaning


class Schedule(Struct, frozen=True):
    """When dreams start: `cron` has five fields; `drawn`: by lot; `installed` is what the crontab has, "" for none."""

    cron: str
    drawn: bool = False
    installed: str = ""


def schedule_id(location: MemoryLocation) -> str:
    """A short id of the memory folder, for our file and our crontab line."""
    return digest(os.fsencode(os.path.realpath(location.folder)))[:16]


def draw_cron(random: "Random") -> str:
    """Draw a time between 0:00 and 5:59, every day."""
    return f"{random.randrange(60)} {random.randrange(NIGHT_HOURS)} * * *"


def read_schedule(dirs: Dirs, location: MemoryLocation) -> Schedule | None:
    """Read the kept schedule; `None` if there is no usable one."""
    try:
        found = convert(load_json(_path(dirs, location)), Schedule)
        parse_cron(found.cron, 0.0)
    except (OSError, ValueError, UsageError):
        return None
    return found


def save_schedule(dirs: Dirs, location: MemoryLocation, schedule: Schedule) -> None:
    data = {"folder": os.fsencode(location.folder).decode("latin-1"), **asdict(schedule)}
    path = _path(dirs, location)
    make_folders(path.parent)
    replace_file(path, json.dumps(data).encode("ascii"))


def next_start(dirs: Dirs, location: MemoryLocation, now: float) -> float | None:
    """When cron starts the next dream; `None` if the crontab has no line of ours."""
    found = read_schedule(dirs, location)
    return None if found is None or not found.installed else next(iter(next_starts(found.installed, now)), None)


def parse_cron(cron: str, now: float) -> "cronsim.CronSim":
    """Parse by the rules of Debian's cron; `UsageError` if not every cron program takes it, or the time never comes."""
    hint = 'five fields: minute hour day month weekday, as in "30 3 * * 1-5"'
    if len(cron.split()) != 5:
        raise UsageError(f"{cron!r} is no cron expression", hint=hint)
    try:
        found = cronsim.CronSim(cron, datetime.fromtimestamp(now))
    except cronsim.CronSimError as error:
        raise UsageError(f"{cron!r} is no cron expression: {error}", hint=hint) from error
    plain: Iterable[object] = (*found.days, *found.weekdays)
    if not all(isinstance(item, int) and item >= 0 for item in plain):
        raise UsageError(f"{cron!r} has L, W or #, which cron itself doesn't know", hint=hint)
    if _STEP_WITHOUT_RANGE.search(cron):
        raise UsageError(f"{cron!r} has steps without a range", hint="*/15 or 5-59/15 instead of 5/15")
    if next(cronsim.CronSim(cron, datetime.fromtimestamp(now)), None) is None:
        raise UsageError(f"{cron!r} names a day that never comes", hint=hint)
    return found


def next_starts(cron: str, now: float) -> list[float]:
    """The next three times at which a cron expression fires, by this machine's clock; raises as `parse_cron`."""
    return [moment.timestamp() for moment in islice(parse_cron(cron, now), 3)]


def describe_cron(cron: str, now: float) -> str:
    """Describe a cron expression: "At 03:17 every day"; raises as `parse_cron`."""
    return parse_cron(cron, now).explain()


def _path(dirs: Dirs, location: MemoryLocation) -> Path:
    return dirs.state / "schedules" / f"{schedule_id(location)}.json"


class Crontab:
    """The user's crontab, read and written by `program`, which is looked up in the PATH of `environ`."""

    def __init__(self, environ: Mapping[str, str], program: Sequence[str] = PROGRAM) -> None:
        self._environ = {**environ, "LC_ALL": "C"}
        self._program = tuple(program)

    def line(self, id: str) -> str | None:
        """Find our line of that id; raises `MemtuiError` if the crontab can't be read."""
        found = [line for line in self._read().split(b"\n") if _is_ours(line, id)]
        return found[0].decode("utf-8", "surrogateescape") if found else None

    def put(self, id: str, cron: str, command: str) -> str:
        """Put our line in, in the place of an earlier one, and return it; the crontab is as before if this raises.

        Raises `UsageError` if the command doesn't fit on a line, `Conflict` if the line isn't there afterwards.
        """
        line = cron_line(id, cron, command).encode("utf-8", "surrogateescape")
        before = self._read()
        lines = before.split(b"\n")
        ours = [number for number, one in enumerate(lines) if _is_ours(one, id)]
        kept = [one for number, one in enumerate(lines) if number not in ours[1:]]
        if ours:
            kept[ours[0]] = line
        else:
            end = [line, b""]
            kept = [*kept[:-1], *end] if kept[-1] == b"" else [*kept, *end]
        self._write(b"\n".join(kept), before)
        text = line.decode("utf-8", "surrogateescape")
        if self.line(id) != text:
            raise Conflict("the crontab doesn't hold what was written", hint="crontab -l shows it")
        return text

    def remove(self, id: str) -> bool:
        """Remove our line; returns whether there was one. Raises as `put`."""
        before = self._read()
        kept = [line for line in before.split(b"\n") if not _is_ours(line, id)]
        after = b"\n".join(kept)
        if after == before:
            return False
        self._write(after, before)
        if self.line(id) is not None:
            raise Conflict("the crontab still has our line", hint="crontab -l shows it")
        return True

    def _read(self) -> bytes:
        done = self._call(["-l"])
        if done.returncode == 0:
            return done.stdout
        problem = _problem(done)
        if _NO_CRONTAB.search(problem):
            return b""
        raise MemtuiError(f"the crontab can't be read: {problem}", hint="crontab -l")

    def _write(self, data: bytes, before: bytes) -> None:
        if self._read() != before:
            raise Conflict("another program changed the crontab just now", hint="try again")
        done = self._call(["-"], data)
        if done.returncode != 0:
            raise MemtuiError(f"the crontab wasn't taken: {_problem(done)}", hint="crontab -l")

    def _call(self, words: Sequence[str], data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        try:
            return subprocess.run(
                [*self._program, *words],
                input=data,
                env=self._environ,
                capture_output=True,
                timeout=CRONTAB_TIMEOUT_S,
                check=False,
            )
        except FileNotFoundError as error:
            hint = "--print-timer prints a systemd timer"
            raise Unsupported(f"there is no {self._program[0]} on this machine", hint=hint) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise MemtuiError(f"{self._program[0]} failed: {error}") from error


def _problem(done: "subprocess.CompletedProcess[bytes]") -> str:
    return done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"


def cron_line(id: str, cron: str, command: str) -> str:
    """Make the crontab line of a shell command, `%` escaped; raises `UsageError` if it doesn't fit on a line."""
    words = f"{command.replace('%', chr(92) + '%')} {_mark(id)}"
    # Cron programs disagree about a backslash before anything but %.
    if any(odd in command for odd in "\n\r\\"):
        raise UsageError("a crontab can't hold a folder whose name has a line end or a backslash")
    if len(words.encode("utf-8", "surrogateescape")) > MAX_COMMAND_BYTES:
        raise UsageError("the command is too long for a line of a crontab", hint="--print-timer prints a systemd timer")
    return f"{cron} {words}"


def cron_of(line: str) -> str:
    return " ".join(line.split()[:5])


def _mark(id: str) -> str:
    return f"# memtui-dream:{id}"


def _is_ours(line: bytes, id: str) -> bool:
    return line.rstrip().endswith(b" " + _mark(id).encode("ascii")) and not line.lstrip().startswith(b"#")
