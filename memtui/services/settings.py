"""Change a setting: ours in config.toml, Claude Code's in its own files."""

import json
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType

from memtui.client.json_edit import edit_setting
from memtui.client.switches import VARIABLES, Switch
from memtui.fs.atomic import make_folders
from memtui.history.store import Change
from memtui.memory.workspace import Workspace
from memtui.services.access import require_writable
from memtui.services.memory import text_on_disk
from memtui.util.config import SETTINGS, Setting, edit_config
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError

LAYERS = ("user", "local", "project")  # the settings files of Claude Code that can be written

_ON_OFF = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}


def own_setting(key: str) -> Setting:
    """One of memtui's own settings; `UsageError` if there is no such setting."""
    known = {setting.key: setting for setting in SETTINGS}
    if key not in known:
        raise UsageError(f"no setting {key!r}", hint="known: " + ", ".join(known))
    return known[key]


def parse_own(setting: Setting, word: str | None) -> str | None:
    """A value of ours as a person gives it, on and off included; `None` is the default. `UsageError` if it can't be."""
    if word is not None and setting.choices == ("true", "false"):
        word = {"on": "true", "off": "false"}.get(word.lower(), word.lower())
    if word is not None and setting.choices and word not in setting.choices:
        raise UsageError(f"{setting.key} can be {', '.join(setting.choices)}, not {word!r}")
    return word


def set_own(workspace: Workspace, key: str, value: str | None) -> None:
    """Set one key of config.toml, or remove it; all else stays. `UsageError`, `Conflict`, `MemtuiError` for no TOML."""
    require_writable(workspace)
    value = parse_own(own_setting(key), value)
    store, name = workspace.own_settings()
    make_folders(store.root)
    before = store.read(name)
    data = edit_config(workspace.dirs.config, key, value)
    change = Change(name, data, before[1] if before is not None else None)
    why = f"set {key} to {'its default' if value is None else value!r} in config.toml"
    store.apply([change], why=why, merge=False)


class SwitchEdit(Struct, frozen=True):
    """What changing a switch of Claude Code would write: the file, its bytes before (`None`: no file) and after."""

    key: str
    path: Path
    layer: str
    before: bytes | None
    after: bytes

    @property
    def changed(self) -> bool:
        return self.after != (self.before or b"")


def find_switch(workspace: Workspace, key: str) -> Switch:
    """A switch of Claude Code; `NotFound` if there is none of that name."""
    try:
        return workspace.location.switch(key)
    except KeyError:
        raise NotFound(f"no setting {key!r}", hint="memtui config get lists them") from None


def plan_switch(workspace: Workspace, key: str, value: object | UnsetType, layer: str | None = None) -> SwitchEdit:
    """Look what changing a switch would write, in a layer of `LAYERS` or where it takes effect; `UNSET` takes it out.

    `Refused` if it can't be changed there, `MemtuiError` if the file is not JSON.
    """
    switch = find_switch(workspace, key)
    path, name = _target(workspace, switch, layer)
    if isinstance(value, str):
        value = parse_value(switch, value)
    before = text_on_disk(workspace, path)
    try:
        after = edit_setting((before or b"").decode("utf-8"), key, value).encode("utf-8")
    except UnicodeDecodeError as error:
        raise MemtuiError(f"{path} is not UTF-8", hint="fix it by hand; it was left as it is") from error
    return SwitchEdit(key, path, name, before, after)


def _target(workspace: Workspace, switch: Switch, layer: str | None) -> tuple[Path, str]:
    files = {one.path: one.name for one in workspace.location.layers if one.path is not None}
    if layer is None:
        if switch.target is None:
            reason = f"{switch.key} can't be changed here: {switch.why_not}"
            raise Refused(reason, hint="--layer names a file all the same")
        return switch.target, files.get(switch.target, "")
    paths = [path for path, name in files.items() if name == layer]
    if not paths:
        raise Refused(f"there is no {layer} settings file in this directory")
    if any(variable.key == switch.key for variable in VARIABLES):
        raise Refused(f"{switch.key} is an environment variable", hint=switch.why_not)
    return (switch.target if switch.target in paths else paths[0]), layer


def set_switch(workspace: Workspace, edit: SwitchEdit) -> Switch:
    """Write a planned change, which undo takes back; the switch as it is then. `Conflict` if the file changed since."""
    require_writable(workspace)
    if edit.changed:
        why = f"{edit.key}: {edit.layer or edit.path.name} settings"
        workspace.write_switch(edit.path, edit.before, edit.after, why)
    return workspace.decide_again().switch(edit.key)


def parse_value(switch: Switch, word: str) -> object:
    """What a person typed as the JSON value that Claude Code expects there; `UsageError` if it is no such value."""
    key = switch.key
    if switch.kind == "bool":
        known = _ON_OFF.get(word.lower())
        if known is None:
            raise UsageError(f"{key} is on or off, not {word!r}")
        return known
    if switch.kind == "number":
        if not (word.isascii() and word.isdigit()):
            raise UsageError(f"{key} is a whole number, not {word!r}")
        return int(word)
    if switch.kind != "list":
        return word
    if not word.startswith("["):
        return [item.strip() for item in word.split(",") if item.strip()]
    try:
        return json.loads(word)
    except ValueError as error:
        raise UsageError(f"{key} is a list: a JSON list, or texts with commas between them") from error


def toggled(switch: Switch) -> tuple[bool, str] | None:
    """The other value of an on/off switch and the layer it is written to; `None` if it is no such switch."""
    if not isinstance(switch.value, bool):
        return None
    return not switch.value, switch.layer if switch.layer in LAYERS else "user"


__all__ = ["UNSET"]
