"""What a person does to past sessions as a whole, and what they give away of one."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from memtui.client.executable import find_client, resume_command, resume_environment
from memtui.client.paths import projects_dir, real_path
from memtui.client.session_files import UNTITLED
from memtui.fs.atomic import create_file
from memtui.memory.workspace import Workspace
from memtui.projects.activity import archive_for, live_sessions, make_fork
from memtui.resume.export import Export, ExportFormat, export_transcript
from memtui.resume.fork import Fork
from memtui.resume.launch import LaunchPlan
from memtui.resume.resume import ResumePlan
from memtui.secrets.scanner import Finding
from memtui.services.access import require_writable
from memtui.services.editor import Suspend
from memtui.services.questions import NOTHING_YET, Allow, NeedsConfirmation, SecretFound
from memtui.sessions.archive import KEPT, ArchivedSession, ArchiveResult
from memtui.sessions.archive import save_copy as copy_transcript
from memtui.sessions.rename import check_title
from memtui.transcripts.summary import SummaryScanner
from memtui.transcripts.transcript import Transcript
from memtui.util.errors import MemtuiError, Refused, Unsupported
from memtui.util.foreground import run_in_foreground
from memtui.util.text import size, visible

FORMATS: dict[ExportFormat, str] = {"markdown": "md", "json": "json", "html": "html"}
"""The formats of an export, each with the ending of its file."""
MAX_TITLES_LISTED = 8


class SessionFiles(Struct, frozen=True):
    """What would be moved of a session; `size` is in bytes, the title "" if it has none."""

    path: Path
    files: Sequence[str]
    size: int
    title: str


def title_problem(title: str) -> str:
    """Why that is no title; "" if it is one."""
    try:
        check_title(title)
    except MemtuiError as error:
        return error.message
    return ""


def rename_session(workspace: Workspace, path: Path, title: str) -> ArchiveResult:
    """Give a session another title, as Claude Code's /rename does, at the end of its file; `UsageError` for none."""
    require_writable(workspace)
    return ArchiveResult(archive_for(workspace).rename(path, title))


def session_files(workspace: Workspace, paths: Sequence[Path]) -> tuple[SessionFiles, ...]:
    """What a move of sessions would take along. Reads only."""
    archive = archive_for(workspace)
    return tuple(SessionFiles(path, *archive.files(path), SummaryScanner().file(path).title) for path in paths)


def require_project_sessions(workspace: Workspace, paths: Iterable[Path]) -> None:
    """`Refused` if one of the sessions is in no project folder: it may not be moved."""
    projects = projects_dir(workspace.env)
    for path in paths:
        if path.absolute().parent.parent != projects and real_path(path.parent).parent != real_path(projects):
            raise Refused(f"{path} is in no project folder of Claude Code: it was left where it is")


def archive_sessions(workspace: Workspace, paths: Sequence[Path]) -> ArchiveResult:
    """Move sessions out of the clean-up's reach; `Refused` if one is open or in no project folder."""
    require_writable(workspace)
    require_project_sessions(workspace, paths)
    return archive_for(workspace).archive(paths, live=live_sessions(workspace))


def delete_sessions(
    workspace: Workspace, paths: Sequence[Path], allow: Allow = NOTHING_YET
) -> ArchiveResult | NeedsConfirmation:
    """Delete sessions with all that is theirs; asked about. Restorable for 30 days. Raises as `archive_sessions`."""
    require_writable(workspace)
    require_project_sessions(workspace, paths)
    if not allow.confirmed:
        return _ask_to_delete(session_files(workspace, paths))
    return archive_for(workspace).delete(paths, live=live_sessions(workspace))


def _ask_to_delete(found: Sequence[SessionFiles]) -> NeedsConfirmation:
    what = f"session {found[0].path.stem[:8]}" if len(found) == 1 else f"{len(found)} sessions"
    lines = [f"  {visible(one.title or UNTITLED, keep='')}" for one in found[:MAX_TITLES_LISTED]]
    if len(found) > MAX_TITLES_LISTED:
        lines.append(f"  and {len(found) - MAX_TITLES_LISTED} more")
    total = size(sum(one.size for one in found))
    lines.append(f"{total}B, kept for {KEPT} days; undo brings {'it' if len(found) == 1 else 'them'} back.")
    return NeedsConfirmation(f"Delete {what} ({total})?", tuple(lines), yes="Delete")


def put_back(workspace: Workspace, sessions: Sequence[ArchivedSession]) -> ArchiveResult:
    """Put archived or deleted sessions back, with the present time where Claude Code's clean-up would take them."""
    require_writable(workspace)
    return ArchiveResult(archive_for(workspace).put_back(sessions))


def fork_session(workspace: Workspace, plan: LaunchPlan) -> Fork:
    """Write the fork that a resume needs, as an operation; `MemtuiError` if there is no conversation to fork."""
    if workspace.read_only:
        raise Refused(
            "memtui was started with --read-only, and this needs a fork",
            hint="copy or print the conversation instead: that writes nothing",
        )
    return make_fork(workspace, plan)


def resume_in_client(workspace: Workspace, plan: LaunchPlan, *, name: str = "", suspend: Suspend) -> int:
    """Hand the terminal to Claude Code, for a plan or the fork that was written for it (`name`); its exit code.

    `Refused` if the session is open already and no fork is made, `Unsupported` if Claude Code can't be started.
    """
    plan.refuse_open()
    client = find_client(workspace.env)
    words = resume_command(client, name or plan.id, fork=plan.forks)
    try:
        with suspend():
            return run_in_foreground(words, cwd=plan.directory, environ=resume_environment(workspace.env))
    except OSError as error:
        raise Unsupported(f"{visible(client, keep='')} can't be started: {error.strerror}") from error


def save_copy(workspace: Workspace, path: Path, target: Path) -> int:
    """Copy a transcript, byte by byte, into a file that isn't there yet (`Refused` if it is); its bytes."""
    require_writable(workspace)
    return copy_transcript(path, target)


def export_session(
    resume: ResumePlan, title: str, form: ExportFormat, allow: Allow = NOTHING_YET, whole: Transcript | None = None
) -> Export | SecretFound:
    """Write down what a resume sends, or the `whole` session with its branches and agents.

    What looks like a secret is taken out, which `secret="redact"` says yes to.
    """
    made = export_transcript(resume, title, form, whole)
    if made.removed and allow.secret != "redact":
        kinds = [rule for rule, count in sorted(made.removed.items()) for _ in range(count)]
        return SecretFound(title, tuple(Finding(rule, 0, 0, "", 0, 0, "") for rule in kinds))
    return made


def removed_words(removed: dict[str, int]) -> str:
    """What was taken out of an export: "2 × github-token"; "" for nothing."""
    return ", ".join(f"{count} × {name}" for name, count in sorted(removed.items()))


def write_export(workspace: Workspace, made: Export, target: Path) -> int:
    """Write an export into a file that isn't there yet (`Refused` if it is); its bytes."""
    require_writable(workspace)
    data = made.text.encode("utf-8", "replace")
    create_file(target, data)
    return len(data)
