"""Commands about the program itself: views, panes, projects, palette, help, the first run, quitting."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from memtui.tui import preload
from memtui.tui.app_base import CommandContext, View
from memtui.tui.commands import history, memory, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.state import Dream
from memtui.tui.views.table import VIEWS, ViewEntry
from memtui.util.errors import NotFound
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.client import paths as client_paths
    from memtui.client import projects as client_projects
    from memtui.client import session_files
    from memtui.services import dreams
    from memtui.sessions import listing
    from memtui.tui import dialogs, palette
    from memtui.tui.commands import projects
else:
    client_paths = LazyModule("memtui.client.paths")
    client_projects = LazyModule("memtui.client.projects")
    session_files = LazyModule("memtui.client.session_files")
    dreams, listing = LazyModule("memtui.services.dreams"), LazyModule("memtui.sessions.listing")
    dialogs, palette = LazyModule("memtui.tui.dialogs"), LazyModule("memtui.tui.palette")
    projects = LazyModule("memtui.tui.commands.projects")

Run = Callable[[CommandContext], object]


async def show_dream(context: CommandContext) -> None:
    """Show the run that is on or waits, over whatever is shown; without one the Dream view."""
    if context.app.screen.is_modal:
        return
    pill = context.state.pill
    if pill is None:
        await context.app.show_run("")
    else:
        await preload.load("memtui.tui.dialogs.watch_run")
        context.app.watch_run(pill.run.id if isinstance(pill, Dream) else "")


async def show_dream_unless_typing(context: CommandContext) -> None:
    """The same, but what is typed in a text field stays there."""
    if not context.app.typing:
        await show_dream(context)


async def show_palette(context: CommandContext) -> None:
    await context.in_thread(preload.load_all)
    dialog = dialogs.Choose("Commands", palette.options(context))
    more = palette.load_more(context, dialog)
    loading = context.app.run_worker(more, group="palette", exit_on_error=False, description="palette")
    await _perform_chosen(context, dialog)
    loading.cancel()


async def show_help(context: CommandContext) -> None:
    await _perform_chosen(context, dialogs.Choose("Keys", palette.live_keys(context.app)))


async def _perform_chosen(context: CommandContext, dialog: "dialogs.Choose[Run]") -> None:
    chosen = await context.ask(dialog)
    if chosen is not None:
        context.app.perform(chosen)


async def show_index(context: CommandContext) -> None:
    auto = context.snapshot.auto
    if auto is not None and auto.index is not None:
        (await context.app.show_view("memory")).go_to(str(auto.index.path))


async def switch_project(context: CommandContext) -> None:
    found = await context.in_thread(client_projects.list_projects, context.workspace.env)
    options = [
        dialogs.Option(one.cwd or one.folder, str(one.cwd or one.folder.name), projects.amounts(one)) for one in found
    ]
    if not options:
        raise NotFound("no project has left anything yet", hint=f"looked in {context.workspace.location.config}")
    chosen = await context.ask(dialogs.Choose("Open project", options, start=context.workspace.location.cwd))
    if chosen is not None:
        await projects.open_project(context, chosen)


WELCOME_ID = "welcome"  # of the dialog, which goes away once there is memory


async def welcome(context: CommandContext) -> None:
    env, location = context.workspace.env, context.workspace.location
    # Without a number: some of the files may be sub-agents' or empty, known only once they are read.
    there = bool(await context.in_thread(session_files.session_files, location.transcripts))
    moved = await context.in_thread(_moved_here, context)
    offers: list[tuple[Run, str, str]] = [
        (memory.new, "write the first memory", "asks type, name, one line"),
        (switch_project, "open another project", ""),
        (_open_sample, "try with sample data", "nothing of yours is touched"),
        (lambda context: context.app.exit(0), "quit", "memory appears here by itself once Claude Code saves one"),
    ]
    if there:
        words = "look at past sessions", "what was done here can be resumed"
        offers.insert(1, (lambda context: context.app.show_view("sessions"), *words))
    if moved is not None and not context.workspace.read_only:
        left = f"bring what {client_paths.tilde_path(moved.cwd or moved.folder, env.home)} has left"
        offers.insert(0, (lambda context: projects.bring(context, moved.folder), left, projects.amounts(moved)))
    options = [dialogs.Option(run, f"{at}  {words}", more) for at, (run, words, more) in enumerate(offers, 1)]
    explain = f"{client_paths.tilde_path(location.folder, env.home)} does not exist."
    dialog = dialogs.Choose("No memory for this project yet", options, explain=explain, digits=True)
    dialog.id = WELCOME_ID
    await _perform_chosen(context, dialog)


def _moved_here(context: CommandContext) -> "client_projects.Project | None":
    """A project of this one's name whose directory is gone: this may be where it moved to."""
    env, location = context.workspace.env, context.workspace.location
    end = client_paths.project_name(f"/{location.cwd.name}")
    folders = listing.project_folders(client_paths.projects_dir(env))
    if not any(one.name.endswith(end) and one != location.transcripts for one in folders):
        return None  # as a rule, and then no project need be looked into
    return next((one for one in client_projects.gone_projects(env) if one.name == location.cwd.name), None)


async def _open_sample(context: CommandContext) -> None:
    if context.app.open_sample is None:
        raise NotFound("no sample here", hint="memtui --demo opens one")
    workspace = await context.in_thread(context.app.open_sample)
    context.app.sample = True
    context.app.open_workspace(workspace)


async def leave(context: CommandContext) -> None:
    """Quit; drafts are named, since they stay, and a dream of ours goes on unless the person says otherwise."""
    drafts = [f"  {path.name}" for path in sorted(context.state.unsaved)]
    dream = context.state.going
    if dream is not None:
        lines = ["A dream is running: it is a process of its own and goes on without this window."]
        lines += ["", "Unsaved text stays as drafts:", *drafts] if drafts else []
        chosen = await context.ask(dialogs.Leave("Quit while a dream is running?", lines))
        if chosen is None:
            return
        if chosen == "stop":
            await context.in_thread(lambda: dreams.stop_if_running(context.workspace, dream.run))
    elif drafts:
        lines = [*drafts, "", "They stay and are opened again next time."]
        if not await context.ask(dialogs.Question("Unsaved text is kept as drafts", lines, yes="Quit", no="Stay")):
            return
    context.app.exit(0)


def suspend(context: CommandContext) -> None:
    """Put the program to sleep; in a text field ^Z undoes, and must not end up in the shell."""
    if not context.app.typing:
        context.app.action_suspend_process()


def _show_command(view: ViewEntry) -> Command:
    return Command(f"view.{view.name}", view.title, view.key, lambda context: context.app.show_view(view.name))


EVERYWHERE = declare(
    registry.EVERYWHERE,
    *map(_show_command, VIEWS),
    Command("view.run", "The dream that is running or awaits review", "w,shift+down", show_dream_unless_typing),
    Command("view.run_typing", "The same, also while you type", "f4", show_dream),
    Command("app.palette", "Commands", "colon,ctrl+p", show_palette, ": commands"),
    Command("app.help", "Keys", "question_mark,f1", show_help, "? keys"),
    Command("app.undo", "Undo the last write", "z", history.undo, "z undo", disabled_reason=registry.read_only),
    Command("app.redo", "Redo", "Z", history.redo, disabled_reason=registry.read_only),
    Command("app.activity", "Activity: every write, with its diff", "at", history.activity),
    Command("app.project", "Switch project", "ctrl+r", switch_project),
    Command("app.reload", "Read the disk again", "R", lambda context: context.app.read_again()),
    Command("app.secrets", "Show or mask secrets", "asterisk", lambda context: context.app.toggle_secrets()),
    Command("app.redraw", "Redraw", "ctrl+l", lambda context: context.app.refresh(layout=True, repaint=True)),
    Command("app.suspend", "To the shell", "ctrl+z", suspend),
    Command("app.quit", "Quit", "q", leave, "q quit"),
)  # fmt: skip

PANES = declare(
    registry.PANES,
    Command("pane.next", "Next pane", "tab", lambda context: context.app.screen.focus_next()),
    Command("pane.previous", "Previous pane", "shift+tab", lambda context: context.app.screen.focus_previous()),
    Command("pane.preview", "Go to the preview", "0", lambda at: at.find(View).focus_preview()),
    Command("pane.bigger", "Bigger pane", "plus", lambda at: at.find(View).resize(4)),
    Command("pane.smaller", "Smaller pane", "underscore", lambda at: at.find(View).resize(-4)),
    Command("preview.down", "Scroll the preview down", "J", lambda at: at.find(View).scroll_preview(1)),
    Command("preview.up", "Scroll the preview up", "K", lambda at: at.find(View).scroll_preview(-1)),
)  # fmt: skip
