"""The events of a run and the file that they are appended to, one line of JSON each.

    {"event": "turn", "at": 1764473040.25, "number": 3, "text": "Two notes disagree…", "tools": {"Read": 2}}

A backend makes events without a time; the log adds it. Counts, tokens and money are totals, so a newer event replaces
an older one. Reading is tolerant: a field of the wrong type gets its default, an unknown event is kept as `Other`, an
incomplete last line is left for the next read.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from memtui.fs.atomic import write_all
from memtui.fs.filesystem import REAL
from memtui.util.json_object import json_object, read_plain

RunOutcome = Literal["done", "nothing", "held", "failed", "killed", "over-budget", "gate"]
"""Adopted, nothing to do, held for review, failed, killed, over budget, or stopped by a gate."""

POLL_INTERVAL_S = 0.05  # time between two looks at a file that is followed


class Event(Struct, frozen=True, kw_only=True, tag_field="event", tag=str.lower):
    """Something that happened; `at` is 0 until the log sets it. A new kind needs only a class here."""

    at: float = 0.0


class Started(Event, frozen=True):
    """The run has its lock and its stage. `left_out` counts the files that were not copied to the stage."""

    mode: str = ""
    trigger: str = ""
    backend: str = ""
    why: str = ""
    files: int = 0
    left_out: int = 0


class Phase(Event, frozen=True):
    """`name` is "starting" until the first file changed, then "updating"; `stage` is what the model announced."""

    name: str = "starting"
    stage: str = ""


class Turn(Event, frozen=True):
    """A turn of the model: its text, and how often it called each tool."""

    number: int = 0
    text: str = ""
    tools: Mapping[str, int] = field(default_factory=dict)


class File(Event, frozen=True):
    """A file of the stage differs from the folder; kind "same" if it no longer does."""

    name: str = ""
    kind: str = "changed"
    added: int = 0
    removed: int = 0
    old: str = ""
    emptied: bool = False


class Tokens(Event, frozen=True):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class Money(Event, frozen=True):
    usd: float = 0.0


class Retry(Event, frozen=True):
    """A failed call to the model is repeated in `wait` seconds."""

    number: int = 0
    wait: float = 0.0
    reason: str = ""


class Note(Event, frozen=True):
    words: str = ""


class WriteFailed(Event, frozen=True, tag="write_failed"):
    """A write to the stage was refused or failed: what the model wanted to write to, and why it didn't."""

    name: str = ""
    reason: str = ""


class GateClosed(Event, frozen=True, tag="gate"):
    """A gate stopped a run; `folder` is the memory folder."""

    name: str = ""
    reason: str = ""
    folder: str = ""
    trigger: str = ""


class Held(Event, frozen=True):
    rule: str = ""
    words: str = ""
    names: tuple[str, ...] = ()


class Decided(Event, frozen=True):
    """What became of drafts: "adopted", "discarded", "expired"; `left` are still to be decided, -1 for unknown."""

    what: str = ""
    names: tuple[str, ...] = ()
    version: str = ""
    partly: tuple[str, ...] = ()
    left: int = -1


class Ended(Event, frozen=True):
    """The last event of a run: what became of the lock, how many drafts are kept, the ending signal (0 for none)."""

    how: str = "failed"
    reason: str = ""
    version: str = ""
    adopted: tuple[str, ...] = ()
    drafted: int = 0
    lock: str = ""
    signal: int = 0


class Other(Event, frozen=True):
    """An event that this version of memtui doesn't know."""

    name: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


_KINDS: dict[object, type[Event]] = {
    kind.__struct_config__.tag: kind for kind in Event.__subclasses__() if kind is not Other
}


def event_data(event: Event) -> dict[str, Any]:
    """An event as a JSON object: "event", "at", then its fields."""
    if isinstance(event, Other):
        return {"event": event.name, "at": event.at, **event.data}
    body = asdict(event)
    return {"event": type(event).__struct_config__.tag, "at": body.pop("at"), **body}


def read_event(line: bytes) -> Event | None:
    """Parse one line; `None` if it is no event."""
    data = json_object(line)
    if not isinstance(data.get("event"), str):
        return None
    kind = _KINDS.get(data["event"])
    if kind is None:
        at = _checked(data.get("at"), 0.0)
        rest = {key: value for key, value in data.items() if key not in ("event", "at")}
        return Other(data["event"], rest, at=at)
    empty = kind()
    return kind(**{name: _checked(data.get(name), getattr(empty, name)) for name in kind.__struct_fields__})


def _checked(value: object, default: Any) -> Any:
    """The value if it has the type of the default, else the default."""
    if isinstance(default, bool) or isinstance(value, bool):
        return value if type(value) is type(default) else default
    if isinstance(default, float):
        return float(value) if isinstance(value, int | float) and abs(value) < 1e300 else default
    if isinstance(default, tuple):
        return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else default
    if isinstance(default, dict):
        return {k: v for k, v in value.items() if type(v) is int} if isinstance(value, dict) else default
    return value if isinstance(value, type(default)) else default


class EventLog(Struct):
    """Appends to an event file; an event is a single write, so that those of two writers don't mix."""

    path: Path
    now: Callable[[], float]

    def add(self, event: Event, *, sync: bool = False) -> Event:
        """Append an event and return it with its time; with `sync` it survives a power cut."""
        if not event.at:
            event = replace(event, at=self.now())
        line = json.dumps(event_data(event), ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        fd = REAL.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                line = b"\n" + line  # the last writer was killed in mid-line
            write_all(fd, line)
            if sync:
                REAL.fsync(fd)
        finally:
            os.close(fd)
        return event


def read_events(path: Path) -> tuple[Event, ...]:
    """All complete events of a file, oldest first; none if there is no file."""
    try:
        data = read_plain(path)
    except OSError:
        return ()
    lines = data.split(b"\n")[:-1]
    return tuple(event for line in lines if (event := read_event(line)) is not None)


def follow_events(
    path: Path, stopped: Callable[[], bool], *, pause: Callable[[float], object] = time.sleep
) -> Iterator[Event]:
    """Yield the events of a file, then those that are appended, until `Ended` or `stopped`; for a thread of its own.

    The file need not exist yet. `stopped` is asked whenever there is nothing new; once it is true the file is read one
    last time. `pause` waits that many seconds; the `wait` of a `threading.Event` can be cut short.
    """
    at, rest, last = 0, b"", False
    while True:
        data = b""
        with suppress(FileNotFoundError), path.open("rb") as file:
            file.seek(at)
            data = file.read()
        at += len(data)
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            event = read_event(line)
            if event is not None:
                yield event
            if isinstance(event, Ended):
                return
        if last:
            return
        if not data:
            last = stopped()
            if not last:
                pause(POLL_INTERVAL_S)
