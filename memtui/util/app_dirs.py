"""Where memtui's own files are: never inside a folder that the agent reads."""

from collections.abc import Mapping

from memtui.util.record import Record
from memtui.util.xdg import XDG_DEFAULTS, xdg_folder

TYPE_CHECKING = False  # see base.record
if TYPE_CHECKING:
    from pathlib import Path


class Dirs(Record):
    """Our three folders; none of them has to exist yet.

    `config` holds config.toml, `state` history, drafts, pins and locks, `cache` what may be deleted at any time.
    """

    config: "Path"
    state: "Path"
    cache: "Path"

    @classmethod
    def from_env(cls, environ: Mapping[str, str], home: "Path") -> "Dirs":
        """The XDG folders, on macOS too: people look for terminal programs in ~/.config (lazygit#1341)."""
        from pathlib import Path

        return cls(*(Path(xdg_folder(environ, str(home), name)) for name in XDG_DEFAULTS))

    @property
    def sessions(self) -> "Path":
        """What was done to sessions, and those put away; not there until somebody did."""
        return self.state / "sessions"
