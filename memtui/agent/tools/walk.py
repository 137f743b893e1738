"""Names below a folder: no link is followed, nothing that may hold a secret is named."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from memtui.agent.tools.outcome import ToolFault
from memtui.base.boundary import is_sensitive
from memtui.base.files import is_temp

MOST_NAMES = 50_000
"""Names that one call looks at."""
_DEEPEST = 24


class Found(Struct, frozen=True):
    """A regular file: its name below the folder, with slashes, and when it was last changed (seconds)."""

    name: str
    changed: float


def walk(top: Path) -> Iterator[Found]:
    """Every regular file below a folder, by name.

    Args:
        top: A folder that may be read, links in its own path resolved.

    Raises:
        ToolFault: If there are too many.
    """
    room = MOST_NAMES
    for folder, folders, files, fd in os.fwalk(top, follow_symlinks=False):
        above = os.path.relpath(folder, top)
        above = "" if above == "." else above + "/"
        room -= len(folders) + len(files)
        if room < 0:
            raise ToolFault(f"more than {MOST_NAMES} files: name a folder further down")
        deep = above.count("/") >= _DEEPEST
        folders[:] = [] if deep else sorted(name for name in folders if not is_sensitive(name))
        for name in sorted(files):
            if is_sensitive(name) or is_temp(name):
                continue
            try:
                info = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode):
                yield Found(above + name, info.st_mtime)
