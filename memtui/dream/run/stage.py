"""A stage: a copy of the memory folder that a background run works on, so that the folder itself is never touched.

    <state>/stages/<run id>/memory/         what the run reads and writes, with the mtimes of the folder
    <state>/stages/<run id>/base/           the same once more, untouched: the base of a three-way merge
    <state>/stages/<run id>/sessions/       digests of sessions that a model may read (`backends.digests`)
    <state>/stages/<run id>/manifest.json   written last; without it the stage is incomplete

The manifest holds the digest of every copied file, and why a file was not copied. Copied are the memory files: regular
`.md` files below 8 MiB that aren't hidden. Of a link the text is copied if a dream may write through it (`fs.links`)
and the file lies elsewhere; the link stays.
"""

import json
import os
import shutil
import stat
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from memtui.client.paths import LOCK_NAME
from memtui.fs.atomic import digest, is_temp, make_folders, replace_file, sync_folder
from memtui.fs.folders import subfolders
from memtui.fs.links import link_target, why_not_written
from memtui.history.snapshot import MAX_SIZE, read_settled, walk
from memtui.util.app_dirs import Dirs
from memtui.util.errors import NotFound
from memtui.util.json_object import load_json

STAGE_RETENTION_S = 14 * 86_400
_INCOMPLETE_RETENTION_S = 3600  # age from which an incomplete stage is not one that a run is just making


class StagedFile(Struct, frozen=True):
    """A file at the moment of copying: SHA-256 digest, size in bytes, mtime in nanoseconds."""

    digest: str
    size: int
    mtime_ns: int


class Stage(Struct, frozen=True):
    """The copy for the run `id`, made of `folder` at `made`; `left_out` has the files not copied, with the reason."""

    id: str
    path: Path
    folder: Path
    made: float
    files: Mapping[str, StagedFile]
    left_out: Mapping[str, str]

    @property
    def root(self) -> Path:
        return self.path / "memory"

    def base(self, name: str) -> bytes | None:
        """A file as it was copied; `None` if there was none, or a power cut damaged the copy."""
        copied = self.files.get(name)
        if copied is None:
            return None
        try:
            data = (self.path / "base" / name).read_bytes()
        except OSError:
            return None
        return data if digest(data) == copied.digest else None


def make_stage(dirs: Dirs, id: str, folder: Path, now: float, own: Sequence[Path] = ()) -> Stage:
    """Copy a memory folder, an absent one as empty; raises `OSError` if that fails, and what was copied is removed.

    `own` are the folders in which the target of a link has to lie to be copied.
    """
    path = dirs.state / "stages" / id
    real = Path(os.path.realpath(folder))
    names, left_out = _listed(real, own)
    read = read_settled(real, names, {}, own=own)
    for name in names:
        if name not in read:
            left_out[name] = "it can't be read, or is being rewritten"
    make_folders(path / "memory")
    try:
        for name, content in read.items():
            for target in (path / "base" / name, path / "memory" / name):
                # Without a sync: a copy that a power cut damaged is recognised by its digest.
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                target.write_bytes(content.data)
                os.utime(target, ns=(content.stamp.mtime_ns, content.stamp.mtime_ns))
        files = {name: StagedFile(c.digest, c.stamp.size, c.stamp.mtime_ns) for name, c in read.items()}
        stage = Stage(id, path, real, now, files, left_out)
        _write_manifest(stage)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return stage


def _listed(root: Path, own: Sequence[Path]) -> tuple[list[str], dict[str, str]]:
    names: list[str] = []
    left_out: dict[str, str] = {}
    targets: dict[Path, str] = {}
    for above, _, entries in walk(root, hidden=True):
        for entry in entries:
            name = above + entry.name
            if name == LOCK_NAME or is_temp(entry.name):
                continue
            info = entry.stat(follow_symlinks=False)
            target = link_target(root / name) if stat.S_ISLNK(info.st_mode) else None
            if target is not None and entry.name.endswith(".md") and not entry.name.startswith("."):
                why_not = why_not_copied(root, name, own)
                if not why_not and targets.setdefault(target, name) != name:
                    why_not = f"a link to the same file as {targets[target]}"
                if why_not:
                    left_out[name] = why_not
                else:
                    names.append(name)
                continue
            reason = why_not_memory(entry.name, info)
            if reason is not None:
                left_out[name] = reason
            elif stat.S_ISREG(info.st_mode):
                names.append(name)
    return sorted(names), left_out


def why_not_copied(root: Path, name: str, own: Sequence[Path]) -> str:
    """Why a dream leaves a link of a folder alone; "" if it may change the file that it leads to, or it is no link."""
    target = link_target(root / name)
    if target is None:
        return ""
    if root in target.parents:
        return f"a link to {target.relative_to(root)}"
    if reason := why_not_written(root / name, own, "dream"):
        return reason if reason.startswith("a link") else f"a link: {reason}"
    return f"larger than {MAX_SIZE >> 20} MiB" if target.stat().st_size > MAX_SIZE else ""


def why_not_memory(leaf: str, info: os.stat_result) -> str | None:
    """Say why an entry of a folder is no memory file and no folder of them; `None` if it is."""
    if stat.S_ISDIR(info.st_mode):
        return "hidden" if leaf.startswith(".") else None
    if not stat.S_ISREG(info.st_mode):
        return "a link" if stat.S_ISLNK(info.st_mode) else "not a regular file"
    if leaf.startswith("."):
        return "hidden"
    if not leaf.endswith(".md"):
        return "not a .md file"
    return f"larger than {MAX_SIZE >> 20} MiB" if info.st_size > MAX_SIZE else None


def _write_manifest(stage: Stage) -> None:
    data = {
        "id": stage.id, "folder": _text(stage.folder), "made": stage.made,
        "files": {_text(name): [one.digest, one.size, one.mtime_ns] for name, one in stage.files.items()},
        "left_out": {_text(name): reason for name, reason in stage.left_out.items()},
    }  # fmt: skip
    replace_file(stage.path / "manifest.json", json.dumps(data).encode("ascii"))
    sync_folder(stage.path.parent)


def _text(name: str | Path) -> str:
    """A name as JSON can hold it, invalid UTF-8 included."""
    return os.fsencode(name).decode("latin-1")


def _name(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))


def open_stage(dirs: Dirs, id: str) -> Stage:
    """Open the stage of a run; raises `NotFound` if it is gone or was never complete."""
    stage = _read(dirs.state / "stages" / id)
    if stage is None:
        raise NotFound(f"no changes of the dream {id} are kept", hint="memtui dream log lists the dreams")
    return stage


def _read(path: Path) -> Stage | None:
    try:
        data: dict[str, Any] = load_json(path / "manifest.json")
        files = {_name(name): StagedFile(str(d), int(size), int(at)) for name, (d, size, at) in data["files"].items()}
        left_out = {_name(name): str(reason) for name, reason in data["left_out"].items()}
        return Stage(path.name, path, Path(_name(data["folder"])), float(data["made"]), files, left_out)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def has_stage(dirs: Dirs, id: str) -> bool:
    return (dirs.state / "stages" / id / "manifest.json").is_file()


def discard_stage(dirs: Dirs, id: str) -> None:
    """Remove a stage; no link in it is followed."""
    path = dirs.state / "stages" / id
    with suppress(FileNotFoundError):
        (path / "manifest.json").unlink()  # first, so that a half-removed stage is incomplete
    shutil.rmtree(path, ignore_errors=True)


def clear_stages(dirs: Dirs, now: float, busy: Collection[str]) -> tuple[str, ...]:
    """Remove stages past their retention and incomplete ones, except of `busy` runs; returns the removed ids."""
    above = dirs.state / "stages"
    gone = []
    for id in subfolders(above):
        if stage := _read(above / id):
            expired = now - stage.made > STAGE_RETENTION_S
        else:
            expired = now - (above / id).lstat().st_mtime > _INCOMPLETE_RETENTION_S
        if expired and id not in busy:
            discard_stage(dirs, id)
            gone.append(id)
    return tuple(gone)
