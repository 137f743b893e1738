"""Build the sample's history, so that activity, diffs and undo have something to show.

The data files hold how things stood two weeks ago, `data/steps.txt` what happened since. That is done by the real store
(what memtui saves) or beside it (what the agent writes, and the store then notices).
"""

import os
import re
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.demo.marks import span_seconds
from memtui.fs.atomic import digest
from memtui.fs.filesystem import FileSystem
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs

KNOWN_FOR_S = 12 * 86_400  # time since memtui first saw the sample; longer than the oldest step
OLDEST_AGE_S = 60 * 86_400  # age of a file that existed before the first step


class UnsyncedFileSystem(FileSystem):
    """Neither syncs nor waits for other writers: a sample may be lost, and no other program writes it."""

    def fsync(self, fd: int) -> None:
        pass

    def wait(self, seconds: float) -> None:
        pass


class DemoEdit(Struct, frozen=True):
    """What one step does to one file: "edit" turns the lines `before`, which it holds once, into `after`."""

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
    """Do the steps one after the other, oldest first; `memory` also holds the files that they create, as they will be.

    Raises:
        ValueError: If a step doesn't fit the files.
    """
    texts = {edit.name: (memory / edit.name).read_text(encoding="utf-8") for step in steps for edit in step.edits}
    created = {edit.name for step in steps for edit in step.edits if edit.kind == "create"}
    for name in texts:
        if name in created:
            (memory / name).unlink()
        else:
            _date(memory / name, now - OLDEST_AGE_S)
    moment = now - KNOWN_FOR_S
    store = Store(memory, dirs, fs=UnsyncedFileSystem(), now=lambda: moment, trash=None)
    store.note_outside()  # the first version of each file
    for step in steps:
        moment = now - step.ago
        after = {**texts}
        for edit in step.edits:
            after[edit.name] = changed(after[edit.name], edit)
        names = dict.fromkeys(edit.name for edit in step.edits)
        if step.who == "outside":
            for name in names:
                (memory / name).write_text(after[name], encoding="utf-8", newline="")
                _date(memory / name, moment)
            store.note_outside()
        else:
            gone = {edit.name for edit in step.edits if edit.kind == "delete"}
            store.apply([_change(memory / name, None if name in gone else after[name]) for name in names],
                        why=step.why, who=step.who)  # fmt: skip
            if step.undone:
                moment += 120
                store.undo()
            for name in names.keys() - gone:
                _date(memory / name, moment)
        texts = texts if step.undone else after


def record_found(root: Path, dirs: Dirs, when: float, *, allow: frozenset[str] | None = None) -> None:
    """Record a folder, or single files of one, as first seen at a time."""
    Store(root, dirs, allow=allow, fs=UnsyncedFileSystem(), now=lambda: when, trash=None).note_outside()


def changed(text: str, edit: DemoEdit) -> str:
    """A file's text after an edit; what is created or deleted has its text already, or still.

    Raises:
        ValueError: If the passage that it changes isn't there exactly once.
    """
    if edit.kind != "edit":
        return text
    if text.count(edit.before) != 1:
        raise ValueError(f"{edit.name} should hold once: {edit.before!r}")
    return text.replace(edit.before, edit.after)


def _change(path: Path, text: str | None) -> Change:
    base = digest(path.read_bytes()) if path.exists() else None
    return Change(path.name, None if text is None else text.encode(), base)


def _date(path: Path, when: float) -> None:
    os.utime(path, ns=(round(when * 1e9), round(when * 1e9)))
