"""Lists of ours: one JSON record a line, only ever added to."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from memtui.fs.atomic import make_folders, sync_folder, write_all
from memtui.fs.filesystem import REAL, FileSystem


def append_record(path: Path, record: Mapping[str, object], *, fs: FileSystem = REAL) -> None:
    """Add a record on a line of its own, on the disk when this returns; folders on the way are made.

    Two writers at once have to be kept apart by a lock. A line that a crash cut short stays: readers pass over it.

    Raises:
        OSError: If it can't be written.
    """
    make_folders(path.parent, fs=fs)
    line = json.dumps(record, separators=(",", ":")).encode("ascii") + b"\n"
    file = fs.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        size = fs.fstat(file).st_size
        cut = size > 0 and os.pread(file, 1, size - 1) != b"\n"
        write_all(file, b"\n" + line if cut else line, fs=fs)
        fs.fsync(file)
    finally:
        fs.close(file)
    if not size:
        sync_folder(path.parent, fs=fs)
