"""Where memtui's own files are: never inside a folder that the agent reads."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


class Dirs(Struct, frozen=True):
    """Our three folders; none of them has to exist yet.

    `config` holds config.toml, `state` history, drafts, pins and locks, `cache` what may be deleted at any time.
    """

    config: Path
    state: Path
    cache: Path

    @classmethod
    def from_env(cls, environ: Mapping[str, str], home: Path) -> "Dirs":
        """The XDG folders, on macOS too: people look for terminal programs in ~/.config (lazygit#1341)."""
        return cls(*(Path(_folder(environ, str(home), name, default)) for name, default in _XDG))

    @property
    def sessions(self) -> Path:
        """What was done to sessions, and those put away; not there until somebody did."""
        return self.state / "sessions"


_XDG = (("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state"), ("XDG_CACHE_HOME", ".cache"))


def cache_folder(environ: Mapping[str, str], home: str) -> str:
    """`Dirs.cache` as text, for what can't wait for pathlib."""
    return _folder(environ, home, *_XDG[2])


def _folder(environ: Mapping[str, str], home: str, name: str, default: str) -> str:
    """Our folder in one of XDG's; a relative value is ignored, as the specification asks."""
    value = environ.get(name, "")
    return f"{value if value.startswith('/') else f'{home}/{default}'}/memtui"
