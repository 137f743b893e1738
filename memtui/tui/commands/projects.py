"""Wishes about a project that moved: what its old directory has left comes to the one that is open."""

from memtui.client.paths import tilde_path
from memtui.client.projects import Project, find_project, gone_projects
from memtui.client.running import running_sessions_in
from memtui.client.session_files import UNTITLED
from memtui.projects.relocate import MovePlan, apply_move, plan_move
from memtui.projects.relocate_sessions import SHORT
from memtui.tui.commands.app import amounts
from memtui.tui.commands.base import CommandHandler
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.util.errors import NotFound
from memtui.util.text import clip, size

TITLE = 48
"""Cells of a session's title in the plan."""


class ProjectCommands(CommandHandler):
    """Bringing memory and sessions along."""

    async def wish_bring(self, wish: CommandRequested) -> None:
        """Choose whose memory and sessions, unless the wish says so, show what would be done, and do it."""
        project = await self._whose(wish)
        if project is None:
            return
        plan = await self.off(self._plan, project)
        if plan.empty:
            raise NotFound(f"{self._called(project)} has left nothing that could be moved")
        title = f"Bring what {self._called(project)} has left here"
        notes = [*plan.notes, *(f"stays: {stay.what}: {stay.why}" for stay in plan.stays)]
        yes = "" if self.workspace.read_only else "move"
        if await self.app.push_screen_wait(ShowDiff(title, _told(plan), notes=notes, yes=yes)):
            moved = await self.off(apply_move, plan, live=self._live(plan), now=self.workspace.now)
            words = f"moved {plan.amount(len(moved.sessions))} here; memtui projects undo-move takes it back"
            self.app.post_message(CommandDone(words, problem="; ".join(stay.why for stay in moved.stays)))
            self.app.sessions.again()

    async def _whose(self, wish: CommandRequested) -> Project | None:
        if wish.paths:
            return await self.off(find_project, self.workspace.env, str(wish.paths[0]))
        gone = await self.off(gone_projects, self.workspace.env)
        if not gone:
            raise NotFound("no project's directory is gone", hint="memtui projects move brings others along")
        options = [Option(project.folder, self._called(project), amounts(project)) for project in gone]
        likely = next((one.folder for one in gone if one.name == self.workspace.location.cwd.name), None)
        chosen = await self.app.push_screen_wait(
            Choose("Bring what which project has left here?", options, start=likely)
        )
        return next((project for project in gone if project.folder == chosen), None)

    def _called(self, project: Project) -> str:
        return tilde_path(project.cwd or project.folder, self.workspace.env.home)

    def _plan(self, project: Project) -> MovePlan:
        workspace = self.workspace
        return plan_move(
            workspace.env,
            workspace.dirs,
            project.folder,
            workspace.location.cwd,
            directory=project.cwd,
            shared=project.collision,
            live=frozenset(running_sessions_in(project.folder.parent.parent)),
            now=workspace.now,
        )

    @staticmethod
    def _live(plan: MovePlan) -> frozenset[str]:
        return frozenset(running_sessions_in(plan.source.parent.parent))


def _told(plan: MovePlan) -> str:
    """The plan in the form of a difference: what comes, then what it does to the memory that is there."""
    lines = [f"--- {plan.old or plan.source}", f"+++ {plan.new}"]
    for session in plan.sessions:
        title = clip(session.title or UNTITLED, TITLE)
        lines.append(
            f"+session {session.id[:SHORT]}  {size(session.size):>6}  {title}{session.how and f'  ({session.how})'}"
        )
    files = plan.memory.files if plan.memory is not None else ()
    lines += (f"+memory  {file.source}{f'  ({file.how})' if file.how else ''}" for file in files)
    return "\n".join([*lines, plan.memory.coming.diff() if plan.memory is not None else ""])
