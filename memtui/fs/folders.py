"""List folders."""

import os
from pathlib import Path


def subfolders(folder: Path, *, follow: bool = False) -> list[str]:
    """The names of the folders in a folder, sorted, links to some if `follow`; none if it can't be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if is_folder(entry, follow=follow))
    except OSError:
        return []


def is_folder(entry: os.DirEntry[str], *, follow: bool = False) -> bool:
    """Whether an entry is a folder, or a link to one if `follow`; one that can't be looked at (a circle) is none."""
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False
