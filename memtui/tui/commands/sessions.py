"""Wishes about past sessions: resume, fork, copy, export, read, and the way between a session and its memory."""

from pathlib import Path

from memtui.client.executable import find_client, resume_command, resume_environment, shell_command
from memtui.client.paths import tilde_path
from memtui.client.session_files import UNTITLED
from memtui.fs.atomic import create_file
from memtui.projects.activity import archive_for, live_sessions, make_fork
from memtui.resume.export import ExportFormat, export_transcript
from memtui.resume.launch import LaunchPlan, plan_launch
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.sessions.archive import KEPT, SessionArchive, save_copy
from memtui.sessions.listing import Session
from memtui.sessions.rename import check_title
from memtui.tui.commands.base import CommandHandler
from memtui.tui.dialogs.ask import Ask
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.question import Question
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.tui.render.session_summary import memory_names
from memtui.util.errors import MemtuiError, NotFound, Refused, Unsupported
from memtui.util.foreground import run_in_foreground
from memtui.util.text import size, visible

FORMATS: dict[ExportFormat, str] = {"markdown": "md", "json": "json", "html": "html"}


class SessionCommands(CommandHandler):
    """Everything that a key of the Sessions view does with a session and gives away of it."""

    def session(self, wish: CommandRequested) -> Session:
        """The session that the wish is about.

        Raises:
            NotFound: If it is not listed any more.
        """
        place, session_list = str(self.one(wish)), self.app.state.session_list if self.app.state else None
        found = session_list.sessions.at(place) if session_list else None
        if found is None:
            raise NotFound("this session is not listed any more", hint="R reads the folder again")
        return found

    async def wish_session_menu(self, wish: CommandRequested, at: str = "") -> None:
        """The resume menu for a session, or for one of its messages."""
        path = self.one(wish)
        told = await self.off(self._told, path, "")
        if at in ("", told.leaf.uuid):
            at = ""
        else:
            told = await self.off(self._told, path, at)
        options = await self.off(self._options, path, at, told)
        title = visible(self.session(wish).title, keep="") or UNTITLED
        start = next(option.key for option in options if not option.off)
        explain = f"up to message {at[:8]}" if at else ""
        chosen = await self.app.push_screen_wait(
            Choose(f'Resume "{title}"', options, start=start, explain=explain, digits=True)
        )
        match chosen:
            case "open":
                await self._open(await self.off(self._plan, path, at, fork=False))
            case "fork":
                await self._open(await self.off(self._plan, path, at, fork=True))
            case "copy":
                await self.wish_session_copy(wish, at)
            case "context":
                self._copy_context(told, title)
            case "export":
                await self._export(told, title)
            case "read":
                await self.wish_session_read(wish, at)

    def _told(self, path: Path, at: str) -> ResumePlan:
        return plan_resume(self.app.sessions.transcript(path), at)

    def _plan(self, path: Path, at: str, *, fork: bool) -> LaunchPlan:
        return plan_launch(self.workspace.env, path, at=at, fork=fork)

    def _options(self, path: Path, at: str, told: ResumePlan) -> list[Option[str]]:
        """What can be done, each with the reason if it can't."""
        home, why, where, forks = self.workspace.env.home, "", "", False
        try:
            plan = self._plan(path, at, fork=False)
            where, forks = f"in {tilde_path(plan.directory, home)}", plan.writes
            why = plan.open_elsewhere
        except MemtuiError as error:
            why = error.message
        missing = self._client_missing()
        nothing = "the client finds no conversation here" if told.messages is None else ""
        beside = "read only" if forks and self.workspace.read_only else ""
        elsewhere = "" if where else why
        tokens = "" if nothing else f"Markdown, {size(len(export_transcript(told, '', 'markdown').text))}B"
        return [
            Option("open", "1  Open in Claude Code", where,
                   missing or nothing or why or ("only from its own leaf: 2 forks here" if forks else "")),
            Option("fork", "2  Fork, then open", "a new session; this one stays",
                   missing or nothing or elsewhere or beside),
            Option("copy", "3  Copy the command", "cd … && claude --resume …", elsewhere or nothing),
            Option("context", "4  Copy the context", tokens, nothing),
            Option("export", "5  Export…", "Markdown, JSON, HTML", nothing),
            Option("read", "6  Read it", "all of it, with find", ""),
        ]  # fmt: skip

    def _client_missing(self) -> str:
        try:
            find_client(self.workspace.env)
        except Unsupported as error:
            return error.message
        return ""

    async def _open(self, plan: LaunchPlan) -> None:
        """Hand the terminal to the client, and come back to the same place."""
        plan.refuse_open()
        env = self.workspace.env
        client, name = find_client(env), plan.id
        if plan.writes:
            name = (await self._fork(plan)).stem
        words = resume_command(client, name, fork=plan.forks)
        try:
            with self.app.suspend():
                code = run_in_foreground(words, cwd=plan.directory, environ=resume_environment(env))
        except OSError as error:
            raise Unsupported(f"{client} can't be started: {error.strerror}") from error
        finally:
            self.app.sessions.again()
        if code:
            self.app.notify(f"the client ended with {code}", severity="warning", markup=False)

    async def _fork(self, plan: LaunchPlan) -> Path:
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only")
        made = await self.off(make_fork, self.workspace, plan)
        self.app.notify(f"a fork was written: {visible(made.title, keep='')}; z takes it back", markup=False)
        return made.path

    async def wish_session_copy(self, wish: CommandRequested, at: str = "") -> None:
        """Send the command that resumes it to the clipboard; for a message in its middle a fork is written first."""
        plan = await self.off(self._plan, self.one(wish), at, fork=False)
        name = (await self._fork(plan)).stem if plan.writes else plan.id
        self.app.copy_to_clipboard(shell_command(plan.directory, name))
        self.app.notify("command sent to the clipboard", markup=False)

    def _copy_context(self, told: ResumePlan, title: str) -> None:
        made = export_transcript(told, title, "markdown")
        self.app.copy_to_clipboard(made.text)
        words = f"context sent to the clipboard, {size(len(made.text))}B"
        words += f"; {sum(made.removed.values())} that look like secrets were taken out" if made.removed else ""
        self.app.notify(words, markup=False)

    async def _export(self, told: ResumePlan, title: str) -> None:
        form = await self.app.push_screen_wait(
            Choose("Export as", [Option(form, form, f".{suffix}") for form, suffix in FORMATS.items()])
        )
        if form is None:
            return
        made = await self.off(export_transcript, told, title, form)
        secrets = ", ".join(f"{count} × {name}" for name, count in sorted(made.removed.items()))
        explain = f"Taken out, because it looks like a secret: {secrets}" if secrets else ""
        name = "".join(letter if letter.isalnum() else "-" for letter in title).strip("-")[:60] or "session"
        start = self.workspace.location.cwd / f"{name}.{FORMATS[form]}"
        answer = await self.app.push_screen_wait(Ask("Write to", str(start), explain=explain))
        if answer:
            path = self.workspace.location.cwd / Path(answer).expanduser()
            await self.off(create_file, path, made.text.encode("utf-8", "replace"))
            self.app.notify(f"written to {visible(str(path), keep='')}", markup=False)

    async def wish_session_save(self, wish: CommandRequested, at: str = "") -> None:
        """Save a copy of the transcript, byte for byte."""
        path = self.one(wish)
        start = self.workspace.location.cwd / path.name
        answer = await self.app.push_screen_wait(Ask("Save a copy to", str(start)))
        if answer:
            target = self.workspace.location.cwd / Path(answer).expanduser()
            await self.off(save_copy, path, target)
            self.app.notify(f"written to {visible(str(target), keep='')}", markup=False)

    async def wish_session_rename(self, wish: CommandRequested, at: str = "") -> None:
        """Give the session another title, as the client's /rename does."""
        session = self.session(wish)
        title = await self.app.push_screen_wait(Ask("Rename session", session.title, check=_why_no_title))
        if title and title != session.title:
            operation = await self.off(self._keeper().rename, session.path, title)
            self._done(operation.told)

    async def wish_session_archive(self, wish: CommandRequested) -> None:
        """Archive sessions, or put those back that are archived."""
        session_list = self.app.state.session_list if self.app.state else None
        kept = (
            [session_list.archived[str(path)] for path in wish.paths if str(path) in session_list.archived]
            if session_list
            else []
        )
        if kept:
            operation = await self.off(self._keeper().put_back, kept)
        else:
            done = await self.off(self._keeper().archive, wish.paths, live=live_sessions(self.workspace))
            operation = done.operation
        self._done(operation.told)

    async def wish_session_delete(self, wish: CommandRequested) -> None:
        """Delete sessions; they are kept for a while."""
        keeper = self._keeper()
        total = sum([(await self.off(keeper.files, path))[1] for path in wish.paths])
        listed = [visible(self.title(path), keep="") for path in wish.paths[:8]]
        more = [f"and {len(wish.paths) - 8} more"] if len(wish.paths) > 8 else []
        count = "this session" if len(wish.paths) == 1 else f"{len(wish.paths)} sessions"
        lines = [
            *(f"  {line}" for line in [*listed, *more]),
            "",
            f"{size(total)}B, kept for {KEPT} days; z brings it back.",
        ]
        if await self.app.push_screen_wait(Question(f"Delete {count}?", lines, yes="Delete", no="Keep")):
            done = await self.off(keeper.delete, wish.paths, live=live_sessions(self.workspace))
            self._done(" ".join([done.operation.told, *done.notes]))

    def _keeper(self) -> SessionArchive:
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only")
        return archive_for(self.workspace)

    def _done(self, words: str) -> None:
        self.app.sessions_view.unmark()
        self.app.post_message(CommandDone(words))
        self.app.sessions.again()

    def title(self, path: Path) -> str:
        """What a listed session is called."""
        session_list = self.app.state.session_list if self.app.state else None
        found = session_list.sessions.at(str(path)) if session_list else None
        return (found.title if found else "") or UNTITLED

    async def wish_session_read(self, wish: CommandRequested, at: str = "") -> None:
        """Read the whole conversation on a screen of its own."""
        from memtui.tui.screens.transcript import TranscriptScreen

        path, conversation = self.one(wish), self.app.state.conversation if self.app.state else None
        title = visible(self.session(wish).title, keep="") or UNTITLED
        way = None
        if conversation is not None and conversation.point.place == str(path):
            path, way = conversation.transcript.path, conversation.way
        left = await self.app.push_screen_wait(TranscriptScreen(path, title, way))
        if left is not None and left.menu:
            await self.wish_session_menu(wish, left.uuid)

    async def wish_session_find(self, wish: CommandRequested, at: str = "") -> None:
        """Look for text in the conversation's pane."""
        reader = self.app.sessions_view.reader
        if reader is not None:
            words = await self.app.push_screen_wait(Ask("Find", reader.needle))
            if words is not None:
                reader.look_for(words)

    async def wish_session_memory(self, wish: CommandRequested, at: str = "") -> None:
        """Go to the memory that this session wrote."""
        place = str(self.one(wish))
        folder = self.workspace.location.folder
        opened = self.app.state.opened.get(place) if self.app.state else None
        names = [*memory_names(opened.written, folder)] if opened else []
        names += [name for name in self._made_by(Path(place).stem) if name not in names]
        names = [name for name in names if self.snapshot.at(folder / name)]
        if not names:
            raise NotFound("this session wrote no memory that is still there")
        name: str | None = names[0]
        if len(names) > 1:
            name = await self.app.push_screen_wait(
                Choose("Memory of this session", [Option(name, name) for name in names])
            )
        if name:
            await self.app.action_view("memory")
            self.app.memory.go_to(folder / name)

    def _made_by(self, session: str) -> list[str]:
        """The topic files whose frontmatter says that this session wrote them."""
        auto = self.snapshot.auto
        return [file.name for file in auto.topics if file.front.origin == session] if auto else []

    async def wish_session_origin(self, wish: CommandRequested) -> None:
        """Go to the session that wrote a topic file."""
        file = self.snapshot.topic(self.one(wish))
        if not file.front.origin:
            raise NotFound(f"{file.name} doesn't say which session wrote it")
        await self.app.action_view("sessions")
        self.app.sessions_view.go_to(file.front.origin)


def _why_no_title(title: str) -> str:
    try:
        check_title(title)
    except MemtuiError as error:
        return error.message
    return ""
