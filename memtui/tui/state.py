"""What the screen knows, as one frozen value that is replaced whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct, field

from memtui.client.memory_location import MemoryLocation
from memtui.client.retention import DEFAULT_RETENTION_DAYS
from memtui.sessions.listing import CompressedSessions
from memtui.util.lazy_module import LazyModule

if TYPE_CHECKING:
    from memtui.client.running import RunningSession
    from memtui.dream.gates.base import Gate
    from memtui.dream.lock.external_run import ExternalRun
    from memtui.dream.review.adoption import AdoptionItem
    from memtui.dream.review.claim import Claim
    from memtui.dream.review.review import ReviewPolicy
    from memtui.dream.run.events import Event
    from memtui.dream.run.runs import Run, RunProgress, RunState
    from memtui.memory.dismissals import Dismissal
    from memtui.memory.snapshot import Snapshot
    from memtui.presentation import secrets
    from memtui.resume.health import LostEnd
    from memtui.resume.outline import OutlineNode
    from memtui.sessions.archive import ArchivedSession
    from memtui.transcripts.entries import Entry
    from memtui.transcripts.transcript import Transcript
    from memtui.tui.render.markdown import MarkdownLine
    from memtui.tui.startup.first_state import FirstState
else:  # the first frame has nothing to mask
    secrets = LazyModule("memtui.presentation.secrets")


_LONG_RUN = re.compile(r"[A-Za-z0-9]{12}")


class Preview(Struct, frozen=True):
    """A file, or what is known of it, as drawn lines for one width."""

    path: Path | None = None
    mode: str = "preview"
    title: str = ""
    lines: Sequence[MarkdownLine] = ()
    width: int = 0
    secrets: bool = False  # whether what looks like a secret is shown


Scope = Literal["project", "worktrees", "all"]
"""Whose sessions are listed: those of the working directory, of its whole repository, or of everybody."""


class SessionListState(Struct, frozen=True):
    """The sessions that are listed, newest first, and what is known of them beside their files."""

    scope: Scope = "project"
    sessions: CompressedSessions = CompressedSessions()
    live: Mapping[str, RunningSession] = field(default_factory=dict)  # open in a client now, by their ids
    days: int | None = DEFAULT_RETENTION_DAYS  # that the client keeps one; None: it takes none
    archived: Mapping[str, ArchivedSession] = field(default_factory=dict)  # those that lie with us, by their paths
    reading: str = ""  # what is still being looked at


class OpenSession(Struct, frozen=True):
    """One session, read: its branches and agents, what there is to say about it, and the paths that it wrote to."""

    place: str
    outline: tuple[OutlineNode, ...]
    pairs: Sequence[tuple[str, str, str]] = ()
    notes: Sequence[str] = ()
    written: tuple[str, ...] = ()
    leaf: str = ""  # the uuid of the message that Claude Code continues at
    lost: LostEnd | None = None


class Point(Struct, frozen=True):
    """What the cursor is on: a session (its own leaf), one of its messages, or a sub-agent's file."""

    place: str
    uuid: str = ""
    agent: str = ""


class OpenConversation(Struct, frozen=True):
    """The rows that lead to a point of a session, oldest first, and where to read what they say."""

    point: Point
    transcript: Transcript
    entries: tuple[Entry, ...]


class Dream(Struct, frozen=True):
    """A run of a dream, read from its files; `kept` if its draft is still stored, `decision` what became of it."""

    run: Run
    state: RunState
    progress: RunProgress
    kept: bool = False
    decision: str = ""


class Starting(Struct, frozen=True):
    """A run whose process was just started, at a time in seconds; its own files hold nothing yet."""

    at: float
    id: str


class FileDiff(Struct, frozen=True):
    id: str
    name: str
    text: str


class OpenDream(Struct, frozen=True):
    """What else is known of one run; `items` and `claims` if something is kept and it has ended."""

    id: str
    events: tuple[Event, ...] = ()
    items: tuple[AdoptionItem, ...] = ()
    claims: tuple[Claim, ...] = ()
    taken: Mapping[str, str] = field(default_factory=dict)  # "adopted", "undone" or "restored" by a file's name


@runtime_checkable
class KeepsDraft(Protocol):
    """A screen with text that may be unsaved."""

    def keep_draft(self) -> None:
        """Keep the text as a draft, or drop the draft if nothing is unsaved."""


MODES = ("preview", "links", "history")


class AppState(Struct, frozen=True):
    """Everything that a view shows; only the app assigns it."""

    location: MemoryLocation
    now: float  # seconds; what ages count back from
    view: str = "memory"
    snapshot: Snapshot | None = None
    first: FirstState | None = None
    """What the last start's first frame showed, if nothing has changed since; shown until the disk is read."""
    branch: str = ""
    flags: tuple[str, ...] = ()
    notice: str = ""  # what is going on right now
    read_only: bool = False
    unsaved: frozenset[Path] = frozenset()
    pinned: frozenset[Path] = frozenset()
    changed: frozenset[Path] = frozenset()  # files that the last background run changed
    last_dream: float | None = None
    preview: Preview = Preview()
    session_list: SessionListState | None = None  # the sessions; None until a view first shows them
    health: Mapping[str, str] = field(default_factory=dict)
    """What is lost of sessions, in words, by their file's path; "" for nothing."""
    opened: Mapping[str, OpenSession] = field(default_factory=dict)
    """Sessions that were read whole, by their file's path."""
    conversation: OpenConversation | None = None  # the one that leads to the row under the cursor
    dreams: tuple[Dream, ...] = ()  # newest first
    judging: str = ""  # the id of the run that waits for a person to judge it
    bad_dream: str = ""  # the id of a run that failed while memtui was open, until the user looks at it
    gates: tuple[Gate, ...] = ()  # would a dream start; looked at while the Dream view is shown
    policy: ReviewPolicy | None = None  # what would become of the next dream's changes; looked at with the gates
    dismissed: frozenset[Dismissal] = frozenset()
    """The proposals that the person has dismissed; looked at with the gates."""
    open_dream: OpenDream | None = None
    change: FileDiff | None = None
    """What that run does to the file under the cursor; read where there is room to show it."""
    starting: Starting | None = None  # a run that was asked for and has reported nothing yet
    foreign: ExternalRun | None = None
    secrets_shown: bool = False
    folder_gone: bool = False
    """Whether the memory folder went away while it was shown; `snapshot` is the last reading of it."""

    def masked(self, text: str) -> str:
        """A text as it is shown: what looks like a secret is masked, unless the person wants to see it."""
        return text if self.secrets_shown else secrets.mask_secrets(text)

    def masked_name(self, name: str) -> str:
        """A file's name, as it is shown; most are told at a glance to hold no secret, without loading the scanner."""
        return self.masked(name) if _LONG_RUN.search(name) else name

    @property
    def going(self) -> Dream | None:
        """The run of a dream that is on, the newest if there are several."""
        return next((dream for dream in self.dreams if dream.state.word == "running"), None)

    @property
    def waits(self) -> Dream | None:
        """The run that failed while memtui was open, or waits for review."""
        wanted = self.bad_dream or self.judging
        return next((dream for dream in self.dreams if dream.run.id == wanted), None)

    @property
    def pill(self) -> Pill | None:
        """The dream that every view shows: the run that is on, begins, is another's, went wrong, or waits."""
        return self.going or self.starting or self.foreign or self.waits

    @property
    def ticks(self) -> bool:
        return self.going is not None or self.starting is not None or self.foreign is not None


Pill: TypeAlias = "Dream | Starting | ExternalRun"  # what the line above the hints is about
