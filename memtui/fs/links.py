"""Files that are symbolic links: where they lead, and whether a person's change may go through them.

People link such files on purpose: an index into a notes vault, CLAUDE.md to AGENTS.md, settings into a folder of
dotfiles. A change goes through a link, which stays, if the target is the person's own: a regular file of theirs in one
of the folders that the caller names (the home, the project), whose name doesn't hold a secret. Only the last part of a
path is followed like that. A dream, whose words may be a stranger's, writes only through a link to a memory file: a
`.md` file that doesn't load as instructions. Any other actor writes through none.
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from memtui.fs.boundary import Actor, is_instructions, is_sensitive


def link_target(path: Path) -> Path | None:
    """Where a link leads in the end, over links to links; `None` if it is no link."""
    return Path(os.path.realpath(path)) if path.is_symlink() else None


def why_unreadable(path: Path) -> str:
    """Why what a link leads to isn't a file to show; "" if it is one, or `path` is no link."""
    target = link_target(path)
    if target is None:
        return ""
    if any(map(is_sensitive, target.parts)):
        return f"a link to {target}, which may hold a secret"
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return f"a link to {target}, which isn't there"
    except OSError as error:
        return f"a link to {target}: {error.strerror}"
    if stat.S_ISLNK(mode):
        return "a link that leads back to itself"
    if not stat.S_ISREG(mode):
        return f"a link to {target}, which is {'a folder' if stat.S_ISDIR(mode) else 'no regular file'}"
    return ""


def why_not_written(path: Path, own: Sequence[Path], actor: Actor = "user") -> str:
    """Why a change of a file doesn't go through its link; "" if it does, or `path` is no link.

    `own` are folders in which the person's files lie; links in their paths are followed. `actor` makes the change.
    """
    reason = why_unreadable(path)
    target = link_target(path)
    if reason or target is None:
        return reason
    if target.stat().st_uid != os.geteuid():
        return f"its file {target} belongs to somebody else"
    if not any(Path(os.path.realpath(folder)) in target.parents for folder in own):
        return f"its file {target} lies outside the home and the project"
    if actor == "agent" or (actor == "dream" and (target.suffix != ".md" or is_instructions(target.name))):
        return f"its file {target} is no memory file"
    return ""


def followed(root: Path, name: str, own: Sequence[Path]) -> tuple[Path, str]:
    """The folder and the name under which a file below `root` really lies, if it is a link through which is written."""
    target = link_target(root / name) if own else None
    if target is None or why_not_written(root / name, own):
        return root, name
    return target.parent, target.name


def hard_links(path: Path) -> int:
    """How many further names a file has on the disk; 0 where that can't be told."""
    try:
        return path.stat().st_nlink - 1
    except (OSError, ValueError):
        return 0
