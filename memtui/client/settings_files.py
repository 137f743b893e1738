"""Claude Code's settings files, one layer per file, and the environment variables they set.

Recorded on Claude Code 2.1.332:

- Precedence: policy > flag > local > project > user. Local settings of the main repository's root stand above those of
  the working directory; the project's checked-in settings count only in the working directory itself.
- A file that is no strict JSON object, or in which a key that the client knows has a wrong type, is ignored whole; an
  empty file is no fault. Of managed settings only the faulty key is ignored.
- The `env` block of a layer becomes environment variables over those of the shell. Of the project's and the local block
  only harmless names count.
"""

# ruff: noqa: PTH110
# What may not be looked at counts as not there; pathlib raises PermissionError.

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.git import canonical_root
from memtui.client.paths import config_dir, real_path

MAX_SETTINGS_BYTES = 16 << 20

SHELL_ONLY_VARIABLES = frozenset({"CLAUDE_CODE_PROJECT_DIR_NAME", "CLAUDE_CODE_REMOTE"})
"""Variables that no `env` block sets: recorded, they had no effect there."""

PROJECT_VARIABLES = frozenset({"CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_CLAUDE_MDS"})
"""Of the variables that we know, those that the `env` block of a project or local file may set."""


class SettingsLayer(Struct, frozen=True):
    """One settings file, or the JSON given by the flag; a layer may consist of several, in order of strength."""

    name: str
    path: Path | None
    data: Mapping[str, object] = MappingProxyType({})  # what counts of it: {} if it is absent or was ignored
    problem: str | None = None  # why it was ignored

    @property
    def source(self) -> str:
        """The file, or the flag that held the JSON itself."""
        return "--settings" if self.path is None else str(self.path)


class EnvVariable(Struct, frozen=True):
    """An environment variable as Claude Code sees it: `layer` is "env" for the shell, else the layer that set it."""

    value: str
    layer: str
    source: str


def read_layers(env: Env, cwd: Path, flag: str | None = None) -> tuple[SettingsLayer, ...]:
    """Every settings file that counts in a directory, strongest first, absent ones included.

    `flag` is what `--settings` was given: JSON or the path of a file. A user file that moves the configuration folder
    by its `env` block stands twice: what counts of the file in the old folder is its `env` block, as in the client.
    """
    here = real_path(cwd)
    config = config_dir(env, here)
    above = [*_policy(env), *([] if not flag else [_flag(flag, here)])]
    user = _file("user", config / "settings.json")
    own = [*_local(env, here), *_project(here, config), user]
    moved = effective_variables(env, (*above, *own)).get("CLAUDE_CONFIG_DIR")
    if moved is not None and moved.layer != "env":
        later = config_dir(replace(env, environ={**env.environ, "CLAUDE_CONFIG_DIR": moved.value}), here)
        if later != config:
            env_only = replace(user, data={"env": user.data["env"]} if "env" in user.data else {})
            own = [*_local(env, here), *_project(here, later), _file("user", later / "settings.json"), env_only]
    return (*above, *own)


def effective_variables(env: Env, layers: tuple[SettingsLayer, ...]) -> dict[str, EnvVariable]:
    """The environment after the layers' `env` blocks: numbers and booleans as text, what has members left out."""
    found = {name: EnvVariable(value, "env", name) for name, value in env.environ.items()}
    for layer in reversed(layers):
        block = layer.data.get("env")
        if not isinstance(block, dict):
            continue
        for name, value in block.items():
            word = _word(value)
            counts = layer.name not in ("project", "local") or name in PROJECT_VARIABLES
            if word is not None and counts and name not in SHELL_ONLY_VARIABLES:
                found[name] = EnvVariable(word, layer.name, layer.source)
    return found


def effective_env(env: Env, layers: tuple[SettingsLayer, ...]) -> Env:
    return replace(env, environ={name: found.value for name, found in effective_variables(env, layers).items()})


def _word(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(value) if isinstance(value, str | int | float) else None


def _policy(env: Env) -> list[SettingsLayer]:
    """Managed settings: the drop-ins (*.json, none hidden), last name first, then the file itself."""
    found: list[SettingsLayer] = []
    for base in reversed(env.policy_files):
        with suppress(OSError):
            drop_ins = sorted(base.with_name(base.stem + ".d").iterdir(), key=lambda path: path.name, reverse=True)
            shown = (path for path in drop_ins if path.name.endswith(".json") and not path.name.startswith("."))
            found += [_file("policy", path) for path in shown]
        found.append(_file("policy", base))
    return found


def _flag(flag: str, cwd: Path) -> SettingsLayer:
    """`--settings`: text in braces is JSON itself, anything else a path, relative to the working directory."""
    word = flag.strip()
    if word.startswith("{") and word.endswith("}"):
        return _checked("flag", None, flag)
    path = cwd / flag
    if not os.path.exists(path):
        return SettingsLayer("flag", path, problem="there is no such file: Claude Code would not start")
    return _file("flag", path, pipes=True)


def _local(env: Env, cwd: Path) -> list[SettingsLayer]:
    """The local files: that of the main repository (a working tree, not the home), then the directory's."""
    root = canonical_root(cwd)
    folders = [cwd]
    if root not in (cwd, real_path(env.home)) and os.path.exists(root / ".git"):
        folders.insert(0, root)
    return [_file("local", folder / ".claude" / "settings.local.json") for folder in folders]


def _project(cwd: Path, config: Path) -> list[SettingsLayer]:
    """The checked-in file, unless it is the user's own: in the home folder one file would be both."""
    path = cwd / ".claude" / "settings.json"
    return [] if real_path(path) == real_path(config / "settings.json") else [_file("project", path)]


def _file(name: str, path: Path, *, pipes: bool = False) -> SettingsLayer:
    """One settings file; `pipes` lets the flag name what a shell makes of `<(command)`."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not (pipes and not stat.S_ISDIR(mode)):
            return SettingsLayer(name, path, problem="it is not a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_SETTINGS_BYTES + 1)
    except FileNotFoundError:
        return SettingsLayer(name, path)
    except (OSError, ValueError) as error:
        return SettingsLayer(name, path, problem=f"it cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > MAX_SETTINGS_BYTES:
        return SettingsLayer(name, path, problem="it is larger than 16 MiB")
    # A mark of UTF-16 decides; bytes that are no UTF-8 are replaced, and the file still counts (both recorded).
    text = data[2:].decode("utf-16-le", "replace") if data[:2] == b"\xff\xfe" else data.decode("utf-8", "replace")
    return _checked(name, path, text)


def _checked(name: str, path: Path | None, text: str) -> SettingsLayer:
    if not text.strip(" \t\r\n\ufeff"):
        return SettingsLayer(name, path)
    from memtui.client.json_edit import InvalidJson, read_object  # many machines have no settings

    try:
        data = read_object(text)
    except InvalidJson as problem:
        strict = name == "policy" or path is None
        closing = "Claude Code would not start" if strict else "the file is ignored"
        return SettingsLayer(name, path, problem=f"it is not valid JSON: {problem}; {closing}")
    wrong = {key: wanted for key, value in data.items() if (wanted := _wrong(key, value))}
    if not wrong:
        return SettingsLayer(name, path, data)
    words = ", ".join(f"{key} should be {wanted}" for key, wanted in wrong.items())
    if name != "policy":
        return SettingsLayer(name, path, problem=f"{words}; the file is ignored")
    valid = {key: value for key, value in data.items() if key not in wrong}
    return SettingsLayer(name, path, valid, f"{words}; what else it says counts")


_TYPES: dict[str, type] = {
    "autoMemoryEnabled": bool,
    "autoDreamEnabled": bool,
    "disableAllHooks": bool,
    "prefersReducedMotion": bool,
    "autoMemoryDirectory": str,
    "model": str,
    "$schema": str,
    "env": dict,
    "permissions": dict,
    "statusLine": dict,
}
_TYPE_WORDS = {bool: "true or false", str: "text", dict: "an object"}


def _wrong(key: str, value: object) -> str:
    """What a value should be, if its type makes the client refuse the file; a key that we don't know is never wrong."""
    wanted = _TYPES.get(key)
    if wanted is not None:
        return "" if isinstance(value, wanted) else _TYPE_WORDS[wanted]
    if key == "claudeMdExcludes":
        fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return "" if fits else "a list of texts"
    if key == "cleanupPeriodDays":
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
        return "" if number >= 1 and float(number).is_integer() else "a whole number of days, 1 or more"
    return ""
