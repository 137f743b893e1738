"""Planning what a stage would do to the memory folder, and doing it as one version of the history."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.dream.gates.session_mark import unread_since
from memtui.dream.gates.sessions import sessions_since
from memtui.dream.review.meaning import EarlierChange, Terms, all_tokens
from memtui.dream.review.review_rules import BROKEN_CODES, ReviewInput, decoded, review_reasons
from memtui.dream.run.events import Held, WriteFailed, read_events
from memtui.dream.run.stage import Stage, why_not_copied
from memtui.dream.run.stage_changes import StageChanges, StagedChange, read_stage_changes, read_staged
from memtui.fs.atomic import digest
from memtui.fs.boundary import check_path
from memtui.history.merge import merge3
from memtui.history.store import Change, Store
from memtui.history.trash import put_in_trash
from memtui.history.versions import Saved
from memtui.memory.checks.base import Problem
from memtui.memory.checks.registry import check_folder
from memtui.memory.links import Graph
from memtui.memory.scope import OWN_SCOPES, read_scope
from memtui.memory.workspace import Workspace
from memtui.transcripts.digest import person_prompts
from memtui.util.diff import count_hunks, take_hunks, unified_diff
from memtui.util.errors import Conflict, NotFound, Refused, UsageError
from memtui.util.text import pluralize

AdoptionState = Literal["clean", "merged", "conflict", "same", "refused"]

HUNK_CONTEXT = 1
"""Lines around a hunk that can be adopted by itself: with the usual 3 all changes of a short topic would be one."""
LOSS_DAYS = 7  # what runs lost in so many days adds up
MAX_PROMPT_SESSIONS = 200
"""Sessions in which the prompts behind a `user` or `feedback` topic are looked for, the newest first."""

_SEVERITY: tuple[AdoptionState, ...] = ("same", "clean", "merged", "conflict", "refused")


class PlannedFile(Struct, frozen=True):
    """One file name of an item, with the texts: `None` for no file."""

    name: str
    state: AdoptionState
    words: str
    mine: bytes | None  # the run's text
    disk: bytes | None  # the present one
    result: bytes | None  # what the folder would hold; with marks in a conflict, `None` where no merge makes sense


class AdoptionItem(Struct, frozen=True):
    """One change of the run, with its file, or both files of a rename: the worst of their states is its own."""

    touched: StagedChange
    files: tuple[PlannedFile, ...]

    @property
    def state(self) -> AdoptionState:
        return max((file.state for file in self.files), key=_SEVERITY.index)

    @property
    def words(self) -> str:
        return next(file.words for file in self.files if file.state == self.state)


class Adoption(Struct, frozen=True):
    """What adopting a stage would mean now; without any `review_reasons` it may be done unasked."""

    stage: Stage
    changes: StageChanges
    items: tuple[AdoptionItem, ...]
    review_reasons: tuple[Held, ...]

    @property
    def open(self) -> tuple[AdoptionItem, ...]:
        """What could still be adopted, conflicts included."""
        return tuple(item for item in self.items if item.state in ("clean", "merged", "conflict"))


class Adopted(Struct, frozen=True):
    """What was done, by name: adopted, of those merged, still waiting, and `partly`: some hunks, the rest waits."""

    version: str | None
    names: tuple[str, ...]
    merged: tuple[str, ...]
    left: tuple[str, ...]
    partly: tuple[str, ...] = ()


def plan_adoption(stage: Stage, workspace: Workspace) -> Adoption:
    """Compare a stage with its folder as that is now. Writes nothing."""
    changes = read_stage_changes(stage)
    leaving = {touched.old or touched.name for touched in changes.touched if touched.kind in ("removed", "renamed")}
    store = _store(stage, workspace)
    items = tuple(
        AdoptionItem(
            touched,
            tuple(_plan_file(stage, store, touched, name, leaving, workspace.own) for name in touched.names),
        )
        for touched in changes.touched
    )
    events = read_events(workspace.dirs.state / "runs" / stage.id / "events.jsonl")
    given = ReviewInput(
        stage,
        changes,
        results={file.name: file.result for item in items for file in item.files if file.state in ("clean", "merged")},
        conflicts=tuple(item.touched.name for item in items if item.state == "conflict"),
        refused={item.touched.name: item.words for item in items if item.state == "refused"},
        pinned=workspace.pins.names(stage.folder),
        failed_writes=tuple(f"{one.name}: {one.reason}" for one in events if isinstance(one, WriteFailed)),
        earlier=_earlier_changes(stage, workspace),
        problems=_new_problems(stage, changes, workspace.now()),
        prompts=lambda: _prompt_tokens(stage, workspace),
    )
    return Adoption(stage, changes, items, review_reasons(given))


def _earlier_changes(stage: Stage, workspace: Workspace) -> tuple[EarlierChange, ...]:
    """What other runs of the last `LOSS_DAYS` changed in this folder and nobody took back."""
    after = workspace.now() - LOSS_DAYS * 86_400
    store = workspace.store(stage.folder)
    history = store.history
    return tuple(
        {
            file.name: (decoded(history.before(one.id, file.name)), decoded(history.read(one.id, file.name)))
            for file in one.files
        }
        for one in takewhile(lambda one: one.when >= after, store.operations())
        if one.kind == "adopt" and not one.undone and (one.extra or {}).get("run") != stage.id
    )


def _new_problems(stage: Stage, changes: StageChanges, now: float) -> tuple[Problem, ...]:
    """What the checks find in the stage and not in the copied folder: errors, and what breaks the index or links."""
    renamed = {one.old: one.name for one in changes.touched if one.old is not None}
    known = {_key(one, renamed) for one in _problems(stage.path / "base", (), now)}
    gone = {one.name for one in changes.touched if one.kind == "removed"} | renamed.keys()
    return tuple(
        one
        for one in _problems(stage.root, gone, now)
        if (one.severity == "error" or one.code in BROKEN_CODES) and _key(one, {}) not in known
    )


def _key(problem: Problem, renamed: Mapping[str, str]) -> tuple[str, ...]:
    """By what a problem is the same after a run: it goes along with a renamed file, a dead link with its line."""
    if problem.code == "dead-link":
        return problem.code, problem.subject
    return problem.code, *(renamed.get(name, name) for name in (problem.file, problem.subject))


def _problems(root: Path, gone: Collection[str], now: float) -> tuple[Problem, ...]:
    """Check a copy of the folder; `gone` are files that were left blank, which deletes them."""
    scope = read_scope(root, "auto", "memory", full=True, skip=OWN_SCOPES)
    scope = replace(scope, files=tuple(file for file in scope.files if file.name not in gone))
    return check_folder(scope, Graph(scope), {}, now, compare=False)


def _prompt_tokens(stage: Stage, workspace: Workspace) -> Terms:
    """The tokens of what persons typed in the sessions that the run could read."""
    after = unread_since(workspace, workspace.now()) or 0.0
    tokens: set[str] = set()
    for session in sessions_since(workspace.location, workspace.env, after)[:MAX_PROMPT_SESSIONS]:
        for prompt in person_prompts(session.path):
            tokens |= all_tokens(prompt)
    return frozenset(tokens)


def _plan_file(
    stage: Stage, store: Store, touched: StagedChange, name: str, leaving: Collection[str], own: Sequence[Path]
) -> PlannedFile:
    gone = touched.kind == "removed" or name == touched.old
    mine = None if gone else read_staged(stage, name)
    others = {one for one in leaving if one != name}
    verdict = check_path(stage.folder, name, op="write", actor="dream", leaving=others, follow=True)
    reason = "" if verdict.allowed else verdict.reason
    if verdict.name is not None and (stage.folder / verdict.name).is_symlink():
        reason = why_not_copied(stage.folder, verdict.name, own)
        if not reason and mine is None:
            reason = "a link, which memtui neither removes nor renames"
    if reason:
        return PlannedFile(name, "refused", reason, mine, stage.base(name), None)
    try:
        found = store.read(verdict.name or name)
    except Refused as error:
        return PlannedFile(name, "refused", error.message, mine, stage.base(name), None)
    disk = None if found is None else found[0]
    copied = stage.files.get(name)
    state, words, result = _decide(mine, None if copied is None else copied.digest, stage.base(name), disk)
    return PlannedFile(name, state, words, mine, disk, result)


def _decide(
    mine: bytes | None, seen: str | None, base: bytes | None, disk: bytes | None
) -> tuple[AdoptionState, str, bytes | None]:
    """Decide one file: its state, why, and the resulting bytes. `seen` is the digest of what the run copied."""
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
    if merged.text == mine:
        return "clean", "a part of it is there already", mine
    return "merged", "somebody changed other lines meanwhile", merged.text


def adopt_stage(
    stage: Stage,
    workspace: Workspace,
    names: Collection[str] | None = None,
    *,
    over: bool = False,
    before_write: Callable[[], None] | None = None,
) -> Adopted:
    """Write changes of a stage to its folder as one version: `names`, a rename by either, or all that doesn't conflict.

    `over` takes the run's side of a conflict. `before_write` is called under the store's lock right before anything is
    replaced; what it raises stops the write. Raises `NotFound` if the run didn't change a file, `Conflict` if one
    conflicts or changed just now, `Refused`, or `MemtuiError` as from `Store.apply`; nothing was written then.
    """
    workspace.check_writable()
    adoption = plan_adoption(stage, workspace)
    items = _select(adoption, names, over)
    changes = [_change(stage, file) for item in items for file in item.files if file.state != "same"]
    saved = Saved(None)
    if changes:
        why = f"dream: {pluralize(len(items), 'file')} adopted"
        saved = _store(stage, workspace).apply(
            changes, why=why, who=f"dream {stage.id}", kind="adopt", extra={"run": stage.id}, before_write=before_write
        )
    for item in items:
        if item.touched.old is not None:
            workspace.pins.rename(stage.folder, item.touched.old, item.touched.name)
    done = tuple(item.touched.name for item in items)
    left = tuple(item.touched.name for item in adoption.open if item.touched.name not in done)
    return Adopted(saved.operation.id if saved.operation is not None else None, done, saved.merged, left)


def adopt_hunks(
    stage: Stage, workspace: Workspace, name: str, numbers: Collection[int], *, over: bool = False, shown: str = ""
) -> Adopted:
    """Write some hunks of one file's difference to the folder, as one version; with all of them it is adopted whole.

    Hunks are those of `unified_diff` with `HUNK_CONTEXT` between the present text and the planned one, from 1. The
    stage stays as it is: what is left is found by merging once more, and an undo offers everything again. Raises as
    `adopt_stage`; `UsageError` for a wrong number or a renamed file; `Conflict` if the difference isn't as `shown`.
    """
    workspace.check_writable()
    adoption = plan_adoption(stage, workspace)
    items = _select(adoption, [name], over)
    if not items:
        raise NotFound(f"nothing is left to adopt of {name}", hint=f"memtui dream diff {stage.id}")
    item, file = items[0], items[0].files[-1]
    if len(item.files) > 1:
        raise UsageError(f"{name} is renamed: it is adopted whole", hint=f"memtui dream adopt {stage.id} {name}")
    target = planned_texts(adoption)[file.name][1]
    count = count_hunks(file.disk, target, context=HUNK_CONTEXT)
    if shown and unified_diff(file.disk, target, file.name, context=HUNK_CONTEXT) != shown:
        raise Conflict(f"{name} changed meanwhile: nothing was written", hint="look at its difference again")
    wrong = sorted(number for number in set(numbers) if not 0 < number <= count)
    if wrong or not numbers:
        raise UsageError(
            f"{name} has {pluralize(count, 'hunk')}" + (f", no hunk {wrong[0]}" if wrong else ""),
            hint=f"memtui dream diff {stage.id} {name} numbers them",
        )
    if len(set(numbers)) == count:
        return adopt_stage(stage, workspace, [name], over=over)
    data = take_hunks(file.disk, target, numbers, context=HUNK_CONTEXT)
    change = Change(file.name, data, None if file.disk is None else digest(file.disk), file.disk)
    why = f"dream: {len(set(numbers))} of {pluralize(count, 'hunk')} of {file.name} adopted"
    saved = _store(stage, workspace).apply(
        [change], why=why, who=f"dream {stage.id}", kind="adopt", extra={"run": stage.id}
    )
    left = tuple(one.touched.name for one in adoption.open)
    return Adopted(saved.operation.id if saved.operation else None, (), saved.merged, left, (item.touched.name,))


def _select(adoption: Adoption, names: Collection[str] | None, over: bool) -> list[AdoptionItem]:
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


def _change(stage: Stage, file: PlannedFile) -> Change:
    """The change as the run saw the file, so that the store merges it; where nothing is to be merged as it is now."""
    if file.state in ("conflict", "clean"):
        return Change(file.name, file.mine, None if file.disk is None else digest(file.disk), file.disk)
    copied = stage.files.get(file.name)
    return Change(file.name, file.mine, None if copied is None else copied.digest, stage.base(file.name))


def _store(stage: Stage, workspace: Workspace) -> Store:
    """A store with a run's rights: it writes nothing below `team/`."""
    trash = put_in_trash if workspace.trash else None
    return Store(stage.folder, workspace.dirs, now=workspace.now, actor="dream", trash=trash, own=workspace.own)


def planned_texts(adoption: Adoption) -> Mapping[str, tuple[bytes | None, bytes | None]]:
    """The present and the planned text of each file, by name; in a conflict the run's text."""
    return {
        file.name: (file.disk, file.mine if file.state in ("conflict", "refused") else file.result)
        for item in adoption.items for file in item.files
    }  # fmt: skip
