"""Who does the work of a dream, by name: a small registry, each backend imported only when it is wanted."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from memtui.base.errors import Unsupported, Usage
from memtui.dream.events import Note, Phase
from memtui.dream.run import Emit, Work
from memtui.dream.stage import Stage

OFFLINE = "offline"
NAMES = (OFFLINE, "anthropic", "client")
MODES = ("reflect", "prune")


@dataclass(frozen=True, slots=True)
class Backend:
    """Who works, and why this one."""

    name: str
    why: str
    work: Work


def choose(name: str | None, mode: str, now: Callable[[], float], pinned: frozenset[str] = frozenset()) -> Backend:
    """The backend of that name, or the one to take if nobody names one.

    Args:
        mode: "reflect" or "prune".
        now: The clock, in seconds since 1970.
        pinned: Files that stay as they are.

    Raises:
        Usage: If there is no such backend or mode.
        Unsupported: If it can't work here.
    """
    if mode not in MODES:
        raise Usage(f"no mode {mode!r}", hint=f"one of {', '.join(MODES)}")
    if name not in (None, *NAMES):
        raise Usage(f"no backend {name!r}", hint=f"one of {', '.join(NAMES)}")
    if name not in (None, OFFLINE):
        raise Unsupported(f"the backend {name} is not here yet", hint="--backend offline consolidates without a model")
    if find_spec("memtui.dream.offline") is None:
        raise Unsupported("the backend offline is not here yet")
    why = "named" if name is not None else "the only one here: rules that do only what is certain, no model"
    return Backend(OFFLINE, why, _offline(mode, now, pinned))


def _offline(mode: str, now: Callable[[], float], pinned: frozenset[str]) -> Work:
    def work(stage: Stage, emit: Emit) -> None:
        module = import_module("memtui.dream.offline")
        emit(Phase(stage="consolidate"))

        def told(words: str) -> None:
            emit(Note(words))

        module.consolidate(stage.root, now=now(), emit=told, mode=mode, pinned=pinned)

    return work
