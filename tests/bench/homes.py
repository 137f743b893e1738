"""Homes to measure in: one project with a generated memory, and sessions of others if there are any to lend."""

import os
import shutil
from pathlib import Path

from gen_memory import generate

REPO = Path(__file__).resolve().parents[2]


def make_home(folder: Path, files: int, sessions: Path | None = None) -> tuple[dict[str, str], Path]:
    """A home with one project and its memory.

    Args:
        folder: Where to make it.
        files: How many memory files.
        sessions: A tree with `projects/`, as a generator of sessions makes it; its files are linked into the home.

    Returns:
        The environment that leads there, and the project's directory.
    """
    from memtui.client.paths import project_name

    home = folder / "home"
    project = home / "code/shop"
    (project / ".git").mkdir(parents=True)
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    projects = home / ".claude/projects"
    if sessions is not None:
        shutil.copytree(sessions / "projects", projects, copy_function=_link)
    memory = projects / project_name(os.path.realpath(project)) / "memory"
    memory.parent.mkdir(parents=True)
    generate(memory, files, 1)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "VIRTUAL_ENV")}
    return kept | {"HOME": str(home), "PYTHONPATH": str(REPO), "PYTHONUTF8": "1"}, project


def _link(source: str, target: str) -> None:
    """Nothing writes to sessions here, so that one file may lie in two folders."""
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
