"""What workers report and what views ask the app for; messages of a single widget live with that widget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import is_
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace
from textual.message import Message

from memtui.tui.state import (
    AppState,
    Dream,
    FileDiff,
    OpenConversation,
    OpenDream,
    OpenSession,
    Point,
    Preview,
    Scope,
    SessionListState,
    Starting,
)

if TYPE_CHECKING:
    from memtui.dream.gates.base import Gate
    from memtui.dream.lock.external_run import ExternalRun
    from memtui.dream.review.review import ReviewPolicy
    from memtui.memory.dismissals import Dismissal
    from memtui.memory.snapshot import Snapshot


class Newest(Message):
    """A message that replaces an older one of its kind that still waits."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, type(self))


@dataclass
class StateUpdate(Message):
    """Something was read; the app puts it into its state, as a rule each field in the place of its name."""

    def into(self, state: AppState) -> AppState:
        return replace(state, **{field.name: getattr(self, field.name) for field in fields(self)})


class NewestUpdate(Newest, StateUpdate):
    """One that replaces an older one."""


@dataclass
class SnapshotLoaded(Newest):
    snapshot: Snapshot
    unsaved: frozenset[Path]
    pinned: frozenset[Path]
    changed: frozenset[Path]
    last_dream: float | None
    branch: str

    def same_as(self, state: AppState) -> bool:
        """Whether the state shows just this already: a rescan that found nothing changes nothing on the screen."""
        old, new = state.snapshot, self.snapshot
        if old is None or not old.full or state.folder_gone or len(old.scopes) != len(new.scopes):
            return False
        beside = (self.unsaved, self.pinned, self.changed, self.last_dream, self.branch)
        if beside != (state.unsaved, state.pinned, state.changed, state.last_dream, state.branch):
            return False
        pairs = zip(old.scopes, new.scopes, strict=True)
        files = all(
            len(a.files) == len(b.files) and all(map(is_, a.files, b.files)) and a.problem == b.problem
            for a, b in pairs
        )
        return files and old.instructions == new.instructions and old.notices == new.notices


class InitialLoadFinished(Message):
    """The first reading is done; from here on the disk is followed."""


@dataclass
class LeftoverFinished(Message):
    """Something left behind is in order now: a text of an editor is kept as a draft, a dream that died has its end."""

    words: str


@dataclass
class ReadingFinished(Message):
    of: Literal["memory", "sessions", "dreams"]


class SnapshotOutdated(Newest):
    """Something in the memory folder is not as it was read."""


class DiskChanged(Newest):
    """Something below a watched folder changed."""


class SessionsChanged(Newest):
    """A transcript changed, or a client came or went."""


@dataclass
class PreviewRequested(Newest):
    """The cursor stands on another file, or its preview is wanted in another mode or width."""

    wanted: Preview


@dataclass
class PreviewLoaded(StateUpdate):
    preview: Preview


@dataclass
class SessionListLoaded(NewestUpdate):
    """The list of sessions, or what is known of it so far; a newer one replaces an older."""

    session_list: SessionListState


@dataclass
class HealthLoaded(StateUpdate):
    """What is lost of sessions, by their place; "" for nothing."""

    health: Mapping[str, str]

    def into(self, state: AppState) -> AppState:
        health = {**state.health, **self.health}
        return replace(state, health={place: words for place, words in health.items() if words})


@dataclass
class SessionLoaded(StateUpdate):
    opened: OpenSession

    def into(self, state: AppState) -> AppState:
        return replace(state, opened={**state.opened, self.opened.place: self.opened})


@dataclass
class ConversationLoaded(NewestUpdate):
    conversation: OpenConversation


@dataclass
class RunsLoaded(StateUpdate):
    """The runs of dreams, and what the Dream view wants to know if it is shown; a newer reading replaces an older."""

    dreams: tuple[Dream, ...]
    judging: str
    gates: tuple[Gate, ...] | None = None
    opened: OpenDream | None = None
    foreign: ExternalRun | None = None
    policy: ReviewPolicy | None = None
    dismissed: frozenset[Dismissal] | None = None

    def into(self, state: AppState) -> AppState:
        gates = state.gates if self.gates is None else self.gates
        opened = self.opened or state.open_dream
        begun = state.starting is not None and any(dream.run.id == state.starting.id for dream in self.dreams)
        return replace(
            state, starting=None if begun else state.starting, dreams=self.dreams, judging=self.judging, gates=gates,
            open_dream=opened, foreign=self.foreign, bad_dream=state.bad_dream or self._gone_wrong(state),
            policy=self.policy or state.policy, dismissed=state.dismissed if self.dismissed is None else self.dismissed,
        )  # fmt: skip

    def _gone_wrong(self, state: AppState) -> str:
        """The id of the run that was on and went wrong, unless it is being looked at."""
        on = state.going.run.id if state.going and state.view != "dream" else ""
        found = next((dream.state for dream in self.dreams if dream.run.id == on), None)
        if found is None or found.word == "running":
            return ""
        return on if found.end is None or found.end.how in ("failed", "over-budget") else ""


@dataclass
class DreamAdvanced(NewestUpdate):
    """A dream got further; complete in itself, so a newer report replaces an older."""

    dream: Dream
    opened: OpenDream

    def into(self, state: AppState) -> AppState:
        id = self.dream.run.id
        dreams = tuple(self.dream if one.run.id == id else one for one in state.dreams)
        shown = state.open_dream is not None and state.open_dream.id == id
        return replace(state, dreams=dreams, open_dream=self.opened if shown else state.open_dream)


@dataclass
class DreamSeen(StateUpdate):
    """The user looked at a run: its failure is not shown any more."""

    id: str

    def into(self, state: AppState) -> AppState:
        return replace(state, bad_dream="") if state.bad_dream == self.id else state


@dataclass
class DreamStarts(StateUpdate):
    """A run's process was started; None: it has begun, or it did not."""

    starting: Starting | None


@dataclass
class DiffLoaded(NewestUpdate):
    change: FileDiff


class DreamsFound(Message):
    """There may be runs of dreams: from the first on they are read."""


class DreamsChanged(Newest):
    """The file of a run changed."""


@dataclass
class SessionListRequested(Message):
    scope: Scope


@dataclass
class SessionRequested(Newest):
    """The cursor rests on a row of the list of sessions: the session is to be read whole."""

    point: Point


@dataclass
class RunRequested(Message):
    """A run is to be read whole; `over_views` if it is shown in a dialog over the views, "" for none any more."""

    id: str
    over_views: bool = False


@dataclass
class DreamViewShown(Message):
    """The Dream view came on screen, or left it: only meanwhile its checks are looked at."""

    shown: bool


@dataclass
class DiffRequested(Message):
    """What a run ("" another program's) does to one file is wanted."""

    id: str
    name: str


@dataclass
class CommandDone(Message):
    """A command was carried out.

    `words` say so, the cursor goes to `focus`, `problem` says what follows from it ("2 lines are not loaded").
    """

    words: str
    focus: Path | None = None
    problem: str = ""


@dataclass
class CommandFailed(Message):
    """A command was not carried out, and why; nothing is lost."""

    message: str
    hint: str = ""
