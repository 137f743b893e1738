"""Build the sample's history, so that activity, diffs and undo have something to show.

The data files hold the current state, `data/steps.txt` what happened in the two weeks before. The files are first taken
back step by step, then brought forward again by the real store (what memtui saves) or beside it (what the agent writes,
which the store then notices).
"""

import os
import re
from itertools import pairwise
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.demo.marks import span_seconds
from memtui.fs.atomic import digest
from memtui.fs.filesystem import FileSystem
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs

KNOWN_FOR_S = 12 * 86_400
"""Time since memtui first saw the sample; longer than the oldest step."""
OLDEST_AGE_S = 60 * 86_400
"""Age of a file that existed before the first step."""


class UnsyncedFileSystem(FileSystem):
    """Neither syncs nor waits for other writers: a sample may be lost, and no other program writes it."""

    def fsync(self, fd: int) -> None:
        pass

    def wait(self, seconds: float) -> None:
        pass


class DemoEdit(Struct, frozen=True):
    """What one step does to one file: "edit" turns the lines `before` into `after`; "create" and "delete" have none."""

    kind: str
    name: str
    before: str = ""
    after: str = ""


class ScriptStep(Struct, frozen=True):
    """One thing that happened: `who` is "outside" for what memtui didn't write, `undone` if it was taken back soon."""

    ago: float
    who: str
    why: str
    undone: bool
    edits: tuple[DemoEdit, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(edit.name for edit in self.edits))


def parse_steps(text: str) -> tuple[ScriptStep, ...]:
    """Parse a steps file; marks in it are filled in already.

    Raises:
        ValueError: If a line is none of those that its head describes.
    """
    steps = []
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        first, *lines = part.splitlines()
        ago, who, *flags = first.split()
        why, edits = "", list[DemoEdit]()
        for line in lines:
            kind, _, name = line.partition(" ")
            if line[:1] in ("+", "-") and edits:
                side = "after" if line[0] == "+" else "before"
                edits[-1] = replace(edits[-1], **{side: getattr(edits[-1], side) + line[1:] + "\n"})
            elif kind in ("edit", "create", "delete"):
                edits.append(DemoEdit(kind, name))
            elif line and not edits:
                why = line
            elif line:
                raise ValueError(f"neither a file nor a change: {line!r}")
        steps.append(ScriptStep(span_seconds(ago), who, why, "undone" in flags, tuple(edits)))
    return tuple(steps)


def replay_steps(memory: Path, dirs: Dirs, now: float, steps: tuple[ScriptStep, ...]) -> None:
    """Take the folder back to before the first step, then do the steps one after the other.

    `memory` is as the data files have it, files that a step deletes included. The steps come oldest first, their ages
    count from `now`.

    Raises:
        ValueError: If a step doesn't fit the files.
    """
    states = states_of({path.name: path.read_text(encoding="utf-8") for path in sorted(memory.glob("*.md"))}, steps)
    for name in sorted({name for step in steps for name in step.names}):
        if name in states[0]:
            _write(memory / name, states[0][name], now - OLDEST_AGE_S)
        else:
            (memory / name).unlink(missing_ok=True)

    moment = now - KNOWN_FOR_S
    store = Store(memory, dirs, fs=UnsyncedFileSystem(), now=lambda: moment, trash=None)
    store.note_outside()  # the first version of each file
    for step, (before, after) in zip(steps, pairwise(states), strict=True):
        moment = now - step.ago
        if step.who == "outside":
            for name in step.names:
                _write(memory / name, after[name], moment)
            store.note_outside()
            continue
        done = {name: _apply(before[name], step, name) for name in step.names} if step.undone else after
        store.apply([_change(name, before, done) for name in step.names], why=step.why, who=step.who)
        if step.undone:
            moment += 120
            store.undo()
        for name in step.names:
            if name in after:
                _date(memory / name, moment)


def record_found(root: Path, dirs: Dirs, when: float, *, allow: frozenset[str] | None = None) -> None:
    """Record a folder, or single files of one, as first seen at a time."""
    Store(root, dirs, allow=allow, fs=UnsyncedFileSystem(), now=lambda: when, trash=None).note_outside()


def states_of(last: dict[str, str], steps: tuple[ScriptStep, ...]) -> list[dict[str, str]]:
    """The texts before each step and, as the last, after all of them; `last` has of each deleted file its last text.

    Raises:
        ValueError: If what a step made of a passage isn't there exactly once.
    """
    deleted = {edit.name for step in steps for edit in step.edits if edit.kind == "delete"}
    states = [{name: text for name, text in last.items() if name not in deleted}]
    for step in reversed(steps):
        texts = dict(states[0])
        for edit in reversed(step.edits):
            if edit.kind == "create":
                del texts[edit.name]
            elif edit.kind == "delete":
                texts[edit.name] = last[edit.name]
            elif not step.undone:
                texts[edit.name] = _swap(texts[edit.name], edit.after, edit.before, edit.name)
        states.insert(0, texts)
    return states


def _apply(text: str, step: ScriptStep, name: str) -> str:
    for edit in step.edits:
        if edit.name == name:
            text = _swap(text, edit.before, edit.after, name)
    return text


def _swap(text: str, old: str, new: str, name: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"{name} should hold once: {old!r}")
    return text.replace(old, new)


def _change(name: str, before: dict[str, str], after: dict[str, str]) -> Change:
    old, new = before.get(name), after.get(name)
    return Change(name, None if new is None else new.encode(), None if old is None else digest(old.encode()))


def _write(path: Path, text: str, when: float) -> None:
    path.write_text(text, encoding="utf-8", newline="")
    _date(path, when)


def _date(path: Path, when: float) -> None:
    os.utime(path, ns=(round(when * 1e9), round(when * 1e9)))
