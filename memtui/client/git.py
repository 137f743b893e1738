"""The repository that a directory belongs to, as Claude Code sees it; git itself is never run.

The rules, each recorded on Claude Code 2.1.332:

- The working tree is the nearest folder, from the real path upwards, in which `.git` is a file or a folder once
  links are followed; what is in it is not looked at (an empty folder, a file of rubbish count; a dangling link, a
  loop, a pipe don't).
- `GIT_DIR`, `GIT_WORK_TREE`, `GIT_CEILING_DIRECTORIES` and `core.worktree` change nothing.
- Where `.git` is a folder, the working tree is its own repository: so is a nested one.
- Where `.git` is a file, its whole text must be "gitdir:" and a path, blanks, line ends and a byte order mark
  around it apart.
- A worktree belongs to its main repository only if both sides agree: the folder that it names holds `commondir`,
  lies in `worktrees/` of what that names (compared as written, links not followed), and holds a `gitdir` that leads
  back to this `.git`. A worktree moved or copied by hand, a forged `.git` file, a missing side: it stands on its
  own.
- The main repository is the common folder's parent if it is called `.git`, else the common folder itself: a bare
  repository, `.git/modules/x` for a worktree of a submodule, a separate git folder.
- A submodule, and a repository with a separate git folder, has no `commondir`: it stands on its own.
- A bare repository, or a folder in one, has no `.git` above it: there the directory itself counts; inside `.git` the
  repository around it does.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

from memtui.client.paths import read_small_file, real_path

_WHITESPACE = " \t\n\r\v\f\ufeff\u00a0\u2028\u2029"


def worktree_root(cwd: Path) -> Path | None:
    """The nearest folder with a `.git` in or above the real path of `cwd`, or `None`."""
    start = real_path(cwd)
    for folder in (start, *start.parents):
        try:
            mode = (folder / ".git").stat().st_mode
        except (OSError, ValueError):
            continue
        if stat.S_ISDIR(mode) or stat.S_ISREG(mode):
            return folder
    return None


def main_repository(root: Path) -> Path:
    """The repository that a working tree belongs to; the tree itself unless it is a worktree that both sides know."""
    pointer = _line(root / ".git")
    if pointer is None or not pointer.startswith("gitdir:"):
        return root
    private = _join(root, pointer.removeprefix("gitdir:").strip(_WHITESPACE))
    common_word = _line(private / "commondir")
    back = _line(private / "gitdir")
    if not common_word or not back:
        return root
    common = _join(private, common_word)
    if private.parent != common / "worktrees":
        return root
    try:
        seen = _join(private, back).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return root
    if seen != real_path(root) / ".git":
        return root
    return common.parent if common.name == ".git" else common


def canonical_root(cwd: Path) -> Path:
    """The folder whose project name the memory of `cwd` has: its main repository's, else its own real path."""
    root = worktree_root(cwd)
    return real_path(cwd) if root is None else main_repository(root)


def worktrees(root: Path) -> tuple[Path, ...]:
    """The working trees of a repository, its own folder first; those that are gone too, as long as git lists them."""
    found = [root]
    for common in (root / ".git", root):
        with suppress(OSError):
            for private in sorted((common / "worktrees").iterdir()):
                back = _line(private / "gitdir")
                if back:
                    found.append(_join(private, back).parent)
    return tuple(dict.fromkeys(found))


def branch_of(cwd: Path) -> str:
    """The branch that is checked out there, the start of the commit when there is none, "" outside of git."""
    found = head_file(cwd)
    if found is None:
        return ""
    head = _line(found[1]) or ""
    branch = head.removeprefix("ref: refs/heads/")
    return branch if branch != head else head[:8]


def head_file(cwd: Path) -> tuple[Path, Path] | None:
    """The working tree of a directory and the file that says what is checked out there; `None` outside of git."""
    root = worktree_root(cwd)
    if root is None:
        return None
    pointer = _line(root / ".git")
    private = _join(root, pointer.removeprefix("gitdir:").strip(_WHITESPACE)) if pointer else root / ".git"
    return root, private / "HEAD"


def _line(path: Path) -> str | None:
    data = read_small_file(path)
    return None if data is None else data.decode("utf-8", "replace").strip(_WHITESPACE)


def _join(folder: Path, word: str) -> Path:
    return Path(os.path.normpath(folder / word))
