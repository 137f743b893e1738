"""Locate the memory folder of a directory: which one, decided by whom, and whether memory is on.

Order: environment > policy > flag > local > user > default. A folder that the project's checked-in settings name is
refused with a warning, although Claude Code accepts it: a cloned repository must not choose where memory is read and
written. A dangerous value (`forbidden_locations`) is refused with a warning too, and the next source counts. A
project's on/off switches do count, as they do in Claude Code, with a warning where they turn on what the user turned
off: "off" must not be shown where memory is loaded.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.forbidden_locations import ProtectedPaths, check_memory_folder, client_memory_folder
from memtui.client.git import main_repository, worktree_root
from memtui.client.paths import config_dir, configured_project_name, project_name, real_path, store_of
from memtui.client.settings_files import EnvVariable, SettingsLayer, effective_env, effective_variables, read_layers
from memtui.client.switches import Switch, dream_enabled, memory_enabled, strongest_value, switches
from memtui.util.text import nfc, visible

OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
DIRECTORY = "autoMemoryDirectory"
_REDIRECTS = (OVERRIDE, "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_REMOTE_MEMORY_DIR")
"""Variables that would move memory; in a project's `env` block they count neither for Claude Code nor here."""


class MemoryLocation(Struct, frozen=True):
    """The memory of a directory."""

    cwd: Path  # a real path
    root: Path  # the main repository, or `cwd` where there is none; if unknown, both are the folder below `projects/`
    project_dir: str  # the name of `transcripts`
    transcripts: Path
    folder: Path  # the memory folder as decided
    decided_by: str  # "default", "user", "local", "flag", "policy" or "env"
    enabled: bool  # auto memory
    dream: bool  # consolidation in the background (never without memory)
    switches: tuple[Switch, ...]
    warnings: tuple[str, ...]
    config: Path
    layers: tuple[SettingsLayer, ...]  # the settings files, strongest first
    agent_folder: Path  # the one that Claude Code uses, even one that is refused here
    directory_known: bool = True  # else a folder below `projects/` that stands for nobody knows which directory

    @property
    def memory_dir(self) -> Path | None:
        """The memory folder, or `None` while memory is off."""
        return self.folder if self.enabled else None

    def switch(self, key: str) -> Switch:
        for switch in self.switches:
            if switch.key == key:
                return switch
        raise KeyError(key)


class _ChosenFolder(Struct, frozen=True):
    folder: Path
    by: str
    source: str


def locate_memory(env: Env, cwd: Path, *, flag: str | None = None, bare: bool = False) -> MemoryLocation:
    """Locate the memory of a directory, which need not exist; nothing is written, git is not run.

    A folder below `projects/`, and what lies in one, is the store itself: people look for what a directory that is gone
    has left, and no session works there.

    `flag` is what Claude Code is given as `--settings`: JSON or a file. The location has a warning for all that was
    refused, ignored or turned on although the user turned it off.
    """
    store = store_of(env, cwd)
    here = real_path(cwd) if store is None else store
    tree = None if store is not None else worktree_root(here)
    root = here if tree is None else main_repository(tree)
    layers = read_layers(env, here, flag)
    after = effective_env(env, layers)
    config = config_dir(after, here)
    protected = ProtectedPaths(
        env.home, config, tuple(dict.fromkeys((here, root) if tree is None else (here, tree, root)))
    )
    configured = configured_project_name(after)
    # A folder for remote memory takes the place of the configuration folder; then a project name given by a variable
    # does not count (both recorded).
    remote, plain = after.get("CLAUDE_CODE_REMOTE_MEMORY_DIR"), project_name(str(root))
    base, folder = (Path(os.path.normpath(here / remote)), plain) if remote else (config, configured or plain)
    default = Path(nfc(str(base / "projects" / folder / "memory")))
    variables = effective_variables(env, layers)
    chosen, refused = _folder(variables, layers, protected, default)
    agent_folder = _client_folder(variables, layers, env.home, default)
    if store is not None:
        configured, agent_folder = store.name, store / "memory"
        chosen, refused = _ChosenFolder(agent_folder, "default", ""), []
    warnings = [
        *(f"{_quote(layer.source)}: {layer.problem}" for layer in layers if layer.problem),
        *_ignored_variables(env, layers, config),
        *refused,
    ]
    if refused and agent_folder != chosen.folder:
        warnings[-1] += f"; Claude Code itself uses {_quote(agent_folder)}"
    on, dreams = memory_enabled(env, layers, bare=bare)[0], dream_enabled(layers)[0]
    if on and not memory_enabled(env, layers, bare=bare, without="project")[0]:
        warnings.append("the project's settings turn on auto memory, which you turned off")
    if dreams and not dream_enabled(layers, without="project")[0]:
        warnings.append("the project's settings turn on auto-dream, which you turned off")
    if store is not None:
        warnings.append(f"directory unknown: {_quote(store.name)} is shown as Claude Code left it")
    name = configured or project_name(str(here))
    return MemoryLocation(
        cwd=here,
        root=root,
        project_dir=name,
        transcripts=store or config / "projects" / name,
        folder=chosen.folder,
        decided_by=chosen.by,
        enabled=on,
        dream=on and dreams,
        switches=tuple(_decided_switch(switch, chosen) for switch in switches(env, layers, bare=bare)),
        warnings=tuple(warnings),
        config=config,
        layers=layers,
        agent_folder=agent_folder,
        directory_known=store is None,
    )


def _folder(
    variables: dict[str, EnvVariable], layers: tuple[SettingsLayer, ...], protected: ProtectedPaths, default: Path
) -> tuple[_ChosenFolder, list[str]]:
    """The memory folder, and what was refused: all that a project names, and what is stronger than what counts."""
    chosen: _ChosenFolder | None = None
    refused = []
    for by, source, value in _named(variables, layers):
        if by == "project":
            refused.append(f"{source} names the memory folder {_quote(value)}: refused, a project must not choose it")
        elif chosen is None:
            found = check_memory_folder(value, protected, tilde=by != "env")
            if isinstance(found, Path):
                chosen = _ChosenFolder(found, by, source)
            else:
                refused.append(f"{source} names the memory folder {_quote(value)}: refused, {found}")
    return chosen or _ChosenFolder(default, "default", ""), refused


def _named(variables: dict[str, EnvVariable], layers: tuple[SettingsLayer, ...]) -> Iterator[tuple[str, str, str]]:
    """Each source that names a memory folder, strongest first: who, where, and the text."""
    override = variables.get(OVERRIDE)
    if override is not None and override.value:
        source = OVERRIDE if override.layer == "env" else f"{override.source} (env.{OVERRIDE})"
        yield "env", source, override.value
    for layer in layers:
        value = layer.data.get(DIRECTORY)
        if isinstance(value, str):
            yield layer.name, layer.source, value


def _client_folder(
    variables: dict[str, EnvVariable], layers: tuple[SettingsLayer, ...], home: Path, default: Path
) -> Path:
    """The folder that Claude Code uses: it skips a bad variable, and a bad setting gives the default at once."""
    override = variables.get(OVERRIDE)
    taken = None if override is None else client_memory_folder(override.value, home, tilde=False)
    if taken is not None:
        return taken
    named = strongest_value(layers, DIRECTORY)
    taken = client_memory_folder(str(named[0]), home) if named is not None else None
    return default if taken is None else taken


def _ignored_variables(env: Env, layers: tuple[SettingsLayer, ...], config: Path) -> Iterator[str]:
    for layer in layers:
        block = layer.data.get("env")
        if layer.name == "project" and isinstance(block, dict):
            for name in _REDIRECTS:
                if name in block:
                    yield f"{_quote(layer.source)} sets {name}: refused, a project must not choose where memory is"
    value = env.environ.get("CLAUDE_CONFIG_DIR")
    if value is not None and not value.startswith("/"):
        word = f"is {_quote(value)}, which is relative" if value else "is set but empty"
        yield f"CLAUDE_CONFIG_DIR {word}: Claude Code keeps its files in {_quote(config)} here"
    name = env.get("CLAUDE_CODE_PROJECT_DIR_NAME")
    if name and configured_project_name(effective_env(env, layers)) is None:
        yield f"CLAUDE_CODE_PROJECT_DIR_NAME is {_quote(name)}: ignored, it needs CLAUDE_CONFIG_DIR and a plain name"


def _decided_switch(switch: Switch, chosen: _ChosenFolder) -> Switch:
    """The folder's switch says what counts, not the text that was found first."""
    if switch.key != DIRECTORY or chosen.by == "default":
        return replace(switch, value=None, layer="default", source="") if switch.key == DIRECTORY else switch
    layer = switch.layer if chosen.by == "env" else chosen.by
    return replace(switch, value=str(chosen.folder), layer=layer, source=chosen.source)


def _quote(word: object) -> str:
    return visible(str(word), keep="") or '""'
