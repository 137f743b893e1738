"""Claude Code's switches: value, the layer that set it, whether and where it can be changed."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.environment import Env, parse_switch
from memtui.client.paths import configured_project_name
from memtui.client.settings_files import EnvVariable, SettingsLayer, effective_env, effective_variables


class Switch(Struct, frozen=True):
    """One switch and its value."""

    key: str
    kind: str  # "bool", "text", "list" or "number"
    default: object
    describe: str
    value: object = None
    layer: str = "default"  # "policy", "flag", "local", "project", "user", or "env:NAME" of the shell
    source: str = ""  # the file, the variable or the flag
    target: Path | None = None  # the settings file in which a change takes effect; `None` where that can't be
    why_not: str = ""  # why it can't be changed in place

    @property
    def writable(self) -> bool:
        return not self.why_not


SETTINGS = (
    Switch("autoMemoryEnabled", "bool", True, "the agent writes and reads memory by itself"),
    Switch("autoDreamEnabled", "bool", True, "memory is consolidated in the background"),
    Switch("autoMemoryDirectory", "text", None, "another folder for memory; the project's files can't name one"),
    Switch("claudeMdExcludes", "list", (), "instruction files that are not loaded, as patterns; all layers add up"),
    Switch("cleanupPeriodDays", "number", 30, "days after which Claude Code deletes old sessions; memory stays"),
    Switch("disableAllHooks", "bool", False, "no hook runs, memtui's included"),
    Switch("theme", "text", None, "colours of Claude Code"),
    Switch("prefersReducedMotion", "bool", False, "no animation"),
)

VARIABLES = (
    Switch("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "bool", None, "true turns memory off, 0 turns it on over every setting"),
    Switch("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "text", None, "the memory folder, over every setting"),
    Switch("CLAUDE_CONFIG_DIR", "text", None, "Claude Code's folder, instead of ~/.claude"),
    Switch("CLAUDE_CODE_PROJECT_DIR_NAME", "text", None, "the project's folder name; only beside CLAUDE_CONFIG_DIR"),
    Switch("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "bool", False, "no instruction file is loaded"),
    Switch("CLAUDE_CODE_SIMPLE", "bool", False, "a bare client: no memory, no instruction files"),
    Switch("CLAUDE_CODE_SAFE_MODE", "bool", False, "a client without anything of the user's: no memory"),
    Switch(
        "CLAUDE_CODE_REMOTE", "bool", False, "a client on a remote machine: no memory unless it has a folder for it"
    ),
    Switch("CLAUDE_CODE_REMOTE_MEMORY_DIR", "text", None, "the folder above projects/ in which memory is kept"),
)


def strongest_value(
    layers: Sequence[SettingsLayer], key: str, *, without: str = ""
) -> tuple[object, SettingsLayer] | None:
    """The value of a key in the strongest layer that has it, with that layer; `without` names one to pass over."""
    for layer in layers:
        if layer.name != without and key in layer.data:
            return layer.data[key], layer
    return None


def memory_enabled(
    env: Env, layers: Sequence[SettingsLayer], *, bare: bool = False, without: str = ""
) -> tuple[bool, str, str]:
    """Whether auto memory is on, and what decided it: a layer as in `Switch.layer` and its source.

    Source: Claude Code 2.1.332, recorded. In this order: a bare, simple or safe client has none; then
    CLAUDE_CODE_DISABLE_AUTO_MEMORY, either way; a remote client without a memory folder has none; the settings.
    """
    if bare:
        return False, "flag", "--bare"
    variables = effective_variables(env, tuple(layer for layer in layers if layer.name != without))

    folder = variables.get("CLAUDE_CODE_REMOTE_MEMORY_DIR")
    for name, turns_off in (
        ("CLAUDE_CODE_SIMPLE", True),
        ("CLAUDE_CODE_SAFE_MODE", True),
        ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", None),
        ("CLAUDE_CODE_REMOTE", folder is None or not folder.value),
    ):
        value = parse_switch(variables[name].value) if name in variables else None
        if (value and turns_off) or (value is not None and turns_off is None):
            return not value, *_origin(name, variables[name])
    return _wanted(layers, "autoMemoryEnabled", without)


def dream_enabled(layers: Sequence[SettingsLayer], *, without: str = "") -> tuple[bool, str, str]:
    """As `memory_enabled`, for consolidation in the background, memory itself apart."""
    return _wanted(layers, "autoDreamEnabled", without)


def _wanted(layers: Sequence[SettingsLayer], key: str, without: str) -> tuple[bool, str, str]:
    found = strongest_value(layers, key, without=without)
    return (True, "default", "") if found is None else (bool(found[0]), found[1].name, found[1].source)


def _origin(name: str, variable: EnvVariable) -> tuple[str, str]:
    return (f"env:{name}", name) if variable.layer == "env" else (variable.layer, f"{variable.source}: env.{name}")


def switches(env: Env, layers: tuple[SettingsLayer, ...], *, bare: bool = False) -> tuple[Switch, ...]:
    """Every switch that we know, settings first, then environment variables; `bare`: the client runs with `--bare`."""
    variables, after = effective_variables(env, layers), effective_env(env, layers)
    found = [_setting(env, layers, key, bare=bare) for key in SETTINGS]
    return (*found, *(_variable(after, variables.get(key.key), key) for key in VARIABLES))


def _setting(env: Env, layers: tuple[SettingsLayer, ...], key: Switch, *, bare: bool) -> Switch:
    found = strongest_value(layers, key.key, without="project" if key.key == "autoMemoryDirectory" else "")
    value, layer, source = (key.default, "default", "") if found is None else (found[0], found[1].name, found[1].source)
    by_hand = ""
    if key.key == "autoMemoryEnabled":
        value, layer, source = memory_enabled(env, layers, bare=bare)
        by_hand = source if layer.startswith("env:") or source == "--bare" or "env." in source else ""
    elif key.key == "autoMemoryDirectory":
        override = effective_variables(env, layers).get("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE")
        if override is not None and override.value:
            value = override.value
            layer, source = _origin("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", override)
            by_hand = source
    elif key.kind == "list":
        value = _united(layers, key.key)
    target, why_not = (None, f"decided by {by_hand}") if by_hand else _where(layers, found)
    return replace(key, value=value, layer=layer, source=source, target=target, why_not=why_not)


def _united(layers: Sequence[SettingsLayer], key: str) -> tuple[object, ...]:
    """A list setting: the lists of all layers, weakest first, each entry once."""
    entries: dict[object, None] = {}
    for layer in reversed(layers):
        value = layer.data.get(key)
        entries.update(dict.fromkeys(value if isinstance(value, list) else ()))
    return tuple(entries)


def _where(layers: Sequence[SettingsLayer], found: tuple[object, SettingsLayer] | None) -> tuple[Path | None, str]:
    """The file where a change takes effect (the local one above the project's checked-in one), or why there is none."""
    decided = None if found is None else found[1]
    if decided is not None and decided.name in ("policy", "flag"):
        word = "managed settings" if decided.name == "policy" else "the --settings flag"
        return None, f"decided by {word}: {decided.source}"
    wanted = "local" if decided is not None and decided.name == "project" else "user"
    for layer in (decided, *(layer for layer in layers if layer.name == wanted)):
        if layer is None or layer.name == "project" or layer.path is None:
            continue
        return (None, f"{layer.path}: {layer.problem}") if layer.problem else (layer.path, "")
    return None, "there is no settings file to change"


def _variable(env: Env, variable: EnvVariable | None, key: Switch) -> Switch:
    if variable is None:
        return replace(key, value=key.default, why_not="set it in the shell")
    value: object = variable.value
    if key.kind == "bool":
        parsed = parse_switch(variable.value)
        value = key.default if parsed is None else parsed
    elif key.key == "CLAUDE_CODE_PROJECT_DIR_NAME":
        value = configured_project_name(env)
    layer, source = _origin(key.key, variable)
    why = "set in the shell" if variable.layer == "env" else f"set in the env block of {variable.source}"
    return replace(key, value=value, layer=layer, source=source, why_not=why)
