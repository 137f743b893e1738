"""Identify a process for good: which one that was, and whether it still runs.

A process number alone says little: numbers are used again, soonest after a restart. Together with the process's start
time and the boot id of the machine it is unique.
"""

import os
import sys
from pathlib import Path

from msgspec import Struct

_LINUX = sys.platform.startswith("linux")
_START_TOLERANCE_S = 0.5  # how far two readings of one start time may differ where the system gives a wall-clock time


class ProcessIdentity(Struct, frozen=True):
    """A process: its number, when it started and in which run of the machine."""

    pid: int
    started: float | None = None  # seconds since boot (Linux) or the epoch; `None` if unknown, as in a foreign lock
    boot: str = ""  # the boot id, "" if unknown

    def __str__(self) -> str:
        """As one line that `ProcessIdentity.parse` reads."""
        return f"{self.pid} {'-' if self.started is None else repr(self.started)} {self.boot or '-'}"

    @classmethod
    def parse(cls, text: str) -> "ProcessIdentity | None":
        """Parse what `str` made, or a bare process number; `None` for anything else."""
        words = text.split()
        try:
            if len(words) == 1:
                return cls(int(words[0]))
            pid, started, boot = words
            return cls(int(pid), None if started == "-" else float(started), "" if boot == "-" else boot)
        except ValueError:
            return None


def current_process() -> ProcessIdentity:
    return identify_process(os.getpid())


def identify_process(pid: int) -> ProcessIdentity:
    """The process that has this number now, with what can be found out about it."""
    return ProcessIdentity(pid, _started(pid), boot_id())


def is_alive(identity: ProcessIdentity) -> bool:
    """Whether the process still runs: not as a zombie, nor as another one of its number, as far as that is known."""
    if identity.boot and boot_id() and identity.boot != boot_id():
        return False
    if identity.pid <= 0 or not _exists(identity.pid):
        return False
    if identity.started is None:
        return True
    started = _started(identity.pid)
    return started is None or abs(started - identity.started) < _START_TOLERANCE_S


def boot_id() -> str:
    """The id of this run of the machine, "" where start times are absolute and none is needed."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)  # signal 0 only asks
    except PermissionError:
        return True  # another user's
    except (ProcessLookupError, OverflowError):
        return False
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    if _LINUX:
        fields = _stat(pid)
        return bool(fields) and fields[0] in (b"Z", b"X", b"x")
    import psutil  # 30 ms, not needed on Linux

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.Error:
        return False


def _started(pid: int) -> float | None:
    if _LINUX:
        fields = _stat(pid)
        return int(fields[19]) / os.sysconf("SC_CLK_TCK") if fields else None
    import psutil  # 30 ms, not needed on Linux

    try:
        return float(psutil.Process(pid).create_time())
    except (psutil.Error, OverflowError, ValueError):
        return None


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat after the name, which may hold blanks and brackets; none if it is gone.

    Not read by psutil, because its start time moves whenever the clock is set.
    """
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
