"""How the agent client is started to continue a session: where it must run, and whether we write a fork first.

The client continues from its own leaf only, and finds a session from some directories only. From any other message or
directory, and with a transcript outside its folder (resumed by path, it would write what follows into another file), it
continues in a fork that we write: no command is given that the client is known to refuse.
"""

from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.executable import resumable_folders, resume_directory
from memtui.client.paths import projects_dir, real_path, transcripts_dir
from memtui.client.running import RunningSession, running_sessions
from memtui.client.session_files import SESSION_FILE_NAME, SessionFile
from memtui.fs.atomic import to_error
from memtui.resume.fork import Fork, write_forked_session
from memtui.resume.resume import ENDED, is_ended
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import NotFound, Refused, UsageError
from memtui.util.resolve import resolve_one
from memtui.util.text import visible

SEARCHED_BYTES: Final = 1 << 18  # of a transcript at a time
MIN_PREFIX_CHARS: Final = 8  # a shorter prefix of a uuid is refused, even where only one message begins with it


def resolve_message(transcript: Transcript, word: str) -> str:
    """Resolve a uuid, or a prefix that only one record has, to a record's uuid; else `NotFound`, `UsageError`."""
    uuids = {entry.uuid for entry in transcript.known() if entry.chained}
    if word in uuids:
        return word
    shown = visible(word, keep="")
    if len(word) < MIN_PREFIX_CHARS:
        hint = f"give {MIN_PREFIX_CHARS} characters of its uuid or more"
        raise UsageError(f"{shown!r} is too short to name a message", hint=hint)
    fits = sorted(uuid for uuid in uuids if uuid.lower().startswith(word.lower()))
    return resolve_one(fits, word, "message", lists="memtui sessions tree --messages lists them", name=str)


class LaunchPlan(Struct, frozen=True):
    """What will be resumed, and where."""

    path: Path
    directory: Path
    folder: Path
    at: str = ""  # the message that our fork ends at; "": the client's leaf
    fork_reason: str = ""  # why we first write a fork, into `folder`; "": we write none
    forks: bool = False  # the client makes one itself
    live: RunningSession | None = None  # the client that has the session open
    ended: bool = False  # by the model, and no message is named: Claude Code refuses to resume or fork it

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def writes(self) -> bool:
        return bool(self.fork_reason)

    @property
    def open_elsewhere(self) -> str:
        """Why the session must not be resumed as it is; "" if it may."""
        if self.ended:
            return ENDED
        if self.live is None or self.forks or self.writes:
            return ""
        return f"already open in pid {self.live.pid}: both would write one transcript"

    def refuse_open(self) -> None:
        """Raise `Refused` if the session is open and no fork is made, or if Claude ended it and no message is named."""
        if self.open_elsewhere:
            hint = "--at MESSAGE forks it at a message" if self.ended else "--fork goes on in a new session"
            raise Refused(self.open_elsewhere, hint=hint)


def plan_launch(env: Env, path: Path, *, at: str = "", fork: bool = False, directory: Path | None = None) -> LaunchPlan:
    """Decide how a session is resumed; nothing is written.

    `at` is the message to continue from, a uuid or a prefix, "" for the client's own choice; `fork`: in a new session;
    `directory` is where the client shall work, where the session began if left out. Raises `NotFound` if there is no
    such transcript, message or directory, or the session's own is gone, `UsageError` if several messages fit.
    """
    path = real_path(path.parent) / path.name
    try:
        known = path.stat()
    except OSError as error:
        raise to_error(error, str(path), outcome="not read") from error
    start_directory = _directory(env, SessionFile(str(path), known.st_mtime, known.st_size), directory)
    ours = path.parent.parent == real_path(projects_dir(env)) and SESSION_FILE_NAME.fullmatch(path.name) is not None
    point = resolve_message(read_transcript(path), at) if at else ""
    found = ours and path.parent in map(real_path, resumable_folders(env, start_directory))
    if at:
        reason = f"it shall end at {point}"
    elif not ours:
        reason = "the transcript lies outside Claude Code's folder"
    else:
        reason = "" if found else f"Claude Code doesn't find the session from {visible(str(start_directory), keep='')}"
    folder = path.parent if found and directory is None else transcripts_dir(env, start_directory)
    live = running_sessions(env).get(path.stem)
    ended = not at and _mentions(path, b'"ended-by-model"') and is_ended(read_transcript(path))
    return LaunchPlan(path, start_directory, folder, point, reason, fork and not reason, live, ended)


def _mentions(path: Path, words: bytes) -> bool:
    """Whether some bytes are in a file, which may be large."""
    buffer, kept = bytearray(SEARCHED_BYTES), 0
    with suppress(OSError), path.open("rb", buffering=0) as file:
        while count := file.readinto(memoryview(buffer)[kept:]):
            end = kept + count
            if buffer.find(words, 0, end) >= 0:
                return True
            kept = min(len(words), end)
            buffer[:kept] = buffer[end - kept : end]
    return False


def write_fork(plan: LaunchPlan, now: float) -> Fork:
    """Write the fork that a plan `writes`; raises `MemtuiError` if there is no conversation, or no writing it."""
    try:
        plan.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise to_error(error, str(plan.folder)) from error
    return write_forked_session(read_transcript(plan.path), plan.at, now=now, folder=plan.folder)


def _directory(env: Env, file: SessionFile, wanted: Path | None) -> Path:
    if wanted is not None:
        if not wanted.is_dir():
            raise NotFound(f"there is no directory {visible(str(wanted), keep='')}")
        return wanted
    start = resume_directory(file, env.home)
    if start.directory is not None and start.there:
        return start.directory
    others = ", ".join(visible(str(other), keep="") for other in start.others[:3])
    hint = "--in DIR resumes it elsewhere" + (f"; it also worked in {others}" if others else "")
    if start.directory is None:
        raise NotFound("no record of this session tells where it began", hint=hint)
    raise NotFound(f"the directory of this session is gone: {visible(str(start.directory), keep='')}", hint=hint)
