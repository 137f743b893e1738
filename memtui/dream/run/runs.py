"""The files of runs: who started one, how it stands, what it has done so far, how it ended.

This is the one place that derives a run's state and progress; the file layout is in the package's docstring.
"""

import json
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

from msgspec import Struct, convert, field, to_builtins

from memtui.dream.gates.base import Gate
from memtui.dream.run.events import (
    Decided,
    Ended,
    Event,
    EventLog,
    File,
    GateClosed,
    Held,
    Money,
    Phase,
    Tokens,
    Turn,
    read_event,
    read_events,
)
from memtui.dream.run.stage import has_stage
from memtui.fs.atomic import make_folders, replace_file
from memtui.fs.folders import subfolders
from memtui.util.app_dirs import Dirs
from memtui.util.errors import NotFound
from memtui.util.json_object import load_json, read_plain
from memtui.util.process import ProcessIdentity, is_alive
from memtui.util.resolve import resolve_one

E = TypeVar("E", bound=Event)

MAX_LISTED_RUNS = 100

_MAX_REFUSALS_BYTES = 256 << 10  # size at which the older half of `refused.jsonl` is removed


class Run(Struct, frozen=True):
    """What `run.json` holds."""

    id: str
    path: Path
    folder: Path  # the memory folder
    cwd: Path  # the directory that it belongs to
    mode: str
    trigger: str
    backend: str
    why: str  # why this backend was chosen
    dry_run: bool
    adopt: str  # "auto" or "review"
    process: ProcessIdentity
    at: float
    gates: tuple[Gate, ...] = ()  # as they stood at the start
    reads_sessions: bool = False

    @property
    def events(self) -> Path:
        return self.path / "events.jsonl"


class RunState(Struct, frozen=True):
    """How a run stands: "running", "ended" (`end` says how), or "died": its process is gone without an end."""

    word: Literal["running", "ended", "died"]
    end: Ended | None = None


class RunProgress(Struct, frozen=True):
    phase: str = "starting"
    stage: str = ""
    stages: tuple[str, ...] = ()  # the stages that the model announced, in order, each once
    turns: int = 0
    text: str = ""
    tools: Mapping[str, int] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
    usd: float = 0.0
    files: Mapping[str, File] = field(default_factory=dict)
    held: tuple[Held, ...] = ()
    decided: tuple[Decided, ...] = ()
    end: Ended | None = None
    last: float = 0.0


def reserve_run(dirs: Dirs, now: float) -> str:
    """Reserve a new run id, its time to the minute, by creating the run's folder."""
    above = dirs.state / "runs"
    make_folders(above)
    word = time.strftime("%Y-%m-%d-%H%M", time.localtime(now))
    id, number = word, 1
    while True:
        try:
            (above / id).mkdir(mode=0o700)
            return id
        except FileExistsError:
            number += 1
            id = f"{word}-{number}"


def write_run(run: Run) -> None:
    data = {**to_builtins(run, enc_hook=str), "process": str(run.process)}
    del data["path"]
    replace_file(run.path / "run.json", json.dumps(data, indent=1).encode("ascii") + b"\n")


def read_run(dirs: Dirs, id: str) -> Run | None:
    """Read a run by its whole id; `None` if there is none, or its file is damaged."""
    path = dirs.state / "runs" / id
    try:
        data = load_json(path / "run.json")
        data |= {"id": id, "path": path, "process": ProcessIdentity.parse(data["process"])}
        return convert(data, Run, dec_hook=lambda kind, value: kind(value))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def list_runs(dirs: Dirs, folder: Path | None = None) -> tuple[Run, ...]:
    """The runs, newest first; only those of one memory folder if it is given."""
    found = (read_run(dirs, name) for name in subfolders(dirs.state / "runs"))
    runs = [run for run in found if run is not None and (folder is None or same_folder(run.folder, folder))]
    return tuple(sorted(runs, key=lambda run: (run.at, len(run.id), run.id), reverse=True))


def same_folder(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same folder, links resolved."""
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def find_run(runs: Iterable[Run], word: str | None) -> Run:
    """Find a run by the start of its id, or the newest; `NotFound` if there is none, `UsageError` if several fit."""
    listed = list(runs)
    if word is None:
        if not listed:
            raise NotFound("no dream has run here yet", hint="memtui dream why tells whether one would")
        return listed[0]
    found = [run for run in listed if run.id == word] or [run for run in listed if run.id.startswith(word)]
    return resolve_one(found, word, "dream", lists="memtui dream log lists them")


def events_of(run: Run) -> tuple[Event, ...]:
    return read_events(run.events)


def run_state(run: Run, events: Iterable[Event] | None = None) -> RunState:
    """Derive how a run stands now; `events` are its events if the caller has read them."""
    # Before the events: a run that ends between the two looks has written its end by then.
    lives = is_alive(run.process)
    end = _end(run) if events is None else next((event for event in events if isinstance(event, Ended)), None)
    if end is not None:
        return RunState("ended", end)
    return RunState("running" if lives else "died")


def _end(run: Run) -> Ended | None:
    """Find a run's end without parsing its other events, since all runs are listed."""
    try:
        data = read_plain(run.events)
    except OSError:
        return None
    at = data.rfind(b'\n{"event":"ended",') + 1
    line, whole, _ = data[at:].partition(b"\n")
    event = read_event(line) if whole else None
    return event if isinstance(event, Ended) else None


def run_progress(events: Iterable[Event]) -> RunProgress:
    events = tuple(events)
    phases, turns = _of(Phase, events), _of(Turn, events)
    tools: Counter[str] = Counter()
    for turn in turns:
        tools.update(turn.tools)
    files: dict[str, File] = {}
    for file in _of(File, events):
        files.pop(file.name, None)
        if file.kind != "same":
            files[file.name] = file
    return RunProgress(
        phase=phases[-1].name if phases else "starting",
        stage=next((phase.stage for phase in reversed(phases) if phase.stage), ""),
        stages=tuple(dict.fromkeys(phase.stage for phase in phases if phase.stage)),
        turns=max((turn.number for turn in turns), default=0),
        text=next((turn.text for turn in reversed(turns) if turn.text), ""),
        tools=tools,
        tokens=(_of(Tokens, events) or [Tokens()])[-1],
        usd=(_of(Money, events) or [Money()])[-1].usd,
        files=files,
        held=tuple(_of(Held, events)),
        decided=tuple(_of(Decided, events)),
        end=next(iter(_of(Ended, events)), None),
        last=max((event.at for event in events), default=0.0),
    )


def _of(kind: type[E], events: Iterable[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def newest_success(runs: Iterable[Run]) -> float | None:
    """When the newest run that succeeded ended, or a held one was adopted; `None` if none did. Dry runs don't count."""
    for run in runs:
        end = None if run.dry_run else run_state(run).end
        if end is not None and end.how in ("done", "nothing"):
            return end.at
        if end is not None and end.how == "held":
            taken = [event.at for event in events_of(run) if isinstance(event, Decided) and event.what == "adopted"]
            if taken:
                return taken[-1]
    return None


def run_awaiting_review(runs: Iterable[Run], dirs: Dirs) -> Run | None:
    """The newest run that still awaits a person's review; one whose drafts are gone doesn't."""
    for run in runs:
        end = None if run.dry_run else run_state(run).end
        if end is not None and end.how in ("held", "done", "nothing"):  # a later run replaces one that was held
            return run if end.how == "held" and not decisions_of(run) and has_stage(dirs, run.id) else None
    return None


def decisions_of(run: Run) -> set[str]:
    """What became of a run's drafts so far, in the words of `Decided`."""
    return {event.what for event in events_of(run) if isinstance(event, Decided)}


def is_expired(run: Run, dirs: Dirs) -> bool:
    """Whether a held run was judged by nobody until its drafts were removed: it counts as decided."""
    end = None if has_stage(dirs, run.id) else run_state(run).end
    return end is not None and end.how == "held" and not run.dry_run and decisions_of(run) <= {"expired"}


def record_refusal(dirs: Dirs, event: GateClosed, now: Callable[[], float]) -> None:
    path = dirs.state / "runs" / "refused.jsonl"
    make_folders(path.parent)
    with suppress(FileNotFoundError):
        if path.stat().st_size > _MAX_REFUSALS_BYTES:
            tail = path.read_bytes()[-_MAX_REFUSALS_BYTES // 2 :]
            replace_file(path, tail[tail.find(b"\n") + 1 :])
    EventLog(path, now=now).add(event)


def refusals(dirs: Dirs, folder: Path) -> tuple[GateClosed, ...]:
    """The runs of a memory folder that a gate stopped, newest first."""
    found = read_events(dirs.state / "runs" / "refused.jsonl")
    mine = [event for event in found if isinstance(event, GateClosed) and same_folder(Path(event.folder), folder)]
    return tuple(reversed(mine))


def clear_runs(dirs: Dirs, keep: Iterable[str]) -> None:
    """Remove the runs beyond `MAX_LISTED_RUNS`, except those named and those still running."""
    kept = set(keep)
    for run in list_runs(dirs)[MAX_LISTED_RUNS:]:
        if run.id not in kept and run_state(run).word != "running":
            shutil.rmtree(run.path, ignore_errors=True)
