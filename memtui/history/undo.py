"""One order of undo and redo for everything that was done, whatever it was about.

What an operation was about decides who can take it back: `Store` for the contents of files, others for sessions,
projects and pins. Those are handed in by subject, since this package knows nothing of them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Protocol

from memtui.history.together import whole_of
from memtui.history.versions import FILES, FolderScope, Operation, Saved, Versions, redo_target, undo_target
from memtui.util.errors import NotFound, Refused, UsageError
from memtui.util.resolve import MIN_PREFIX_CHARS


class Inverse(Protocol):
    """Takes operations of one subject back; an undo is done again."""

    def __call__(self, operation: Operation, over: Collection[str]) -> Saved:
        """Take an operation that still stands back as far as possible, also `over` later edits of some names.

        Returns the operation that records it, and what could not be taken back. Raises `MemtuiError` if nothing of it
        can be; nothing was changed then.
        """


class UndoOrder:
    """Undo and redo for some folders."""

    def __init__(
        self,
        versions: Versions,
        scopes: Collection[FolderScope],  # the folders whose operations count
        inverses: Mapping[str, Inverse],  # by subject
        recover: Collection[Callable[[], object]] = (),  # end what a crash left half done
    ) -> None:
        self._versions = versions
        self._scopes = scopes
        self._inverses = inverses
        self._recover = recover

    def next_undo(self) -> Operation:
        """The operation that `undo` would take back; `NotFound` if there is none. Reads only."""
        return self._target(undo_target(self._operations()), "undo")

    def next_redo(self) -> Operation:
        """The undo that `redo` would take back; `NotFound` if there is none. Reads only."""
        return self._target(redo_target(self._operations()), "redo")

    def find(self, word: str) -> Operation:
        """The operation whose id begins with `word`, be it about another folder; of a part, the whole. Reads only.

        Raises `NotFound` if there is none, `UsageError` if there are several, or the word is too short.
        """
        if len(word) < MIN_PREFIX_CHARS:
            raise UsageError(f"{MIN_PREFIX_CHARS} characters of an id at least", hint="memtui history lists the ids")
        found = self._versions.operation(word)
        return self._versions.operation(whole_of(found)) if whole_of(found) else found

    def undo(self, word: str | None = None, *, over: Collection[str] = ()) -> tuple[Saved, Operation]:
        """Take back the newest operation that still stands, or the one whose id begins with `word`, also `over` later
        edits of some names.

        Returns what was done and what could not be, and the operation that it was about. Raises `NotFound` if there is
        nothing to undo, `MemtuiError` if nothing of it can be taken back.
        """
        self.end_interrupted()
        operation = self.find(word) if word is not None else self.next_undo()
        return self._inverse(operation)(operation, over), operation

    def redo(self) -> tuple[Saved, Operation]:
        """Do again what was undone last, unless something new was done since. Returns and raises as `undo`."""
        self.end_interrupted()
        undone = self.next_redo()
        return self._inverse(undone)(undone, ()), undone

    def _operations(self) -> Iterator[Operation]:
        """Newest first; what another process is about to write doesn't count yet, what a crash stopped does."""
        found = self._versions.walk(self._scopes, begun=True)
        return (one for one in found if one.finished or one.subject != FILES)

    def end_interrupted(self) -> None:
        """End what a crash left half done, so that it stands in the log; `undo` and `redo` begin with it."""
        for recover in self._recover:
            recover()

    def _target(self, operation: Operation | None, what: str) -> Operation:
        if operation is None:
            raise NotFound(f"nothing to {what}", hint="memtui history lists what happened")
        return operation

    def _inverse(self, operation: Operation) -> Inverse:
        inverse = self._inverses.get(operation.subject)
        if inverse is None:
            raise Refused(f"{operation.id[:8]} can't be taken back here: {operation.why}")
        return inverse
