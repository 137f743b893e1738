"""Where memtui's own files are: never inside a folder that the agent reads."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from memtui.util.xdg import XDG_DEFAULTS, xdg_folder


class Dirs(Struct, frozen=True):
    """Our three folders, which need not exist yet: `cache` is what may be deleted at any time."""

    config: Path
    state: Path
    cache: Path

    @classmethod
    def from_env(cls, environ: Mapping[str, str], home: Path) -> "Dirs":
        """The XDG folders, on macOS too: people look for terminal programs in ~/.config (lazygit#1341)."""
        return cls(*(Path(xdg_folder(environ, str(home), name)) for name in XDG_DEFAULTS))

    @property
    def sessions(self) -> Path:
        """The log of operations on sessions, and the archived sessions; made when first needed."""
        return self.state / "sessions"
