"""List folders."""

import os
from pathlib import Path


def subfolders(folder: Path, *, follow: bool = False) -> list[str]:
    """The names of the folders in a folder, sorted, links to some if `follow`; none if it can't be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=follow))
    except OSError:
        return []
