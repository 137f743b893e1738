"""A stage: a copy of the memory folder that a background run works on, so that the folder itself is never touched.

    <state>/stages/<run id>/memory/         what the run reads and writes; times as in the folder
    <state>/stages/<run id>/base/           the same once more, untouched: what both sides started from
    <state>/stages/<run id>/manifest.json   written last: without it, it is no stage

The manifest has the digest of every file at the moment of copying, and why a file was not copied. Copied are the memory
files: regular `.md` files that aren't hidden, below 8 MiB.

Source: DESIGN.md D1.
"""

import json
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from memtui.client.paths import LOCK_NAME
from memtui.fs.atomic import FileContent, digest, is_temp, make_folders, replace_file, sync_folder
from memtui.history.snapshot import MAX_SIZE, read_settled, walk
from memtui.util.app_dirs import Dirs
from memtui.util.errors import NotFound

KEPT = 14 * 86_400
"""Seconds that a stage is kept for a person who may still want something of it."""

_COPYING = 3600
"""Seconds after which an incomplete copy is nobody's any more."""


class StagedFile(Struct, frozen=True):
    """A file at the moment of copying: SHA-256 digest, size in bytes, mtime in nanoseconds."""

    digest: str
    size: int
    mtime_ns: int


class Stage(Struct, frozen=True):
    """A copy.

    `id` is the run's, `folder` the memory folder it was made from, `made` when, in seconds since 1970. `files` are the
    copied ones by name, `left_out` the others with the reason.
    """

    id: str
    path: Path
    folder: Path
    made: float
    files: Mapping[str, StagedFile]
    left_out: Mapping[str, str]

    @property
    def root(self) -> Path:
        """The folder that the run works in."""
        return self.path / "memory"

    def base(self, name: str) -> bytes | None:
        """A file as it was copied; `None` if it wasn't there, or a power cut took the copy."""
        copied = self.files.get(name)
        if copied is None:
            return None
        try:
            data = (self.path / "base" / name).read_bytes()
        except OSError:
            return None
        return data if digest(data) == copied.digest else None


def make_stage(dirs: Dirs, id: str, folder: Path, now: float) -> Stage:
    """Copy a memory folder. Nothing in it changes; one that isn't there gives an empty stage.

    Args:
        id: The run's.
        folder: The memory folder; links in its own path are followed.
        now: Seconds since 1970.

    Raises:
        OSError: If the copy can't be written; what was made of it is removed.
    """
    path = dirs.state / "stages" / id
    real = Path(os.path.realpath(folder))
    names, left_out = _listed(real)
    read = read_settled(real, names, {})
    for name in names:
        if name not in read:
            left_out[name] = "it can't be read, or is being rewritten"
    make_folders(path / "memory")
    try:
        for name, content in read.items():
            for above in ("base", "memory"):
                _copy(path / above / name, content)
        files = {name: StagedFile(c.digest, c.stamp.size, c.stamp.mtime_ns) for name, c in read.items()}
        stage = Stage(id, path, real, now, files, left_out)
        _write_manifest(stage)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return stage


def _copy(target: Path, content: FileContent) -> None:
    """Not synced: a stage that a power cut broke is told by its digests."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.write_bytes(content.data)
    os.utime(target, ns=(content.stamp.mtime_ns, content.stamp.mtime_ns))


def _listed(root: Path) -> tuple[list[str], dict[str, str]]:
    """The names to copy, and the others with the reason."""
    names: list[str] = []
    left_out: dict[str, str] = {}
    for above, _, entries in walk(root, hidden=True):
        for entry in entries:
            name = above + entry.name
            if name == LOCK_NAME or is_temp(entry.name):
                continue
            if entry.is_symlink():
                left_out[name] = "a link"
            elif entry.name.startswith("."):
                left_out[name] = "hidden"
            elif entry.is_dir(follow_symlinks=False):
                continue
            elif not entry.is_file(follow_symlinks=False):
                left_out[name] = "not a regular file"
            elif not entry.name.endswith(".md"):
                left_out[name] = "not a .md file"
            elif entry.stat(follow_symlinks=False).st_size > MAX_SIZE:
                left_out[name] = f"larger than {MAX_SIZE >> 20} MiB"
            else:
                names.append(name)
    return sorted(names), left_out


def _write_manifest(stage: Stage) -> None:
    data = {
        "id": stage.id, "folder": _text(stage.folder), "made": stage.made,
        "files": {_text(name): [one.digest, one.size, one.mtime_ns] for name, one in stage.files.items()},
        "left_out": {_text(name): reason for name, reason in stage.left_out.items()},
    }  # fmt: skip
    replace_file(stage.path / "manifest.json", json.dumps(data).encode("ascii"))
    sync_folder(stage.path.parent)


def _text(name: str | Path) -> str:
    """A name that JSON can hold, bytes that are no UTF-8 included."""
    return os.fsencode(name).decode("latin-1")


def _name(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))


def open_stage(dirs: Dirs, id: str) -> Stage:
    """The stage of a run.

    Raises:
        NotFound: If there is none any more, or it was never complete.
    """
    stage = _read(dirs.state / "stages" / id)
    if stage is None:
        raise NotFound(f"nothing is kept of the dream {id}", hint="memtui dream log lists what is")
    return stage


def _read(path: Path) -> Stage | None:
    try:
        data: dict[str, Any] = json.loads((path / "manifest.json").read_bytes())
        files = {_name(name): StagedFile(str(d), int(size), int(at)) for name, (d, size, at) in data["files"].items()}
        left_out = {_name(name): str(reason) for name, reason in data["left_out"].items()}
        return Stage(path.name, path, Path(_name(data["folder"])), float(data["made"]), files, left_out)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def has_stage(dirs: Dirs, id: str) -> bool:
    """Whether something is kept of a run."""
    return (dirs.state / "stages" / id / "manifest.json").is_file()


def discard_stage(dirs: Dirs, id: str) -> None:
    """Throw a stage away; no link in it is followed."""
    path = dirs.state / "stages" / id
    with suppress(FileNotFoundError):
        (path / "manifest.json").unlink()  # first, so that a half removed one is no stage
    shutil.rmtree(path, ignore_errors=True)


def clear_stages(dirs: Dirs, now: float, busy: Collection[str]) -> tuple[str, ...]:
    """Throw away the stages that are too old, and those that were never complete.

    Args:
        now: Seconds since 1970.
        busy: The runs that go on.

    Returns:
        The ids of those that are gone now.
    """
    above = dirs.state / "stages"
    try:
        names = [path.name for path in above.iterdir()]
    except OSError:
        return ()
    gone = []
    for id in names:
        stage = _read(above / id)
        # One without a manifest may be in the making by a run that has just begun.
        old = now - (above / id).lstat().st_mtime > _COPYING if stage is None else now - stage.made > KEPT
        if id not in busy and old:
            discard_stage(dirs, id)
            gone.append(id)
    return tuple(gone)
