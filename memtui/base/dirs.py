"""Where memtui's own files are: never inside a folder that the agent reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Dirs(NamedTuple):
    """Our three folders; none of them has to exist yet.

    `config` holds config.toml, `state` history, drafts, pins and locks, `cache` what may be deleted at any time.
    """

    config: Path
    state: Path
    cache: Path

    @classmethod
    def from_env(cls, environ: Mapping[str, str], home: Path) -> "Dirs":
        """The XDG folders, on macOS too: people look for terminal programs in ~/.config (lazygit#1341).

        A relative XDG value is ignored, as the specification asks.
        """

        def base(name: str, default: str) -> Path:
            value = environ.get(name, "")
            return Path(value) if value.startswith("/") else home / default

        return cls(
            base("XDG_CONFIG_HOME", ".config") / "memtui",
            base("XDG_STATE_HOME", ".local/state") / "memtui",
            base("XDG_CACHE_HOME", ".cache") / "memtui",
        )
