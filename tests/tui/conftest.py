"""A small project on a real disk, and the app over it with a clock that stands still."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.startup.start import StartContext
from memtui.tui.theme import UNICODE, Glyphs
from memtui.util.app_dirs import Dirs
from memtui.util.config import read_config

NOW = 1_796_000_000.0  # 2026-11-30

TOPICS = {
    "feedback_testing.md": (
        "feedback",
        "Integration tests must hit a real database",
        "See [ci](ci_notes.md), [[oncall]].",
    ),
    "feedback_commits.md": ("feedback", "Commit messages say why", "**Why:** the diff says what."),
    "feedback_pnpm.md": ("feedback", "Use pnpm, never npm", "Not in the index yet."),
    "project_oncall.md": ("project", "Who is on call and since when", "## Incidents\n\nSee feedback_testing.\n"),
    "project_한글.md": ("project", "한국어 메모: 넓은 글자도 줄이 맞는다", "본문은 한국어입니다.\n"),
    "user_role.md": ("user", "Backend engineer, prefers short answers", "Body.\n"),
}

Maker = Callable[..., MemtuiApp]


def write_memory(folder: Path) -> None:
    """Make a memory folder of six topic files and an index that lists five."""
    folder.mkdir(parents=True)
    lines = ["# Memory", ""]
    for number, (name, (kind, description, body)) in enumerate(TOPICS.items()):
        stem = Path(name).stem.split("_", 1)[1]
        text = f"---\nname: {stem}\ndescription: {description}\ntype: {kind}\n---\n\n{body}\n"
        (folder / name).write_text(text, encoding="utf-8")
        if name != "feedback_pnpm.md":
            lines.append(f"- [{stem}]({name}) — {description}")
        os.utime(folder / name, (NOW - 86_400 * number - 60,) * 2)
    (folder / "MEMORY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(folder / "MEMORY.md", (NOW - 3600,) * 2)


@pytest.fixture
def memory(home: Path) -> Path:
    """The memory folder of a project in ~/shop, six topic files and an index that lists five."""
    shop = home / "shop"
    shop.mkdir()
    env = Env(home, {"HOME": str(home)}, ())
    folder = locate_memory(env, shop).folder
    write_memory(folder)
    return folder


@pytest.fixture
def workspace(memory: Path, home: Path) -> Workspace:
    """The desk over that folder."""
    env = Env(home, {"HOME": str(home)}, ())
    return Workspace(env, Dirs.from_env(env.environ, home), locate_memory(env, home / "shop"), now=lambda: NOW)


@pytest.fixture
def make_app(workspace: Workspace) -> Maker:
    """Makes the app; it does not watch the disk, so that a test says when to look."""

    def make(glyphs: Glyphs = UNICODE, over: Workspace = workspace) -> MemtuiApp:
        return MemtuiApp(StartContext.over(over), read_config(over.dirs.config), glyphs=glyphs, watch=False)

    return make
