"""A move: planned and shown, then done.

A session is copied whole, checked and named in the journal before its first file in the old folder goes. Memory is
written in the new folder first, then removed from the old one. Topics go byte for byte. Two folders have no common
ancestor, so nothing is merged: of two files with one name and other bytes both stay, the one that comes as
`NAME.from-PLACE.md`. Of an index that comes to another one, only the lines that this one lacks are put under it.
"""

import os
import posixpath
import re
import time
import unicodedata
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.client.paths import LOCK_NAME, read_small_file, real_path
from memtui.client.projects import session_directory
from memtui.client.session_files import SessionFile
from memtui.fs.atomic import clear_temps, make_folders, to_error
from memtui.fs.boundary import check_path, fold_name
from memtui.fs.filesystem import REAL, FileSystem
from memtui.history.snapshot import scan, walk
from memtui.history.store import Store
from memtui.history.versions import MOVED
from memtui.memory.budget import body_start, measure_index
from memtui.memory.drafts import Drafts
from memtui.memory.frontmatter import newline_of
from memtui.memory.index import INDEX_NAME, read_entries, retarget_entries
from memtui.memory.pins import Pins
from memtui.memory.plans import Plan, PlanBuilder
from memtui.projects.journal import Journal
from memtui.projects.relocate_sessions import FileMove, SessionMove, Stay, files_of, plan_sessions, transfer
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError, NotFound, Refused
from memtui.util.process import ProcessIdentity, is_alive
from memtui.util.text import pluralize

LONGEST_TAIL = 40  # characters of a place that become part of a file name
_NOT_IN_NAMES = re.compile(r"[^\w-]+|_+")
_BLOCKS = ("```", "~~~", "<!--")  # what begins a stretch of lines that mean nothing one by one
_LIST_LINE = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")


class FileName(Struct, frozen=True):
    """One memory file by its names in the old folder and in the new one."""

    source: str
    target: str
    there: bool  # the new folder has these bytes already
    mtime_ns: int
    lines: tuple[str, ...] = ()  # of an index that is taken in by another: those put under it

    @property
    def renamed(self) -> bool:
        return self.source != self.target

    @property
    def how(self) -> str:
        if self.lines:
            return f"{pluralize(len(self.lines), 'line')} put under the one that is there"
        return f"as {self.target}" if self.renamed else "is there already" if self.there else ""


class MemoryMove(Struct, frozen=True):
    """What becomes of a memory folder: `coming` is done in the new folder first, then `leaving` in the old one."""

    files: tuple[FileName, ...]
    coming: Plan
    leaving: Plan


def plan_memory(old: Path, new: Path, location: str) -> tuple[MemoryMove | None, list[Stay], list[str]]:
    """What has to be done for the memory of one folder to lie in another; neither need exist.

    `location` says in a word where the memory comes from; it becomes part of names that are taken. The move is `None`
    if there is nothing to move; with it comes what stays in the old folder and why, and notes. Raises `MemtuiError` if
    a file can't be read.
    """
    here, there = PlanBuilder(old), PlanBuilder(new)
    stays = [Stay(name, "not a memory file") for name in _others(old)]
    tail = tail_of(location)
    files: list[FileName] = []
    stamps = scan(old, None)
    spelled = Counter(map(fold_name, stamps))
    for name in sorted(stamps, key=lambda name: (posixpath.basename(name) == INDEX_NAME, name)):
        twin = spelled[fold_name(name)] > 1  # one that went alone could not come back beside the other
        reason = "differs only in case from another file" if twin else _refusal(old, name, name)
        if reason:
            stays.append(Stay(name, reason))
            continue
        text = here.text(name)
        mtime = stamps[name].mtime_ns
        renamed = {file.source: file.target for file in files if file.renamed}
        if posixpath.basename(name) == INDEX_NAME:
            found = _index(there, name, text, renamed, mtime)
        else:
            found = _topic(there, new, name, text, tail, mtime)
        if isinstance(found, Stay):
            stays.append(found)
            continue
        files.append(found)
        here.drop(name)
    if not files:
        return None, stays, []
    coming = there.plan(f"memory of {location} comes here")
    leaving = here.plan(f"memory goes to {new.parent.name}")
    return MemoryMove(tuple(files), coming, leaving), stays, _notes(there, files)


def tail_of(location: str) -> str:
    words = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", location)).strip("-")[-LONGEST_TAIL:].strip("-")
    return words or "elsewhere"


def _topic(sheets: PlanBuilder, root: Path, name: str, text: str, tail: str, mtime: int) -> FileName | Stay:
    for number in range(1, 1000):
        more = f"-{number - 1}" if number > 2 else ""
        target = name if number == 1 else f"{name.removesuffix('.md')}.from-{tail}{more}.md"
        reason = _refusal(root, target, name)
        if reason and number > 1:
            return Stay(name, reason)
        if reason:
            continue  # taken by one that differs in case only, or by a link
        if not sheets.exists(target):
            sheets.put(target, text)
            return FileName(name, target, False, mtime)
        if sheets.text(target) == text:
            return FileName(name, target, True, mtime)
    raise MemtuiError(f"too many files are called like {name}")


def _refusal(root: Path, name: str, known: str) -> str:
    """Why a file can't be written there, "" if it can."""
    verdict = check_path(root, name, op="write", actor="user")
    if not verdict.allowed:
        return verdict.reason
    return "" if verdict.name == name else f"{verdict.name} is another spelling of {known}"


def _index(sheets: PlanBuilder, name: str, text: str, renamed: Mapping[str, str], mtime: int) -> FileName | Stay:
    reason = _refusal(sheets.root, name, name)
    if reason:
        return Stay(name, reason)
    folder = posixpath.dirname(name)
    for old, new in renamed.items():
        if posixpath.dirname(old) == folder:
            text = retarget_entries(text, posixpath.basename(old), posixpath.basename(new))
    if not sheets.exists(name):
        sheets.put(name, text)
        return FileName(name, name, False, mtime)
    before = sheets.text(name)
    after, lines = take_in(before, text)
    sheets.put(name, after)
    return FileName(name, name, not lines, mtime, lines)


def take_in(index: str, other: str) -> tuple[str, tuple[str, ...]]:
    """Put the lines (returned, too) that an index lacks of another under it, byte for byte, but no front matter."""
    have = {line.strip() for line in index.split("\n")}
    body = [line.rstrip("\r") for line in other[body_start(other) :].removeprefix("\ufeff").split("\n")]
    lacking = [line for line in body if line.strip() and line.strip() not in have]
    if not lacking:
        return index, ()
    whole = any(mark in line for line in body for mark in _BLOCKS)
    lines = _kept(body, None if whole else set(lacking))
    newline = newline_of(index)
    text = index if not index or index.endswith("\n") else index + newline
    last = text.rstrip("\r\n").rpartition("\n")[2]
    if text.strip("\ufeff \r\n") and not (_LIST_LINE.match(last) and _LIST_LINE.match(lines[0])):
        text += "" if text.endswith(newline * 2) else newline
    return text + newline.join(lines) + newline, tuple(line for line in lines if line)


def _kept(body: list[str], wanted: set[str] | None) -> list[str]:
    """The wanted lines of a text, all if it is `None`; of blank lines at most one between two of them."""
    kept: list[str] = []
    gap = False
    for line in body:
        if not line.strip():
            gap = True
            continue
        if wanted is None or line in wanted:
            kept += [""] if gap and kept else []
            kept.append(line)
            gap = False
    return kept


def _notes(sheets: PlanBuilder, files: list[FileName]) -> list[str]:
    renamed = [file for file in files if file.renamed]
    notes = [f"{file.source} is another one there: both stay, this one as {file.target}" for file in renamed]
    index = sheets.text_or(INDEX_NAME, "")
    budget = measure_index(index)
    if budget.over:
        notes.append(f"{INDEX_NAME} is over its limit then: from line {budget.cut_line_in_file} on nothing is loaded")
    listed = {entry.target for entry in read_entries(index)}
    lost = [line for file in files if file.source == INDEX_NAME for line in file.lines
            if not all(entry.target in listed for entry in read_entries(line))]  # fmt: skip
    if lost:
        taken = pluralize(len(lost), "line")
        notes.append(f"{INDEX_NAME} there ends in a block that isn't closed: it takes in {taken}")
    return notes


def _others(root: Path) -> list[str]:
    """What lies in a memory folder and is no memory: hidden files, other kinds, links."""
    found = []
    for above, _, entries in walk(root, hidden=True):
        for entry in entries:
            if entry.name == LOCK_NAME:
                continue  # goes its own way
            plain = entry.name.endswith(".md") and not entry.name.startswith(".")
            if entry.is_dir(follow_symlinks=False):
                found += [above + entry.name] if entry.name.startswith(".") else []
            elif not plain or not entry.is_file(follow_symlinks=False):
                found.append(above + entry.name)
    return sorted(found)


STALE_LOCK = 3600.0  # seconds after which a consolidation's lock counts for nothing, whoever wrote it


class MovePlan(Struct, frozen=True):
    """What a move would do."""

    old: Path | None  # the directory that it comes from, as far as that is known
    new: Path
    source: Path  # the folder of `old` under `projects/`
    target: Path  # that of `new`
    sessions: tuple[SessionMove, ...]
    memory: MemoryMove | None
    stays: tuple[Stay, ...]  # what is not moved
    notes: tuple[str, ...]  # for people
    dirs: Dirs

    @property
    def empty(self) -> bool:
        return not self.sessions and self.memory is None

    def amount(self, sessions: int) -> str:
        words = [pluralize(sessions, "session")] if self.sessions else []
        if self.memory is not None:
            words.append(pluralize(len(self.memory.files), "memory file"))
        return " and ".join(words) or "nothing"


class MoveResult(Struct, frozen=True):
    """What was done: the move's id for the way back, the sessions, whether memory moved, what stayed after all."""

    id: str
    sessions: tuple[SessionMove, ...]
    memory: bool
    stays: tuple[Stay, ...]


def plan_move(
    env: Env,
    dirs: Dirs,
    old: Path,  # the project's folder under `projects/`
    new: Path,  # the directory that it shall belong to
    *,
    directory: Path | None = None,  # what `old` stands for, as far as that is known
    shared: bool = False,  # another directory has the same folder: only the sessions of `directory` move, no memory
    sessions: bool = True,
    memory: bool = True,
    live: Collection[str] = (),  # ids of running sessions, which stay
    now: Callable[[], float] = time.time,
    fresh: Callable[[], str] = lambda: str(uuid.uuid4()),  # makes an id for a session whose name is taken
) -> MovePlan:
    """Plan to bring what one project has left to another directory. Nothing is written.

    Raises `NotFound` if either isn't there, `Refused` if a folder is a link or a consolidation may be running in one of
    the memory folders, `MemtuiError` if something can't be read.
    """
    if not old.is_dir():
        raise NotFound(f"{old} does not exist", hint="memtui projects lists the projects")
    if not new.is_dir():
        raise NotFound(f"{new} is no directory", hint="name the directory in which the project is now")
    location = locate_memory(env, new)
    if not location.directory_known:
        hint = "name the directory in which the project is now"
        raise Refused(f"{new} is a folder of Claude Code's own", hint=hint)
    for folder in (old, location.transcripts):
        if folder.is_symlink():
            raise Refused(f"{folder} is a link: memtui doesn't write through links", hint="move it by hand")
    moves: list[SessionMove] = []
    stays: list[Stay] = []
    notes: list[str] = []
    if sessions and old == location.transcripts:
        notes.append("both directories have the same folder: the sessions are where they belong")
    elif sessions:

        def belongs(file: SessionFile) -> bool:
            return directory is not None and session_directory(file) == directory

        moves, stays = plan_sessions(
            old, location.transcripts, chosen=belongs if shared else None, live=live, fresh=fresh
        )
        notes += _session_notes(moves, directory)
    taken: MemoryMove | None = None
    if memory and shared:
        notes.append("the memory stays: two directories share it")
    elif memory:
        word = directory.name if directory is not None else ""
        taken, left, more = _memory(old / "memory", location, word or old.name.rpartition("-")[2], now)
        stays += left
        notes += more
    return MovePlan(directory, new, old, location.transcripts, tuple(moves), taken, tuple(stays), tuple(notes), dirs)


def _memory(
    kept: Path, location: MemoryLocation, word: str, now: Callable[[], float]
) -> tuple[MemoryMove | None, list[Stay], list[str]]:
    if kept.is_symlink():
        return None, [Stay("memory", "it is a link to another folder")], []
    if not kept.is_dir() or real_path(kept) == real_path(location.folder):
        return None, [], []
    for folder in (kept, location.folder):
        check_not_dreaming(folder, now)
    taken, stays, notes = plan_memory(kept, location.folder, word)
    if taken is not None and location.folder != location.agent_folder:
        notes.append(f"the agent client itself uses {location.agent_folder} as memory there")
    if taken is not None and not location.enabled:
        notes.append("memory is switched off there: the agent loads none of it")
    return taken, stays, notes


def _session_notes(moves: Collection[SessionMove], directory: Path | None) -> list[str]:
    notes = [
        f"session {move.id} is another one there: both stay, this one as {move.new_id}; its checkpoints don't follow"
        for move in moves
        if move.renamed
    ]
    outputs = sum("/tool-results/" in file.source for move in moves for file in move.files)
    if outputs:
        notes.append(
            f"{outputs} long tool outputs are named by their old path in the transcripts, which stay as they are"
        )
    if directory is not None and directory.is_dir():
        notes.append(f"{directory} still exists: sessions that begin there are kept in its own folder again")
    return notes


def check_not_dreaming(memory: Path, now: Callable[[], float]) -> None:
    """`Refused` if a consolidation may be running in a memory folder; `now` is the clock."""
    lock = memory / LOCK_NAME
    try:
        age = now() - lock.lstat().st_mtime
        pid = int(read_small_file(lock) or b"0")
    except (OSError, ValueError):
        return
    if age < STALE_LOCK and is_alive(ProcessIdentity(pid)):
        hint = "try again when it has ended; the lock counts for an hour"
        raise Refused(f"a consolidation may be running in {memory} (process {pid})", hint=hint)


def apply_move(
    plan: MovePlan,
    *,
    live: Collection[str] = (),  # ids that are running by now
    now: Callable[[], float] = time.time,
    redoes: str | None = None,  # the operation that took the same move back
    fs: FileSystem = REAL,
) -> MoveResult:
    """Do what a plan says; what became another than it was planned for stays, and is told.

    Raises `Refused` if a session that would move is running: nothing was done. With another `MemtuiError` what was
    moved stays moved, and the same move again ends it.
    """
    running = [session.id for session in plan.sessions if session.id in live]
    if running:
        raise Refused(f"session {running[0]} is running: nothing was moved", hint="end it first")
    journal = Journal(plan.dirs, fs=fs)
    move = uuid.uuid4().hex[:12]
    moved: list[SessionMove] = []
    stays: list[Stay] = []
    outcome = "it stopped half-way; the same move again ends it, undo takes it back"
    try:
        with journal.held():
            old, new = str(plan.old or plan.source), str(plan.new)
            journal.begin(move, when=now(), old=old, new=new, source=plan.source, target=plan.target, redoes=redoes)
            make_folders(plan.target, fs=fs)
            _clear(plan.target, fs)
            if plan.memory is not None:
                stays += _move_memory(plan.memory, plan.dirs, journal, move, now, fs)
            for session in plan.sessions:
                done, left = _move_session(session, plan.source, plan.target, journal, move, fs)
                moved += [session] if done else []
                stays += left
            remove_empty(plan.source, fs)
            journal.end(move)
    except OSError as error:
        raise to_error(error, error.filename or plan.source.name, outcome=outcome) from error
    return MoveResult(move, tuple(moved), plan.memory is not None, tuple(stays))


def _move_session(
    session: SessionMove, source: Path, target: Path, journal: Journal, move: str, fs: FileSystem
) -> tuple[bool, list[Stay]]:
    ours = {file.target for file in session.files}
    try:
        had = [name for name in files_of(target, session.new_id) if name not in ours]
    except Refused as error:
        return False, [Stay(session.id, error.message)]
    _write_down(journal, move, (session.id, session.new_id), source, target, session.files, had)
    return transfer(session.id, session.files, source, target, fs=fs)


def _write_down(
    journal: Journal,
    move: str,
    ids: tuple[str, str],
    source: Path,
    target: Path,
    files: Collection[FileMove],
    had: Collection[str] = (),
) -> None:
    """Name files in the journal; `had` are others of the session's that the new folder has before."""
    told = [[file.source, file.target, file.size, file.there] for file in files]
    where = {"as": ids[1], "from": str(source), "to": str(target)}
    journal.add(move, "files", id=ids[0], **where, files=told, had=list(had))


def _move_memory(
    memory: MemoryMove, dirs: Dirs, journal: Journal, move: str, now: Callable[[], float], fs: FileSystem
) -> list[Stay]:
    source, target = memory.leaving.root, memory.coming.root
    pins, drafts = Pins(dirs, fs), Drafts(dirs, fs=fs, now=now)
    pinned = pins.names(source)
    names = [(file.source, file.target) for file in memory.files]
    follow = [[old, new] for old, new in names if old in pinned]
    journal.add(
        move, "memory", **{"from": str(source), "to": str(target)}, pinned=follow,
        files=[[file.source, file.target, file.mtime_ns] for file in memory.files],
    )  # fmt: skip
    make_folders(target, fs=fs)
    times = {file.target: file.mtime_ns for file in memory.files}  # a memory's age is told to the agent
    coming = [
        replace(change, modified=times.get(change.name)) if change.base is None else change
        for change in memory.coming.changes
    ]
    steps = (target, coming, memory.coming.title), (source, memory.leaving.changes, memory.leaving.title)
    for root, changes, why in steps:
        store = Store(root, dirs, fs=fs, now=now, trash=None)
        store.recover()
        if changes:
            store.apply(tuple(changes), why=why, kind=MOVED, extra={"move": move}, merge=False)
    follow_names(pins, drafts, source, target, names, follow)
    return _move_lock(source, target, journal, move, fs)


def _move_lock(source: Path, target: Path, journal: Journal, move: str, fs: FileSystem) -> list[Stay]:
    """The client's note of the last consolidation goes along where the new folder has none."""
    if not (source / LOCK_NAME).is_file() or (source / LOCK_NAME).is_symlink():
        return []
    if os.path.lexists(target / LOCK_NAME):
        return [Stay(LOCK_NAME, "the memory there has its own")]
    file = FileMove(LOCK_NAME, LOCK_NAME, (source / LOCK_NAME).stat().st_size)
    _write_down(journal, move, ("", ""), source, target, [file])
    return transfer(LOCK_NAME, [file], source, target, fs=fs)[1]


def follow_names(
    pins: Pins,
    drafts: Drafts,
    source: Path,
    target: Path,
    names: Collection[tuple[str, str]],
    pinned: Collection[list[str]],
) -> None:
    """Let pins and unsaved text follow files that are in another folder now."""
    if pinned:
        pins.set(target, [new for _, new in pinned], True)
        pins.set(source, [old for old, _ in pinned], False)
    for old, new in names:
        draft = drafts.load(source / old)
        if draft is not None and drafts.load(target / new) is None:
            drafts.save(target / new, draft.text, draft.base)
            drafts.drop(source / old)


def _clear(folder: Path, fs: FileSystem) -> None:
    for above, names, files in os.walk(folder):
        names[:] = [name for name in names if not name.startswith(".")]
        with suppress(OSError):
            clear_temps(Path(above), fs=fs, names=files)


def remove_empty(folder: Path, fs: FileSystem = REAL) -> None:
    """Remove a project's folder and those below it, as far as they are empty; links are not entered."""
    for above, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):
            fs.rmdir(Path(above))
