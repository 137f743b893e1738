"""A bug of ours, written down: the traceback in our state folder, or in the system's folder for temporary files."""

import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from memtui import __version__

_KEPT_LOGS = 20


def write_crash_report(error: BaseException, args: Sequence[str], state: Path) -> Path | None:
    """Write the traceback of a fault that nobody foresaw.

    Args:
        error: The fault.
        args: The words of the call.
        state: Our state folder.

    Returns:
        The file, or None if it could not be written anywhere.
    """
    text = "".join(traceback.format_exception(error))
    words = f"memtui {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n{list(args)!r}\n\n"
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    for folder in (state / "log", None):
        try:
            return _write(folder, name, words + text)
        except OSError:
            continue
    return None


def error_summary(error: BaseException) -> str:
    """The fault in one line."""
    return traceback.format_exception_only(error)[-1].strip().split("\n")[0]


def _write(folder: Path | None, name: str, text: str) -> Path:
    """Into our state folder, the oldest logs making room; without one, into the system's folder."""
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
