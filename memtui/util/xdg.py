"""Where the XDG folders are. Imports nothing heavy: the first paint of a start waits for it."""

from collections.abc import Mapping

XDG_DEFAULTS = {"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache"}
"""The variables, and the folders below home that stand for those that are not set."""


def xdg_folder(environ: Mapping[str, str], home: str, name: str) -> str:
    """Our folder in one of XDG's; a relative value is ignored, as the specification asks."""
    value = environ.get(name, "")
    return f"{value if value.startswith('/') else f'{home}/{XDG_DEFAULTS[name]}'}/memtui"
