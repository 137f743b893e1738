"""Two changes of one file brought together, or an honest "they overlap".

`git merge-file` does the work: it is on nearly every machine and its answers are known to people. It runs in a private
folder, sees no repository and no configuration, and so starts no program that a memory folder could name. Without git,
only what needs no merging is merged.

Source: DESIGN.md D1.
"""

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from shutil import which

from msgspec import Struct

_MARKS = (b"<<<<<<< mine", b"||||||| base", b"=======", b">>>>>>> disk")


class Merged(Struct, frozen=True):
    """What came out: bytes with diff3 marks where `conflicts` is above zero."""

    text: bytes
    conflicts: int


def merge3(mine: bytes, base: bytes, disk: bytes) -> Merged:
    """Merge two descendants of one text line by line.

    Args:
        mine: What we want to save.
        base: What both started from.
        disk: What is there now.

    Returns:
        The merged bytes, conflicts 0; or a text with both versions in it and the number of places where they overlap.
    """
    if mine in (disk, base):
        return Merged(disk, 0)
    if disk == base:
        return Merged(mine, 0)
    if b"\0" in mine + base + disk:
        return _both(mine, base, disk)
    return _merge_file(mine, base, disk) or _both(mine, base, disk)


def _both(mine: bytes, base: bytes, disk: bytes) -> Merged:
    """One conflict over the whole text, in the same marks that git uses."""
    parts: list[bytes] = []
    for mark, text in zip(_MARKS, (mine, base, disk, b""), strict=True):
        parts += [mark + b"\n", text, b"" if not text or text.endswith(b"\n") else b"\n"]
    return Merged(b"".join(parts), 1)


@cache
def _git() -> str | None:
    return which("git")


def _merge_file(mine: bytes, base: bytes, disk: bytes) -> Merged | None:
    """Ask git; `None` when there is none or it can't (binary, no room for its files)."""
    git = _git()
    if git is None:
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="memtui-merge-") as name:
            folder = Path(name)
            for part, text in (("mine", mine), ("base", base), ("disk", disk)):
                (folder / part).write_bytes(text)
            command = [git, "merge-file", "-p", "-q", "--diff3", "-L", "mine", "-L", "base", "-L", "disk"]
            run = subprocess.run(
                [*command, "mine", "base", "disk"],
                cwd=folder,
                env=_environment(folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=20,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Merged(run.stdout, run.returncode) if 0 <= run.returncode < 128 else None


def _environment(folder: Path) -> dict[str, str]:
    """No configuration of the user, the system or a repository above."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "LC_ALL": "C",
    }
