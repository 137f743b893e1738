"""A file that can't be edited, that a sync tool left behind, or that the agent's scan doesn't reach."""

from collections.abc import Iterator

from memtui.memory.checks.base import LISTED, Check, CheckedFile, Problem, Severity
from memtui.memory.index import INDEX_NAME
from memtui.memory.sync_copies import is_office_lock, original_of
from memtui.memory.topic import MemoryFile
from memtui.util.text import nfc

_UNREADABLE = ("not UTF-8", "binary", "a link", "a folder", "not a regular", "can't be read")


def is_unreadable(reason: str | None) -> bool:
    """Whether a file that opens read only for that reason has no text that could be judged."""
    return reason is not None and reason.startswith(_UNREADABLE)


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report what a file on disk is; a text in the editor is none."""
    read = file.file
    if read is None:
        return
    if read.is_unread:
        yield file.problem("read-only", "warning", f"not read: {read.readonly}")
    elif read.readonly is not None:
        severity: Severity = "error" if is_unreadable(read.readonly) else "info"
        yield file.problem("read-only", severity, f"opens read only: {read.readonly}")
    if read.kind == "other" and read.lies_at is None and read.name.rpartition("/")[2] != INDEX_NAME:
        yield file.problem("conflict-copy", "warning", _what_copy(file, read))
    if read.kind == "topic" and not read.scanned:
        yield file.problem("not-scanned", "info", "older than the newest 200: the agent's scan leaves it out")


def _what_copy(file: CheckedFile, read: MemoryFile) -> str:
    if is_office_lock(read.name):
        return "a lock file of an office program: the agent takes it for a topic"
    files = () if file.folder is None else file.folder.scope.files
    original = original_of(read, {nfc(one.name): one for one in files})
    if original is not None and original.name == INDEX_NAME:
        return f"a copy of the index {INDEX_NAME}: the agent takes it for a topic, and never loads it as the index"
    of = f" of {original.name}" if original is not None else ""
    return f"a copy{of} that a sync tool or file manager left: the agent takes it for a topic of its own"


CHECK = Check(("read-only", "conflict-copy", "not-scanned"), LISTED, find, order=70)
