"""Who does the work of a dream, by name: a small registry, each backend imported only when it is wanted.

If nobody names one: a key in the environment, else the agent client where it is logged in, else rules without a model.
Nothing is called to find that out; only what is set and what lies on the disk counts.
"""

from collections.abc import Callable
from importlib import import_module

from msgspec import Struct

from memtui.dream.run.events import Note, Phase
from memtui.dream.run.run import BackendWork, Emit
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.util.config import Config
from memtui.util.errors import Unsupported, UsageError

OFFLINE, ANTHROPIC, CLIENT = "offline", "anthropic", "client"
BACKENDS = (OFFLINE, ANTHROPIC, CLIENT)
MODEL_BACKENDS = (ANTHROPIC, CLIENT)
"""Those in which a model works, turn by turn."""
MODES = ("reflect", "prune")
BACKEND_SETTING = "dream_backend"


class Backend(Struct, frozen=True):
    """Who works, and why this one."""

    name: str
    why: str
    work: BackendWork


def choose_backend(name: str | None, mode: str, workspace: Workspace, config: Config) -> Backend:
    """The backend of that name, or the one to take if nobody names one.

    Args:
        name: From the command; without one our settings decide.
        workspace: Whose memory it is about; its surroundings say what there is to work with.

    Raises:
        Usage: If there is no such backend or mode.
        Unsupported: If it can't work here.
    """
    if mode not in MODES:
        raise UsageError(f"no mode {mode!r}", hint=f"one of {', '.join(MODES)}")
    if name not in (None, *BACKENDS):
        raise UsageError(f"no backend {name!r}", hint=f"one of {', '.join(BACKENDS)}")
    why = "named"
    if name is None and config[BACKEND_SETTING] != "auto":
        name, why = config[BACKEND_SETTING], f"named by the setting {BACKEND_SETTING}"
    if name is None:
        name, why = _first_that_can(workspace)
    try:
        return Backend(name, why, _work(name, mode, workspace, config))
    except Unsupported as error:
        hint = "--backend offline consolidates without a model"
        raise Unsupported(f"the backend {name} can't work here: {error.message}", hint=hint) from error


def _first_that_can(workspace: Workspace) -> tuple[str, str]:
    """The backend to take, and why."""
    from memtui.client.executable import find_client
    from memtui.dream.backends.credentials import find_key, login_of, variables

    found = variables(workspace.env, workspace.location)
    key = find_key(found)
    if key is not None:
        return ANTHROPIC, f"{key.name} is set in {key.source}"
    try:
        find_client(workspace.env)
    except Unsupported:
        return OFFLINE, "rules without a model: no key is set, and the agent client isn't installed"
    login = login_of(found, workspace.env, workspace.location)
    if login is None:
        return OFFLINE, "rules without a model: no key is set, and the agent client shows no login"
    return CLIENT, f"no key is set; the agent client is installed and {login}"


def _work(name: str, mode: str, workspace: Workspace, config: Config) -> BackendWork:
    if name == ANTHROPIC:
        from memtui.dream.backends.anthropic import anthropic_work

        return anthropic_work(mode, workspace, config)
    if name == CLIENT:
        from memtui.dream.backends.client import client_work

        return client_work(mode, workspace, config)
    return _offline(mode, workspace.now, workspace.pinned)


def _offline(mode: str, now: Callable[[], float], pinned: frozenset[str]) -> BackendWork:
    def work(stage: Stage, emit: Emit) -> None:
        module = import_module("memtui.dream.backends.offline")
        emit(Phase(stage="consolidate"))

        def told(words: str) -> None:
            emit(Note(words))

        module.consolidate(stage.root, now=now(), emit=told, mode=mode, pinned=pinned)

    return work
