"""The first screen drawn by hand is what Textual draws, cell by cell, in every size, theme and set of marks."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from memtui.tui.startup.first import First
from memtui.tui.startup.frame import SMALLEST
from rich.color import ColorSystem
from rich.segment import Segment
from textual.scrollbar import ScrollBar, ScrollBarRender

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.memory.workspace import Workspace
from memtui.tui.app import MemtuiApp
from memtui.tui.loaders.memory import MemoryLoader, keep_picture, load_snapshot_again
from memtui.tui.startup.start import StartContext
from memtui.tui.startup.terminal import Terminal
from memtui.tui.theme import wanted_glyphs
from memtui.util.config import Config, read_config
from tests.screen import ScreenOf
from tests.tui.conftest import NOW

SIZES = [(40, 12), (59, 14), (60, 20), (80, 24), (99, 12), (100, 30), (119, 16), (120, 40), (200, 50)]
THEMES = ["memtui-dark", "memtui-light", "memtui-daltonized", "ansi-dark", "ansi-light"]
SYSTEMS = {"truecolor": ColorSystem.TRUECOLOR, "256": ColorSystem.EIGHT_BIT, "16": ColorSystem.STANDARD}


def drawn(segment: Segment, system: ColorSystem) -> str:
    """A segment as Textual writes it to a terminal with so many colours."""
    if segment.style is None:
        return segment.text
    style = segment.style  # not its own `render`: a style keeps the codes that it once made, whatever the terminal
    marks = {"1": style.bold, "2": style.dim, "4": style.underline, "7": style.reverse}
    codes = ["0", *(code for code, holds in marks.items() if holds)]
    codes += style.color.downgrade(system).get_ansi_codes() if style.color else []
    codes += style.bgcolor.downgrade(system).get_ansi_codes(foreground=False) if style.bgcolor else []
    return f"\x1b[{';'.join(codes)}m{segment.text}"


class Bench:
    """One home in which both draw; `draw` is by hand, `shown` is Textual's."""

    def __init__(self, workspace: Workspace, patch: pytest.MonkeyPatch) -> None:
        self.workspace, self.patch = workspace, patch
        self.drawn: list[str] = []
        self.config: Config = read_config(workspace.dirs.config)
        self.ascii = self.read_only = self.sample = False
        self.system = "truecolor"
        patch.chdir(workspace.location.cwd)
        patch.setattr(MemoryLoader, "first", lambda self: None)
        patch.setattr(ScrollBar, "renderer", ScrollBarRender)  # an app in ASCII leaves its own behind
        patch.setattr(Terminal, "draw", lambda _, sequences: self.drawn.append(sequences))
        for name in [*os.environ]:
            if name not in ("PATH", "LANG"):
                patch.delenv(name)
        patch.setenv("HOME", workspace.env.environ["HOME"])

    def setting(self, **settings: str) -> None:
        """Settings of ours."""
        folder = self.workspace.dirs.config
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text("".join(f'{key} = "{value}"\n' for key, value in settings.items()))
        self.config = read_config(folder)

    def start(self) -> StartContext:
        """The start of this home."""
        place, env = self.workspace.location, self.workspace.env
        cache = self.workspace.dirs.cache
        return StartContext(place, env.home, cache, self.read_only, lambda: NOW, lambda: self.workspace, env.environ)

    def keep(self) -> None:
        """Keep the last picture, as a run does once all is read."""
        keep_picture(self.start(), self.workspace, load_snapshot_again(self.workspace, None, full=True))

    def draw(self, size: tuple[int, int], *, remember: bool = True) -> ScreenOf | None:
        """What is drawn by hand; None if nothing is."""
        self.drawn.clear()
        self.patch.setenv("COLUMNS", str(size[0]))
        self.patch.setenv("LINES", str(size[1]))
        self.patch.setenv("COLORTERM", "truecolor" if self.system == "truecolor" else "")
        self.patch.setenv("TERM", "xterm-256color" if self.system == "256" else "xterm")
        first = First(ascii=self.ascii, read_only=self.read_only, clock=lambda: NOW)
        if remember:
            first.remember(None)
        else:
            first.known(self.start(), self.config, sample=self.sample)
        return ScreenOf("".join(self.drawn).encode(), size) if self.drawn else None

    async def shown(self, size: tuple[int, int]) -> ScreenOf:
        """What Textual shows before anything is read."""
        glyphs = wanted_glyphs(self.config["glyphs"], "utf-8", ascii_only=self.ascii)
        app = MemtuiApp(self.start(), self.config, glyphs=glyphs, sample=self.sample, watch=False)
        async with app.run_test(size=size) as pilot:
            for _ in range(5):
                await pilot.pause()
            system = SYSTEMS[self.system]
            strips = app.screen._compositor.render_strips()
            lines = ["".join(drawn(segment, system) for segment in strip) for strip in strips]
        return ScreenOf("".join(f"\x1b[{y};1H{line}" for y, line in enumerate(lines, 1)).encode(), size)

    async def compare(self, size: tuple[int, int], *, remember: bool = True) -> None:
        """Fail where the two differ."""
        drawn = self.draw(size, remember=remember)
        no_color = os.environ.get("NO_COLOR")  # Textual takes it out of the environment
        shown = await self.shown(size)
        if no_color is not None:
            self.patch.setenv("NO_COLOR", no_color)
        assert drawn is not None
        assert drawn.lines() == shown.lines()
        assert drawn.different(shown) == []


@pytest.fixture
def bench(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    yield Bench(workspace, monkeypatch)


@pytest.mark.parametrize("size", SIZES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("remember", [True, False], ids=["picture", "names"])
async def test_every_layout(bench: Bench, size: tuple[int, int], remember: bool) -> None:
    if remember:
        bench.keep()
    await bench.compare(size, remember=remember)


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("theme", THEMES)
async def test_every_theme(bench: Bench, theme: str, system: str) -> None:
    bench.setting(theme=theme)
    bench.system = system
    bench.keep()
    await bench.compare((100, 14))


@pytest.mark.parametrize("theme", THEMES[:3])
@pytest.mark.parametrize("size", [(60, 12), (100, 14)], ids="{0[0]}x{0[1]}".format)
async def test_without_colour(bench: Bench, theme: str, size: tuple[int, int]) -> None:
    bench.setting(theme=theme)
    bench.keep()
    bench.patch.setenv("NO_COLOR", "")
    await bench.compare(size)


@pytest.mark.parametrize("size", [(60, 12), (120, 40)], ids="{0[0]}x{0[1]}".format)
async def test_in_ascii(bench: Bench, size: tuple[int, int]) -> None:
    bench.keep()
    bench.ascii = True
    await bench.compare(size)
    bench.ascii = False
    bench.setting(glyphs="ascii")
    await bench.compare(size, remember=False)


@pytest.mark.parametrize("size", [(60, 12), (120, 40)], ids="{0[0]}x{0[1]}".format)
async def test_what_changes_what_keys_do_is_said(bench: Bench, size: tuple[int, int]) -> None:
    bench.read_only = True
    bench.keep()
    await bench.compare(size)
    bench.sample = True
    await bench.compare(size, remember=False)


@pytest.mark.parametrize("size", [(40, 12), (60, 12), (120, 40)], ids="{0[0]}x{0[1]}".format)
async def test_a_folder_that_is_empty_or_not_there(bench: Bench, memory: Path, size: tuple[int, int]) -> None:
    for file in memory.iterdir():
        file.unlink()
    await bench.compare(size, remember=False)
    memory.rmdir()
    await bench.compare(size, remember=False)


async def test_memory_that_is_off(bench: Bench, home: Path) -> None:
    environ = {"HOME": str(home), "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
    env = Env(home, environ, ())
    bench.workspace = Workspace(env, bench.workspace.dirs, locate_memory(env, home / "shop"), now=lambda: NOW)
    bench.keep()
    assert bench.draw((100, 14)) is None  # without the variable it is another picture
    bench.patch.setenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1")
    await bench.compare((100, 14))


@pytest.mark.parametrize("lines", [150, 190, 260])
async def test_an_index_that_is_nearly_full_or_over(bench: Bench, memory: Path, lines: int) -> None:
    with (memory / "MEMORY.md").open("a") as index:
        index.writelines(f"- [note {number}](note_{number}.md) — words\n" for number in range(lines))
    bench.keep()
    for size in ((60, 12), (80, 24), (140, 30)):
        await bench.compare(size)


async def test_many_files_with_wide_names(bench: Bench, memory: Path) -> None:
    for number in range(40):
        (memory / f"feedback_{'한글과 가나 かな' * (number % 4)}_{number:02}.md").write_text(
            "---\ntype: feedback\n---\nx\n"
        )
    bench.keep()
    for size in ((40, 12), (62, 20), (120, 40)):
        await bench.compare(size)
        await bench.compare(size, remember=False)


def test_nothing_is_drawn_where_it_can_not_be_promised(bench: Bench) -> None:
    bench.keep()
    assert bench.draw((SMALLEST[0] - 1, 30)) is None
    assert bench.draw((100, SMALLEST[1] - 1)) is None
    for name in ("TEXTUAL_DRIVER", "TEXTUAL_COLOR_SYSTEM"):
        bench.patch.setenv(name, "other")
        assert bench.draw((100, 30)) is None
        bench.patch.delenv(name)
    bench.patch.setenv("NO_COLOR", "1")
    assert bench.draw((100, 30)) is not None
    bench.setting(theme="ansi-dark")  # changes the settings, too
    assert bench.draw((100, 30)) is None
    bench.keep()
    assert bench.draw((100, 30)) is None


def test_a_picture_that_somebody_wrote_can_not_send_escapes(bench: Bench) -> None:
    bench.keep()
    (file,) = (bench.workspace.dirs.cache / "first").iterdir()
    assert bench.draw((100, 30)) is not None
    file.write_bytes(file.read_bytes().replace(b"=user_role", rb"=\x1b[31m"))
    assert bench.draw((100, 30)) is None
