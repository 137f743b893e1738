"""The traceback of an unexpected error, written to our state folder or, failing that, to the temporary folder."""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from memtui import __version__

MAX_LOGS = 20


def write_crash_report(error: BaseException, args: Sequence[str], state: Path) -> Path | None:
    """Write the traceback of an unexpected error; the file, or None if it could not be written anywhere."""
    head = f"memtui {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n{list(args)!r}\n\n"
    data = (head + "".join(traceback.format_exception(error))).encode("utf-8", "backslashreplace")
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for folder in (state / "log", None):
        try:
            return _write(folder, name, data)
        except OSError:
            continue
    return None


def error_summary(error: BaseException) -> str:
    return traceback.format_exception_only(error)[-1].strip().split("\n")[0]


def _write(folder: Path | None, name: str, data: bytes) -> Path:
    """Write a log; in our folder the oldest ones are removed first, `None` is the temporary folder."""
    if folder is None:
        descriptor, path = tempfile.mkstemp(prefix="memtui-", suffix="-" + name)
    else:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in sorted(folder.glob("*.log"))[: -MAX_LOGS + 1 or None]:
            old.unlink(missing_ok=True)
        path = str(folder / name)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return Path(path)
