"""Whether anybody dreamt here, told without importing what could read it: most of the time nobody did."""

from pathlib import Path

from memtui.client.paths import LOCK_NAME
from memtui.util.app_dirs import Dirs

_FOLDERS = ("locks", "runs", "stages")
"""What our dreams leave in our state folder."""


def of_ours(dirs: Dirs) -> bool:
    """Whether there is anything of a dream of ours, in whatever project."""
    return any((dirs.state / name).is_dir() for name in _FOLDERS)


def of_any(dirs: Dirs, folder: Path) -> bool:
    """As `of_ours`; or the lock in a memory folder, which the client leaves as well."""
    return of_ours(dirs) or (folder / LOCK_NAME).exists()
