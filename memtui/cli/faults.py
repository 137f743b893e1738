"""What becomes of a fault: one line that says why, and an exit code."""

import errno
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from memtui import __version__
from memtui.base.dirs import Dirs
from memtui.base.errors import MemtuiError
from memtui.base.files import fault
from memtui.cli.call import Call
from memtui.cli.output import drop_stdout

INTERRUPTED = 130
_KEPT_LOGS = 20
_OF_THE_DISK = frozenset({errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT})
"""The disk's own faults, whoever's call met them."""


class Bug(MemtuiError):
    """Something that we did not foresee; `hint` says where the traceback is."""

    code = "bug"
    exit_code = 70


def guarded(run: Callable[[], object], call: Call, args: Sequence[str]) -> int:
    """Run something and turn whatever it ends with into an exit code, with a line on stderr that says why.

    Args:
        run: What to do; it returns an exit code, or anything else for 0.
        call: For the way in which faults are told.
        args: The words of the call, for the log of a bug.
    """
    try:
        returned = run()
    except MemtuiError as error:
        call.out.fault(error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        drop_stdout()
        return 0
    except OSError as error:
        if not (error.filename or error.errno in _OF_THE_DISK):
            return _bug(error, call, args)
        named = Path(os.fsdecode(error.filename)).name if isinstance(error.filename, str | bytes) else "a file"
        known = fault(error, named)
        call.out.fault(known)
        return known.exit_code
    except Exception as error:  # noqa: BLE001 - the last door: everything unforeseen becomes a log and one line
        return _bug(error, call, args)
    return returned if isinstance(returned, int) and not isinstance(returned, bool) else 0


def _bug(error: BaseException, call: Call, args: Sequence[str]) -> int:
    """Write the traceback down and say where."""
    text = "".join(traceback.format_exception(error))
    words = f"memtui {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n{list(args)!r}\n\n"
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    hint = "the traceback could not be written anywhere"
    for folder in (Dirs.from_env(os.environ, Path.home()).state / "log", None):
        try:
            path = _write_log(folder, name, words + text)
        except OSError:
            continue
        hint = f"please report it with {path}"
        break
    summary = traceback.format_exception_only(error)[-1].strip().split("\n")[0]
    call.out.fault(Bug(f"this is a bug of memtui: {summary}", hint=hint))
    return Bug.exit_code


def _write_log(folder: Path | None, name: str, text: str) -> Path:
    """Into our state folder, the oldest logs making room; without one, into the system's folder for temporary files."""
    data = text.encode("utf-8", "backslashreplace")
    if folder is None:
        import tempfile

        descriptor, path = tempfile.mkstemp(prefix="memtui-", suffix="-" + name)
    else:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in sorted(folder.glob("*.log"))[: -_KEPT_LOGS + 1 or None]:
            old.unlink(missing_ok=True)
        path = str(folder / name)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return Path(path)
