"""Wishes about the program itself: projects, palette, help, find, the first run, quitting."""

from contextlib import suppress
from pathlib import Path

from memtui.client.memory_location import locate_memory
from memtui.client.paths import project_name, projects_dir, tilde_path
from memtui.client.projects import Project, gone_projects, list_projects
from memtui.client.session_files import session_files
from memtui.memory.workspace import Workspace
from memtui.sessions.listing import project_folders
from memtui.tui import keys
from memtui.tui.commands.base import CommandHandler
from memtui.tui.dialogs.ask import Ask
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.help import help_dialog
from memtui.tui.dialogs.leave import Leave
from memtui.tui.dialogs.question import Question
from memtui.tui.messages import CommandRequested
from memtui.tui.state import Dream
from memtui.util.errors import Conflict, NotFound
from memtui.util.text import pluralize

WELCOME = (
    ("new", "write the first memory", "asks type, name, one line"),
    ("project", "open another project", ""),
    ("sample", "try with sample data", "nothing of yours is touched"),
    ("quit", "quit", "memory appears here by itself once the agent saves one"),
)
"""What can be done where there is no memory yet: what it is, how it is called, and a word about it."""


class AppCommands(CommandHandler):
    """Everything that is not about a file."""

    async def wish_palette(self, wish: CommandRequested) -> None:
        """Every command of the view by name; one that is off says why."""
        view = self.app.state.view if self.app.state else "memory"
        tables = {
            "memory": (keys.TOPICS, keys.MEMORY, keys.PANES),
            "sessions": (keys.SESSION_LIST, keys.SESSIONS, keys.PANES),
            "dream": (keys.DREAM_LIST, keys.RUN, keys.DREAM, keys.PANES),
            "settings": (keys.SETTINGS,),
        }.get(view, ())
        read_only = "read only" if self.workspace.read_only else ""
        writes = {"memory.delete", "memory.rename", "memory.new", "memory.type", "memory.add", "memory.fix", "app.undo"}
        writes |= {"sessions.rename", "sessions.archive", "sessions.delete"}
        writes |= {"dream.now", "dream.adopt", "dream.adopt_all", "dream.restore", "dream.restore_all", "dream.discard"}
        spell = self.app.glyphs.spell
        options = [
            Option(key.action, key.words, spell(key.display or key.keys.split(",")[0]), read_only * (key.id in writes))
            for table in (*tables, keys.EVERYWHERE)
            for key in table
            if key.id != "app.palette"
        ]
        if view == "memory":
            options.insert(0, Option("rebuild", "Rebuild the index from the topic files", "shown first", read_only))
        if view in ("memory", "sessions"):
            options.append(Option("bring", "Bring what a project that moved has left", "shown first", read_only))
        await self._act(await self.app.push_screen_wait(Choose("Commands", options)))

    async def wish_help(self, wish: CommandRequested) -> None:
        """The keys that work here; Enter does what the line says."""
        await self._act(await self.app.push_screen_wait(help_dialog(self.app.screen)))

    async def _act(self, action: str | None) -> None:
        if action in ("rebuild", "bring"):
            self.app.wish(action)
        elif action:
            node = self.app.screen.focused or self.app.screen
            for namespace in node.ancestors_with_self:
                name = action.split("(")[0].removeprefix("app.")
                if hasattr(namespace, f"action_{name}"):
                    await namespace.run_action(action)  # type: ignore[attr-defined]
                    return
            await self.app.run_action(action)

    async def wish_find(self, wish: CommandRequested) -> None:
        """Look for text in the preview."""
        reader = self.app.memory.reader
        text = await self.app.push_screen_wait(Ask("Find in the text", reader.show_find))
        if text:
            reader.show_find = text
            reader.action_find_next(1)

    async def wish_show_index(self, wish: CommandRequested) -> None:
        """Go to the index."""
        auto = self.snapshot.auto
        if auto is not None and auto.index is not None:
            await self.app.action_view("memory")
            self.app.memory.go_to(auto.index.path)

    async def wish_copy_path(self, wish: CommandRequested) -> None:
        """Send the path to the clipboard."""
        self.app.copy_to_clipboard(str(self.one(wish)))
        self.app.notify("path sent to the clipboard", markup=False)

    async def wish_project(self, wish: CommandRequested) -> None:
        """Switch to another project that has left transcripts or memory."""
        projects = await self.off(list_projects, self.workspace.env)
        options = [
            Option(
                project.cwd,
                str(project.cwd),
                amounts(project),
                "the folder is gone" if project.gone else "",
            )
            for project in projects
            if project.cwd is not None
        ]
        if not options:
            raise NotFound("no project has left anything yet", hint=f"looked in {self.workspace.location.config}")
        chosen = await self.app.push_screen_wait(Choose("Open project", options, start=self.workspace.location.cwd))
        if chosen is not None:
            await self._open(chosen)

    async def _open(self, cwd: Path) -> None:
        old = self.workspace
        place = await self.off(locate_memory, old.env, cwd)
        self.app.open_workspace(
            Workspace(old.env, old.dirs, place, read_only=old.read_only, trash=old.trash, now=old.now)
        )

    async def wish_welcome(self, wish: CommandRequested) -> None:
        """The first-run page: where we looked, and what can be done."""
        folder = tilde_path(self.workspace.location.folder, self.workspace.env.home)
        # Without a number: some of the files may be sub-agents' or empty, which takes a reading to tell.
        there = bool(await self.off(session_files, self.workspace.location.transcripts))
        first, *others = WELCOME
        lines = [first, *others]
        if there:
            lines.insert(1, ("sessions", "look at past sessions", "what was done here can be resumed"))
        moved = await self.off(self._namesake)
        if moved is not None and not self.workspace.read_only:
            left = f"bring what {tilde_path(moved.cwd or moved.folder, self.workspace.env.home)} has left"
            lines.insert(0, ("bring", left, amounts(moved)))
        options = [Option(key, f"{number}  {words}", more) for number, (key, words, more) in enumerate(lines, 1)]
        chosen = await self.app.push_screen_wait(
            Choose("No memory for this project yet", options, explain=f"{folder} does not exist.", digits=True)
        )
        match chosen:
            case "new":
                self.app.wish("new")
            case "bring" if moved is not None:
                self.app.wish("bring", (moved.folder,))
            case "sessions":
                await self.app.action_view("sessions")
            case "project":
                await self.wish_project(wish)
            case "sample":
                await self._sample()
            case "quit":
                self.app.exit(0)

    def _namesake(self) -> Project | None:
        """A project of this one's name whose directory is gone: this may be where it moved to."""
        env, place = self.workspace.env, self.workspace.location
        end = project_name(f"/{place.cwd.name}")
        alike = [
            one for one in project_folders(projects_dir(env)) if one.name.endswith(end) and one != place.transcripts
        ]
        if not alike:  # as a rule, and then no project need be looked into
            return None
        return next((project for project in gone_projects(env) if project.name == place.cwd.name), None)

    async def _sample(self) -> None:
        if self.app.open_sample is None:
            raise NotFound("no sample here", hint="memtui --demo opens one")
        workspace = await self.off(self.app.open_sample)
        self.app.sample = True
        self.app.open_workspace(workspace)

    async def wish_leave(self, wish: CommandRequested) -> None:
        """Quit; drafts are named, since they stay, and a dream of ours goes on unless the person says otherwise."""
        state = self.app.state
        drafts = state.unsaved if state else frozenset()
        lines = [f"  {path.name}" for path in sorted(drafts)] + ["", "They stay and are opened again next time."]
        dream = state.going if state else None
        if dream is not None:
            lines = ["A dream is on: it is a process of its own and goes on without this window."]
            if drafts:
                lines += ["", "Unsaved text stays as drafts:", *(f"  {path.name}" for path in sorted(drafts))]
            chosen = await self.app.push_screen_wait(Leave("Quit while a dream is on?", lines))
            if chosen == "stop":
                await self.off(self._stop, dream)
            if chosen is None:
                return
        elif drafts and not await self.app.push_screen_wait(
            Question("Unsaved text is kept as drafts", lines, yes="Quit", no="Stay")
        ):
            return
        self.app.exit(0)

    def _stop(self, dream: Dream) -> None:
        """End a run; one that has ended by itself meanwhile needs no end."""
        from memtui.dream.run.stop import stop_run  # with the engine, which most people who quit don't need

        with suppress(Conflict):
            stop_run(dream.run, self.workspace.dirs, self.workspace)


def amounts(project: Project) -> str:
    """What a project has."""
    shared = "  shares its folder" if project.collision else ""
    return f"{pluralize(project.topics, 'topic')}  {pluralize(project.sessions, 'session')}{shared}"
