"""The user's crontab: our own lines put in and taken out, every other byte left alone.

A line of ours ends with `# memtui-dream:<id>`, a comment for the shell, and is told by that. The crontab is read and
written by the program that owns it; one that can't be read is never written. What was written is read again.
"""

import re
import subprocess
from collections.abc import Mapping, Sequence

from memtui.base.errors import Conflict, MemtuiError, Unsupported, Usage

PROGRAM = ("crontab",)
SECONDS = 20
"""Seconds that the program may take."""
LONGEST = 990
"""Bytes of a line's command: Debian's cron refuses a thousand."""

_NONE = re.compile(r"no (?:f?crontab|such file)|has no f?crontab", re.IGNORECASE)


class Crontab:
    """The crontab of the user.

    Args:
        environ: The environment; its PATH says where the program is.
        program: The program's first words.
    """

    def __init__(self, environ: Mapping[str, str], program: Sequence[str] = PROGRAM) -> None:
        self._environ = {**environ, "LC_ALL": "C"}
        self._program = tuple(program)

    def line(self, id: str) -> str | None:
        """Our line of that id; `None` if there is none.

        Raises:
            Unsupported: If there is no crontab program.
            MemtuiError: If the crontab can't be read.
        """
        found = [line for line in self._read().split(b"\n") if _is_ours(line, id)]
        return found[0].decode("utf-8", "surrogateescape") if found else None

    def put(self, id: str, cron: str, command: str) -> str:
        """Put a line of ours in, in the place of the one that was there; the line.

        Raises:
            Usage: If the command doesn't fit on a line.
            Conflict: If the crontab has another content afterwards than was written.
            MemtuiError: As `line`, or if it can't be written; it is as before then.
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
        told = line.decode("utf-8", "surrogateescape")
        if self.line(id) != told:
            raise Conflict("the crontab doesn't have what was written", hint="crontab -l shows it")
        return told

    def remove(self, id: str) -> bool:
        """Take our line out; False if there was none.

        Raises:
            Conflict, MemtuiError: As `put`.
        """
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
        said = done.stderr.decode("utf-8", "replace").strip()
        if _NONE.search(said):
            return b""
        raise MemtuiError(f"the crontab can't be read: {said or f'exit code {done.returncode}'}", hint="crontab -l")

    def _write(self, data: bytes, before: bytes) -> None:
        if self._read() != before:
            raise Conflict("somebody else changed the crontab just now", hint="try again")
        done = self._call(["-"], data)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise MemtuiError(f"the crontab wasn't taken: {said or f'exit code {done.returncode}'}", hint="crontab -l")

    def _call(self, words: Sequence[str], data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        try:
            return subprocess.run(
                [*self._program, *words],
                input=data,
                env=self._environ,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            hint = "--print-timer prints a systemd timer"
            raise Unsupported(f"there is no {self._program[0]} on this machine", hint=hint) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise MemtuiError(f"{self._program[0]} can't be asked: {error}") from error


def cron_line(id: str, cron: str, command: str) -> str:
    """The line of the crontab: a shell's command, in which `%` would be a line's end for cron.

    Raises:
        Usage: If the command doesn't fit on a line.
    """
    words = f"{command.replace('%', chr(92) + '%')} {_mark(id)}"
    # Cron programs disagree about a backslash before anything but %.
    if any(odd in command for odd in "\n\r\\"):
        raise Usage("a folder whose name has a line's end or a backslash can't stand in a crontab")
    if len(words.encode("utf-8", "surrogateescape")) > LONGEST:
        raise Usage("the command is too long for a line of a crontab", hint="--print-timer prints a systemd timer")
    return f"{cron} {words}"


def cron_of(line: str) -> str:
    """The five fields that a line of ours begins with."""
    return " ".join(line.split()[:5])


def _mark(id: str) -> str:
    return f"# memtui-dream:{id}"


def _is_ours(line: bytes, id: str) -> bool:
    return line.rstrip().endswith(b" " + _mark(id).encode("ascii")) and not line.lstrip().startswith(b"#")
