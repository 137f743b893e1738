"""The files of runs: who started one, how it goes on, how it ended, what it cost.

    <state>/runs/<id>/run.json       written once, before the run does anything
    <state>/runs/<id>/events.jsonl   appended, see `events`
    <state>/runs/refused.jsonl       runs that a gate stopped before they had a folder

A run's process is known by its number, its start time and the run of the machine, so that a later process of the same
number is never taken for it.

Source: DESIGN.md D3.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

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
from memtui.fs.atomic import make_folders, replace_file
from memtui.util.app_dirs import Dirs
from memtui.util.errors import NotFound
from memtui.util.process import ProcessIdentity, is_alive
from memtui.util.resolve import resolve_one

KEPT = 100
"""Runs that stay listed; older ones are removed with their events."""

_REFUSED = 256 << 10
"""Bytes of the refusals that are kept; half of it goes when it is full."""


class Run(Struct, frozen=True):
    """What `run.json` holds.

    `folder` is the memory folder, `cwd` the directory it belongs to; `trigger` is "hand", "hook" or "schedule"; `why`
    says why this backend; `adopt` is "auto" or "review"; `gates` are as they stood at the start.
    """

    id: str
    path: Path
    folder: Path
    cwd: Path
    mode: str
    trigger: str
    backend: str
    why: str
    dry_run: bool
    adopt: str
    process: ProcessIdentity
    at: float
    gates: tuple[Gate, ...] = ()

    @property
    def events(self) -> Path:
        """The file of its events."""
        return self.path / "events.jsonl"


class RunState(Struct, frozen=True):
    """How a run stands: "running", "ended" (then `end` says how), or "died": no end, and its process is gone."""

    word: Literal["running", "ended", "died"]
    end: Ended | None = None


class RunProgress(Struct, frozen=True):
    """What the events of a run come to."""

    phase: str = "starting"
    stage: str = ""
    stages: tuple[str, ...] = ()
    """The stages that it announced, in their order, each once."""
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


def reserve(dirs: Dirs, now: float) -> str:
    """A new run's id, its time to the minute; its folder is made, so that nobody else gets it.

    Args:
        now: Seconds since 1970.
    """
    above = dirs.state / "runs"
    make_folders(above)
    word = time.strftime("%Y-%m-%d-%H%M", time.localtime(now))
    number = 1
    while True:
        id = word if number == 1 else f"{word}-{number}"
        try:
            (above / id).mkdir(mode=0o700)
        except FileExistsError:
            number += 1
            continue
        return id


def write_run(run: Run) -> None:
    """Write `run.json`, on the disk when this returns."""
    entry = {
        "id": run.id, "folder": str(run.folder), "cwd": str(run.cwd), "mode": run.mode, "trigger": run.trigger,
        "backend": run.backend, "why": run.why, "dry_run": run.dry_run, "adopt": run.adopt, "process": str(run.process),
        "at": run.at,
        "gates": [
            {"name": gate.name, "open": gate.open, "words": gate.words, "reason": gate.reason, "source": gate.source}
            for gate in run.gates
        ],
    }  # fmt: skip
    replace_file(run.path / "run.json", json.dumps(entry, indent=1).encode("ascii") + b"\n")


def read_run(dirs: Dirs, id: str) -> Run | None:
    """A run by its whole id; `None` if there is none, or its file is broken."""
    path = dirs.state / "runs" / id
    try:
        data: dict[str, Any] = json.loads((path / "run.json").read_bytes())
        process = ProcessIdentity.parse(data["process"])
        gates = tuple(
            Gate(str(g["name"]), bool(g["open"]), str(g["words"]), str(g["reason"]), str(g["source"]))
            for g in data["gates"]
        )
        words = [str(data[key]) for key in ("mode", "trigger", "backend", "why")]
        folder, cwd, at = Path(data["folder"]), Path(data["cwd"]), float(data["at"])
        dry_run, adopt = bool(data["dry_run"]), str(data["adopt"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if process is None:
        return None
    return Run(id, path, folder, cwd, words[0], words[1], words[2], words[3], dry_run, adopt, process, at, gates)


def list_runs(dirs: Dirs, folder: Path | None = None) -> tuple[Run, ...]:
    """The runs, newest first; of one memory folder if it is given."""
    try:
        names = [path.name for path in (dirs.state / "runs").iterdir()]
    except OSError:
        return ()
    found = (read_run(dirs, name) for name in names)
    runs = [run for run in found if run is not None and (folder is None or same_folder(run.folder, folder))]
    return tuple(sorted(runs, key=lambda run: (run.at, len(run.id), run.id), reverse=True))


def same_folder(one: Path, other: Path) -> bool:
    """Whether two paths lead to one folder, links in them resolved."""
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def find_run(runs: Iterable[Run], word: str | None) -> Run:
    """The run that a word means: an id or the start of one; the newest if there is no word.

    Args:
        runs: Newest first.

    Raises:
        NotFound: If there is none.
        Usage: If several fit.
    """
    listed = list(runs)
    found = listed[:1] if word is None else [run for run in listed if run.id == word]
    if word is None and not listed:
        raise NotFound("no dream has run here yet", hint="memtui dream why tells whether one would")
    found = found or [run for run in listed if word is not None and run.id.startswith(word)]
    return resolve_one(found, word or "", "dream", lists="memtui dream log lists them")


def events_of(run: Run) -> tuple[Event, ...]:
    """All events of a run so far, oldest first."""
    return read_events(run.events)


def state_of(run: Run, events: Iterable[Event] | None = None) -> RunState:
    """How a run stands now.

    Args:
        events: Its events, if the caller has read them.
    """
    # Asked first: a run that ends between the two looks has its end written by then.
    lives = is_alive(run.process)
    end = _end(run) if events is None else next((event for event in events if isinstance(event, Ended)), None)
    if end is not None:
        return RunState("ended", end)
    return RunState("running" if lives else "died")


def _end(run: Run) -> Ended | None:
    """The end of a run, found without reading all of its events: there may be many runs."""
    try:
        data = run.events.read_bytes()
    except OSError:
        return None
    at = data.rfind(b'\n{"event":"ended",') + 1
    line, whole, _ = data[at:].partition(b"\n")
    event = read_event(line) if whole else None
    return event if isinstance(event, Ended) else None


def progress(events: Iterable[Event]) -> RunProgress:
    """What the events come to."""
    files: dict[str, File] = {}
    tools: dict[str, int] = {}
    stages: list[str] = []
    found: dict[str, Any] = {}
    held: list[Held] = []
    decided: list[Decided] = []
    for event in events:
        found["last"] = max(found.get("last", 0.0), event.at)
        match event:
            case Phase(name=name, stage=stage):
                found["phase"] = name
                found["stage"] = stage or found.get("stage", "")
                if stage and stage not in stages:
                    stages.append(stage)
            case Turn(number=number, text=text):
                found["turns"] = max(found.get("turns", 0), number)
                found["text"] = text or found.get("text", "")
                for tool, count in event.tools.items():
                    tools[tool] = tools.get(tool, 0) + count
            case Tokens():
                found["tokens"] = event
            case Money(usd=usd):
                found["usd"] = usd
            case File(name=name, kind="same"):
                files.pop(name, None)
            case File(name=name):
                files[name] = event
            case Held():
                held.append(event)
            case Decided():
                decided.append(event)
            case Ended():
                found["end"] = event
    return RunProgress(
        tools=tools, files=files, stages=tuple(stages), held=tuple(held), decided=tuple(decided), **found
    )


def waiting(runs: Iterable[Run]) -> Run | None:
    """The newest run that a person still has to judge, if there is one.

    Args:
        runs: Newest first.
    """
    for run in runs:
        end = None if run.dry_run else state_of(run).end
        if end is not None and end.how in ("held", "done", "nothing"):  # what came after a held one makes it old
            judged = end.how != "held" or any(isinstance(event, Decided) for event in events_of(run))
            return None if judged else run
    return None


def note_refusal(dirs: Dirs, event: GateClosed, now: Callable[[], float]) -> None:
    """Write down that a gate stopped a run."""
    path = dirs.state / "runs" / "refused.jsonl"
    make_folders(path.parent)
    with suppress(FileNotFoundError):
        if path.stat().st_size > _REFUSED:
            tail = path.read_bytes()[-_REFUSED // 2 :]
            replace_file(path, tail[tail.find(b"\n") + 1 :])
    EventLog(path, now=now).add(event)


def refusals(dirs: Dirs, folder: Path) -> tuple[GateClosed, ...]:
    """The runs of a memory folder that a gate stopped, newest first."""
    found = read_events(dirs.state / "runs" / "refused.jsonl")
    mine = [event for event in found if isinstance(event, GateClosed) and same_folder(Path(event.folder), folder)]
    return tuple(reversed(mine))


def clear_runs(dirs: Dirs, keep: Iterable[str]) -> None:
    """Remove the oldest runs beyond `KEPT`, but not those named and none that still runs."""
    kept = set(keep)
    for run in list_runs(dirs)[KEPT:]:
        if run.id not in kept and state_of(run).word != "running":
            shutil.rmtree(run.path, ignore_errors=True)
