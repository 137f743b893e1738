"""What a session did with its tools, in seven figures.

An edit's lines are those of the patch that the client wrote beside the result; without one, of the texts that the call
gave. A call that was refused or failed counts as a call, and no lines.
"""

from typing import Final

from msgspec import Struct, field

from memtui.sessions.entries import blocks_of, text
from memtui.sessions.lines import Record

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


class StatsCount(Struct):
    """Collects tool use record by record; a call or a result that stands in the file twice counts once."""

    _calls: dict[str, tuple[str, tuple[int, int]]] = field(default_factory=dict)
    """Name of the tool, and the lines that the call itself speaks of."""
    _lines: dict[str, tuple[int, int]] = field(default_factory=dict)

    def take(self, data: Record) -> None:
        """Look at one record."""
        message = data.get("message")
        if not isinstance(message, dict):
            return
        for block in blocks_of(message):
            if block["type"] == "tool_use" and (call := text(block.get("id"))):
                name, given = text(block.get("name")), block.get("input")
                lines = _given(name, given) if name in EDITS and isinstance(given, dict) else (0, 0)
                self._calls.setdefault(call, (name, lines))
            elif block["type"] == "tool_result" and (call := text(block.get("tool_use_id"))):
                self._result(call, block, data.get("toolUseResult"))

    def _result(self, call: str, block: Record, result: object) -> None:
        name, given = self._calls.get(call, ("", (0, 0)))
        if name not in EDITS or call in self._lines or block.get("is_error") is True:
            return
        self._lines[call] = patched(result) or given

    @property
    def total(self) -> ToolStats:
        kinds = {"reads": 0, "searches": 0, "shells": 0, "edits": 0, "others": 0}
        for name, _ in self._calls.values():
            kinds[kind_of(name)] += 1
        added = sum(lines[0] for lines in self._lines.values())
        removed = sum(lines[1] for lines in self._lines.values())
        return ToolStats(
            kinds["reads"], kinds["searches"], kinds["shells"], kinds["edits"], added, removed, kinds["others"]
        )


def kind_of(tool: str) -> str:
    """Which of the figures a tool counts in."""
    for kind, names in (("reads", READS), ("searches", SEARCHES), ("shells", SHELLS), ("edits", EDITS)):
        if tool in names:
            return kind
    return "others"


def patched(result: object) -> tuple[int, int] | None:
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


def _given(name: str, given: Record) -> tuple[int, int]:
    """Lines by what the call was given, where no patch tells."""
    if name == "Write":
        return _lines(text(given.get("content"))), 0
    edits = given.get("edits") if name == "MultiEdit" else [given]
    pairs = [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    added = sum(_lines(text(edit.get("new_string")) or text(edit.get("new_source"))) for edit in pairs)
    return added, sum(_lines(text(edit.get("old_string"))) for edit in pairs)


def _lines(value: str) -> int:
    return value.count("\n") + (value != "" and not value.endswith("\n"))
