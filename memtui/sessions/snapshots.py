"""The files that a session changed, from the client's file history: which versions there are, and how it is now.

Source:
    FORMATS 1.1 and 1.7: `file-history-snapshot` and `file-history-delta`; a version is
    `<config>/file-history/<session>/<name>`, None for a file that did not exist.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.base.files import digest
from memtui.sessions.entries import text
from memtui.sessions.lines import Record


class Version(Struct, frozen=True):
    """A file as it was before a message. `backup` names the copy, None says that the file did not exist then."""

    number: int
    backup: str | None
    time: str
    message: str


class ChangedFile(Struct, frozen=True):
    """A file that a session changed, by the path in its records, with its versions, oldest first."""

    path: str
    versions: tuple[Version, ...]


State = Literal["same", "changed", "gone", "created", "unknown"]


class Changes:
    """Collects the files that a session's snapshots speak of, record by record."""

    def __init__(self) -> None:
        self._found: dict[str, dict[int, Version]] = {}

    def take(self, data: Record) -> None:
        """Look at one record."""
        for path, backup, message in _backups(data):
            number, name = backup.get("version"), backup.get("backupFileName")
            if isinstance(number, int) and (name is None or isinstance(name, str)):
                version = Version(number, name, text(backup.get("backupTime")), message)
                self._found.setdefault(path, {}).setdefault(number, version)

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        """The files, in the order in which they first appear."""
        return tuple(
            ChangedFile(path, tuple(versions[number] for number in sorted(versions)))
            for path, versions in self._found.items()
        )


def _backups(data: Record) -> Iterable[tuple[str, Record, str]]:
    if data.get("type") == "file-history-delta":
        backup = data.get("backup")
        if isinstance(backup, dict):
            yield text(data.get("trackingPath")), backup, text(data.get("messageId"))
    elif data.get("type") == "file-history-snapshot":
        snapshot = data.get("snapshot")
        tracked = snapshot.get("trackedFileBackups") if isinstance(snapshot, dict) else None
        for path, backup in tracked.items() if isinstance(tracked, dict) else ():
            if isinstance(backup, dict):
                yield path, backup, text(data.get("messageId"))


def compare(file: ChangedFile, version: Version, history: Path, cwd: Path) -> State:
    """How a file is on the disk now, against one of its versions.

    Args:
        file: The file.
        version: One of its versions.
        history: `<config>/file-history/<session>`.
        cwd: Where a relative path starts.

    Returns:
        "unknown" if the copy, or the file, can't be read.
    """
    now = _digest(cwd / file.path)
    if version.backup is None:
        return {"": "unknown", "gone": "same"}.get(now, "created")  # type: ignore[return-value]
    copy = _digest(history / Path(version.backup).name)
    if now == "gone":
        return "gone"
    if not now or copy in ("", "gone"):
        return "unknown"
    return "same" if now == copy else "changed"


def _digest(path: Path) -> str:
    """The digest of a file; "gone" if there is none, "" if it can't be read."""
    try:
        return digest(path.read_bytes())
    except FileNotFoundError:
        return "gone"
    except OSError:
        return ""
