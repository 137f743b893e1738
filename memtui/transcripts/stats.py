"""What a session did, collected in one walk through its records: no record is held longer than it is looked at.

What a session did with its tools, in seven figures.

An edit's lines are those of the patch that the client wrote beside the result; without one, of the texts that the call
gave. A call that was refused or failed counts as a call, and no lines.

Tokens that a session used, counted once per answer.

Every row of an answer repeats its usage, so rows must not be added up; the last row of an answer has the final figures.

Source:
    FORMATS 1.5: by `message.id`, else `requestId`.

The files that a session's own calls wrote: Edit, Write and their kin; not what a shell command did.

The files that a session changed, from the client's file history: which versions there are, and how it is now.

Source:
    FORMATS 1.1 and 1.7: `file-history-snapshot` and `file-history-delta`; a version is
    `<config>/file-history/<session>/<name>`, None for a file that did not exist.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct, field

from memtui.fs.atomic import digest
from memtui.transcripts.entries import blocks_of, text
from memtui.transcripts.lines import Record


class FileVersion(Struct, frozen=True):
    """A file as it was before a message. `backup` names the copy, None says that the file did not exist then."""

    number: int
    backup: str | None
    time: str
    message: str


class ChangedFile(Struct, frozen=True):
    """A file that a session changed, by the path in its records, with its versions, oldest first."""

    path: str
    versions: tuple[FileVersion, ...]


BackupState = Literal["same", "changed", "gone", "created", "unknown"]


class ChangedFiles:
    """Collects the files that a session's snapshots speak of, record by record."""

    def __init__(self) -> None:
        self._found: dict[str, dict[int, FileVersion]] = {}

    def add(self, data: Record) -> None:
        """Look at one record."""
        for path, backup, message in _backups(data):
            number, name = backup.get("version"), backup.get("backupFileName")
            if isinstance(number, int) and (name is None or isinstance(name, str)):
                version = FileVersion(number, name, text(backup.get("backupTime")), message)
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


def compare_file(file: ChangedFile, version: FileVersion, history: Path, cwd: Path) -> BackupState:
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


READS: Final = frozenset({"Read", "NotebookRead", "LS", "ReadMcpResource"})
SEARCHES: Final = frozenset({"Grep", "Glob", "WebSearch", "ToolSearch", "LSP"})
SHELLS: Final = frozenset({"Bash", "PowerShell"})
EDITS: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})


class ToolStats(Struct, frozen=True):
    """Calls by what they do, and lines that edits added and removed."""

    reads: int = 0
    searches: int = 0
    shells: int = 0
    edits: int = 0
    added: int = 0
    removed: int = 0
    others: int = 0

    def __add__(self, other: "ToolStats") -> "ToolStats":
        return ToolStats(*(getattr(self, name) + getattr(other, name) for name in self.__struct_fields__))


class ToolCounter(Struct):
    """Collects tool use record by record; a call or a result that stands in the file twice counts once."""

    _calls: dict[str, tuple[str, tuple[int, int]]] = field(default_factory=dict)
    """Name of the tool, and the lines that the call itself speaks of."""
    _lines: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, data: Record) -> None:
        """Look at one record."""
        message = data.get("message")
        if not isinstance(message, dict):
            return
        for block in blocks_of(message):
            if block["type"] == "tool_use" and (call := text(block.get("id"))):
                name, given = text(block.get("name")), block.get("input")
                lines = _input_lines(name, given) if name in EDITS and isinstance(given, dict) else (0, 0)
                self._calls.setdefault(call, (name, lines))
            elif block["type"] == "tool_result" and (call := text(block.get("tool_use_id"))):
                self._result(call, block, data.get("toolUseResult"))

    def _result(self, call: str, block: Record, result: object) -> None:
        name, given = self._calls.get(call, ("", (0, 0)))
        if name not in EDITS or call in self._lines or block.get("is_error") is True:
            return
        self._lines[call] = patch_lines(result) or given

    @property
    def total(self) -> ToolStats:
        kinds = {"reads": 0, "searches": 0, "shells": 0, "edits": 0, "others": 0}
        for name, _ in self._calls.values():
            kinds[tool_category(name)] += 1
        added = sum(lines[0] for lines in self._lines.values())
        removed = sum(lines[1] for lines in self._lines.values())
        return ToolStats(
            kinds["reads"], kinds["searches"], kinds["shells"], kinds["edits"], added, removed, kinds["others"]
        )


def tool_category(tool: str) -> str:
    """Which of the figures a tool counts in."""
    for kind, names in (("reads", READS), ("searches", SEARCHES), ("shells", SHELLS), ("edits", EDITS)):
        if tool in names:
            return kind
    return "others"


def patch_lines(result: object) -> tuple[int, int] | None:
    """Lines added and removed by the patch beside a result; None if there is none."""
    if not isinstance(result, dict):
        return None
    patch = result.get("structuredPatch")
    if isinstance(patch, list) and patch:
        lines = [
            line
            for hunk in patch
            if isinstance(hunk, dict) and isinstance(hunk.get("lines"), list)
            for line in hunk["lines"]
            if isinstance(line, str)
        ]
        return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)
    if result.get("type") == "create" and isinstance(result.get("content"), str):
        return _lines(result["content"]), 0
    return None


def _input_lines(name: str, given: Record) -> tuple[int, int]:
    """Lines by what the call was given, where no patch tells."""
    if name == "Write":
        return _lines(text(given.get("content"))), 0
    edits = given.get("edits") if name == "MultiEdit" else [given]
    pairs = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    added = sum(_lines(text(edit.get("new_string")) or text(edit.get("new_source"))) for edit in pairs)
    return added, sum(_lines(text(edit.get("old_string"))) for edit in pairs)


def _lines(value: str) -> int:
    return value.count("\n") + (value != "" and not value.endswith("\n"))


class TokenUsage(Struct, frozen=True):
    """Tokens. `cached` were read from the cache, `stored` written to it; neither is part of `sent`."""

    sent: int = 0
    received: int = 0
    cached: int = 0
    stored: int = 0
    answers: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.sent + other.sent,
            self.received + other.received,
            self.cached + other.cached,
            self.stored + other.stored,
            self.answers + other.answers,
        )


class TokenCounter(Struct):
    """Collects the usage of a session's records; `by_model` says how it spreads."""

    _last: dict[str, tuple[str, TokenUsage]] = field(default_factory=dict)

    def add(self, data: Record) -> None:
        """Look at one record; of an answer's rows the last counts."""
        message = data.get("message")
        if data.get("type") != "assistant" or not isinstance(message, dict):
            return
        usage, model = message.get("usage"), text(message.get("model"))
        key = text(message.get("id")) or text(data.get("requestId")) or text(data.get("uuid"))
        if not isinstance(usage, dict) or not key or model == "<synthetic>":
            return
        self._last[key] = (
            model,
            TokenUsage(
                _count(usage.get("input_tokens")),
                _count(usage.get("output_tokens")),
                _count(usage.get("cache_read_input_tokens")),
                _count(usage.get("cache_creation_input_tokens")),
                1,
            ),
        )

    @property
    def total(self) -> TokenUsage:
        return sum((usage for _, usage in self._last.values()), TokenUsage())

    @property
    def by_model(self) -> dict[str, TokenUsage]:
        found: dict[str, TokenUsage] = {}
        for model, usage in self._last.values():
            found[model] = found.get(model, TokenUsage()) + usage
        return found


def _count(value: object) -> int:
    """A figure that can be added up; anything else, and what is no finite number, is 0."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 1 << 62 else 0


class WrittenFiles:
    """Collects the paths that calls were given to write to, record by record; a refused call counts."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def add(self, data: Record) -> None:
        """Look at one record."""
        message = data.get("message")
        if data.get("type") != "assistant" or not isinstance(message, dict):
            return
        for block in blocks_of(message):
            given = block.get("input")
            if block["type"] == "tool_use" and block.get("name") in EDITS and isinstance(given, dict):
                path = text(given.get("file_path")) or text(given.get("notebook_path"))
                if path:
                    self._found[path] = None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths, in the order in which they first appear."""
        return tuple(self._found)


class SessionStats(Struct):
    """Tools used, tokens, files that calls wrote, and files that the client kept versions of."""

    stats: ToolCounter = field(default_factory=ToolCounter)
    usage: TokenCounter = field(default_factory=TokenCounter)
    writes: WrittenFiles = field(default_factory=WrittenFiles)
    changes: ChangedFiles = field(default_factory=ChangedFiles)


def collect_stats(records: Iterable[Record]) -> SessionStats:
    """Collect it from a session's records."""
    found = SessionStats()
    parts = (found.stats, found.usage, found.writes, found.changes)
    for data in records:
        for part in parts:
            part.add(data)
    return found
