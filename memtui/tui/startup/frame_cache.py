"""The first frame of the next start: the bytes of Textual's own last first frame, and the stamps of what it shows.

Textual's import takes ten times as long as it takes to look at the size and times of a thousand files. So the first
complete frame of a start is saved in the cache folder, and a start in the same terminal, directory and environment
writes it before it imports anything, if every file and folder that it was made from is as it was then. With it
goes what the widgets of that frame were given (`state`, see `first_state`), so that Textual's first frame is the same
and keys work at once; the full reading follows in any case.

A file of the cache is named by a digest of all that decides how a frame looks beside the files that it shows: version,
directory, terminal, environment. It is a list of byte strings with NUL between them: digest of the rest, frame, state,
stamps. What is damaged, belongs to another user, or holds anything but text, colours and cursor positions is not used.

A start imports this first, so it imports neither typing nor pathlib, `re` or `json`: 5 to 10 ms each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from memtui import __version__
from memtui.util.hashing import blake2b
from memtui.util.xdg import XDG_DEFAULTS, xdg_folder

Stamp = tuple[str, int, int, int]  # path, size in bytes (-1: not there), time of the last change in ns, inode

MAX_FRAMES = 20  # files in the cache: terminal sizes times directories; the oldest go
MAX_FRAME_SIZE = 2_000_000  # bytes of one file; what is larger is not saved
_DECIDE = {
    "HOME", "LANG", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "PYTHONUTF8", "PYTHONIOENCODING", *XDG_DEFAULTS,
}  # fmt: skip
_DECIDE_TOO = ("CLAUDE_", "LC_")
"""The variables, and how others begin, that decide which memory is shown and how it is drawn."""
_UNKNOWN_DRIVER = ("TEXTUAL_DRIVER", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_FILTERS")
"""Variables with which Textual draws differently, or elsewhere: then nothing is drawn before it."""


def stamp(path: str) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116 - pathlib's import costs a tenth of a first paint
    except OSError:
        return path, -1, 0, 0
    return path, found.st_size, found.st_mtime_ns, found.st_ino


class FrameCache:
    """The saved frame, in a folder, of one terminal size (columns and rows).

    `key` is what else decides how a frame looks, apart from the files that it shows.
    """

    def __init__(self, folder: str, size: tuple[int, int], key: str) -> None:
        self.size = size
        self._folder = folder
        digest = _digest(f"{size} {key}".encode("utf-8", "backslashreplace"))
        self._file = f"{folder}/{digest.decode('ascii')}"
        self.state = b""  # what the widgets of the frame were given, once `read` has found one

    @classmethod
    def of_start(
        cls, size: tuple[int, int], *, config_dir: str | None, ascii: bool, read_only: bool
    ) -> FrameCache | None:
        """The cache of a start without a named project; `None` where it is not known what Textual will draw."""
        environ = os.environ
        home = environ.get("HOME", "")
        try:
            directory = os.getcwd()  # noqa: PTH109
        except OSError:
            return None
        if not home.startswith("/") or any(environ.get(name) for name in _UNKNOWN_DRIVER):
            return None
        decides = sorted(item for item in environ.items() if item[0] in _DECIDE or item[0].startswith(_DECIDE_TOO))
        encoding = getattr(sys.stdout, "encoding", None)
        key = repr((__version__, directory, config_dir, ascii, read_only, encoding, decides))
        return cls(f"{xdg_folder(environ, home, 'XDG_CACHE_HOME')}/frames", size, key)

    def read(self) -> str | None:
        """The saved frame as terminal sequences, if all that it shows is unchanged."""
        try:
            with open(self._file, "rb") as file:  # noqa: PTH123
                info = os.fstat(file.fileno())
                if info.st_uid != os.geteuid() or info.st_mode & 0o022 or info.st_size > MAX_FRAME_SIZE:
                    return None
                digest, _, rest = file.read().partition(b"\0")
            frame, state, *stamps = rest.split(b"\0")
            if digest != _digest(rest) or not is_harmless(frame) or not _unchanged(stamps):
                return None
        except (OSError, ValueError):
            return None  # none, or damaged
        self.state = state
        return frame.decode()

    def write(self, frame: str, state: bytes, stamps: Iterable[Stamp]) -> None:
        """Save a frame for the next start, readable by its owner alone.

        What could not be read back is not saved; a cache that can't be written is no error. The state is checked by who
        makes and reads it.
        """
        from pathlib import Path  # both 10 ms or more before the first paint, which doesn't need them

        from memtui.fs.atomic import replace_file

        fields = [frame.encode(), state]
        fields += (f"{size} {time} {inode} ".encode() + os.fsencode(path) for path, size, time, inode in stamps)
        rest = b"\0".join(fields)
        data = _digest(rest) + b"\0" + rest
        if len(data) > MAX_FRAME_SIZE or not is_harmless(fields[0]):
            return
        folder = Path(self._folder)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(Path(self._file), data, mode=0o600)
            files = sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime_ns)
            for old in files[:-MAX_FRAMES]:
                old.unlink()
        except OSError:
            return


def is_harmless(data: bytes) -> bool:
    """Whether a terminal finds only text, colours and cursor positions in it; raises ValueError if it is no UTF-8."""
    text = data.decode()
    if any(char < " " or "\x7f" <= char <= "\x9f" for char in {*text} - {"\x1b"}):
        return False
    return all(
        piece.startswith("[") and piece[1:].lstrip("0123456789;").startswith(("m", "H"))
        for piece in text.split("\x1b")[1:]
    )


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).hexdigest().encode("ascii")


def _unchanged(stamps: Iterable[bytes]) -> bool:
    for line in stamps:
        size, time, inode, path = line.split(b" ", 3)
        if stamp(os.fsdecode(path))[1:] != (int(size), int(time), int(inode)):
            return False
    return True
