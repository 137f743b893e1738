"""Taking a move back: every file to where it was, as it is now; nothing that was done since is lost.

A session that went on after the move goes back with all of it. What somebody put in its old place meanwhile stays
there, and what would have taken that place stays where it is.
"""

import time
from collections.abc import Callable, Collection
from pathlib import Path

from msgspec import Struct

from memtui.fs.atomic import make_folders, to_error
from memtui.fs.copy import copy_file, read_file_state, remove_file
from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.store import Store
from memtui.history.versions import Operation
from memtui.memory.drafts import Drafts
from memtui.memory.pins import Pins
from memtui.projects.journal import Journal, Line, MoveRecord
from memtui.projects.relocate import follow_names, remove_empty
from memtui.projects.relocate_sessions import FileMove, Stay, files_of, transfer
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Conflict, NotFound, Refused
from memtui.util.resolve import matches_prefix, resolve_one


class Undone(Struct, frozen=True):
    """What taking a move back did: sessions that went back, whether memory did, what stayed, the operation for it."""

    move: MoveRecord
    sessions: int
    memory: bool
    stays: tuple[Stay, ...]
    operation: Operation


def past_move(dirs: Dirs, word: str = "") -> MoveRecord:
    """The newest move that still stands, or one by the beginning of its id; `NotFound`, `Conflict` if undone."""
    moves = Journal(dirs).moves()
    if not word:
        standing = [move for move in moves if not move.undone]
        if not standing:
            raise NotFound("no move to take back")
        return standing[-1]
    found = resolve_one(
        [move for move in moves if matches_prefix(move.id, word)], word, "move", lists="give its whole id"
    )
    if found.undone:
        raise Conflict(f"{found.id} is taken back already")
    return found


def undo_move(
    dirs: Dirs,
    word: str = "",
    *,
    live: Collection[str] = (),
    now: Callable[[], float] = time.time,
    fs: FileSystem = REAL,
) -> Undone:
    """Take a move back: the newest that still stands, or one by the beginning of its id.

    `live` are ids that are running. Raises as `past_move`, and `Refused` if one of its sessions is running: nothing was
    done. If the disk refuses (`MemtuiError`), the same again ends it.
    """
    journal = Journal(dirs, fs=fs)
    stays: list[Stay] = []
    sessions = 0
    memory = False
    try:
        with journal.held():
            move = past_move(dirs, word)
            running = [step["as"] for step in move.steps if step["do"] == "files" and step["as"] in live]
            if running:
                raise Refused(f"session {running[0]} is running: nothing was moved", hint="end it first")
            for step in reversed(move.steps):
                if step["do"] == "memory":
                    left = _memory_back(step, move, dirs, now, fs)
                    memory = memory or not left
                else:
                    left = _files_back(step, fs)
                    sessions += bool(step["id"]) and not left
                stays += left
            for target in {Path(step["to"]) for step in move.steps if step["do"] == "files" and step["id"]}:
                remove_empty(target, fs)
            operation = journal.undone(move, now())
    except OSError as error:
        outcome = "it stopped half-way; the same again ends it"
        raise to_error(error, error.filename or "the move", outcome=outcome) from error
    return Undone(move, sessions, memory, tuple(stays), operation)


def _files_back(step: Line, fs: FileSystem) -> list[Stay]:
    """The files of one session back, those that were added since with them."""
    old, new = Path(step["from"]), Path(step["to"])
    recorded = [FileMove(*file) for file in step["files"]]
    what = step["id"] or recorded[0].source
    make_folders(old, fs=fs)
    stays: list[Stay] = []
    ours: list[FileMove] = []
    if step["id"] and not all(file.there for file in recorded):
        known = {file.target for file in recorded} | set(step["had"])
        added = [name for name in files_of(new, step["as"]) if name not in known]
        recorded[:0] = [FileMove(step["id"] + name.removeprefix(step["as"]), name, 0) for name in added]
    for file in recorded:
        here, there = read_file_state(old, file.source, fs=fs), read_file_state(new, file.target, fs=fs)
        if here is not None:
            if there is not None and not file.there and here.digest == there.digest:
                remove_file(new, file.target, there, fs=fs)  # a crash left both
            elif there is not None and not file.there:
                stays.append(Stay(file.target, "its old place is taken by another file"))
        elif there is None:
            stays.append(Stay(file.target, "it is gone"))
        elif file.there:
            stays += _copied_back(file, old, new, fs)
        else:
            ours.append(FileMove(file.target, file.source, there.stamp.size))
    return [*stays, *transfer(what, ours, new, old, fs=fs)[1]]


def _copied_back(file: FileMove, old: Path, new: Path, fs: FileSystem) -> list[Stay]:
    """A file that the new folder had already: the old one gets its copy again, as long as it was then."""
    then = read_file_state(new, file.target, fs=fs, size=file.size)
    if then is None or then.digest != file.there:
        return [Stay(file.target, "it was changed: the old folder can't have it again as it was")]
    copy_file((new, file.target), (old, file.source), size=file.size, fs=fs)
    return []


def _memory_back(step: Line, move: MoveRecord, dirs: Dirs, now: Callable[[], float], fs: FileSystem) -> list[Stay]:
    """The old folder first, then out of the new one, each as the history of that folder says."""
    old, new = Path(step["from"]), Path(step["to"])
    make_folders(old, fs=fs)
    try:
        _take_back(Store(old, dirs, fs=fs, now=now, trash=None), move.carried_out)
    except (Conflict, Refused):  # such as a name that differs from ours in case only
        return [Stay("memory", "others wrote into its old folder since: all of it stays where it is now")]
    names = [(str(target), str(source)) for source, target, _ in step["files"]]
    pinned = [[target, source] for source, target in step["pinned"]]
    try:
        _take_back(Store(new, dirs, fs=fs, now=now, trash=None), move.carried_out)
    except (Conflict, Refused):
        return [Stay("memory", "it was edited since: it stays in the new folder as well")]
    follow_names(Pins(dirs, fs), Drafts(dirs, fs=fs, now=now), new, old, names, pinned)
    return []


def _take_back(store: Store, move: str) -> None:
    store.recover()  # a version that was stopped half-way counts once it is ended
    for version in store.operations():
        if not version.undone and version.undoes is None and (version.extra or {}).get("move") == move:
            store.undo(version.id, whole=True)
            return
