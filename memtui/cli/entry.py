"""Which workspace the screen, or its text twin, opens: a project, or the sample home."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from memtui.cli.context import CliContext

if TYPE_CHECKING:  # its import takes 100 ms, and the screen's first frame waits for this module
    from memtui.memory.workspace import Workspace


class OpenedWorkspace(Struct, frozen=True):
    """The call that leads to what is opened; its `workspace` costs the import of the engine.

    `banner` says so where it is the sample home, "" otherwise; `open_sample` makes that.
    """

    context: CliContext
    banner: str
    open_sample: "Callable[[], Workspace]"

    @property
    def sample(self) -> bool:
        return bool(self.banner)


@contextmanager
def open_workspace(context: CliContext, *, demo: bool) -> Iterator[OpenedWorkspace]:
    """Choose the workspace; a sample home that was made for it goes away at the end."""
    banner = ""
    if demo:
        banner = "sample data in a temporary folder; nothing of yours is touched"
    elif context.options.project is None:
        config, folder = context.location.config, context.location.folder
        if not config.is_dir() and not folder.is_dir():
            banner = f"sample data: Claude Code's folder {config} does not exist"
    with ExitStack() as stack:

        def sample() -> CliContext:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memtui-demo-", ignore_cleanup_errors=True))
            return _sample(context, Path(folder))

        yield OpenedWorkspace(sample() if banner else context, banner, lambda: sample().workspace)


def _sample(context: CliContext, folder: Path) -> CliContext:
    from memtui.demo import build_demo  # 130 ms, for the sample home only

    home = build_demo(folder / "home", context.now())
    sample = CliContext()
    sample.options.read_only, sample.now = context.options.read_only, context.now
    sample.env, sample.dirs, sample.directory = home.env, home.dirs, home.cwd
    return sample
