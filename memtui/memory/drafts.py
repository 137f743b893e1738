"""Drafts: typed text that isn't saved yet. It survives a crash, a closed terminal and a failed save.

One JSON file for each path in the state folder, replaced atomically. A small file is kept beside them as a reserve:
when the disk is full, it is given up so that the draft still fits.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct, convert

from memtui.fs.atomic import digest, make_folders, replace_file, to_error
from memtui.fs.filesystem import REAL, FileSystem
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Unsupported
from memtui.util.json_object import load_json

RESERVE_BYTES = 256 * 1024  # ten times the largest index that an agent loads


class Draft(Struct, frozen=True):
    """Unsaved text of one file; `base` is the digest that the editing started from, `None` for a new file."""

    path: Path
    text: str
    base: str | None
    saved_at: float


class Drafts:
    """All drafts of a user, in our state folder; `now` is the clock, in seconds since 1970."""

    def __init__(self, dirs: Dirs, *, fs: FileSystem = REAL, now: Callable[[], float] = time.time) -> None:
        self._folder = dirs.state / "drafts"
        self._fs = fs
        self._now = now

    def save(self, path: Path, text: str, base_digest: str | None) -> None:
        """Keep the text; an older draft of the same path is replaced."""
        entry = {"path": str(path), "base": base_digest, "saved_at": self._now(), "text": text}
        data = json.dumps(entry).encode("ascii")  # escapes keep lone surrogates as they are
        try:
            make_folders(self._folder, fs=self._fs)
            try:
                replace_file(self._file(path), data, fs=self._fs, mode=0o600)
            except OSError as error:
                if not isinstance(to_error(error, ""), Unsupported) or not self._give_up_reserve():
                    raise
                replace_file(self._file(path), data, fs=self._fs, mode=0o600)
                return
        except OSError as error:
            hint = "copy the text elsewhere"
            raise to_error(error, "the draft", outcome="the draft was not written", hint=hint) from error
        self._keep_reserve()

    def load(self, path: Path) -> Draft | None:
        return self._read(self._file(path))

    def drop(self, path: Path) -> None:
        """Forget the draft of a path: it was saved, or the person said so."""
        try:
            self._fs.unlink(self._file(path))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise to_error(error, "the draft", outcome="it stays") from error

    def list(self) -> tuple[Draft, ...]:
        try:
            files = sorted(self._folder.glob("*.json"))
        except OSError:
            return ()
        drafts = [draft for file in files if (draft := self._read(file)) is not None]
        return tuple(sorted(drafts, key=lambda draft: -draft.saved_at))

    def _file(self, path: Path) -> Path:
        return self._folder / f"{digest(str(path).encode('utf-8', 'surrogatepass'))[:32]}.json"

    def _read(self, file: Path) -> Draft | None:
        try:
            return convert(load_json(file), Draft, dec_hook=lambda kind, value: kind(value))
        except (OSError, ValueError):
            return None  # a draft of ours is never half written, so this is another program's file

    def _give_up_reserve(self) -> bool:
        try:
            self._fs.unlink(self._folder / "reserve")
        except OSError:
            return False
        return True

    def _keep_reserve(self) -> None:
        """Fill it again where there is room; a draft that is safe is not put at risk by this."""
        reserve = self._folder / "reserve"
        try:
            if not reserve.exists():
                replace_file(reserve, b"\n" * RESERVE_BYTES, fs=self._fs, mode=0o600)
        except OSError:
            self._give_up_reserve()
