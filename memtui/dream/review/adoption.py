"""What becomes of a run's changes: planned, judged, and put into the memory folder as one version.

A file that nobody else changed meanwhile is replaced, one that changed is merged three ways, an overlap waits for the
person. Some runs always wait, whatever the settings say; the rules are in `review_reasons`.

The write is the store's own (SAFETY.md section 2), with the digest of the copy as what the run saw: whatever happens
between the plan and the write is met there. A crash in the middle ends in the old or the new state at the next start.

Source: DESIGN.md D1.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Literal

from msgspec import Struct

from memtui.dream.review.review_rules import ReviewReason, review_reasons
from memtui.dream.run.stage import Stage
from memtui.dream.run.stage_changes import ChangedFile, StageChanges, read_stage_changes, staged
from memtui.fs.atomic import digest
from memtui.fs.boundary import check_path
from memtui.history.merge import merge3
from memtui.history.store import Change, Store
from memtui.history.trash import put_in_trash
from memtui.history.versions import Saved
from memtui.memory.workspace import Workspace
from memtui.util.errors import Conflict, NotFound, Refused

State = Literal["clean", "merged", "conflict", "same", "refused"]

_WORST: tuple[State, ...] = ("same", "clean", "merged", "conflict", "refused")


class Piece(Struct, frozen=True):
    """One name of an item: what the run wants of it, what is there, and what it would become.

    `mine` is the run's text, `disk` what is there now, `result` what the folder would hold: bytes, or `None` for no
    file. In a conflict `result` is the text with marks, or `None` where a merge makes no sense.
    """

    name: str
    state: State
    words: str
    mine: bytes | None
    disk: bytes | None
    result: bytes | None


class AdoptionItem(Struct, frozen=True):
    """One touched file with its pieces: one, or two for a rename."""

    touched: ChangedFile
    pieces: tuple[Piece, ...]

    @property
    def state(self) -> State:
        """The worst of the pieces' states."""
        return max((piece.state for piece in self.pieces), key=_WORST.index)

    @property
    def words(self) -> str:
        """Why it is so, for people."""
        return next(piece.words for piece in self.pieces if piece.state == self.state)


class Adoption(Struct, frozen=True):
    """What adopting a stage would mean now.

    `review_reasons` are the reasons to wait for a person; without any, the run may be adopted by itself.
    """

    stage: Stage
    ledger: StageChanges
    items: tuple[AdoptionItem, ...]
    review_reasons: tuple[ReviewReason, ...]

    @property
    def open(self) -> tuple[AdoptionItem, ...]:
        """What could still be adopted, conflicts included."""
        return tuple(item for item in self.items if item.state in ("clean", "merged", "conflict"))


class Adopted(Struct, frozen=True):
    """What was done: the version (`None` if nothing had to be), the names adopted, and those that still wait."""

    version: str | None
    names: tuple[str, ...]
    merged: tuple[str, ...]
    left: tuple[str, ...]


def plan(stage: Stage, workspace: Workspace) -> Adoption:
    """Look at what a stage would do to its folder as that is now. Writes nothing."""
    ledger = read_stage_changes(stage)
    leaving = {touched.old or touched.name for touched in ledger.touched if touched.kind in ("removed", "renamed")}
    store = _store(stage, workspace)
    items = tuple(AdoptionItem(one, tuple(_piece(stage, store, one, name, leaving) for name in one.names)) for one in
                  ledger.touched)  # fmt: skip
    results = {piece.name: piece.result for item in items for piece in item.pieces if piece.state != "conflict"}
    conflicts = tuple(item.touched.name for item in items if item.state == "conflict")
    refused = {item.touched.name: item.words for item in items if item.state == "refused"}
    return Adoption(
        stage,
        ledger,
        items,
        review_reasons(stage, ledger, results, conflicts, refused, workspace.pins.names(stage.folder)),
    )


def _piece(stage: Stage, store: Store, touched: ChangedFile, name: str, leaving: Collection[str]) -> Piece:
    gone = touched.kind == "removed" or name == touched.old
    mine = None if gone else staged(stage, name)
    verdict = check_path(stage.folder, name, op="write", actor="dream", leaving={one for one in leaving if one != name})
    if not verdict.allowed:
        return Piece(name, "refused", verdict.reason, mine, stage.base(name), None)
    try:
        found = store.read(verdict.name or name)
    except Refused as error:
        return Piece(name, "refused", error.message, mine, stage.base(name), None)
    disk = None if found is None else found[0]
    copied = stage.files.get(name)
    state, words, result = _judged(mine, None if copied is None else copied.digest, stage.base(name), disk)
    return Piece(name, state, words, mine, disk, result)


def _judged(
    mine: bytes | None, seen: str | None, base: bytes | None, disk: bytes | None
) -> tuple[State, str, bytes | None]:
    """What becomes of one name: the state, why, and the bytes."""
    if mine == disk:
        return "same", "the folder has it already", disk
    if seen == (None if disk is None else digest(disk)):
        return "clean", "nobody else changed it", mine
    if disk is None:
        return "conflict", "somebody deleted it meanwhile", None
    if mine is None:
        return "conflict", "somebody changed it meanwhile, the dream would delete it", None
    if seen is None:
        return "conflict", "somebody made a file of this name meanwhile", None
    if base is None:
        return "conflict", "somebody changed it meanwhile, and the copy of what it was is damaged", None
    merged = merge3(mine, base, disk)
    if merged.conflicts:
        return "conflict", "somebody changed the same lines meanwhile", merged.text
    return "merged", "somebody changed other lines meanwhile", merged.text


def adopt(
    stage: Stage,
    workspace: Workspace,
    names: Collection[str] | None = None,
    *,
    over: bool = False,
    before_write: Callable[[], None] | None = None,
) -> Adopted:
    """Put changes of a stage into its folder, all in one step and as one version.

    Args:
        names: Files to adopt, a rename by either of its names; everything that doesn't conflict if left out.
        over: Take the run's side of a conflict; what it replaces stays in the history.
        before_write: Called under the store's lock right before anything is replaced; what it raises stops the write.

    Raises:
        NotFound: If a name isn't among what the run changed.
        Conflict: If a named file conflicts and `over` is off, or one changed in this very moment.
        Refused: If a named file may not be written by a run, or memtui is read only.
        MemtuiError: As from `Store.apply`; nothing was written then.
    """
    if workspace.read_only:
        raise Refused("memtui was started with --read-only", hint="start it without --read-only to write")
    adoption = plan(stage, workspace)
    items = _chosen(adoption, names, over)
    changes = [_change(stage, piece) for item in items for piece in item.pieces if piece.state != "same"]
    saved = Saved(None)
    if changes:
        count = f"{len(items)} file{'s' * (len(items) != 1)}"
        saved = _store(stage, workspace).apply(
            changes,
            why=f"dream: {count} adopted",
            who=f"dream {stage.id}",
            kind="adopt",
            extra={"run": stage.id},
            before_write=before_write,
        )
    for item in items:
        if item.touched.old is not None:
            workspace.pins.rename(stage.folder, item.touched.old, item.touched.name)
    done = tuple(item.touched.name for item in items)
    left = tuple(item.touched.name for item in adoption.open if item.touched.name not in done)
    return Adopted(saved.operation.id if saved.operation is not None else None, done, saved.merged, left)


def _chosen(adoption: Adoption, names: Collection[str] | None, over: bool) -> list[AdoptionItem]:
    if names is None:
        return [item for item in adoption.open if over or item.state != "conflict"]
    found: list[AdoptionItem] = []
    for name in names:
        item = next((one for one in adoption.items if name in one.touched.names), None)
        if item is None:
            raise NotFound(f"the dream didn't change {name}", hint=f"memtui dream diff {adoption.stage.id}")
        if item.state == "refused":
            raise Refused(f"{name} isn't adopted: {item.words}")
        if item.state == "conflict" and not over:
            hint = "--over takes the dream's side, the other stays in the history"
            raise Conflict(f"{name} isn't adopted: {item.words}", hint=hint)
        if item not in found:
            found.append(item)
    return [item for item in found if item.state != "same"]


def _change(stage: Stage, piece: Piece) -> Change:
    """As the run saw the file; the store merges it. In a conflict that is overridden: as it is now."""
    if piece.state == "conflict":
        return Change(piece.name, piece.mine, None if piece.disk is None else digest(piece.disk), piece.disk)
    copied = stage.files.get(piece.name)
    return Change(piece.name, piece.mine, None if copied is None else copied.digest, stage.base(piece.name))


def _store(stage: Stage, workspace: Workspace) -> Store:
    """A store with a run's rights: nothing below `team/`."""
    trash = put_in_trash if workspace.trash else None
    return Store(stage.folder, workspace.dirs, now=workspace.now, actor="dream", trash=trash)


def differences(adoption: Adoption) -> Mapping[str, tuple[bytes | None, bytes | None]]:
    """What each name holds now and would hold, in the order of names; in a conflict, what the run wants."""
    return {
        piece.name: (piece.disk, piece.mine if piece.state in ("conflict", "refused") else piece.result)
        for item in adoption.items
        for piece in item.pieces
    }
