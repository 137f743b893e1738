"""Wishes about dreams: start one, stop one, see what it changed, adopt it or throw it away."""

import time

from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from memtui.dream.backends.registry import choose_backend
from memtui.dream.gates.base import lock_gate
from memtui.dream.gates.evaluate import FORCEABLE_GATES, evaluate_gates
from memtui.dream.lock.lock import clear_stale_lock, effective_lock, our_lock_holder
from memtui.dream.lock.lock_file import LockState
from memtui.dream.review.adoption import Adopted
from memtui.dream.review.review import (
    adopt_run,
    discard_run,
    restore_plan,
    restore_run,
    stage_for_review,
    versions_of_file,
)
from memtui.dream.run.events import Ended
from memtui.dream.run.recovery import lock_words
from memtui.dream.run.runs import Run, list_runs, run_state
from memtui.dream.run.spawn import RunRequest as Start
from memtui.dream.run.spawn import StartedRun, start_run
from memtui.dream.run.stop import KILL_GRACE_S, StopResult, stop_run
from memtui.tui.commands.base import CommandHandler, left_words, merged_words
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.question import Question
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.dialogs.watch_run import WatchRun
from memtui.tui.messages import CommandDone, CommandRequested, DreamStarts
from memtui.tui.render.dream_diffs import foreign_difference, run_difference
from memtui.tui.screens.editor import Editor
from memtui.tui.state import Dream, Starting
from memtui.util.diff import unified_diff
from memtui.util.errors import Conflict, MemtuiError, NotFound, Refused
from memtui.util.text import pluralize

KINDS = {
    "reflect": ("1  Reflect", "merges what belongs together"),
    "prune": ("2  Prune", "removes what is certainly of no use"),
    "dry": ("3  Dry run", "shows what it would do, adopts nothing"),
}


class DreamCommands(CommandHandler):
    """Everything that a key of the Dream view does with a run."""

    def dream(self, id: str) -> Dream:
        """A listed run.

        Raises:
            Conflict: If it is another program's, of which we know no run.
            NotFound: If it is not listed any more.
        """
        listed = self.app.state.dreams if self.app.state else ()
        if not id:
            raise Conflict("this dream is another program's: it writes the folder itself", hint="u restores a file")
        found = next((one for one in listed if one.run.id == id), None)
        if found is None:
            raise NotFound(f"the dream {id} is not listed any more", hint="R reads the runs again")
        return found

    def _may_write(self) -> None:
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only", hint="start it without --read-only to write")

    async def wish_dream_show(self, wish: CommandRequested, typing: str = "") -> None:
        """Show the run that is on or waits, over whatever is shown; `typing`: also from a text field."""
        if not typing and isinstance(self.app.focused, Input | TextArea):
            return
        if isinstance(self.app.screen, ModalScreen):
            return
        state = self.app.state
        pill = state.pill if state is not None else None
        if pill is None:
            await self._to_view("")
        else:
            self.app.push_screen(WatchRun(self.app.glyphs, pill.run.id if isinstance(pill, Dream) else ""))

    async def wish_dream_whole(self, wish: CommandRequested, id: str) -> None:
        """Show a run whole, over the view."""
        self.app.push_screen(WatchRun(self.app.glyphs, self.dream(id).run.id))

    async def _to_view(self, id: str) -> None:
        """The Dream view; an editor is left for it, whose text stays as a draft."""
        if isinstance(self.app.screen, Editor):
            self.app.screen.leave()
        elif len(self.app.screen_stack) == 1:
            await self.app.show_dream(id)

    async def wish_dream_now(self, wish: CommandRequested) -> None:
        """Ask how, start the process of a run, and go to it."""
        self._may_write()
        workspace = self.workspace
        gates = await self.off(evaluate_gates, workspace, workspace.dirs, workspace.now())
        closed = [gate for gate in gates if not gate.open]
        shut = next((f"{gate.name}: {gate.reason}" for gate in closed if gate.name not in FORCEABLE_GATES), "")
        skipped = [gate.name for gate in closed if gate.name in FORCEABLE_GATES]
        backend = await self.off(
            choose_backend, None, "reflect", workspace, self.app.config
        )  # what can't work is said here
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
        self.app.post_message(DreamStarts(Starting(workspace.now(), started.id)))  # it takes a moment to say so itself
        await self._to_run(started.id)
        try:
            await self.off(self._first, started)
        except MemtuiError:
            self.app.post_message(DreamStarts(None))
            raise
        self.app.dreams.again()

    async def _to_run(self, id: str) -> None:
        """Show a run where runs are shown: in the dialog if it is open, else in the view."""
        if isinstance(self.app.screen, WatchRun):
            self.app.screen.go_to(id)
        else:
            await self._to_view(id)

    def _begin(self, wish: Start) -> StartedRun:
        """Start the run's process.

        Raises:
            MemtuiError: If it can't be started.
        """
        workspace = self.workspace
        started = start_run(
            workspace.dirs, workspace.location.cwd, wish, environ=workspace.env.environ, now=workspace.now()
        )
        self.app.dreams.started(started)
        return started

    def _first(self, started: StartedRun) -> None:
        """Wait until it has begun or ended.

        Raises:
            Conflict: If a gate stopped it.
            MemtuiError: If it ended without a word.
        """
        first = started.wait_until_started(time.sleep)
        if isinstance(first, Ended) and first.how == "gate":
            raise Conflict(f"no dream: {first.reason}")

    async def wish_dream_stop(self, wish: CommandRequested) -> None:
        """Stop the run that is on, end one that died, or clear a lock that nobody holds."""
        workspace = self.workspace
        run = await self.off(self._to_stop)
        if run is None:
            await self._clear_lock()
            return
        lines = await self.off(self._what_stopping_means, run)
        if await self.app.push_screen_wait(Question("Stop this dream?", lines, yes="Stop it", no="Keep running")):
            done = await self.off(stop_run, run, workspace.dirs, workspace)
            self.app.post_message(CommandDone(_stopped_words(done)))

    def _to_stop(self) -> Run | None:
        listed = list_runs(self.workspace.dirs, self.workspace.location.folder)
        return next((run for run in listed if run_state(run).word != "ended"), None)

    def _what_stopping_means(self, run: Run) -> list[str]:
        workspace = self.workspace
        shown = next((one for one in (self.app.state.dreams if self.app.state else ()) if one.run.id == run.id), None)
        drafted = len(shown.progress.files) if shown is not None else 0
        alive = run_state(run).word == "running"
        entry = our_lock_holder(run.folder, workspace.dirs)
        back = lock_words(entry.before, workspace.now()) if entry is not None and entry.run == run.id else ""
        process = f"process {run.process.pid}"
        verb = "is" if drafted == 1 else "are"
        kept = f"the {pluralize(drafted, 'file')} it drafted {verb} kept aside" if drafted else "nothing is drafted yet"
        return [
            f"{process}: SIGTERM, then SIGKILL after {KILL_GRACE_S:g} s" if alive else f"{process} is gone already",
            f"the memory folder stays as it is; {kept}",
            f'"last dream": {back or "back to what it was"}',
        ]

    async def _clear_lock(self) -> None:
        """Nothing of ours is on: a lock that somebody left behind can be removed."""
        workspace = self.workspace
        folder = workspace.location.folder
        lock: LockState = await self.off(effective_lock, folder, workspace.dirs)
        gate = lock_gate(lock, workspace.now())
        if lock.kind == "none":
            raise NotFound("no dream is on, and there is no lock")
        if lock.gone:
            raise NotFound("no dream is on", hint="the lock that is there says when the last one succeeded")
        if not gate.open and lock.kind != "foreign":
            raise Conflict(f"no dream of ours is on: {gate.reason}", hint="it is not ours to end: end it where it runs")
        self._may_write()
        then = "After that nothing says when the last dream was, and the time gate is open."
        if await self.app.push_screen_wait(Question("Clear the lock?", [gate.reason, then], yes="Clear", no="Leave")):
            await self.off(clear_stale_lock, folder, workspace.dirs, workspace.now())
            self.app.post_message(CommandDone(f"the lock is removed ({gate.reason})"))

    async def wish_dream_diff(self, wish: CommandRequested, id: str) -> None:
        """What the run changes, or changed: all of it, or the one file."""
        name = str(wish.paths[0]) if wish.paths else ""
        if id:
            dream = self.dream(id)
            names = self._names(dream, name) if name else None
            text = await self.off(run_difference, dream.run, self.workspace, names)
            notes = [f"waits: {held.words}" for held in dream.progress.held]
        else:
            foreign = self.app.state.foreign if self.app.state else None
            text, notes = await self.off(foreign_difference, self.workspace, foreign, name), []
        if not text:
            raise NotFound(f"nothing differs in {name}" if name else f"the dream {id} changed nothing")
        await self.app.push_screen_wait(ShowDiff(f"changes in {name}" if name else f"dream {id}", text, notes=notes))

    def _names(self, dream: Dream, name: str) -> tuple[str, ...]:
        """A touched file by all its names: a rename has two."""
        file = dream.progress.files.get(name)
        return (file.old, name) if file is not None and file.old else (name,)

    async def wish_dream_compare(self, wish: CommandRequested, id: str) -> None:
        """Compare two of three texts of a file: before the dream, as the dream made it, as it is now."""
        if not wish.paths:
            raise NotFound("no file of the dream is under the cursor", hint="Tab goes to its files")
        name = str(wish.paths[0])
        sides = await self.off(versions_of_file, self.dream(id).run, self.workspace.dirs, self.workspace, name)
        pairs = {
            "made": ("what the dream did", sides.before, sides.made),
            "adopt": ("from now to the dream's", sides.now, sides.made),
            "since": ("what others did since then", sides.before, sides.now),
        }
        differ = {key: words for key, (words, old, new) in pairs.items() if old != new}
        options = [Option(key, f"{number}  {words}", "") for number, (key, words) in enumerate(differ.items(), 1)]
        same = {(old, new) for _, old, new in pairs.values() if old != new}
        if not options:
            raise NotFound(f"{name} is the same before the dream, after it, and now")
        chosen = options[0].key
        if len(same) > 1:
            asked = await self.app.push_screen_wait(Choose(f"Compare {name}", options, digits=True))
            if asked is None:
                return
            chosen = asked
        words, old, new = pairs[chosen]
        await self.app.push_screen_wait(ShowDiff(f"compare {name}: {words}", unified_diff(old, new, name)))

    async def wish_dream_adopt(self, wish: CommandRequested, id: str) -> None:
        """Adopt the file under the cursor; in a conflict the dream's side, if the person says so."""
        self._may_write()
        if not wish.paths:
            raise NotFound("no file of the dream is under the cursor", hint="Tab goes to its files; A adopts all")
        run, name = self.dream(id).run, str(wish.paths[0])
        opened = self.app.state.open_dream if self.app.state else None
        items = opened.items if opened is not None and opened.id == id else ()
        over = any(item.touched.name == name and item.state == "conflict" for item in items)
        if over:
            text = await self.off(run_difference, run, self.workspace, (name,))
            notes = ["conflict: somebody changed it meanwhile; what this replaces stays in the history"]
            question = ShowDiff(f"adopt {name}", text, notes=notes, yes="take the dream's side")
            if not await self.app.push_screen_wait(question):
                return
        done = await self.off(adopt_run, run, self.workspace.dirs, self.workspace, [name], over=over)
        self._adopted(done, left=0)

    async def wish_dream_adopt_all(self, wish: CommandRequested, id: str) -> None:
        """Show all that the run drafted, and adopt it if the person says so; what conflicts is left."""
        self._may_write()
        run = self.dream(id).run
        await self.off(stage_for_review, run, self.workspace.dirs)
        text = await self.off(run_difference, run, self.workspace)
        if await self.app.push_screen_wait(ShowDiff(f"Adopt all of dream {id}", text, yes="adopt all")):
            done = await self.off(adopt_run, run, self.workspace.dirs, self.workspace)
            self._adopted(done, left=len(done.left))

    def _adopted(self, done: Adopted, left: int) -> None:
        """Say what was adopted, and how many files could not be though they were wanted."""
        if not done.names:
            raise NotFound("nothing to adopt: the folder has all of it, or the rest conflicts")
        merged = f" (merged with what changed meanwhile: {', '.join(done.merged)})" if done.merged else ""
        what = done.names[0] if len(done.names) == 1 else pluralize(len(done.names), "file")
        self.app.post_message(
            CommandDone(
                f"adopted {what}{merged}; z takes it back",
                problem=f"{pluralize(left, 'file')} left: they conflict" if left else "",
            )
        )

    async def wish_dream_restore(self, wish: CommandRequested, id: str) -> None:
        """Show what bringing files back from before the run would do, and do it if the person says so."""
        self._may_write()
        if not id and wish.paths:
            self.app.wish("restore", (self.workspace.location.folder / wish.paths[0],))
            return
        dream = self.dream(id)
        names = self._names(dream, str(wish.paths[0])) if wish.paths else None
        changes = await self.off(restore_plan, dream.run, self.workspace, names)
        text = "".join(filter(None, (unified_diff(one.base_data, one.data, one.name) for one in changes)))
        title = f"Restore {wish.paths[0] if wish.paths else 'all'} from before dream {id}"
        if await self.app.push_screen_wait(ShowDiff(title, text, yes="restore")):
            saved = await self.off(restore_run, dream.run, self.workspace, changes)
            what = names[-1] if names else pluralize(len(changes) - len(saved.left), "file")
            words = f"restored {what} from before the dream{merged_words(saved)}"
            self.app.post_message(CommandDone(words, problem=left_words(saved)))

    async def wish_dream_discard(self, wish: CommandRequested, id: str) -> None:
        """Throw away what the run drafted."""
        self._may_write()
        run = self.dream(id).run
        await self.off(stage_for_review, run, self.workspace.dirs)
        lines = ["The memory folder is not touched.", "What it drafted is gone then; nothing brings it back."]
        if await self.app.push_screen_wait(Question(f"Throw dream {id} away?", lines, yes="Throw away", no="Keep")):
            await self.off(discard_run, run, self.workspace.dirs, self.workspace)
            self.app.post_message(CommandDone(f"thrown away: what the dream {id} drafted"))


def _stopped_words(done: StopResult) -> str:
    how = f"{done.by}, {done.seconds:.1f} s" if done.by else "it was gone already"
    drafted = f"{pluralize(done.end.drafted, 'change')} kept aside" if done.end.drafted else "nothing was drafted"
    folder = "adopted before it ended; z takes it back" if done.end.version else f"memory untouched; {drafted}"
    lock = f"; last dream {done.end.lock}" if done.end.lock else ""
    return f"dream stopped ({how}); {folder}{lock}"
