"""What becomes of an error: one line that says why, and an exit code."""

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from memtui.cli.context import CliContext
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError

INTERRUPTED = 130
_OF_THE_DISK = frozenset({errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT})
"""Errors of the disk itself, whatever call met them."""


class Bug(MemtuiError):
    """An unexpected error; `hint` says where the traceback is."""

    code = "bug"
    exit_code = 70


def guarded(run: Callable[[], object], context: CliContext, args: Sequence[str]) -> int:
    """Run something and turn whatever it ends with into an exit code, with a line on stderr that says why.

    `run` returns an exit code, or anything else for 0. `args` are the words of the call, for the log of a bug.
    """
    code = _code(run, context, args)
    failure = context.out.failure()
    if failure is None or code > 1:
        return code
    context.out.error(failure)
    return failure.exit_code


def _code(run: Callable[[], object], context: CliContext, args: Sequence[str]) -> int:
    try:
        returned = run()
    except MemtuiError as error:
        context.out.error(error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    except OSError as error:
        if not (error.filename or error.errno in _OF_THE_DISK):
            return _bug(error, context, args)
        from memtui.fs.atomic import to_error  # 12 ms that no call without an error needs

        named = Path(os.fsdecode(error.filename)).name if isinstance(error.filename, str | bytes) else "a file"
        known = to_error(error, named, outcome="memtui stopped there")  # nobody here knows what was done before
        context.out.error(known)
        return known.exit_code
    except Exception as error:  # noqa: BLE001 - the last door: everything unforeseen becomes a log and one line
        return _bug(error, context, args)
    return returned if isinstance(returned, int) and not isinstance(returned, bool) else 0


def _bug(error: BaseException, context: CliContext, args: Sequence[str]) -> int:
    from memtui.util.crash_report import error_summary, write_crash_report  # 4 ms, needed after a bug only

    path = write_crash_report(error, args, Dirs.from_env(os.environ, Path.home()).state)
    hint = f"please report it with {path}" if path else "the traceback could not be written anywhere"
    context.out.error(Bug(f"this is a bug of memtui: {error_summary(error)}", hint=hint))
    return Bug.exit_code
