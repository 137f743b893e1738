"""A removed file also goes to the system's trash. History is the promise, the trash a courtesy: if it fails, nothing
failed.

What is put there is a copy from our state folder: moving the file itself would follow a path, and a path can be
swapped.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memtui.fs.atomic import make_folders


def put_in_trash(name: str, data: bytes, folder: Path) -> bool:
    """Put a copy of a removed file into the trash; whether it is there now.

    The copy comes from `folder`, one of ours, so "restore" in a file manager brings it back there.
    """
    try:
        with _copy(folder / name, data) as copy:
            from send2trash import send2trash

            send2trash(str(copy))
    except OSError:
        return False
    return True


@contextmanager
def _copy(path: Path, data: bytes) -> Iterator[Path]:
    make_folders(path.parent)
    path.unlink(missing_ok=True)
    path.touch(mode=0o600, exist_ok=False)
    try:
        path.write_bytes(data)
        yield path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
