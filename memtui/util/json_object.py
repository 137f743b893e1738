"""Files of settings and state: another program's, or ours, which a crash or a person may have damaged.

Only a plain file is opened (a pipe would wait for ever), up to `MAX_FILE_BYTES`, and nesting that is too deep is as any
other fault of the text.
"""

import json
import os
import stat
from pathlib import Path
from typing import Any

MAX_FILE_BYTES = 64 << 20


def read_plain(path: Path) -> bytes:
    """Read a regular file, through links; raises `OSError` for anything else, also for one that is too large."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:  # noqa: PTH123
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise OSError(f"{path} is not a regular file")
        if info.st_size > MAX_FILE_BYTES:
            raise OSError(f"{path} has more than {MAX_FILE_BYTES >> 20} MB")
        return file.read(MAX_FILE_BYTES)


def load_json(path: Path) -> Any:
    """Read a JSON file; raises `OSError`, or `ValueError` for what is no JSON or nested too deeply."""
    try:
        return json.loads(read_plain(path))
    except RecursionError:
        raise ValueError(f"{path.name} is nested too deeply") from None


def json_object(data: bytes | str | None) -> dict[str, Any]:
    """Parse a JSON object; {} for anything else, no data and too deep nesting included."""
    try:
        value = json.loads(data or b"null")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_json_object(path: Path) -> dict[str, Any]:
    """Read a file that holds a JSON object; {} if it holds none or can't be read."""
    try:
        return json_object(read_plain(path))
    except OSError:
        return {}
