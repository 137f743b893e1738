"""Reading runs of dreams for the screen: all of them in short, one whole, one that goes on event by event.

Nothing is polled but the file of a run that is on; the watcher reports that another one began.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual.worker import Worker, get_current_worker

from memtui.dream.lock.external_run import ExternalRun, find_external_run
from memtui.dream.review.decisions import adopted_files, decision_on, operations_since
from memtui.dream.run.events import Event, follow_events
from memtui.dream.run.runs import Run, RunState, events_of, list_runs, run_awaiting_review, run_progress, run_state
from memtui.dream.run.stage import has_stage, open_stage
from memtui.history.versions import Operation
from memtui.tui import messages
from memtui.tui.app_base import AppBase
from memtui.tui.render.dream_rows import end_words
from memtui.tui.render.preview import foreign_difference, run_difference
from memtui.tui.state import Dream, FileDiff, OpenDream
from memtui.util.errors import MemtuiError
from memtui.util.lazy_module import LazyModule
from memtui.util.process import ProcessIdentity, is_alive
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.dream.gates import evaluate
    from memtui.dream.review import adoption as adoptions
    from memtui.dream.review import review
    from memtui.dream.review.adoption import Adoption, AdoptionItem
    from memtui.dream.review.claim import Claim
    from memtui.dream.run.spawn import StartedRun
else:  # the engine, 1 MB: only once the Dream view is opened, in the thread that reads for it
    evaluate, review = LazyModule("memtui.dream.gates.evaluate"), LazyModule("memtui.dream.review.review")
    adoptions = LazyModule("memtui.dream.review.adoption")

POLL_INTERVAL_S = 0.1  # seconds between two looks at the file of a run that is on


class DreamLoader:
    def __init__(self, app: AppBase) -> None:
        self.app = app
        self.watched = ""  # the run that is shown over the views is read whole as well
        self.shown = False  # whether the Dream view is: only then the gates and the run under the cursor are looked at
        self._wanted = ""
        self._busy = self._repeat = False
        self._known: dict[str, tuple[tuple[int, int], Dream]] = {}
        self._claimed: tuple[tuple[str, tuple[AdoptionItem, ...]], tuple[Claim, ...]] | None = None
        self._started: dict[str, StartedRun] = {}
        self._following: Worker[None] | None = None
        self.followed = ""  # a file of events: what is added to it is reported without reading all runs again
        self._on = ""
        self._foreign: ExternalRun | None = None

    def read_again(self) -> None:
        """Read what changed of the runs; a reading that goes on is repeated."""
        self._repeat = self._busy
        if not self._busy:
            self._busy = True
            self.app.start_thread("dreams", self._read)

    def look(self, *, shown: bool) -> None:
        appears, self.shown = shown and not self.shown, shown
        if appears:
            self.read_again()

    def open(self, id: str) -> None:
        self._wanted = id
        self.read_again()

    def watch(self, id: str) -> None:
        self.watched = id
        self.read_again()

    def read_change(self, id: str, name: str) -> None:
        """Read what a run does to one file; "" is another program's."""
        self.app.start_thread("dream-change", lambda: self._change(id, name))

    def tick(self) -> None:
        """A second of a dream: another program's process ends without a report."""
        if self._foreign is not None and not is_alive(ProcessIdentity(self._foreign.pid)):
            self.read_again()

    def started(self, run: StartedRun) -> None:
        """A run of this process: it is asked now and then whether it has ended, as a parent has to."""
        self._started[run.id] = run

    def done(self) -> None:
        """A reading ended: repeat it if something changed meanwhile, and follow the run that is on."""
        self._busy = False
        if self._repeat:
            self.read_again()
        on = self.app.state.going
        self._notify_end(on.run.id if on is not None else "")
        if on is not None and (self._following is None or self._following.is_finished):
            self.followed = str(on.run.events)
            self._following = self.app.start_thread("dream", lambda: self._follow(on.run))

    def _notify_end(self, on: str) -> None:
        """Say how the run ended that was on until now, wherever the person is; one that they ended says so itself."""
        was, self._on = self._on, on
        dream = next((one for one in self.app.state.dreams if one.run.id == was != on), None)
        if dream is not None and dream.state.end is not None and dream.state.end.how != "killed":
            self.app.notify(visible(end_words(dream)), timeout=8, markup=False)

    def stop(self) -> None:
        """Another project is opened: the run that is followed is none of its own."""
        for group in ("dream", "dreams", "dream-change"):
            self.app.workers.cancel_group(self.app, group)

    def _read(self) -> None:
        app, workspace, worker = self.app, self.app.workspace, get_current_worker()
        runs = list_runs(workspace.dirs, workspace.location.folder)
        operations = operations_since(runs, workspace)
        dreams = tuple(self._dream(run, operations) for run in runs)
        self._known = {dream.run.id: self._known[dream.run.id] for dream in dreams if dream.run.id in self._known}
        held = run_awaiting_review(runs, workspace.dirs)
        gates = evaluate.evaluate_gates(workspace, workspace.dirs, workspace.now()) if self.shown else None
        folder = workspace.location.folder
        policy = review.review_policy(folder, workspace.dirs, workspace) if self.shown else None
        dismissed = workspace.dismissals.of(folder) if self.shown else None
        wanted = self.watched or (self._wanted if self.shown else "")
        chosen = next((dream for dream in dreams if dream.run.id == wanted), None)
        opened = None if chosen is None else self._open(chosen)
        self._foreign = find_external_run(workspace, workspace.now(), self._foreign)
        if not worker.is_cancelled:
            waits = "" if held is None else held.id
            app.post_message(messages.RunsLoaded(dreams, waits, gates, opened, self._foreign, policy, dismissed))
            app.post_message(messages.ReadingFinished("dreams"))

    def _dream(self, run: Run, operations: tuple[Operation, ...]) -> Dream:
        """A run in short; one that has ended and whose files are as they were is not read again."""
        dream = self._read_dream(run)
        decided = decision_on(run, dream.progress, operations, kept=dream.kept)
        return replace(dream, decision=decided)

    def _read_dream(self, run: Run) -> Dream:
        kept = has_stage(self.app.workspace.dirs, run.id)
        try:
            info = run.events.stat()
            stamp = (info.st_mtime_ns, info.st_size)
        except OSError:
            stamp = (0, 0)
        known = self._known.get(run.id)
        if known is not None and known[0] == stamp and known[1].kept == kept and known[1].state.word == "ended":
            return known[1]
        for _ in range(2):
            events = events_of(run)
            state = run_state(run, events)
            if state.word != "died":  # else it may have reported its end and left between the two looks
                break
        dream = Dream(run, state, run_progress(events), kept)
        self._known[run.id] = (stamp, dream)
        return dream

    def _open(self, dream: Dream) -> OpenDream:
        """One run whole; the stage of one that is still at work is left alone."""
        workspace, run = self.app.workspace, dream.run
        events = events_of(run)
        if dream.state.word == "running":
            return OpenDream(run.id, events)
        try:
            taken = adopted_files(run, operations_since([run], workspace))
            adoption = adoptions.plan_adoption(open_stage(workspace.dirs, run.id), workspace) if dream.kept else None
            claims = () if adoption is None else self._claims(adoption)
        except MemtuiError as error:
            self.app.post_message(messages.CommandFailed(error.message, error.hint))
            return OpenDream(run.id, events)
        return OpenDream(run.id, events, () if adoption is None else adoption.items, claims, taken)

    def _claims(self, adoption: Adoption) -> tuple[Claim, ...]:
        """What adopting would do by claim; looked for again only where a text has changed."""
        key = adoption.stage.id, adoption.items
        if self._claimed is None or self._claimed[0] != key:
            self._claimed = key, review.claims_of_plan(adoption)
        return self._claimed[1]

    def _change(self, id: str, name: str) -> None:
        worker, workspace, text = get_current_worker(), self.app.workspace, ""
        try:
            if not id:
                text = foreign_difference(workspace, self._foreign, name)
            for run in list_runs(workspace.dirs, workspace.location.folder) if id else ():
                if run.id == id:
                    text = run_difference(run, workspace, (name,))
        except MemtuiError as error:
            text = error.message
        if not worker.is_cancelled:
            self.app.post_message(messages.DiffLoaded(FileDiff(id, name, text)))

    def _follow(self, run: Run) -> None:
        worker = get_current_worker()
        events: list[Event] = []
        reported = 0

        def rest(seconds: float) -> None:
            nonlocal reported
            if len(events) != reported and not worker.is_cancelled:
                reported = len(events)
                dream = Dream(run, RunState("running"), run_progress(events), kept=True)
                self.app.post_message(messages.DreamAdvanced(dream, OpenDream(run.id, tuple(events))))
            time.sleep(POLL_INTERVAL_S)

        for event in follow_events(run.events, lambda: worker.is_cancelled or not self._lives(run), pause=rest):
            events.append(event)
        started = self._started.pop(run.id, None)
        while started is not None and not started.has_ended() and not worker.is_cancelled:
            time.sleep(POLL_INTERVAL_S)  # it has reported its end, and is about to leave
        if not worker.is_cancelled:
            self.app.post_message(messages.DreamsChanged())

    def _lives(self, run: Run) -> bool:
        started = self._started.get(run.id)
        return is_alive(run.process) and (started is None or not started.has_ended())
