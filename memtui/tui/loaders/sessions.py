"""Reading sessions for the screen: the list from the catalogue, one session whole; in threads, reported as messages."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from memtui.client.git import worktrees
from memtui.client.paths import projects_dir, transcripts_dir
from memtui.client.retention import cleanup_days
from memtui.client.running import running_sessions
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.sessions.catalog import Catalogue
from memtui.sessions.listing import CompressedSessions, project_folders
from memtui.transcripts.transcript import Transcript
from memtui.tui.app_base import AppBase
from memtui.tui.loaders.health import HealthLoader
from memtui.tui.loaders.watcher import follow_sessions
from memtui.tui.messages import CommandFailed, ConversationLoaded, ReadingFinished, SessionListLoaded, SessionLoaded
from memtui.tui.render.session_rows import opened_of
from memtui.tui.state import OpenConversation, Point, Scope, SessionListState
from memtui.util.errors import MemtuiError
from memtui.util.gc_tuning import release_memory

if TYPE_CHECKING:
    from memtui.sessions.archive import ArchivedSession

MAX_TRANSCRIPTS_HELD = 4  # sessions that stay read, so that going back and forth between them costs nothing


class SessionLoader:
    def __init__(self, app: AppBase, *, watch: bool) -> None:
        self.app = app
        self._watch = watch
        self._transcripts: OrderedDict[Path, Transcript] = OrderedDict()
        self._scope: Scope = "project"
        self._followed: Scope | None = None
        self._busy = self._repeat = False
        self._last_fault = ""
        self.health = HealthLoader(app)

    def load_list(self, scope: Scope) -> None:
        """Read the list of sessions, or again what changed of it; a reading that goes on is repeated."""
        self._repeat = self._busy
        changed, self._scope = scope != self._scope, scope
        if not self._busy or changed:
            self._busy, self._repeat = True, False
            self.app.start_thread("session-list", lambda: self._list(scope))

    def read_again(self) -> None:
        if self.app.state.session_list is not None:
            self.load_list(self._scope)

    def done(self) -> None:
        """A reading ended; another follows if something changed meanwhile. From the first on the disk is followed."""
        self._busy = False
        if self._repeat:
            self.load_list(self._scope)
        self.health.follow(self.app.state.session_list)
        if self._watch and self._followed != self._scope:
            self._followed = self._scope
            everywhere = projects_dir(self.app.workspace.env) if self._scope == "all" else None
            work = follow_sessions(self.app, [] if everywhere else self._folders(self._scope), everywhere)
            self.app.run_worker(
                work, group="follow-sessions", exclusive=True, exit_on_error=False, description="follow sessions"
            )

    def open(self, point: Point) -> None:
        """Read one session whole: its branches, its properties, and the conversation that ends at a point."""
        self.app.start_thread("session", lambda: self._open(point))

    def _list(self, scope: Scope) -> None:
        app, worker = self.app, get_current_worker()
        places = self._folders(scope)
        archived = self._archived(places)
        places += [archive.box for archive in archived.values()]

        def post(listed: CompressedSessions, reading: str) -> None:
            if not worker.is_cancelled:
                live, days = running_sessions(app.workspace.env), cleanup_days(app.workspace.location.layers)
                app.post_message(SessionListLoaded(SessionListState(scope, listed, live, days, archived, reading)))

        def shown(read: int, total: int) -> None:
            post(catalogue.compressed(places), f"reading {read:,} of {total:,}")

        state = app.state
        again = state.session_list is not None and state.session_list.scope == scope
        with Catalogue(app.start.cache) as catalogue:
            listed = catalogue.compressed(places)
            if not again:  # else what is shown stays until there is something new
                post(listed, "reading")
            done = catalogue.refresh(places, report=shown, stopped=lambda: worker.is_cancelled)
            if done.changed:
                listed = catalogue.compressed(places)
            post(listed, "")
        release_memory()
        for fault in done.errors[:1]:
            if fault.message != self._last_fault:  # once is enough: the list is read again whenever the disk changes
                app.post_message(CommandFailed(fault.message, fault.hint))
            self._last_fault = fault.message
        if not worker.is_cancelled:
            app.post_message(ReadingFinished("sessions"))

    def _archived(self, places: list[Path]) -> dict[str, ArchivedSession]:
        root = self.app.workspace.dirs.sessions
        if not root.is_dir():
            return {}
        from memtui.sessions.archive import ARCHIVED, list_archived  # most people never put one away

        return {one.file.file_path: one for one in list_archived(root, ARCHIVED) if one.project in places}

    def _folders(self, scope: Scope) -> list[Path]:
        env, place = self.app.workspace.env, self.app.workspace.location
        if scope == "all":
            return project_folders(projects_dir(env))
        if scope == "worktrees":
            return list(dict.fromkeys(transcripts_dir(env, tree) for tree in (place.cwd, *worktrees(place.root))))
        return [place.transcripts]

    def _open(self, point: Point) -> None:
        worker = get_current_worker()
        try:
            transcript = self.transcript(Path(point.place))
            if worker.is_cancelled:
                return
            plan = plan_resume(transcript, brief=True)
            self.app.post_message(ConversationLoaded(self._conversation(point, transcript, plan)))
            with Catalogue(self.app.start.cache) as catalogue:
                summary = catalogue.summary(point.place)
            opened = opened_of(point.place, transcript, plan, self.app.workspace, summary)
            if not worker.is_cancelled:
                self.app.post_message(SessionLoaded(opened))
        except MemtuiError as error:
            self.app.post_message(CommandFailed(error.message, error.hint))

    def transcript(self, path: Path) -> Transcript:
        """A session's transcript, read on from where it was read the last time; `MemtuiError` if that is impossible."""
        transcript = self._transcripts.pop(path, None) or Transcript(path)
        transcript.refresh()
        self._transcripts[path] = transcript
        while len(self._transcripts) > MAX_TRANSCRIPTS_HELD:
            self._transcripts.popitem(last=False)
        return transcript

    def _conversation(self, point: Point, transcript: Transcript, plan: ResumePlan) -> OpenConversation:
        if point.agent:
            agent = self.transcript(Path(point.agent))
            return OpenConversation(point, agent, tuple(entry for entry in agent.entries if entry.chained))
        if point.uuid and point.uuid != plan.leaf.uuid:
            plan = plan_resume(transcript, point.uuid, brief=True)
        return OpenConversation(point, transcript, plan.path)
