"""memtui's own settings: config.toml, read leniently, written with every comment kept."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from memtui.util.errors import MemtuiError, UsageError
from memtui.util.json_object import read_plain

CONFIG_NAME = "config.toml"


class Setting(Struct, frozen=True):
    """One setting: key, default, allowed values (empty: any text), what it does."""

    key: str
    default: str
    choices: tuple[str, ...]
    words: str


SETTINGS = (
    Setting("theme", "auto", ("auto", "memtui-dark", "memtui-light", "memtui-daltonized", "ansi-dark", "ansi-light"),
            "colours; auto follows Claude Code's theme"),
    Setting("glyphs", "auto", ("auto", "unicode", "ascii"), "marks and lines; auto asks the terminal"),
    Setting("motion", "auto", ("auto", "full", "none"), "animation; auto follows Claude Code"),
    Setting("editor", "", (), "command for e and ^G; empty: $VISUAL, then $EDITOR"),
    Setting("trash", "true", ("true", "false"), "deleted files also go to the system's trash"),
    Setting("dream_backend", "auto", ("auto", "anthropic", "client", "offline"),
            "what runs a dream; auto: an API key, else Claude Code, else rules without a model"),
    Setting("dream_model", "", (), "model of a dream; empty: Claude Code's own"),
    Setting("dream_money", "2", (), "spending limit per dream, in US dollars; none: no limit"),
    Setting("dream_day_money", "5", (), "spending limit for the dreams of 24 hours, in US dollars; none: no limit"),
    Setting("dream_review", "learning", ("learning", "always", "auto"),
            "learning: a project's first three dreams wait for review, then clean ones are adopted; "
            "always: every dream waits; auto: clean ones are adopted from the first"),
    Setting("dream_count_all", "false", ("true", "false"),
            "sessions that did nothing but run shell commands count towards a dream, too"),
    Setting("assistant_mode", "false", ("true", "false"),
            "the agent keeps daily logs: dreams read these, and start by schedule only"),
)  # fmt: skip


class Config(Struct, frozen=True):
    """The values in force, and warnings about the file; a broken file gives the defaults and one warning."""

    path: Path
    values: Mapping[str, str]
    keys: Mapping[str, str]  # the `[keys]` table: action id to keys
    warnings: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> str:
        return self.values[key]

    def layer(self, key: str) -> str:
        """Where the value of a setting comes from: "config.toml" or "default"."""
        return "default" if any(one.key == key and one.default == self[key] for one in SETTINGS) else CONFIG_NAME


def read_config(folder: Path) -> Config:
    """Read `folder`/config.toml; an absent file is all defaults."""
    path = folder / CONFIG_NAME
    values: dict[str, str] = {setting.key: setting.default for setting in SETTINGS}
    warnings: list[str] = []
    data: dict[str, Any] = {}
    try:
        text = read_plain(path).decode()
        import tomllib  # most people have no such file, and the first picture waits for this

        data = tomllib.loads(text)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, RecursionError) as error:  # no text, no TOML, or nested too deeply
        warnings.append(f"{path.name} is not used: {error}")
    keys = data.pop("keys", {})
    if not (isinstance(keys, dict) and all(isinstance(value, str) for value in keys.values())):
        warnings.append('[keys] needs strings: action = "keys"')
        keys = {}
    for key, value in data.items():
        word = str(value).lower() if isinstance(value, bool | int | float) else value
        setting = next((s for s in SETTINGS if s.key == key), None)
        if setting is None:
            warnings.append(f"{key} is not a setting of this version")
        elif not isinstance(word, str) or (setting.choices and word not in setting.choices):
            warnings.append(f"{key} = {value!r} is not one of {', '.join(setting.choices) or 'text'}")
        else:
            values[key] = word
    return Config(path, MappingProxyType(values), MappingProxyType(keys), tuple(warnings))


def edit_config(folder: Path, key: str, value: str | None) -> bytes:
    """Return the text of config.toml with one key set, or removed if `value` is None; comments and order stay.

    Raises `UsageError` if there is no such key, or it can't have that value, `MemtuiError` if the file is no TOML.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    setting = next((s for s in SETTINGS if s.key == key), None)
    if setting is None:
        raise UsageError(f"no setting {key!r}", hint="known: " + ", ".join(s.key for s in SETTINGS))
    if value is not None and setting.choices and value not in setting.choices:
        raise UsageError(f"{key} can be {', '.join(setting.choices)}")
    path = folder / CONFIG_NAME
    try:
        document = tomlkit.parse(read_plain(path)) if path.exists() else tomlkit.document()
    except (TOMLKitError, OSError, UnicodeDecodeError, RecursionError) as error:
        raise MemtuiError(f"{path} is not TOML: {error}", hint="fix it by hand; it was left as it is") from error
    if value is None:
        document.pop(key, None)
    else:
        document[key] = value == "true" if setting.choices == ("true", "false") else value
    return tomlkit.dumps(document).encode()
