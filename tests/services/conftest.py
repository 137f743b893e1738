"""A small project on a real disk, with a workspace whose clock stands still."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs

NOW = 1_796_000_000.0  # 2026-11-30

TOKEN = "ghp_" + "q7Rk2Wv9ZtB4mXc8Ls1NdHf6Yp3JgUa5Te0K"
"""What looks like a secret; made up, and put together here so that no scanner of this repository stops at it."""

INDEX = "# Memory\n\n" + "".join(f"- [{name}]({name}.md) — about {name}\n" for name in ("a", "b", "c", "d"))


@pytest.fixture
def folder(home: Path) -> Path:
    """The memory folder of ~/shop: an index and the four topics that it lists."""
    shop = home.resolve() / "shop"
    shop.mkdir()
    memory = locate_memory(Env(home.resolve(), {"HOME": str(home.resolve())}, ()), shop).folder
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(INDEX, encoding="utf-8")
    for name in ("a", "b", "c", "d"):
        text = f"---\nname: {name}\ndescription: about {name}\ntype: project\n---\n\nText of {name}.\n"
        (memory / f"{name}.md").write_text(text, encoding="utf-8")
    for path in memory.iterdir():
        os.utime(path, (NOW - 86_400,) * 2)
    return memory


@pytest.fixture
def make(folder: Path, home: Path) -> Callable[..., Workspace]:
    """Makes a workspace of that project."""

    def workspace(*, read_only: bool = False) -> Workspace:
        real = home.resolve()
        env = Env(real, {"HOME": str(real)}, ())
        made = Workspace(
            env, Dirs.from_env(env.environ, real), locate_memory(env, real / "shop"), read_only=read_only,
            trash=False, now=lambda: NOW,
        )  # fmt: skip
        made.read(full=True)
        return made

    return workspace


@pytest.fixture
def workspace(make: Callable[..., Workspace]) -> Workspace:
    """One that may write."""
    return make()
