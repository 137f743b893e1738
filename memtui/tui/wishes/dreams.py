"""Wishes about dreams: start one, stop one, see what it changed, adopt it or throw it away."""

import time

from textual.widgets import Input, TextArea

from memtui.base.errors import Conflict, NotFound, Refused
from memtui.base.text import many
from memtui.dream.adoption import Adopted
from memtui.dream.backends import choose
from memtui.dream.events import Ended
from memtui.dream.gates import LockState, lock_gate
from memtui.dream.kill import PATIENCE, Stopping, kill
from memtui.dream.lock import clear_stale_lock, holder_of, seen_lock
from memtui.dream.ready import FORCED, all_gates
from memtui.dream.recovery import lock_words
from memtui.dream.review import adopt_run, changes_of, discard_run, kept_stage, restore_plan, restore_run
from memtui.dream.runs import Run, list_runs, state_of
from memtui.dream.start import StartedRun, start_run
from memtui.dream.start import Wish as Start
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.question import Question
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.messages import Wish, Written
from memtui.tui.preview import diff
from memtui.tui.screens.editor import Editor
from memtui.tui.state import Dream
from memtui.tui.wishes.hands import Hands, merged_words

KINDS = {
    "reflect": ("1  Reflect", "merges what belongs together"),
    "prune": ("2  Prune", "removes what is certainly of no use"),
    "dry": ("3  Dry run", "reflects, adopts nothing: shows what it would do"),
}


class DreamWishes(Hands):
    """Everything that a key of the Dream view does with a run."""

    def dream(self, id: str) -> Dream:
        """A listed run.

        Raises:
            NotFound: If it is not listed any more.
        """
        listed = self.app.state.dreams if self.app.state else ()
        found = next((one for one in listed if one.run.id == id), None)
        if found is None:
            raise NotFound(f"the dream {id} is not listed any more", hint="R reads the runs again")
        return found

    def _may_write(self) -> None:
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only", hint="start it without --read-only to write")

    async def wish_dream_show(self, wish: Wish, typing: str = "") -> None:
        """Go to the run that is on or waits; `typing`: also from a text field, whose text stays as a draft."""
        if not typing and isinstance(self.app.focused, Input | TextArea):
            return
        if isinstance(self.app.screen, Editor):
            self.app.screen.leave()
        elif len(self.app.screen_stack) > 1:
            return
        pill = self.app.state.pill if self.app.state else None
        await self.app.show_dream(pill.run.id if pill is not None else "")

    async def wish_dream_now(self, wish: Wish) -> None:
        """Ask how, start the process of a run, and go to it."""
        self._may_write()
        workspace = self.workspace
        gates = await self.off(all_gates, workspace, workspace.dirs, workspace.now())
        closed = [gate for gate in gates if not gate.open]
        shut = next((f"{gate.name}: {gate.reason}" for gate in closed if gate.name not in FORCED), "")
        skipped = [gate.name for gate in closed if gate.name in FORCED]
        backend = await self.off(choose, None, "reflect", workspace, self.app.config)  # what can't work is said here
        explain = f"by hand: skips {', '.join(skipped)}" if skipped else "all gates are open"
        explain = f"{explain}\n{backend.name}: {backend.why}"
        options = [Option(kind, label, detail, shut) for kind, (label, detail) in KINDS.items()]
        kind = await self.app.push_screen_wait(
            Choose("Dream now", options, explain="" if shut else explain, digits=True)
        )
        if kind is None or shut:
            return
        mode = "reflect" if kind == "dry" else kind
        started = await self.off(self._begin, Start(mode, force=True, dry_run=kind == "dry"))
        await self.app.show_dream(started.id)
        self.app.dreams.again()

    def _begin(self, wish: Start) -> StartedRun:
        """Start the run's process; back once it has begun or ended.

        Raises:
            Conflict: If a gate stopped it.
            MemtuiError: If it can't be started.
        """
        workspace = self.workspace
        started = start_run(
            workspace.dirs, workspace.place.cwd, wish, environ=workspace.env.environ, now=workspace.now()
        )
        self.app.dreams.started(started)
        first = started.first(time.sleep)
        if isinstance(first, Ended) and first.how == "gate":
            raise Conflict(f"no dream: {first.reason}")
        return started

    async def wish_dream_stop(self, wish: Wish) -> None:
        """Stop the run that is on, end one that died, or clear a lock that nobody holds."""
        workspace = self.workspace
        run = await self.off(self._to_stop)
        if run is None:
            await self._clear_lock()
            return
        lines = await self.off(self._what_stopping_means, run)
        if await self.app.push_screen_wait(Question("Stop this dream?", lines, yes="Stop it", no="Keep running")):
            done = await self.off(kill, run, workspace.dirs, workspace)
            self.app.post_message(Written(_stopped_words(done)))

    def _to_stop(self) -> Run | None:
        listed = list_runs(self.workspace.dirs, self.workspace.place.folder)
        return next((run for run in listed if state_of(run).word != "ended"), None)

    def _what_stopping_means(self, run: Run) -> list[str]:
        workspace = self.workspace
        shown = next((one for one in (self.app.state.dreams if self.app.state else ()) if one.run.id == run.id), None)
        drafted = len(shown.progress.files) if shown is not None else 0
        alive = state_of(run).word == "running"
        entry = holder_of(run.folder, workspace.dirs)
        back = lock_words(entry.before, workspace.now()) if entry is not None and entry.run == run.id else ""
        process = f"process {run.process.pid}"
        return [
            f"{process}: SIGTERM, then SIGKILL after {PATIENCE:g} s" if alive else f"{process} is gone already",
            f"the memory folder stays as it is; {many(drafted, 'drafted change')} kept aside",
            f'"last dream" goes {back}' if back else '"last dream" goes back to what it was',
        ]

    async def _clear_lock(self) -> None:
        """Nothing of ours is on: a lock that somebody left behind can be removed."""
        workspace = self.workspace
        folder = workspace.place.folder
        lock: LockState = await self.off(seen_lock, folder, workspace.dirs)
        gate = lock_gate(lock, workspace.now())
        if lock.kind == "none":
            raise NotFound("no dream is on, and there is no lock")
        if not gate.open and lock.kind != "foreign":
            raise Conflict(f"no dream of ours is on: {gate.reason}", hint="it is not ours to end: end it where it runs")
        self._may_write()
        then = "After that nothing says when the last dream was, and the time gate is open."
        if await self.app.push_screen_wait(Question("Clear the lock?", [gate.reason, then], yes="Clear", no="Leave")):
            await self.off(clear_stale_lock, folder, workspace.dirs, workspace.now())
            self.app.post_message(Written(f"the lock is removed ({gate.reason})"))

    async def wish_dream_diff(self, wish: Wish, id: str) -> None:
        """What the run changes, or changed: all of it, or the one file."""
        dream = self.dream(id)
        names = self._names(dream, str(wish.paths[0])) if wish.paths else None
        text = await self.off(self._difference, dream.run, names)
        if not text:
            raise NotFound(f"the dream {id} changed nothing that is still known")
        notes = [f"waits: {held.words}" for held in dream.progress.held]
        await self.app.push_screen_wait(
            ShowDiff(str(wish.paths[0]) if wish.paths else f"dream {id}", text, notes=notes)
        )

    def _names(self, dream: Dream, name: str) -> tuple[str, ...]:
        """A touched file by all its names: a rename has two."""
        file = dream.progress.files.get(name)
        return (file.old, name) if file is not None and file.old else (name,)

    def _difference(self, run: Run, names: tuple[str, ...] | None = None) -> str:
        changes = changes_of(run, self.workspace.dirs, self.workspace)
        parts = [diff(before, after, name) for name, before, after in changes if names is None or name in names]
        return "\n".join(part for part in parts if part)

    async def wish_dream_adopt(self, wish: Wish, id: str) -> None:
        """Adopt the file under the cursor; in a conflict the dream's side, if the person says so."""
        self._may_write()
        if not wish.paths:
            raise NotFound("no file of the dream is under the cursor", hint="Tab goes to its files; Y adopts all")
        run, name = self.dream(id).run, str(wish.paths[0])
        opened = self.app.state.open_dream if self.app.state else None
        items = opened.items if opened is not None and opened.id == id else ()
        over = any(item.touched.name == name and item.state == "conflict" for item in items)
        if over:
            text = await self.off(self._difference, run, (name,))
            notes = ["conflict: somebody changed it meanwhile; what this replaces stays in the history"]
            if not await self.app.push_screen_wait(ShowDiff(name, text, notes=notes, yes="take the dream's side")):
                return
        done = await self.off(adopt_run, run, self.workspace.dirs, self.workspace, [name], over=over)
        self._adopted(done, left=0)

    async def wish_dream_adopt_all(self, wish: Wish, id: str) -> None:
        """Show all that the run drafted, and adopt it if the person says so; what conflicts is left."""
        self._may_write()
        run = self.dream(id).run
        await self.off(kept_stage, run, self.workspace.dirs)
        text = await self.off(self._difference, run)
        if await self.app.push_screen_wait(ShowDiff(f"Adopt all of dream {id}", text, yes="adopt all")):
            done = await self.off(adopt_run, run, self.workspace.dirs, self.workspace)
            self._adopted(done, left=len(done.left))

    def _adopted(self, done: Adopted, left: int) -> None:
        """Say what was adopted, and how many files could not be though they were wanted."""
        if not done.names:
            raise NotFound("nothing to adopt: the folder has all of it, or the rest conflicts")
        merged = f" (merged with what changed meanwhile: {', '.join(done.merged)})" if done.merged else ""
        what = done.names[0] if len(done.names) == 1 else many(len(done.names), "file")
        self.app.post_message(
            Written(
                f"adopted {what}{merged}; z takes it back",
                problem=f"{many(left, 'file')} left: they conflict" if left else "",
            )
        )

    async def wish_dream_restore(self, wish: Wish, id: str) -> None:
        """Show what bringing files back from before the run would do, and do it if the person says so."""
        self._may_write()
        dream = self.dream(id)
        names = self._names(dream, str(wish.paths[0])) if wish.paths else None
        changes = await self.off(restore_plan, dream.run, self.workspace, names)
        text = "\n".join(filter(None, (diff(one.base_data, one.data, one.name) for one in changes)))
        title = f"Restore {wish.paths[0] if wish.paths else 'all'} from before dream {id}"
        if await self.app.push_screen_wait(ShowDiff(title, text, yes="restore")):
            saved = await self.off(restore_run, dream.run, self.workspace, changes)
            what = names[-1] if names else many(len(changes), "file")
            self.app.post_message(Written(f"restored {what} from before the dream{merged_words(saved)}"))

    async def wish_dream_discard(self, wish: Wish, id: str) -> None:
        """Throw away what the run drafted."""
        self._may_write()
        run = self.dream(id).run
        await self.off(kept_stage, run, self.workspace.dirs)
        lines = ["The memory folder is not touched.", "What it drafted is gone then; nothing brings it back."]
        if await self.app.push_screen_wait(Question(f"Throw dream {id} away?", lines, yes="Throw away", no="Keep")):
            await self.off(discard_run, run, self.workspace.dirs, self.workspace)
            self.app.post_message(Written(f"thrown away: what the dream {id} drafted"))


def _stopped_words(done: Stopping) -> str:
    how = f"{done.by}, {done.seconds:.1f} s" if done.by else "it was gone already"
    drafted = f"{many(done.end.drafted, 'change')} kept aside" if done.end.drafted else "nothing was drafted"
    folder = "adopted before it ended; z takes it back" if done.end.version else f"memory untouched; {drafted}"
    lock = f"; last dream {done.end.lock}" if done.end.lock else ""
    return f"dream stopped ({how}); {folder}{lock}"
