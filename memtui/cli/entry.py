"""Which workspace the screen, or its text twin, opens: a project, or the sample home."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from memtui.cli.context import CliContext
from memtui.client.environment import Env
from memtui.util.app_dirs import Dirs

if TYPE_CHECKING:  # their import takes 100 ms, and the screen's first frame waits for this module
    from memtui.client.memory_location import MemoryLocation
    from memtui.memory.workspace import Workspace


class OpenedWorkspace(Struct, frozen=True, dict=True):
    """What is opened: the location, and `make` for its workspace, which costs the import of the engine.

    `banner` says so where it isn't what one might expect; `open_sample` makes the sample home.
    """

    location: "MemoryLocation"
    env: Env
    dirs: Dirs
    make: "Callable[[], Workspace]"
    sample: bool
    banner: str
    open_sample: "Callable[[], Workspace]"

    @classmethod
    def of_sample(cls, banner: str, open_sample: "Callable[[], Workspace]") -> "OpenedWorkspace":
        """The made-up home, made now."""
        made = open_sample()
        return cls(made.location, made.env, made.dirs, lambda: made, True, banner, open_sample)

    @cached_property
    def workspace(self) -> "Workspace":
        """Made when it is first wanted."""
        return self.make()


@contextmanager
def open_workspace(context: CliContext, *, demo: bool) -> Iterator[OpenedWorkspace]:
    """Choose the workspace; a sample home that was made for it goes away at the end."""
    with ExitStack() as stack:

        def open_sample() -> "Workspace":
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memtui-demo-", ignore_cleanup_errors=True))
            return _sample(context, Path(folder))

        if demo:
            banner = "sample data in a temporary folder; nothing of yours is touched"
            yield OpenedWorkspace.of_sample(banner, open_sample)
        elif (
            context.options.project is None
            and not context.location.config.is_dir()
            and not context.location.folder.is_dir()
        ):
            banner = f"sample data: Claude Code's folder {context.location.config} does not exist"
            yield OpenedWorkspace.of_sample(banner, open_sample)
        else:
            yield OpenedWorkspace(
                context.location, context.env, context.dirs, lambda: context.workspace, False, "", open_sample
            )


def _sample(context: CliContext, folder: Path) -> "Workspace":
    from memtui.demo import build_demo  # 130 ms, for the sample home only

    home = build_demo(folder / "home", context.now())
    sample = CliContext()
    sample.options.read_only, sample.now = context.options.read_only, context.now
    sample.env, sample.dirs, sample.directory = home.env, home.dirs, home.cwd
    return sample.workspace
