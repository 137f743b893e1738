"""Drive the real app over the made-up home and write pictures of it: SVG always, PNG where rsvg-convert is.

    python screenshots/make.py [NAME ...]

Each picture is a size and the keys that lead to it, some after a dream that waits for review; the clock stands still,
so the same code gives the same picture.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name
from memtui.demo import build_demo
from memtui.dream.backends.registry import choose_backend
from memtui.dream.run.run import run_dream
from memtui.dream.run.runs import list_runs
from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.startup.start import StartContext
from memtui.tui.theme import PLAIN, UNICODE
from memtui.util.app_dirs import Dirs
from memtui.util.config import read_config

HERE = Path(__file__).parent
SHOWN = "/home/you"
"""Stands for the home in the pictures; as long as its real name below /tmp, so that columns stay."""
NOW = 1_796_029_200.0
"""2026-11-30 09:00 UTC."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What to press, on a screen of which size."""

    name: str
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (120, 40)
    ascii: bool = False
    dreamt: bool = False


PICTURES = (
    Picture("memory"),
    Picture("memory-80", size=(80, 24)),
    Picture("memory-60", size=(60, 20)),
    Picture("memory-ascii", size=(80, 24), ascii=True),
    Picture("links", ("b",)),
    Picture("problems", ("exclamation_mark",), (80, 24)),
    Picture("editor", ("enter",)),
    Picture("tidy", ("T",)),
    Picture("sessions", ("3", "right")),
    Picture("sessions-80", ("3", "right", "j"), (80, 24)),
    Picture("resume", ("3", "enter"), (80, 24)),
    Picture("transcript", ("3", "p")),
    Picture("settings", ("5",)),
    Picture("context", ("colon", *"start of a session", "enter")),
    Picture("activity", ("at",)),
    Picture("commands", ("colon",), (80, 24)),
    Picture("keys", ("question_mark",), (80, 24)),
    Picture("new", ("n",), (80, 24)),
    Picture("dream", ("2",), dreamt=True),
    Picture("dream-80", ("2",), (80, 24), dreamt=True),
    Picture("watch", ("w", "down"), dreamt=True),
)


async def take(picture: Picture, workspace: Workspace) -> str:
    """The picture as SVG."""
    app = MemtuiApp(
        StartContext.over(workspace),
        read_config(workspace.dirs.config),
        glyphs=PLAIN if picture.ascii else UNICODE,
        sample=True,
        watch=False,
    )
    async with app.run_test(size=picture.size) as pilot:
        await app.workers.wait_for_complete()
        await pilot.pause()
        for key in picture.keys:
            await pilot.press(key)
            await asyncio.sleep(0.5)
        await pilot.pause()
        return app.export_screenshot(title="memtui")


def dream(workspace: Workspace) -> None:
    """Consolidate the sample by rule, for a person to judge."""
    chosen = choose_backend("offline", "reflect", workspace, read_config(workspace.dirs.config))
    run_dream(
        workspace, workspace.dirs, chosen.work, backend=chosen.name, why=chosen.why, force=True, adopt="review",
        now=lambda: NOW,
    )  # fmt: skip


@contextmanager
def made_home() -> Iterator[Path]:
    """A folder for the home, gone afterwards; always the same, so that its name stands alike in every picture."""
    folder = Path(tempfile.gettempdir()) / "home"
    folder.mkdir()  # somebody else's stays
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def main(names: list[str]) -> None:
    """Write the pictures named, or all."""
    with made_home() as folder:
        home = build_demo(folder, NOW)
        env = Env(home.home, home.environ, ())
        workspace = Workspace(
            env, Dirs.from_env(home.environ, home.home), locate_memory(env, home.cwd), now=lambda: NOW
        )
        for picture in PICTURES:
            if names and picture.name not in names:
                continue
            if picture.dreamt and not list_runs(workspace.dirs):
                dream(workspace)
            svg = asyncio.run(take(picture, workspace))
            file = HERE / f"{picture.name}.svg"
            # Without it leading spaces are dropped by rsvg-convert, and columns wander.
            svg = svg.replace("<text ", '<text xml:space="preserve" ')
            for name in (str, project_name):
                svg = svg.replace(name(str(home.home)), name(SHOWN))
            file.write_text(svg, encoding="utf-8")
            if shutil.which("rsvg-convert"):
                subprocess.run(["rsvg-convert", "-o", str(file.with_suffix(".png")), str(file)], check=True)
            print(file.name)


if __name__ == "__main__":
    main(sys.argv[1:])
