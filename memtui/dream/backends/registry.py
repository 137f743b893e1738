"""The backends by name, each imported only when it is chosen.

If none is named: the Messages API if a key is set, else the agent client if it is installed and logged in, else rules
without a model. Nothing is called to find that out; only variables and files count.
"""

from collections.abc import Mapping
from importlib import import_module

from msgspec import Struct

from memtui.client.executable import find_client
from memtui.dream.backends.credentials import find_key, login_of, variables
from memtui.dream.backends.names import ANTHROPIC, BACKENDS, CLIENT, MODEL_BACKENDS, OFFLINE
from memtui.dream.proposals import Proposal, write_proposals
from memtui.dream.run.events import Note, Phase
from memtui.dream.run.run import BackendWork, Emit
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.util.config import Config
from memtui.util.errors import Unsupported, UsageError
from memtui.util.text import pluralize

MODES = ("reflect", "prune")
BACKEND_SETTING = "dream_backend"


class Backend(Struct, frozen=True):
    name: str
    why: str
    work: BackendWork

    @property
    def reads_sessions(self) -> bool:
        return self.name in MODEL_BACKENDS


def choose_backend(name: str | None, mode: str, workspace: Workspace, config: Config) -> Backend:
    """The named backend, else the one of our settings, else the best one that is available here.

    Raises `UsageError` if there is no such backend or mode, `Unsupported` if it can't work here.
    """
    if mode not in MODES:
        raise UsageError(f"no mode {mode!r}", hint=f"one of {', '.join(MODES)}")
    if name not in (None, *BACKENDS):
        raise UsageError(f"no backend {name!r}", hint=f"one of {', '.join(BACKENDS)}")
    why = "as requested"
    if name is None and config[BACKEND_SETTING] != "auto":
        name, why = config[BACKEND_SETTING], f"set by {BACKEND_SETTING}"
    if name is None:
        name, why = _best_available(workspace)
    try:
        if name == OFFLINE:
            return Backend(name, why, _offline(mode, workspace))
        module = import_module(f"memtui.dream.backends.{name}")  # 16 and 13 ms, and a run needs only one
        return Backend(name, why, module.make_work(mode, workspace, config))
    except Unsupported as error:
        hint = "--backend offline tidies by rules, without a model"
        raise Unsupported(f"the backend {name} can't work here: {error.message}", hint=hint) from error


def _best_available(workspace: Workspace) -> tuple[str, str]:
    found = variables(workspace.env, workspace.location)
    key = find_key(found)
    if key is not None:
        return ANTHROPIC, f"{key.name} is set in {key.source}"
    try:
        find_client(workspace.env)
    except Unsupported:
        return OFFLINE, "no key is set, and Claude Code isn't installed"
    login = login_of(found, workspace.env, workspace.location)
    if login is None:
        return OFFLINE, "no key is set, and Claude Code shows no login"
    return CLIENT, f"no key is set; the agent client is installed and {login}"


def _offline(mode: str, workspace: Workspace) -> BackendWork:
    def work(stage: Stage, emit: Emit) -> None:
        from memtui.dream.backends.offline import consolidate  # 53 ms, which only a run's process needs

        def keep(found: tuple[Proposal, ...], digests: Mapping[str, str]) -> None:
            dismissed = workspace.dismissals.of(workspace.location.folder)
            found = tuple(one for one in found if one.dismissal(digests) not in dismissed)
            write_proposals(workspace.dirs, workspace.location.folder, found, digests)
            if found:
                emit(Note(f"{pluralize(len(found), 'proposal')} for you or a model: memtui dream proposals lists them"))

        emit(Phase(stage="consolidate"))
        consolidate(
            stage.root,
            now=workspace.now(),
            emit=lambda words: emit(Note(words)),
            mode="prune" if mode == "prune" else "reflect",
            pinned=workspace.pinned | stage.left_out.keys(),
            project=(workspace.location.cwd, workspace.location.root),
            keep=keep,
        )

    return work
