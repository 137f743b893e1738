"""Which files of a session go where: its transcript, its own folder, sub-agents' files beside it.

A session's identity is its file's name. Where the other folder has a file of that name with other bytes, both stay and
the session that comes gets an id of its own, for all of its files; what the client makes of such a copy is told in this
package's docstring.
"""

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memtui.client.session_files import (
    SESSION_FILE_NAME,
    SessionFile,
    parse_records,
    read_part,
    session_files,
    session_title,
)
from memtui.fs.atomic import is_temp
from memtui.fs.copy import FileState, copy_file, read_file_state, remove_file
from memtui.fs.filesystem import REAL, FileSystem
from memtui.fs.folders import subfolders
from memtui.util.errors import Conflict, MemtuiError, Refused


class FileMove(Struct, frozen=True):
    """One file: its names in the old and new folder, its size in bytes, its digest if the same is `there` already."""

    source: str
    target: str
    size: int
    there: str = ""


class Stay(Struct, frozen=True):
    """Something that is not moved, and why."""

    what: str
    why: str


def transfer(
    what: str, files: Collection[FileMove], source: Path, target: Path, *, fs: FileSystem = REAL
) -> tuple[bool, list[Stay]]:
    """Bring files that belong together to another folder: all copies first; of the old ones, the last file goes first.

    A session's transcript comes last in `files`: the new folder has it once it has all that belongs to it. Returns
    whether they moved (if not, the new folder has none of them), and what stays in the old folder and why; it is called
    `what`.

    Raises `OSError` if the disk refuses. Every file is whole in one of the folders, or in both.
    """
    seen: list[tuple[FileMove, FileState]] = []
    made: list[tuple[FileMove, FileState]] = []
    try:
        for file in files:
            if file.there:
                before, after = read_file_state(source, file.source, fs=fs), read_file_state(target, file.target, fs=fs)
                if before is None or after is None or not before.digest == after.digest == file.there:
                    raise Conflict(f"{file.source} is being written by another program")
                seen.append((file, before))
            else:
                copied = copy_file((source, file.source), (target, file.target), fs=fs)
                seen.append((file, copied.source))
                made.append((file, copied.target))
    except (MemtuiError, OSError) as error:
        _take_away(target, made, fs)
        if isinstance(error, OSError):
            raise
        return False, [Stay(what, error.message)]
    seen.reverse()
    try:
        for file, before in seen[:1]:
            remove_file(source, file.source, before, fs=fs)
    except MemtuiError as error:  # nothing is removed yet
        _take_away(target, made, fs)
        return False, [Stay(what, error.message)]
    stays = []
    for file, before in seen[1:]:
        try:
            remove_file(source, file.source, before, fs=fs)
        except MemtuiError as error:
            stays.append(Stay(file.source, f"{error.message}; the new folder has it as it was before"))
    return True, stays


def _take_away(root: Path, made: Collection[tuple[FileMove, FileState]], fs: FileSystem) -> None:
    """Remove copies again; one that stays is there twice, which the next move ends."""
    for file, copy_ in made:
        with suppress(MemtuiError, OSError):
            remove_file(root, file.target, copy_, fs=fs)


SHORT = 8  # characters of an id that are told
_ID = re.compile(SESSION_FILE_NAME.pattern.removesuffix(r"\.jsonl"))
_AGENT = re.compile(r"agent-.+\.jsonl")


class SessionMove(Struct, frozen=True):
    """A session by its ids in the old and new folder, its files, the transcript last, and its title, if it has one."""

    id: str
    new_id: str
    files: tuple[FileMove, ...]
    title: str = ""

    @property
    def renamed(self) -> bool:
        return self.id != self.new_id

    @property
    def there(self) -> bool:
        return all(file.there for file in self.files)

    @property
    def how(self) -> str:
        """What a person should know of it, "" for nothing."""
        return f"as {self.new_id[:SHORT]}" if self.renamed else "is there already" if self.there else ""

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def plan_sessions(
    old: Path,
    new: Path,
    *,
    chosen: Callable[[SessionFile], bool] | None = None,  # else all, even those without a transcript
    live: Collection[str] = (),  # ids of running sessions, which stay
    fresh: Callable[[], str],  # makes an id for a session whose name is taken
) -> tuple[list[SessionMove], list[Stay]]:
    """What has to be done for the sessions of one folder to lie in another, which need not exist."""
    moves: list[SessionMove] = []
    stays: list[Stay] = []
    beside = _agents_beside(old)
    files = [file for file in session_files(old) if chosen is None or chosen(file)]
    units = [(file.id, session_title(file)) for file in files]
    if chosen is None:
        have = {file.id for file in files}
        units += [(name, "") for name in subfolders(old) if _ID.fullmatch(name) and name not in have]
    for id, title in units:
        if id in live:
            stays.append(Stay(id, "it is running: end it first"))
            continue
        try:
            moves.append(plan_session(old, id, new, id, beside.get(id, ()), title=title, fresh=fresh))
        except Refused as error:
            stays.append(Stay(id, error.message))
    if chosen is None:
        planned = {move.id for move in moves} | {stay.what for stay in stays}
        stays += [Stay(name, "no session here names it") for id in beside if id not in planned for name in beside[id]]
    return moves, stays


def plan_session(
    old: Path, id: str, new: Path, new_id: str, beside: Sequence[str] = (), *, title: str = "", fresh: Callable[[], str]
) -> SessionMove:
    """What to do for one session, with sub-agents' files `beside` it, to get the name `new_id`, if that is free."""
    names = [*files_of(old, id), *beside]
    if (old / f"{id}.jsonl").is_symlink() or (old / f"{id}.jsonl").exists():
        names.append(f"{id}.jsonl")
    while True:
        found: list[FileMove] = []
        for name in names:
            move = None
            if name not in beside or id == new_id:
                target = new_id + name.removeprefix(id) if name.startswith(id) else name
                move = _file(old, name, new, target)
            if move is None and name in beside:
                # Here the id in their rows says whose they are; in the session's own folder, the folder does.
                move = _file(old, name, new, f"{new_id}/subagents/{name}")
            if move is None:
                break
            found.append(move)
        else:
            return SessionMove(id, new_id, tuple(found), title)
        new_id = fresh()


def _file(old: Path, name: str, new: Path, target: str) -> FileMove | None:
    """One file's move; `None` if the new folder has another one there. `Refused` if either is a link or no file."""
    info = _regular(old / name)
    if info is None:
        raise Refused(f"{name} is gone")
    there = _regular(new / target)
    if there is None:
        return FileMove(name, target, info.st_size)
    if there.st_size != info.st_size:
        return None
    mine, theirs = read_file_state(old, name), read_file_state(new, target)
    if mine is None or theirs is None or mine.digest != theirs.digest:
        return None
    return FileMove(name, target, info.st_size, theirs.digest)


def _regular(path: Path) -> os.stat_result | None:
    try:
        info = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(info.st_mode):
        raise Refused(f"{path.name} is a link or not a file")
    return info


def files_of(root: Path, folder: str) -> Iterator[str]:
    """Every file in a session's own folder, by its name below `root`, but what a stopped copy left; or `Refused`."""
    if (root / folder).is_symlink():
        raise Refused(f"{folder} is a link")
    try:
        with os.scandir(root / folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        raise Refused(f"{folder} is not a folder") from None
    for entry in found:
        name = f"{folder}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from files_of(root, name)
        elif not entry.is_file(follow_symlinks=False):
            raise Refused(f"{name} is a link or not a file")
        elif not is_temp(entry.name):
            yield name


def _agents_beside(root: Path) -> dict[str, list[str]]:
    """Sub-agents' files beside the sessions, by the session that their first record names ("" if none does)."""
    found: dict[str, list[str]] = {}
    try:
        names = sorted(name for name in os.listdir(root) if _AGENT.fullmatch(name))  # noqa: PTH208 - names are wanted
    except OSError:
        return found
    for name in names:
        try:
            plain = _regular(root / name) is not None
        except (Refused, OSError):
            plain = False
        first = next(parse_records(read_part(str(root / name)).split(b"\n")), {}) if plain else {}
        session = first.get("sessionId")
        found.setdefault(session if isinstance(session, str) else "", []).append(name)
    return found
