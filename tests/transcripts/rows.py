"""Small transcripts for tests: rows with short names, written as the client writes them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memtui.transcripts.transcript import Transcript, read_transcript

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
SESSION = "11111111-2222-4333-8444-555555555555"


class Script:
    """Builds a session row by row, 7 s apart; a row's name is its uuid."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.seconds = 0

    def row(self, kind: str, name: str, parent: str | None, **more: Any) -> "Script":
        self.seconds += 7
        stamp = (START + timedelta(seconds=self.seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "cwd": "/home/ana/proj",
            "sessionId": SESSION,
            "gitBranch": "main",
            "uuid": name,
            "timestamp": stamp,
            "type": kind,
        }
        return self.note(**{**record, **more})

    def note(self, **record: Any) -> "Script":
        self.lines.append(json.dumps(record))
        return self

    def user(self, name: str, parent: str | None, content: Any = None, **more: Any) -> "Script":
        said = name if content is None else content
        return self.row("user", name, parent, message={"role": "user", "content": said}, **more)

    def answer(self, name: str, parent: str | None, content: Any = None, *, id: str = "", **more: Any) -> "Script":
        blocks = [{"type": "text", "text": name}] if content is None else content
        message = {"id": id or f"msg_{name}", "role": "assistant", "model": "claude-opus-5-5", "content": blocks}
        return self.row("assistant", name, parent, message=message, **more)

    def call(
        self, name: str, parent: str | None, call: str, tool: str = "Read", *, id: str = "", **given: Any
    ) -> "Script":
        block = {"type": "tool_use", "id": call, "name": tool, "input": given or {"file_path": "/x"}}
        return self.answer(name, parent, [block], id=id)

    def result(self, name: str, parent: str | None, call: str, content: Any = "done", **more: Any) -> "Script":
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return self.user(name, parent, [block], sourceToolAssistantUUID=parent, **more)

    def system(self, name: str, parent: str | None, subtype: str, **more: Any) -> "Script":
        return self.row("system", name, parent, subtype=subtype, **more)

    def boundary(self, name: str, **meta: Any) -> "Script":
        return self.system(name, None, "compact_boundary", compactMetadata={"trigger": "auto", **meta})

    def summary(self, name: str, parent: str) -> "Script":
        return self.user(name, parent, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def write(self, folder: Path, tail: str = "") -> Path:
        path = folder / f"{SESSION}.jsonl"
        path.write_bytes(("".join(f"{line}\n" for line in self.lines) + tail).encode())
        return path

    def read(self, folder: Path) -> Transcript:
        return read_transcript(self.write(folder))


def again(script: Script, *names: str, parent: str, **changes: Any) -> Script:
    """Write rows a second time, as a compaction does: new uuids, a new parent, the old times."""
    rows = {row["uuid"]: row for line in script.lines if "uuid" in (row := json.loads(line))}
    for name in names:
        script.note(**{**rows[name], "uuid": f"{name}-again", "parentUuid": parent, **changes})
        parent = f"{name}-again"
    return script


def compacted() -> Script:
    """A session whose compaction wrote three rows again, and what came then."""
    script = (
        Script().user("u0", None).answer("a1", "u0").user("u2", "a1").call("c3", "u2", "t3").result("r4", "c3", "t3")
    )
    script.boundary("b").summary("s", "b")
    script.row("attachment", "hook", "s", attachment={"type": "hook_success"}, timestamp="2026-11-01T09:00:01.000Z")
    return again(script, "u2", "c3", "r4", parent="s").user("u5", "r4-again").answer("a6", "u5")


def spoken(blocks: list[list[Any]] | None) -> str:
    """Blocks in short: `+call`, `=call`, and texts as they are."""
    marks = {"tool_use": "+", "tool_result": "="}
    return "-" if blocks is None else " ".join(marks.get(b[1], "") + str(b[2] if len(b) > 2 else b[1]) for b in blocks)
