"""Commands about sessions: resume, fork, copy, export, read, and from a session to its memory and back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client import executable, session_files
from memtui.client.paths import tilde_path
from memtui.resume import resume
from memtui.resume.resume import ResumePlan
from memtui.services.questions import Allow, SecretFound
from memtui.sessions.listing import Session
from memtui.tui import dialogs
from memtui.tui.app_base import CommandContext, Selection
from memtui.tui.commands import questions, registry
from memtui.tui.commands.registry import Command, declare
from memtui.tui.messages import SessionsChanged
from memtui.tui.render import session_rows
from memtui.tui.screens.transcript import TranscriptScreen
from memtui.tui.state import AppState
from memtui.util.errors import MemtuiError, NotFound, Unsupported
from memtui.util.lazy_module import LazyModule
from memtui.util.paths import expand_tilde
from memtui.util.text import size, visible

if TYPE_CHECKING:
    from memtui.resume import export, launch
    from memtui.resume.health import LostEnd
    from memtui.resume.launch import LaunchPlan
    from memtui.services import sessions as services
    from memtui.sessions.archive import ArchiveResult
else:  # 0.8 MB: each command first uses them in a thread, and there they are imported
    export, launch = LazyModule("memtui.resume.export"), LazyModule("memtui.resume.launch")
    services = LazyModule("memtui.services.sessions")


def _session(context: CommandContext) -> Session:
    session_list = context.state.session_list
    found = session_list.sessions.at(str(context.path)) if session_list else None
    if found is None:
        raise NotFound("this session is not listed any more", hint="R reads the folder again")
    return found


async def show_menu(context: CommandContext) -> None:
    """What can be done from a session or one of its messages on. No transcript is read before something is chosen."""
    path, at = context.path, context.selection.message
    opened = context.state.opened.get(str(path))
    at = "" if opened and at == opened.leaf else at
    lost = opened.lost if opened and opened.lost and at != opened.lost.uuid else None
    options = await context.in_thread(_options, context, path, at, lost)
    title = visible(_session(context).title, keep="") or session_files.UNTITLED
    start = next(option.key for option in options if not option.off)
    explain = f"up to message {at[:8]}" if at else ""
    context.selection = Selection(path, message=at)
    match await context.ask(dialogs.Choose(f'Resume "{title}"', options, start=start, explain=explain, digits=True)):
        case ("open" | "fork") as chosen:
            await _open(context, await context.in_thread(_plan_launch, context, path, at, fork=chosen == "fork"))
        case "copy":
            await copy_command(context)
        case "context":
            await _copy_context(context, at)
        case "export":
            await _export(context, at, title)
        case "read":
            await read(context)
        case "elsewhere":
            await _open_elsewhere(context, path, at)
        case "lost" if lost:
            await _open(context, await context.in_thread(_plan_launch, context, path, lost.uuid, fork=True))


def _conversation(context: CommandContext, at: str) -> ResumePlan:
    resumed = resume.plan_resume(context.app.transcript(context.path), at)
    if resumed.messages is None:
        raise NotFound("Claude Code finds no conversation here", hint="6 reads all that the file holds")
    return resumed


def _plan_launch(
    context: CommandContext, path: Path, at: str, *, fork: bool = False, directory: Path | None = None
) -> LaunchPlan:
    return launch.plan_launch(context.workspace.env, path, at=at, fork=fork, directory=directory)


def _options(context: CommandContext, path: Path, at: str, lost: LostEnd | None) -> list[dialogs.Option[str]]:
    home, why, where, forks = context.workspace.env.home, "", "", bool(at)
    try:
        plan = _plan_launch(context, path, "")
        where, forks = f"in {tilde_path(plan.directory, home)}", forks or plan.writes
        why = "" if forks else plan.open_elsewhere
    except MemtuiError as error:
        why = error.message
    missing = ""
    try:
        executable.find_client(context.workspace.env)
    except Unsupported as error:
        missing = error.message
    forked = f"{'not its last message' if at else 'not as it is'}: 2 forks here" if forks else ""
    no_fork = "read only" if forks and context.workspace.read_only else ""
    elsewhere = "" if where else why
    found = [
        dialogs.Option("open", "1  Open in Claude Code", where, missing or why or forked),
        dialogs.Option("fork", "2  Fork, then open", "a new session; this one stays",
                       missing or elsewhere or no_fork),
        dialogs.Option("copy", "3  Copy the command", "cd … && claude --resume …", elsewhere),
        dialogs.Option("context", "4  Copy the context", "Markdown", ""),
        dialogs.Option("export", "5  Export…", "Markdown, JSON, HTML", ""),
        dialogs.Option("read", "6  Read it", "all of it, with find", ""),
        dialogs.Option("elsewhere", "7  Open in another directory…", "", missing),
    ]  # fmt: skip
    if lost:
        found.append(dialogs.Option("lost", "8  Fork at its lost end", lost.words, missing or elsewhere or no_fork))
    return found


async def _open_elsewhere(context: CommandContext, path: Path, at: str) -> None:
    def problem(word: str) -> str:
        return "" if (cwd / expand_tilde(word)).is_dir() else "there is no such directory"

    cwd = context.workspace.location.cwd
    answer = await context.ask(dialogs.Ask("Open in directory", str(cwd), check=problem, does="open"))
    if answer:
        directory = cwd / expand_tilde(answer)
        await _open(context, await context.in_thread(_plan_launch, context, path, at, directory=directory))


async def _open(context: CommandContext, plan: LaunchPlan) -> None:
    plan.refuse_open()
    name = ""
    if plan.writes:
        made = await context.in_thread(lambda: services.fork_session(context.workspace, plan))
        here = made.path.parent == context.workspace.location.transcripts
        back = "z undoes it" if here else f"memtui undo {made.operation[:8]} removes it"
        context.notify(f"a fork was written: {visible(made.title, keep='')}; {back}")
        name = made.id
    try:
        code = services.resume_in_client(context.workspace, plan, name=name, suspend=context.app.suspend)
    finally:
        context.app.post_message(SessionsChanged())
    if code:
        context.app.notify(f"Claude Code ended with {code}", severity="warning", markup=False)


async def copy_command(context: CommandContext) -> None:
    """Send the command that resumes it to the clipboard. Copying writes nothing: memtui's own command writes a fork."""
    path, at = context.path, context.selection.message
    opened = context.state.opened.get(str(path))
    plan = await context.in_thread(_plan_launch, context, path, "" if opened and at == opened.leaf else at)
    if plan.writes:
        words = ["memtui", "resume", str(path), *(["--at", plan.at] if plan.at else [])]
        context.app.copy_to_clipboard(" ".join(map(executable.shell_quote, words)))
    else:
        context.app.copy_to_clipboard(executable.shell_command(plan.directory, plan.id))
    context.notify("command sent to the clipboard" + (": it writes a fork, then opens that" if plan.writes else ""))


async def _copy_context(context: CommandContext, at: str) -> None:
    title = _session(context).title
    made = await context.in_thread(lambda: export.export_transcript(_conversation(context, at), title, "markdown"))
    context.app.copy_to_clipboard(made.text)
    words = f"context sent to the clipboard, {size(len(made.text))}B"
    words += f"; {sum(made.removed.values())} that look like secrets were taken out" if made.removed else ""
    context.notify(words)


async def _export(context: CommandContext, at: str, title: str) -> None:
    forms = await context.in_thread(lambda: services.FORMATS)
    options = [
        dialogs.Option(
            (form, whole), f"{form}, {'the whole session' if whole else 'what a resume sends'}", f".{suffix}"
        )
        for whole in (False, True)
        for form, suffix in forms.items()
    ]
    chosen = await context.ask(dialogs.Choose("Export as", options))
    if chosen is None:
        return
    form, whole = chosen
    redact = Allow(secret="redact")

    def work() -> export.Export | SecretFound:
        transcript = context.app.transcript(context.path) if whole else None
        resumed = resume.plan_resume(transcript) if transcript else _conversation(context, at)
        return services.export_session(resumed, title, form, redact, transcript)

    made = await context.in_thread(work)
    assert not isinstance(made, SecretFound)
    removed = services.removed_words(made.removed)
    explain = f"Taken out, because it looks like a secret: {removed}" if removed else ""
    name = "".join(letter if letter.isalnum() else "-" for letter in title).strip("-")[:60] or "session"
    start = context.workspace.location.cwd / f"{name}.{forms[form]}"
    dialog = dialogs.Ask("Export to", str(start), explain=explain, does="export")
    await _write_to(context, dialog, partial(services.write_export, context.workspace, made))


async def save_copy(context: CommandContext) -> None:
    path, start = context.path, context.workspace.location.cwd / context.path.name
    dialog = dialogs.Ask("Save a copy to", str(start), does="save")
    await _write_to(context, dialog, lambda to: services.save_copy(context.workspace, path, to))


async def _write_to(context: CommandContext, dialog: dialogs.Ask, write: Callable[[Path], object]) -> None:
    answer = await context.ask(dialog)
    if answer:
        path = context.workspace.location.cwd / expand_tilde(answer)
        await context.in_thread(write, path)
        context.notify(f"written to {path}")


async def rename(context: CommandContext) -> None:
    session, check = _session(context), await context.in_thread(lambda: services.title_problem)
    title = await context.ask(dialogs.Ask("Rename session", session.title, check=check, does="rename"))
    if title and title != session.title:
        _done(context, await context.in_thread(services.rename_session, context.workspace, session.path, title))


async def archive(context: CommandContext) -> None:
    session_list, paths, workspace = context.state.session_list, context.paths, context.workspace
    archived = session_list.archived if session_list else {}
    back = [archived[str(path)] for path in paths if str(path) in archived]

    def work() -> ArchiveResult:
        return services.put_back(workspace, back) if back else services.archive_sessions(workspace, paths)

    _done(context, await context.in_thread(work))


async def delete(context: CommandContext) -> None:
    workspace, paths = context.workspace, context.paths
    done = await questions.ask_until_done(context, lambda allow: services.delete_sessions(workspace, paths, allow))
    if done is not None:
        _done(context, done)


def _done(context: CommandContext, result: ArchiveResult) -> None:
    context.app.view.unmark()
    left = "; ".join(f"{one.name} stays: {one.reason}" for one in result.left)
    context.done(" ".join([result.operation.told, *result.notes]), problem=left)
    context.app.post_message(SessionsChanged())


async def read(context: CommandContext) -> None:
    path, conversation = context.path, context.state.conversation
    title = visible(_session(context).title, keep="") or session_files.UNTITLED
    entries = None
    if conversation is not None and conversation.point.place == str(path):
        path, entries = conversation.transcript.path, conversation.entries
    uuid = await context.ask(TranscriptScreen(path, title, entries))
    if uuid is not None:
        context.selection = Selection(context.path, message=uuid)
        await show_menu(context)


async def go_to_memory(context: CommandContext) -> None:
    place, folder, snapshot = context.path, context.workspace.location.folder, context.snapshot
    opened = context.state.opened.get(str(place))
    names = session_rows.memory_names(opened.written, folder) if opened else []
    topics = snapshot.auto.topics if snapshot.auto else ()
    names += [file.name for file in topics if file.front.origin == place.stem and file.name not in names]
    names = [name for name in names if snapshot.at(folder / name)]
    if not names:
        raise NotFound("this session wrote no memory that is still there")
    options = [dialogs.Option(name, name) for name in names]
    name = names[0] if len(names) == 1 else await context.ask(dialogs.Choose("Memory of this session", options))
    if name:
        (await context.app.show_view("memory")).go_to(str(folder / name))


def no_sessions(state: AppState) -> str | None:
    return None if state.session_list and len(state.session_list.sessions) else "no session is listed"


WRITES = registry.read_only_or(no_sessions)


COMMANDS = declare(
    registry.SESSIONS,
    Command("sessions.read", "Read the whole conversation", "p", read, "p read", disabled_reason=no_sessions),
    Command("sessions.rename", "Rename, as Claude Code does", "r", rename, "r rename", disabled_reason=WRITES),
    Command("sessions.save", "Save a copy of the transcript", "s", save_copy, "s save", disabled_reason=no_sessions),
    Command("sessions.archive", "Archive, safe from Claude Code's clean-up; or restore", "a", archive, "a archive",
            disabled_reason=WRITES),
    Command("sessions.delete", "Delete (kept for 30 days; z brings it back)", "d", delete, "d delete",
            disabled_reason=WRITES),
    Command("sessions.copy", "Copy the command that resumes it", "y", copy_command, disabled_reason=no_sessions),
    Command("sessions.memory", "Go to the memory that this session wrote", "O", go_to_memory,
            disabled_reason=no_sessions),
)  # fmt: skip
