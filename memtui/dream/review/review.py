"""What a person does with a run that has ended: adopt it or parts of it, discard it, restore what it changed."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.dream.gates.session_mark import mark_sessions_read
from memtui.dream.lock.lock import DreamLock
from memtui.dream.review.adoption import Adopted, Adoption, adopt_hunks, adopt_stage, plan_adoption, planned_texts
from memtui.dream.review.claim import Claim
from memtui.dream.review.claims import find_claims
from memtui.dream.review.decisions import adopted_operations, is_adoption_unfinished, unrecorded_adoptions
from memtui.dream.review.review_rules import LEARNING_DREAMS, decoded
from memtui.dream.run.events import Decided, EventLog, Held
from memtui.dream.run.runs import Run, decisions_of, is_expired, list_runs, run_state
from memtui.dream.run.stage import STAGE_RETENTION_S, Stage, discard_stage, has_stage, open_stage
from memtui.dream.run.stage_changes import read_staged
from memtui.fs.atomic import digest
from memtui.fs.lock import file_lock
from memtui.history.store import Change
from memtui.history.versions import Saved
from memtui.memory.scope import OWN_SCOPES, read_scope
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from memtui.util.config import read_config
from memtui.util.errors import Conflict, MemtuiError, NotFound
from memtui.util.text import pluralize


class FileVersions(Struct, frozen=True):
    """A file before the run, as the run made it, and as it is in the folder now; `None` for no file."""

    before: bytes | None
    made: bytes | None
    now: bytes | None


def stage_for_review(run: Run, dirs: Dirs) -> Stage:
    """Open the stage of an ended run; raises `Conflict` if it still runs, `NotFound` if nothing of it is left."""
    state = run_state(run)
    if state.word == "running":
        raise Conflict(f"the dream {run.id} still runs", hint="memtui dream watch follows it, memtui kill ends it")
    if not has_stage(dirs, run.id) and state.end is not None and state.end.how == "held":
        decided, hint = decisions_of(run), "memtui dream now starts a new one"
        for word in ("adopted", "discarded"):
            if word in decided:
                raise NotFound(f"the dream {run.id} was {word} already", hint="memtui dream log lists the dreams")
        words = f"nobody reviewed it for {STAGE_RETENTION_S // 86_400} days"
        raise NotFound(f"the dream {run.id} expired: {words}, and its drafts are gone", hint=hint)
    return open_stage(dirs, run.id)


POLICY_RULES = ("review", "learning")  # the rules of `policy_reason`: they hold a run whatever it did


class ReviewPolicy(Struct, frozen=True):
    """What happens to a dream without a reason to wait."""

    setting: str
    layer: str = "default"  # where the setting comes from: "config.toml" or "default"
    judged: int = 0  # dreams of the project that were adopted, in part too, or discarded; counted with "learning"
    first: int = LEARNING_DREAMS

    @property
    def waits(self) -> bool:
        return self.setting == "always" or (self.setting == "learning" and self.judged < self.first)


def review_policy(folder: Path, dirs: Dirs, workspace: Workspace) -> ReviewPolicy:
    config = read_config(dirs.config)
    setting, layer = config["dream_review"], config.layer("dream_review")
    if setting != "learning":
        return ReviewPolicy(setting, layer)
    operations = workspace.store(folder).operations()
    judged = {(one.extra or {}).get("run") for one in operations if one.kind == "adopt"}
    judged |= {run.id for run in list_runs(dirs, folder) if {"adopted", "discarded"} & decisions_of(run)}
    return ReviewPolicy(setting, layer, len(judged - {None}))


def policy_reason(run: Run, dirs: Dirs, workspace: Workspace) -> Held | None:
    """The reason for which a run waits whatever it did: it was asked for, or the setting `dream_review` says so."""
    if run.adopt == "review":
        return Held(rule="review", words="you asked to review it (--review)")
    policy = review_policy(run.folder, dirs, workspace)
    if not policy.waits:
        return None
    if policy.setting == "always":
        return Held(rule="review", words="every dream waits for review (dream_review is always)")
    words = f"the first {policy.first} dreams of a project wait for review, {policy.judged} are judged so far"
    return Held(rule="learning", words=f"{words} (dream_review is learning)")


class SomeHunks(Struct, frozen=True):
    """Hunks of one file, numbered from 1; `shown` is the difference that the person saw ("" for any)."""

    name: str
    numbers: frozenset[int]
    shown: str = ""


def adopt_run(
    run: Run,
    dirs: Dirs,
    workspace: Workspace,
    names: Collection[str] | None = None,
    *,
    over: bool = False,
    hunks: SomeHunks | None = None,
) -> Adopted:
    """Adopt what a run's stage holds, the named files of it, or some `hunks` of one file.

    Once nothing is left to adopt, the stage is removed and a held run counts as the last consolidation. Raises as
    `stage_for_review`, `adopt_stage` and `adopt_hunks`.
    """
    with _deciding(run):
        stage = stage_for_review(run, dirs)
        if hunks is not None:
            done = adopt_hunks(stage, workspace, hunks.name, hunks.numbers, over=over, shown=hunks.shown)
        else:
            done = adopt_stage(stage, workspace, names, over=over)
        if done.names or done.partly:
            decided = Decided(
                what="adopted", names=done.names, version=done.version or "", partly=done.partly, left=len(done.left)
            )
            _record_adoption(run, dirs, workspace, decided)
    return done


def _deciding(run: Run) -> AbstractContextManager[None]:
    """Keep other processes from taking an adoption that is under way for one that was stopped."""
    return file_lock(run.path / "decide.lock")


def _record_adoption(run: Run, dirs: Dirs, workspace: Workspace, decided: Decided) -> None:
    """Record what was adopted, and end the run if nothing is left. What the disk refuses now, the next look does."""
    end = run_state(run).end
    if not decided.left and end is not None and end.how == "held" and not run.dry_run and run.reads_sessions:
        # The lock's mtime becomes now, unless a dream is running: that one will set it.
        lock = DreamLock(run.folder, dirs, run=run.id, now=workspace.now)
        with suppress(MemtuiError, OSError):
            lock.take()
            lock.release()
        with suppress(OSError):
            mark_sessions_read(workspace, run.at, workspace.now())
    with suppress(OSError):
        EventLog(run.events, now=workspace.now).add(decided, sync=True)
        if not decided.left:
            discard_stage(dirs, run.id)


def finish_adoption(run: Run, dirs: Dirs, workspace: Workspace) -> bool:
    """Record an adoption that was stopped, if there is one; whether there was. Needs a recovered history."""
    with _deciding(run):
        if not is_adoption_unfinished(run, dirs, workspace):
            return False
        missing = unrecorded_adoptions(run, workspace)
        if not missing:
            discard_stage(dirs, run.id)
        for operation in missing:
            names = tuple(change.name for change in operation.files)
            left = len(plan_adoption(open_stage(dirs, run.id), workspace).open)
            decided = Decided(what="adopted", names=names, version=operation.id, left=left)
            _record_adoption(run, dirs, workspace, decided)
    return True


def discard_run(run: Run, dirs: Dirs, workspace: Workspace) -> None:
    """Discard a run's changes, or decide a held one whose drafts are gone; raises as `stage_for_review`."""
    if not is_expired(run, dirs):
        stage_for_review(run, dirs)
        discard_stage(dirs, run.id)
    EventLog(run.events, now=workspace.now).add(Decided(what="discarded", left=0), sync=True)


def texts_changed(run: Run, dirs: Dirs, workspace: Workspace) -> tuple[tuple[str, bytes | None, bytes | None], ...]:
    """What a run changed: name, text before and after, `None` for no file.

    While its stage is kept, what adopting it would do; then what was adopted, oldest first, a name once a version.
    """
    if has_stage(dirs, run.id):
        planned = planned_texts(plan_adoption(open_stage(dirs, run.id), workspace))
        return tuple((name, before, after) for name, (before, after) in planned.items())
    history = workspace.store(run.folder).history
    return tuple(
        (change.name, history.before(version.id, change.name), history.read(version.id, change.name))
        for version in reversed(adopted_operations(run, workspace))
        for change in version.files
    )


def claims_of_plan(adoption: Adoption) -> tuple[Claim, ...]:
    """What adopting a stage now would do to the memory claim by claim, lost ones first."""
    texts, stage = planned_texts(adoption), adoption.stage
    others = {name: stage.base(name) for name in stage.files if name not in texts}
    renamed = {item.touched.name: item.touched.old for item in adoption.items if item.touched.old is not None}
    return _claims(texts, others, renamed)


def claims_of_run(run: Run, dirs: Dirs, workspace: Workspace) -> tuple[Claim, ...]:
    """What a run does to the memory claim by claim; once its stage is gone, what was adopted beside the folder now."""
    if has_stage(dirs, run.id):
        return claims_of_plan(plan_adoption(open_stage(dirs, run.id), workspace))
    texts: dict[str, tuple[bytes | None, bytes | None]] = {}
    for name, before, after in texts_changed(run, dirs, workspace):
        texts[name] = (texts[name][0] if name in texts else before, after)
    if not texts:
        return ()
    store = workspace.store(run.folder)
    scope = read_scope(run.folder, "auto", "memory", full=False, skip=OWN_SCOPES)
    others = {file.name: (store.read(file.name) or (None,))[0] for file in scope.files if file.name not in texts}
    return _claims(texts, others, {})


def _claims(
    texts: Mapping[str, tuple[bytes | None, bytes | None]],
    others: Mapping[str, bytes | None],
    renamed: Mapping[str, str],
) -> tuple[Claim, ...]:
    both = {**texts, **{name: (text, text) for name, text in others.items()}}
    old, new = ({name: decoded(pair[side]) for name, pair in both.items() if pair[side] is not None} for side in (0, 1))
    return find_claims(old, new, renamed=renamed)


def versions_of_file(run: Run, dirs: Dirs, workspace: Workspace, name: str) -> FileVersions:
    """The versions of one file, by its present name, also of a run at work; `NotFound` if nothing is known of it."""
    found = workspace.store(run.folder).read(name)
    now = None if found is None else found[0]
    if has_stage(dirs, run.id):
        stage = open_stage(dirs, run.id)
        return FileVersions(stage.base(name), read_staged(stage, name), now)
    history = workspace.store(run.folder).history
    for version in adopted_operations(run, workspace):
        if any(change.name == name for change in version.files):
            return FileVersions(history.before(version.id, name), history.read(version.id, name), now)
    raise NotFound(f"nothing is known of what the dream {run.id} did to {name}")


def restore_plan(run: Run, workspace: Workspace, names: Collection[str] | None = None) -> tuple[Change, ...]:
    """Plan to bring files that a run changed, all or `names`, back to what they were, times included.

    The store keeps later edits. Raises `NotFound` if nothing of the run was adopted, or not this file.
    """
    made = [version for version in adopted_operations(run, workspace) if not version.undone]
    if not made:
        raise NotFound(f"nothing of the dream {run.id} is in the memory folder", hint="memtui history tells more")
    history = workspace.store(run.folder).history
    texts: dict[str, tuple[bytes | None, bytes | None]] = {}
    times: dict[str, int | None] = {}
    for version in made:  # newest first: the text after is that of the newest version, the text before of the oldest
        for change in version.files:
            after = texts[change.name][1] if change.name in texts else history.read(version.id, change.name)
            texts[change.name] = (history.before(version.id, change.name), after)
            times[change.name] = change.before_mtime_ns
    missing = [name for name in names or () if name not in texts]
    if missing:
        raise NotFound(f"the dream didn't change {missing[0]}", hint=f"memtui dream diff {run.id} lists what it did")
    return tuple(
        Change(name, before, None if after is None else digest(after), after, times[name])
        for name, (before, after) in texts.items()
        if names is None or name in names
    )


def restore_run(run: Run, workspace: Workspace, changes: Sequence[Change], *, over: Collection[str] = ()) -> Saved:
    """Carry out a `restore_plan` as one operation, even over later edits of `over`; `left` has what isn't restored."""
    workspace.check_writable()
    store = workspace.store(run.folder)
    made = list(changes)
    for at, change in enumerate(made):
        if change.name in over:  # made from what is there now, so that nothing overlaps
            data, seen = store.read(change.name) or (None, None)
            made[at] = replace(change, base=seen, base_data=data)
    why = f"restore {pluralize(len(made), 'file')} from before the dream {run.id}"
    return store.apply(made, why=why, kind="restore", extra={"before-run": run.id}, partial=True)
