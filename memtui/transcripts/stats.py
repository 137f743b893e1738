"""What a session did: tools that it called, tokens, files that it wrote, and the versions that the client kept of them.

`SessionStats` collects all of it in one pass over the records, none of which is held.

- Every record of an answer repeats the answer's usage, so records must not be added up: the last one of each answer has
  the final figures.
- The lines of an edit are those of the patch that the client wrote beside the result; without one, of the call's texts.
  A call that was refused or failed counts as a call, with no lines.
- A version of a file is `<config>/file-history/<session>/<name>`; without a name the file did not exist.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Final, Literal

from msgspec import Struct, field

from memtui.fs.atomic import digest
from memtui.transcripts.content import EDIT_TOOLS
from memtui.transcripts.entries import blocks_of, text
from memtui.transcripts.lines import Record

ToolCategory = Literal["reads", "searches", "shells", "edits", "others"]
BackupState = Literal["same", "changed", "gone", "created", "unknown"]

_CATEGORIES: Final[dict[str, ToolCategory]] = {
    **dict.fromkeys(("Read", "NotebookRead", "LS", "ReadMcpResource"), "reads"),
    **dict.fromkeys(("Grep", "Glob", "WebSearch", "ToolSearch", "LSP"), "searches"),
    **dict.fromkeys(("Bash", "PowerShell"), "shells"),
    **dict.fromkeys(EDIT_TOOLS, "edits"),
}
_MAX_COUNT: Final = 1 << 62


class ToolStats(Struct, frozen=True):
    """Calls by category, and lines that edits added and removed."""

    reads: int = 0
    searches: int = 0
    shells: int = 0
    edits: int = 0
    added: int = 0
    removed: int = 0
    others: int = 0


class SessionTokens(Struct, frozen=True):
    """Tokens. `cached` were read from the cache, `stored` written to it; neither is part of `sent`."""

    sent: int = 0
    received: int = 0
    cached: int = 0
    stored: int = 0
    answers: int = 0

    @property
    def all_sent(self) -> int:
        return self.sent + self.cached + self.stored

    def __sub__(self, other: "SessionTokens") -> "SessionTokens":
        return SessionTokens(*(getattr(self, name) - getattr(other, name) for name in self.__struct_fields__))

    def __add__(self, other: "SessionTokens") -> "SessionTokens":
        return SessionTokens(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


class FileBackup(Struct, frozen=True):
    """A file as it was before a message. `backup` is the name of the copy, None if the file did not exist then."""

    number: int
    backup: str | None
    time: str
    message: str


class BackedUpFile(Struct, frozen=True):
    """A file that a session changed, with its versions, oldest first; none where the client kept none.

    Its path is absolute wherever a record tells the folder: one relative path names two files once the session has
    entered a worktree. Links in the folder are followed, as the client does in `realParentDir`.
    """

    path: str
    versions: tuple[FileBackup, ...]


class SessionStats(Struct):
    """Statistics of a session. A call or a result that is in the file twice counts once."""

    _calls: dict[str, str] = field(default_factory=dict)
    _input_lines: dict[str, tuple[int, int]] = field(default_factory=dict)
    _edited_lines: dict[str, tuple[int, int]] = field(default_factory=dict)
    _tokens: dict[str, SessionTokens] = field(default_factory=dict)
    _written: dict[str, None] = field(default_factory=dict)
    _given: dict[str, str] = field(default_factory=dict)  # the path that each call was given, but failed ones
    _copied: set[str] = field(default_factory=set)
    _cwd: str = ""  # the first one
    _versions: dict[str, dict[int, FileBackup]] = field(default_factory=dict)

    def add(self, data: Record) -> None:
        for path, backup, message_id in _backups(data):
            folder = text(backup.get("realParentDir"))
            path = str(PurePath(folder, PurePath(path).name)) if folder else path
            number, name = backup.get("version"), backup.get("backupFileName")
            if isinstance(number, int) and (name is None or isinstance(name, str)):
                version = FileBackup(number, name, text(backup.get("backupTime")), message_id)
                self._versions.setdefault(path, {}).setdefault(number, version)
        self._cwd = self._cwd or text(data.get("cwd"))
        message = data.get("message")
        if not isinstance(message, dict):
            return
        is_answer = data.get("type") == "assistant"
        if is_answer:
            self.add_usage(data)
        for block in blocks_of(message):
            if block["type"] == "tool_use":
                self._add_call(block, is_answer=is_answer)
            elif block["type"] == "tool_result" and (call := text(block.get("tool_use_id"))):
                known = call in self._input_lines and call not in self._edited_lines
                if block.get("is_error") is True:
                    self._given.pop(call, None)
                elif known:
                    self._edited_lines[call] = patch_lines(data.get("toolUseResult")) or self._input_lines[call]

    def _add_call(self, block: Record, *, is_answer: bool) -> None:
        call, name, given = text(block.get("id")), text(block.get("name")), block.get("input")
        if call and call not in self._calls:
            self._calls[call] = name
            if name in EDIT_TOOLS:
                self._input_lines[call] = _input_lines(name, given) if isinstance(given, dict) else (0, 0)
        if is_answer and name in EDIT_TOOLS and isinstance(given, dict):
            path = text(given.get("file_path")) or text(given.get("notebook_path"))
            if path:
                self._written[path] = None
                self._given.setdefault(call, path)

    def add_usage(self, data: Record) -> None:
        """Count the tokens of an answer: the last of its records tells all of them."""
        message = data.get("message")
        if not isinstance(message, dict):
            return
        usage, model = message.get("usage"), text(message.get("model"))
        answer = text(message.get("id")) or text(data.get("requestId")) or text(data.get("uuid"))
        if isinstance(usage, dict) and answer and model != "<synthetic>":
            keys = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
            sent, received, cached, stored = (_count(usage.get(key)) for key in keys)
            self._tokens[answer] = SessionTokens(sent, received, cached, stored, 1)
            if data.get("forkedFrom"):
                self._copied.add(answer)

    @property
    def tools(self) -> ToolStats:
        counts: dict[ToolCategory, int] = {}
        for name in self._calls.values():
            counts[tool_category(name)] = counts.get(tool_category(name), 0) + 1
        added, removed = (sum(lines[side] for lines in self._edited_lines.values()) for side in (0, 1))
        return ToolStats(added=added, removed=removed, **counts)

    @property
    def tokens(self) -> SessionTokens:
        return sum(self._tokens.values(), SessionTokens())

    @property
    def copied(self) -> SessionTokens:
        """The part of `tokens` that a fork copied with its parent's answers: a sum over sessions leaves it out."""
        return sum((self._tokens[answer] for answer in self._copied), SessionTokens())

    @property
    def written_files(self) -> tuple[str, ...]:
        """Paths that calls were given to write to, refused ones too, in the order of their first appearance."""
        return tuple(self._written)

    @property
    def changed_files(self) -> tuple[BackedUpFile, ...]:
        """Files of which the client kept versions, in the order of their first appearance, then others written to."""
        found: dict[str, dict[int, FileBackup]] = {}
        for path, versions in self._versions.items():
            known = found.setdefault(self._absolute(path), {})
            known.update((number, versions[number]) for number in versions.keys() - known.keys())
        for path in self._given.values():
            found.setdefault(self._absolute(path), {})
        return tuple(
            BackedUpFile(path, tuple(versions[number] for number in sorted(versions)))
            for path, versions in found.items()
        )

    def _absolute(self, path: str) -> str:
        if not self._cwd:
            return path
        folder, name = os.path.split(os.path.join(self._cwd, path))  # noqa: PTH118 - keeps a path as it is written
        try:
            return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        except (OSError, ValueError):  # no path: half a character, a NUL
            return path


def collect_stats(records: Iterable[Record]) -> SessionStats:
    stats = SessionStats()
    for data in records:
        stats.add(data)
    return stats


def tool_category(tool: str) -> ToolCategory:
    return _CATEGORIES.get(tool, "others")


def compare_file(file: BackedUpFile, version: FileBackup, history: Path, cwd: Path) -> BackupState:
    """Compare a file with one of its versions in `<config>/file-history/<session>`; "unknown" if one can't be read."""
    now = _digest(cwd / file.path)
    if version.backup is None:
        return "unknown" if now == "" else "same" if now == "gone" else "created"
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
    except (OSError, ValueError):
        return ""


def _backups(data: Record) -> Iterator[tuple[str, Record, str]]:
    """Path, backup and message id of each file version that a record tells of."""
    if data.get("type") == "file-history-delta":
        backups: object = {text(data.get("trackingPath")): data.get("backup")}
    elif data.get("type") == "file-history-snapshot":
        snapshot = data.get("snapshot")
        backups = snapshot.get("trackedFileBackups") if isinstance(snapshot, dict) else None
    else:
        return
    for path, backup in backups.items() if isinstance(backups, dict) else ():
        if isinstance(backup, dict):
            yield path, backup, text(data.get("messageId"))


def patch_lines(result: object) -> tuple[int, int] | None:
    """Lines added and removed by the patch beside a result; None if there is none."""
    if not isinstance(result, dict):
        return None
    patch = result.get("structuredPatch")
    if isinstance(patch, list) and patch:
        hunks = [hunk["lines"] for hunk in patch if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)]
        lines = [line for hunk in hunks for line in hunk if isinstance(line, str)]
        return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)
    if result.get("type") == "create" and isinstance(result.get("content"), str):
        return _count_lines(result["content"]), 0
    return None


def _input_lines(name: str, given: Record) -> tuple[int, int]:
    if name == "Write":
        return _count_lines(text(given.get("content"))), 0
    edits = given.get("edits") if name == "MultiEdit" else [given]
    pairs = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    added = sum(_count_lines(text(edit.get("new_string")) or text(edit.get("new_source"))) for edit in pairs)
    return added, sum(_count_lines(text(edit.get("old_string"))) for edit in pairs)


def _count_lines(value: str) -> int:
    return value.count("\n") + (value != "" and not value.endswith("\n"))


def _count(value: object) -> int:
    """A figure that can be added up; anything else, and what is no finite number, is 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < _MAX_COUNT else 0
