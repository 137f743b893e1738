"""Rename a session as Claude Code's /rename does (2.1.332).

Two records are appended to its file, of which the last ones win: `custom-title`, and `agent-name`, which the prompt bar
and other agents show. Beside it `<session>/custom-title.json` tells who gave the title, and when.

Nothing in the file is rewritten, so a client that is writing it at the same moment loses nothing. The file's mtime
changes, as with every record that is added: the session moves to the top of the client's list.
"""

import json
import os
import stat
import unicodedata
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memtui.client.session_files import MAX_TITLE_CHARS
from memtui.fs.atomic import make_folders, replace_file, to_error
from memtui.fs.filesystem import REAL, FileSystem
from memtui.transcripts.entries import text
from memtui.transcripts.lines import parse_line
from memtui.transcripts.summary import SummaryScanner
from memtui.util.errors import Conflict, NotFound, Refused, Unsupported, UsageError

MAX_TRIES = 3  # how often a record is appended again because another program left half a line before it
_FORBIDDEN = ("Cc", "Cs", "Zl", "Zp")
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_title(title: str) -> str:
    """Return a title with single blanks only; raises `UsageError` if nothing of it shows, or it can't be stored."""
    for char in title:
        if unicodedata.category(char) in _FORBIDDEN or char in _BIDI_CONTROLS:
            raise UsageError(f"a title can't hold a control character (U+{ord(char):04X})")
    words = " ".join(title.split())
    if not any(char.isprintable() and not char.isspace() for char in words):
        raise UsageError("a title needs a word", hint="the old title stays")
    if len(words) > MAX_TITLE_CHARS:
        raise UsageError(f"a title has {MAX_TITLE_CHARS} characters at most, not {len(words)}")
    return words


def title_before(path: Path) -> str:
    """The title that a person gave last, whole, else what the session is called, or "". Raises `OSError`."""
    given = ""
    with path.open("rb") as file:
        for line in file:
            if b"custom-title" not in line:
                continue
            for data in parse_line(line).objects:
                if data.get("type") == "custom-title":
                    given = text(data.get("customTitle"))
    return given if given.strip() else SummaryScanner().file(path).title


def append_title(path: Path, title: str, *, fs: FileSystem = REAL) -> None:
    """Append a checked title to a session's file, whose stem is the session's id; the caller holds the sessions' lock.

    Raises `NotFound` if there is no such file, `Refused` if it is empty, a link or no file, `MemtuiError` if it can't
    be written; then it is as it was.
    """
    records = [("custom-title", "customTitle"), ("agent-name", "agentName")]
    line = b"".join(_line({"type": kind, key: title, "sessionId": path.stem}) for kind, key in records)
    try:
        file = fs.open(path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise NotFound(f"No session at {path}", hint="memtui sessions ls lists them") from None
    except OSError as error:
        raise to_error(error, path.name) from error
    try:
        info = fs.fstat(file)
        if not stat.S_ISREG(info.st_mode) or info.st_size == 0:
            raise Refused(f"{path.name} is empty or not a file: a title needs a session")
        # The record gets a line of its own, even where a killed writer left half of one.
        ended = os.pread(file, 1, info.st_size - 1) == b"\n"
        for _ in range(MAX_TRIES):
            if _append(file, line if ended else b"\n" + line, fs):
                _sync(file, path.name, fs)
                return
            ended = False
    except OSError as error:
        raise to_error(error, path.name) from error
    finally:
        with suppress(OSError):  # fsync has reported what the disk has to report
            fs.close(file)
    raise Conflict(f"{path.name} is being written by another program", hint="try again in a moment")


def _line(record: dict[str, str]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def write_title_file(path: Path, title: str, at: float, *, fs: FileSystem = REAL) -> None:
    """Write who gave a session its title, and when (`at`, in seconds since 1970), as Claude Code does beside it."""
    when = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    file = path.with_suffix("") / "custom-title.json"
    make_folders(file.parent, fs=fs)
    replace_file(file, _line({"customTitle": title, "by": "user", "at": when})[:-1], fs=fs)


def _sync(file: int, name: str, fs: FileSystem) -> None:
    try:
        fs.fsync(file)
    except OSError as error:
        raise to_error(error, name, outcome="the title is there, but may not last") from error


def _append(file: int, data: bytes, fs: FileSystem) -> bool:
    """Add bytes in one call, and tell whether they are on a line of their own: half of another's may precede them.

    Raises `OSError` if the disk took less than all; what it took is gone again.
    """
    done = fs.write(file, data)
    start = os.lseek(file, 0, os.SEEK_CUR) - done
    if done < len(data):
        if fs.fstat(file).st_size == start + done:  # nobody wrote behind it: half a record must not stay
            fs.truncate(file, start)
        raise Unsupported("No room left on the disk: the title stays as it was", hint="make room, then try again")
    before = os.pread(file, 1, start - 1) if start else b"\n"
    if os.pread(file, len(data), start) != data:
        raise Conflict("the session's file was replaced or cut meanwhile", hint="look at it, then try again")
    return before == b"\n" or data.startswith(b"\n")
