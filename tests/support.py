"""What more than one test needs and that isn't a fixture."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from memtui.util.app_dirs import Dirs

REPO = Path(__file__).resolve().parent.parent

_SHM = Path("/dev/shm")
RAM = _SHM if _SHM.is_dir() and os.access(_SHM, os.W_OK | os.X_OK) else None
"""Where files cost no disk, for tests that make the same ones again and again; `None`: with all temporary files."""


def digest_tree(path: Path) -> dict[str, tuple[str, bytes, int]]:
    """Every name below `path`, with its kind, bytes (a link's target) and mtime in nanoseconds, folders included.

    Two equal answers mean that nothing was created, removed, renamed, written or touched in between.

    Args:
        path: A folder, or a single file. What does not exist gives an empty answer.

    Returns:
        Relative POSIX name ("." for `path` itself) to (kind, content, mtime_ns); pytest shows two of them as a diff.
    """
    found: dict[str, tuple[str, bytes, int]] = {}

    def take(entry: Path, name: str) -> None:
        stat = entry.lstat()
        if entry.is_symlink():
            found[name] = ("link", os.fsencode(os.readlink(entry)), stat.st_mtime_ns)  # noqa: PTH115 - bytes as they are
        elif entry.is_dir():
            found[name] = ("dir", b"", stat.st_mtime_ns)
            for child in sorted(entry.iterdir()):
                take(child, child.name if name == "." else f"{name}/{child.name}")
        else:
            found[name] = ("file", entry.read_bytes() if entry.is_file() else b"", stat.st_mtime_ns)

    if path.exists() or path.is_symlink():
        take(path, ".")
    return found


def run_python(
    code: str, *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter in which nothing of ours is loaded yet.

    Args:
        code: The program; `sys.argv[1:]` are `args`.
        cwd: Where it runs; the repository when left out, so that a checkout works without an installation.
        env: The whole environment; this process's own when left out.
    """
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, *args],
        cwd=cwd or REPO,
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def adopt_unasked(dirs: Dirs) -> None:
    """Let clean dreams be adopted from the first on, as `dream_review = "auto"` does."""
    dirs.config.mkdir(parents=True, exist_ok=True)
    (dirs.config / "config.toml").write_text('dream_review = "auto"\n', encoding="utf-8")
