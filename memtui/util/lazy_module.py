"""A module that is imported when something of it is first used, as `lazy import` of PEP 810 will do."""

from importlib import import_module
from typing import Any


class LazyModule:
    """Stands for a module until it is needed: one that another names, but that the first frame does without.

    The services and dialogs that the commands of the Memory view use take 150 ms to import, half as long as Textual
    itself. They are imported in a thread behind the first frame (`tui.preload`), so that no key waits for them either.
    Type checkers see the real module:

        if TYPE_CHECKING:
            from memtui.services import memory as services
        else:
            services = LazyModule("memtui.services.memory")
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
