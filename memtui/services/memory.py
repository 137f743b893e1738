"""Topics, the index, pins, and the text of a file.

An action on topics is prepared first (`PreparedChange`), which reads and writes nothing, so that it can be shown; then
`apply` carries it out. A text that a person typed goes through `save_file`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from memtui.fs.atomic import digest
from memtui.fs.links import hard_links
from memtui.history.store import Change, Stale
from memtui.history.versions import Saved
from memtui.memory import moves, plans
from memtui.memory.budget import measure_index
from memtui.memory.checks.base import Problem
from memtui.memory.checks.expired import EXPIRY_FIELD, parse_day
from memtui.memory.checks.registry import is_certain
from memtui.memory.conflict_markers import line_list, marker_lines
from memtui.memory.frontmatter import TYPES, remove_field, set_field, type_of_name
from memtui.memory.index import INDEX_NAME, lost_entries, read_entries, same_name, set_description
from memtui.memory.plans import Plan, PlanBuilder, check_name, plan_fix
from memtui.memory.scope import Scope
from memtui.memory.snapshot import Snapshot
from memtui.memory.topic import MemoryFile, file_name
from memtui.memory.workspace import Workspace
from memtui.services.access import require_writable
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation, SaveConflict, SecretFound
from memtui.services.secrets import check_text
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from memtui.util.lazy_module import LazyModule
from memtui.util.text import first_lines, pluralize, sentence

if TYPE_CHECKING:
    from memtui.dream.rules import merge
else:  # with the rules that it needs 0.2 MB, for one command
    merge = LazyModule("memtui.dream.rules.merge")

__all__ = ["EXPIRY_FIELD", "check_name", "file_name"]

MAX_LOST_SHARE: Final = 0.5  # share of an index's entries that an edit may remove without a question
MAX_NAMES_LISTED: Final = 8

_IN_THE_HISTORY = "What it loses stays in the history."


class PreparedChange(Struct, frozen=True):
    """A change of memory files that is ready to be made, on a yes to `question` if there is one."""

    plan: Plan
    question: NeedsConfirmation | None = None
    typed: str = ""  # the file whose text a person typed: that becomes a draft if it can't be written
    focus: Path | None = None  # where a cursor goes
    then: tuple[Plan, ...] = ()  # carried out after `plan`, in other folders
    why: str = ""  # what all of it is called, as one operation


class Applied(Struct, frozen=True):
    """A change that was made: the plan as it was carried out, and what came of it."""

    plan: Plan
    saved: Saved


class SavedFile(Struct, frozen=True):
    """A file that was saved, with what it holds now; `not_loaded` counts the lines of an index past its limit."""

    path: Path
    name: str
    saved: Saved
    data: bytes
    not_loaded: int = 0

    @property
    def merged(self) -> bool:
        return bool(self.saved.merged)


SaveOutcome = SavedFile | SecretFound | SaveConflict | NeedsConfirmation
"""What became of a text: it is saved, or there is a question about it."""


def new_topic(
    snapshot: Snapshot, name: str, type: str | None = None, description: str = "", body: str = ""
) -> PreparedChange:
    """A new topic file, listed in the index; `UsageError` if type or name won't do, `Refused` if it is there."""
    kind = type or next((one for one in TYPES if name.startswith((f"{one}_", f"{one}-"))), None)
    if kind is None:
        raise UsageError("the type is missing", hint="--type user, feedback, project or reference")
    plan = plans.plan_new(snapshot, name.removesuffix(".md"), kind, description, body)
    made = next(change.name for change in plan.changes if change.name != INDEX_NAME)
    return PreparedChange(plan, typed=made if body else "", focus=plan.root / made)


def rename_topic(snapshot: Snapshot, file: MemoryFile, new: str) -> PreparedChange:
    """Another name for a topic; MEMORY.md and links are updated too. `snapshot` has to be a full one."""
    plan = plans.plan_rename(snapshot, file, new)
    return PreparedChange(plan, focus=plan.root / plan.renamed[0][1] if plan.renamed else file.path)


def delete_files(snapshot: Snapshot, files: Sequence[MemoryFile]) -> PreparedChange:
    """Delete topics and their entries; asked about. Needs a full snapshot; `Refused` if the index is among them."""
    if any(file.kind == "index" for file in files):
        raise Refused(f"{INDEX_NAME} is the index", hint="memtui index --rebuild makes it anew")
    plan = plans.plan_delete(snapshot, files)
    lines = [f"  {line}" for line in first_lines([file.name for file in files], MAX_NAMES_LISTED)]
    what = files[0].name if len(files) == 1 else f"{len(files)} files"
    question = NeedsConfirmation(f"Delete {what}?", (*lines, *plan.notes), yes="Delete", diff=plan.diff())
    return PreparedChange(plan, question)


def check_day(text: str) -> str:
    """What is wrong with a day that a person typed, "" if nothing is or there is none."""
    return "" if not text or parse_day(text) is not None else "a day is written as 2026-12-31"


def is_described_in_index(snapshot: Snapshot, file: MemoryFile, description: str) -> bool:
    """Whether the index describes a topic in other words than these: it keeps them if only the topic changes."""
    scope = snapshot.scope(file.scope)
    return (
        file.kind == "topic"
        and scope is not None
        and any(
            same_name(entry.target, file.name) and entry.description != description and not entry.more
            for entry in scope.entries
        )
    )


def set_fields(
    snapshot: Snapshot, files: Sequence[MemoryFile | Path], fields: Mapping[str, str | None], *, index: bool = False
) -> PreparedChange:
    """Give front matter fields a value; `None` or "" takes a field out. Every other byte stays.

    `files` are topics of one scope, or the path of one instruction file; `index`: a description is the entry's, too.
    `UsageError` if a value won't do, `Refused` if a file can't be edited.
    """
    kind = fields.get("type")
    if kind and kind not in TYPES:
        raise UsageError(f"type is {', '.join(TYPES)}, not {kind!r}")
    if complaint := check_day(fields.get(EXPIRY_FIELD) or ""):
        raise UsageError(f"{EXPIRY_FIELD}: {complaint}")
    if not files:
        raise NotFound("no file is chosen here")
    first = files[0]
    notes: list[str] = []
    if isinstance(first, Path):
        builder, names, only = PlanBuilder(first.parent), [first.name], frozenset({first.name})
    else:
        topics = [file for file in files if isinstance(file, MemoryFile)]
        scope = snapshot.scope(first.scope)
        if scope is None or any(file.scope != scope.id for file in topics):
            raise MemtuiError("these files are of several folders", hint="choose files of one folder")
        builder, only = PlanBuilder(scope.root), None
        notes = [f"{file.name} is no topic file: it stays" for file in topics if file.kind != "topic"]
        names = [file.name for file in topics if file.kind == "topic"]
        unreadable = next((file for file in topics if file.readonly and "UTF-8" in file.readonly), None)
        if unreadable is not None:
            raise Refused(f"{unreadable.name} opens read only: {unreadable.readonly}")
    for name in names:
        text = builder.text(name)
        for key, value in fields.items():
            text = set_field(text, key, value) if value else remove_field(text, key)
        builder.put(name, text)
        if index and "description" in fields and builder.exists(INDEX_NAME):
            entries = set_description(builder.text(INDEX_NAME), name, fields["description"] or "")
            builder.put(INDEX_NAME, entries)
        implied = type_of_name(name)
        if kind and implied not in (None, kind):
            notes.append(f"{name} still begins with {implied}: rename it if that is wrong")
    what = names[0] if len(names) == 1 else pluralize(len(names), "file")
    plan = builder.plan(f"set {', '.join(fields)} of {what}", notes, allow=only)
    return PreparedChange(plan, focus=plan.root / names[0] if names else None)


def merge_topics(snapshot: Snapshot, kept: MemoryFile, gone: MemoryFile) -> PreparedChange:
    """Merge a topic into another of its folder, links and entry too; asked about, with the result. As `plan_merge`."""
    plan = moves.plan_merge(snapshot, kept, gone, merge.merge_texts)
    title = f"Merge {gone.name} into {kept.name}?"
    lines = (f"{gone.name} goes; its lines, links and entry are in {kept.name} then.", *plan.notes)
    return PreparedChange(plan, NeedsConfirmation(title, lines, yes="Merge", diff=plan.diff()), focus=kept.path)


def merge_candidates(snapshot: Snapshot, file: MemoryFile) -> list[MemoryFile]:
    """The topics that can be merged into one: those of its folder, near-duplicates first."""
    near = {one.subject for one in snapshot.problems_of(file.path) if one.code == "near-duplicate"}
    near |= {one.file for one in snapshot.problems if one.code == "near-duplicate" and one.subject == file.name}
    scope = snapshot.scope(file.scope)
    others = [one for one in scope.topics if one.name != file.name and not one.readonly] if scope is not None else []
    return sorted(others, key=lambda one: one.name not in near)


def promotion_scopes(snapshot: Snapshot, file: MemoryFile) -> tuple[Scope, ...]:
    """The scopes that a topic may move to: those that exist."""
    return moves.promotion_scopes(snapshot, file)


def promote_topic(snapshot: Snapshot, file: MemoryFile, scope: str) -> PreparedChange:
    """Move a topic to another scope; asked about, with what leads nowhere then and who sees it. As `plan_promotion`."""
    plan, then = moves.plan_promotion(snapshot, file, scope)
    lines = [*plan.notes, *(then.notes if then is not None else ())]
    if scope == "team" or scope.startswith("agent:project:"):
        lines.insert(0, "That folder is shared: everybody who has the repository reads it.")
    title = f"Move {file.name} to {scope}?"
    diff = plan.diff() + (then.diff() if then is not None else "")
    question = NeedsConfirmation(title, tuple(lines), yes="Move", diff=diff)
    return PreparedChange(plan, question, then=() if then is None else (then,), why=f"move {file.name} to {scope}")


def raise_entry(snapshot: Snapshot, file: MemoryFile) -> PreparedChange:
    """Move the index entry of a topic above the cut, so that it is loaded. `NotFound` if the index doesn't list it."""
    return PreparedChange(moves.plan_above_cut(snapshot, file), focus=file.path)


def is_below_cut(change: PreparedChange) -> bool:
    """Whether a change leaves the index entry of its file where it isn't loaded."""
    index = next((one.data for one in change.plan.changes if one.name == INDEX_NAME), None)
    if index is None or change.focus is None:
        return False
    text = index.decode("utf-8", "replace")
    lost = lost_entries(read_entries(text, measure_index(text)))
    return any(change.plan.root / entry.target == change.focus for entry in lost)


def add_to_index(snapshot: Snapshot, files: Sequence[MemoryFile]) -> PreparedChange:
    """List topics in the index, under a heading of their type where there is one."""
    return PreparedChange(plans.plan_add_to_index(snapshot, files))


def tidy_index(workspace: Workspace, snapshot: Snapshot, *, scope: str = "auto") -> PreparedChange:
    """Shorten the index to 70 % of its limits, pinned and most useful entries first; asked about."""
    return _rewritten(plans.plan_tidy(snapshot, scope=scope, pinned=_pinned(workspace, scope)))


def rebuild_index(workspace: Workspace, snapshot: Snapshot, *, scope: str = "auto") -> PreparedChange:
    """Make the index anew from the topic files; asked about."""
    return _rewritten(plans.plan_tidy(snapshot, scope=scope, pinned=_pinned(workspace, scope), rebuild=True))


def split_index(snapshot: Snapshot, *, scope: str = "auto") -> PreparedChange:
    """Make sections of the index topics, named by their headings, until it fits; every entry stays. Asked about."""
    return _rewritten(plans.plan_split(snapshot, scope=scope))


def fix_problem(workspace: Workspace, snapshot: Snapshot, problem: Problem) -> PreparedChange:
    """Fix a problem; asked about where that is not certain. `MemtuiError` if only a person can, or the file changed."""
    plan = plan_fix(snapshot, problem, pinned=workspace.pinned)
    return PreparedChange(plan) if is_certain(problem) else _rewritten(plan)


def fixed_text(workspace: Workspace, snapshot: Snapshot, problem: Problem, text: str) -> str:
    """An unsaved text of the problem's file with the fix in it; `Refused` if the fix changes other files, too."""
    plan = plan_fix(snapshot, problem, pinned=workspace.pinned, text=text)
    others = [change.name for change in plan.changes if change.name != problem.file]
    if others or plan.renamed:
        raise Refused(f"this fix changes {', '.join(others)}, too", hint="save, and f in the list does it")
    data = next((change.data for change in plan.changes), None)
    return text if data is None else data.decode("utf-8", "surrogateescape")


def _pinned(workspace: Workspace, scope: str) -> frozenset[str]:
    return workspace.pinned if scope == "auto" else frozenset()


def _rewritten(plan: Plan) -> PreparedChange:
    title = sentence(plan.title)
    return PreparedChange(plan, NeedsConfirmation(f"{title}?", plan.notes, yes=title, diff=plan.diff()))


def apply(
    workspace: Workspace, change: PreparedChange, allow: Allow = NOTHING_YET
) -> Applied | NeedsConfirmation | SecretFound:
    """Make a prepared change as one operation; `Refused` or `Conflict` if nothing could be written."""
    require_writable(workspace)
    plan = change.plan
    if not plan.changes and not change.then:
        return Applied(plan, Saved(None))
    typed = next((one for one in plan.changes if one.name == change.typed), None)
    cut = _cut_hard_links([plan.root / one.name for one in plan.changes if one.data is not None])
    if change.question is not None and not allow.confirmed:
        return replace(change.question, lines=change.question.lines + (cut.lines if cut is not None else ()))
    if cut is not None and not allow.confirmed:
        return cut
    checked: list[Change] = []
    for one in plan.changes:
        if one.data is not None:
            data = check_text(workspace.dirs, one.name, plan.before.values(), one.data, allow)
            if isinstance(data, SecretFound):
                kept = typed is not None and _keep_typed(workspace, plan, typed)
                return replace(data, draft_kept=kept)
            one = replace(one, data=data)
        checked.append(one)
    plan = replace(plan, changes=tuple(checked))
    try:
        if change.then:
            saved = workspace.carry_out_together([plan, *change.then], kind="move", why=change.why)
        else:
            saved = workspace.carry_out(plan)
    except MemtuiError as error:
        if isinstance(error, Stale):
            error.hint = "look again and repeat it"
        if typed is not None:
            _say_kept(error, typed.name, kept=_keep_typed(workspace, plan, typed))
        raise
    if typed is not None:
        workspace.drafts.drop(plan.root / typed.name)
    return Applied(plan, saved)


def _keep_typed(workspace: Workspace, plan: Plan, typed: Change) -> bool:
    return keep_draft(workspace, plan.root / typed.name, typed.data or b"", typed.base)


class Pinned(Struct, frozen=True):
    """What was pinned or unpinned, and all that is pinned now: names in the memory folder."""

    names: tuple[str, ...]
    pinned: bool
    listed: tuple[str, ...]


def pin_files(workspace: Workspace, paths: Sequence[Path], pinned: bool | None = None) -> Pinned:
    """Pin files of the memory folder, so that no background run may touch them; unpin them if all are pinned."""
    require_writable(workspace)
    folder = workspace.location.folder
    outside = next((path for path in paths if not path.is_relative_to(folder)), None)
    if outside is not None:
        raise Refused(f"{outside.name} is not in the memory folder: only that has pins")
    names = tuple(path.relative_to(folder).as_posix() for path in paths)
    wanted = not set(names) <= workspace.pinned if pinned is None else pinned
    return Pinned(names, wanted, tuple(sorted(workspace.pins.pin(folder, names, wanted))))


def save_file(
    workspace: Workspace, path: Path, data: bytes, base: str | None, *, base_data: bytes | None = None, why: str = "",
    allow: Allow = NOTHING_YET,
) -> SaveOutcome:  # fmt: skip
    """Write a file that a person edited, merged with what others changed meanwhile.

    Whatever comes back but `SavedFile`, and whatever is raised, the text is kept as a draft, and it is said whether it
    really is. In read-only mode no draft is made.

    Args:
        base: Digest of the content that the person started from; `None` for a new file.
        base_data: That content, if it is still at hand.
        why: One line for the history; "edit NAME" if left out.
    """
    require_writable(workspace)
    try:
        _, name = workspace.home_of(path)
        disk = text_on_disk(workspace, path)
        started = base_data if base_data is not None else workspace.known_text(base)
        known = [text for text in (disk, started) if text is not None]
        text = check_text(workspace.dirs, name, known, data, allow)
        if isinstance(text, SecretFound):
            return replace(text, draft_kept=keep_draft(workspace, path, data, base))
        question = None if allow.confirmed else _doubt(name, known, text) or _cut_hard_links([path])
        if question is not None:
            return replace(question, draft_kept=keep_draft(workspace, path, data, base))
        saved = workspace.save(path, text, base, base_data=base_data, why=why)
    except Stale as stale:
        return SaveConflict(
            path, stale.name, stale.message, stale.mine or b"", stale.base, stale.disk, stale.merged,
            keep_draft(workspace, path, data, base),
        )  # fmt: skip
    except MemtuiError as error:
        _say_kept(error, path.name, kept=keep_draft(workspace, path, data, base))
        raise
    workspace.drafts.drop(path)
    held = (text_on_disk(workspace, path) or text) if saved.merged else text
    return SavedFile(path, name, saved, held, _not_loaded(name, held))


def _cut_hard_links(paths: Sequence[Path]) -> NeedsConfirmation | None:
    """Asked before a save that replaces a file with further names on the disk: those keep the old text."""
    counts = {path.name: hard_links(path) for path in paths}
    linked = {name: count for name, count in counts.items() if count}
    if not linked:
        return None
    lines = tuple(
        f"{name} has {pluralize(count, 'other name')} on the disk (hard links); a save leaves the old text there."
        for name, count in linked.items()
    )
    return NeedsConfirmation(f"Save {', '.join(linked)} apart from its hard links?", lines, yes="Save")


def _doubt(name: str, before: Sequence[bytes], after: bytes) -> NeedsConfirmation | None:
    """What a person may not have meant: a text or an index that loses all or most, conflict markers left in it."""
    if name.rpartition("/")[2] == INDEX_NAME and before:
        was, now = _count_entries(before[0]), _count_entries(after)
        if was and (not now or was - now > was * MAX_LOST_SHARE):
            lines = (f"Entries now: {was}, then: {now}.", _IN_THE_HISTORY)
            much = "most" if now else "all"
            return NeedsConfirmation(f"Save {name} though it loses {much} of its entries?", lines, yes="Save")
    if before and before[0].strip() and not after.strip():
        lines = (f"It has {pluralize(len(before[0].splitlines()), 'line')} on disk.", _IN_THE_HISTORY)
        return NeedsConfirmation(f"Save {name} though nothing is left of it?", lines, yes="Save")
    found = _marker_lines(after)
    if found and not any(map(_marker_lines, before)):
        markers = f"Conflict markers in {line_list(found)}."
        return NeedsConfirmation(f"Save {name} with an open conflict in it?", (markers,), yes="Save")
    return None


def _marker_lines(data: bytes) -> tuple[int, ...]:
    return marker_lines(data.decode("utf-8", "replace"))


def _count_entries(data: bytes) -> int:
    return len(read_entries(data.decode("utf-8", "replace")))


def _not_loaded(name: str, data: bytes) -> int:
    is_index = name.rpartition("/")[2] == INDEX_NAME
    return measure_index(data.decode("utf-8", "replace")).lost_lines if is_index else 0


def text_on_disk(workspace: Workspace, path: Path) -> bytes | None:
    """What a file holds now; `None` if it isn't there."""
    try:
        return workspace.text(path)[0]
    except NotFound:
        return None


Decision = Literal["drop", "copy", "write"]
"""What becomes of a conflict: the disk's text stays; mine goes into a file beside it; a chosen text is written."""


def resolve_conflict(
    workspace: Workspace, conflict: SaveConflict, decision: Decision, text: bytes = b"", *, allow: Allow = NOTHING_YET
) -> SaveOutcome:
    """Carry out what the person decided on a conflict; results and errors as for `save_file`.

    "drop" puts mine into the history only, "copy" writes it into NAME.local.md, "write" writes `text`.
    """
    require_writable(workspace)
    path, disk = conflict.path, conflict.disk
    if decision == "write":
        base = None if disk is None else digest(disk)
        why = f"merge {conflict.name}"
        return save_file(workspace, path, text, base, base_data=disk, why=why, allow=allow)
    if decision == "copy":
        copy = path.with_name(f"{path.stem}.local.md")
        why = f"keep my text of {conflict.name} beside it"
        done = save_file(workspace, copy, conflict.mine, None, base_data=conflict.base, why=why, allow=allow)
        if isinstance(done, SavedFile):
            workspace.drafts.drop(path)
        return done
    workspace.remember(path, conflict.mine, f"dropped text of {conflict.name}")
    workspace.drafts.drop(path)
    return SavedFile(path, conflict.name, Saved(None), disk or b"", _not_loaded(conflict.name, disk or b""))


def conflict_with_disk(workspace: Workspace, path: Path, name: str, mine: bytes, base: str | None) -> SaveConflict:
    """A text that is being edited against what is on disk, for a comparison before anything was saved."""
    disk = text_on_disk(workspace, path)
    known = workspace.known_text(base)
    return SaveConflict(path, name, f"{name} differs from the disk", mine, known, disk)


def keep_draft(workspace: Workspace, path: Path, data: bytes, base: str | None) -> bool:
    """Keep a text that could not be saved as the draft of a file; whether it really is kept."""
    try:
        workspace.drafts.save(path, data.decode("utf-8", "surrogateescape"), base)
    except MemtuiError:
        return False
    return True


def keep_merged_draft(workspace: Workspace, conflict: SaveConflict) -> bool:
    """Let the draft of a conflict hold both texts with marks where they overlap, for an editor that can't compare."""
    if conflict.merged is None or conflict.disk is None:
        return conflict.draft_kept
    return keep_draft(workspace, conflict.path, conflict.merged, digest(conflict.disk))


def _say_kept(error: MemtuiError, name: str, *, kept: bool) -> None:
    error.hint = draft_hint(name) if kept else "the text is not kept anywhere: copy it elsewhere"


def draft_hint(name: str) -> str:
    """What to say of a text that is kept as a draft."""
    return f"the text is kept as a draft: memtui edit {name} continues with it"
