"""What has to happen so that the agent client goes on with a session: where it must run, and whether a fork of ours
comes first.

The client goes on from its own leaf alone. From any other message, and with a transcript that lies outside its folder
(resumed by its path, it would write what follows into another file), it goes on in a fork that we write.

Which message of a session a word means.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.executable import resume_directory
from memtui.client.paths import projects_dir, real_path, transcripts_dir
from memtui.client.running import RunningSession, running_sessions
from memtui.client.session_files import SESSION_FILE_NAME, SessionFile
from memtui.fs.atomic import to_error
from memtui.resume.fork import Fork, fork
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import NotFound, Refused, UsageError
from memtui.util.resolve import resolve_one
from memtui.util.text import visible

SHORTEST: Final = 8
"""Characters of a uuid that are enough, if no other message's begins with them."""


def message_of(transcript: Transcript, word: str) -> str:
    """The uuid of the record that a word means: a whole uuid, or the beginning that only one record has.

    Raises:
        NotFound: If none fits.
        Usage: If several fit, or the word is too short to tell.
    """
    uuids = {entry.uuid for entry in transcript.known() if entry.chained}
    if word in uuids:
        return word
    shown = visible(word, keep="")
    if len(word) < SHORTEST:
        raise UsageError(
            f"{shown!r} is too short to name a message", hint=f"give {SHORTEST} characters of its uuid or more"
        )
    fits = sorted(uuid for uuid in uuids if uuid.lower().startswith(word.lower()))
    return resolve_one(fits, word, "message", lists="memtui sessions tree --messages lists them", name=str)


class LaunchPlan(Struct, frozen=True):
    """What will be resumed, and where.

    `writes`: a fork of ours that ends at the message `at` ("": the client's leaf) goes into `folder` first. `forks`:
    the client makes one itself. `live` is the client that has the session open.
    """

    path: Path
    directory: Path
    folder: Path
    at: str = ""
    writes: bool = False
    forks: bool = False
    live: RunningSession | None = None

    @property
    def id(self) -> str:
        """The session's id."""
        return self.path.stem

    @property
    def open_elsewhere(self) -> str:
        """Why it should not be resumed as it is; "" if nothing speaks against it."""
        if self.live is None or self.forks or self.writes:
            return ""
        return f"already open in pid {self.live.pid}: both would write one transcript"

    def refuse_open(self) -> None:
        """Let nobody open a session twice.

        Raises:
            Refused: If it is open and no fork is made.
        """
        if self.open_elsewhere:
            raise Refused(self.open_elsewhere, hint="--fork goes on in a new session")


def plan_launch(env: Env, path: Path, *, at: str = "", fork: bool = False, directory: Path | None = None) -> LaunchPlan:
    """Decide how a session is resumed; nothing is written.

    Args:
        env: The surroundings.
        path: The transcript.
        at: The message to go on from, a uuid or its beginning; "" for the client's own choice.
        fork: Whether to go on in a new session.
        directory: Where the client shall work; where the session began if left out.

    Raises:
        NotFound: If there is no such transcript, message or directory, or the session's own is gone.
        Usage: If several messages fit.
    """
    path = real_path(path.parent) / path.name
    try:
        known = path.stat()
    except OSError as error:
        raise to_error(error, str(path), outcome="not read") from error
    place = _directory(SessionFile(str(path), known.st_mtime, known.st_size), directory)
    ours = path.parent.parent == real_path(projects_dir(env)) and SESSION_FILE_NAME.fullmatch(path.name) is not None
    point = message_of(read_transcript(path), at) if at else ""
    writes = bool(at) or not ours
    return LaunchPlan(
        path,
        place,
        path.parent if ours and directory is None else transcripts_dir(env, place),
        point,
        writes,
        fork and not writes,
        running_sessions(env).get(path.stem),
    )


def write_fork(plan: LaunchPlan, now: float) -> Fork:
    """Write the fork that a plan asks for; the session itself stays as it is.

    Args:
        plan: One that `writes`.
        now: Seconds since 1970.

    Raises:
        MemtuiError: If there is no conversation to fork, or it can't be written.
    """
    try:
        plan.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise to_error(error, str(plan.folder)) from error
    return fork(read_transcript(plan.path), plan.at, now=now, folder=plan.folder)


def _directory(file: SessionFile, wanted: Path | None) -> Path:
    if wanted is not None:
        if not wanted.is_dir():
            raise NotFound(f"there is no directory {visible(str(wanted), keep='')}")
        return wanted
    start = resume_directory(file)
    if start.directory is not None and start.there:
        return start.directory
    others = ", ".join(visible(str(other), keep="") for other in start.others[:3])
    hint = "--in DIR resumes it elsewhere" + (f"; it also worked in {others}" if others else "")
    if start.directory is None:
        raise NotFound("no record of this session tells where it began", hint=hint)
    raise NotFound(f"the directory of this session is gone: {visible(str(start.directory), keep='')}", hint=hint)
