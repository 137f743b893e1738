"""Change a setting of memtui or of Claude Code."""

from pathlib import Path

from memtui.fs.atomic import replace_file
from memtui.util.config import edit_config


def write_setting(folder: Path, key: str, value: str | None) -> None:
    """Set one key of `folder`/config.toml, or remove it if `value` is None.

    Raises:
        Usage: If there is no such key, or it can't have that value.
        MemtuiError: If the file is there but is not TOML; it is left as it is.
    """
    data = edit_config(folder, key, value)
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "config.toml", data)
