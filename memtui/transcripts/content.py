"""The content of a record as plain parts: texts, calls in one line, results, and everything else in one line each.

The one place that knows which field of a record a person wants to read: the screen draws the parts, `search` searches
them. Texts are as they are in the file; whoever shows them makes control bytes visible.
"""

import json
import re
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from memtui.client.session_files import title_line
from memtui.transcripts.entries import blocks_of, is_machine_text, is_prompt, result_text, text
from memtui.transcripts.lines import Record
from memtui.transcripts.records import RecordView
from memtui.util.diff import unified_diff
from memtui.util.text import duration, pluralize, size

ContentKind = Literal[
    "text", "thinking", "call", "result", "machine", "summary", "boundary", "media", "note", "repeats", "bad"
]
Role = Literal["you", "assistant", "task", "machine", "session"]

MAX_PARTS = 200  # parts of one record; what is left out is counted in a note
MAX_PIECE_CHARS = 2000  # a longer line is cut into several, so that each can be drawn in one step
_MAIN_ARGUMENTS: Final = (
    "command", "file_path", "notebook_path", "pattern", "query", "url", "skill", "subject", "description", "prompt",
    "path", "questions", "todos",
)  # fmt: skip
_PATHS: Final = ("file_path", "notebook_path", "path")
_NOTE_FIELDS: Final = {
    "custom-title": "customTitle", "ai-title": "aiTitle", "last-prompt": "lastPrompt", "summary": "summary",
    "tag": "tag", "agent-name": "agentName", "agent-color": "agentColor", "agent-setting": "agentSetting",
    "mode": "mode", "permission-mode": "permissionMode", "pr-link": "prUrl", "queue-operation": "operation",
    "file-history-delta": "trackingPath",
}  # fmt: skip
_NAMED_FIELDS: Final = {
    "attachment": ("displayPath", "filename", "path", "hookName", "newDate", "skill", "status"),
    "progress": ("hookName", "output", "query", "prompt", "statusMessage"),
}
EDIT_TOOLS: Final = ("Edit", "MultiEdit", "Write", "NotebookEdit")
MAX_DIFF_LINES: Final = 2000  # lines of one side of an edit beyond which its input is shown as it is
_TERMINAL_CODES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]+[0-~]|[0-Z\\^-~])"
)
"""Colours, cursor moves, links and titles that a program sent to its terminal."""
_MAX_NUMBER: Final = 1e12  # a larger count or time is not believed


class ContentPart(Struct, frozen=True):
    """A part of a record's content."""

    kind: ContentKind
    line: str = ""  # all of it in one line, "" for texts
    body: str = ""  # what can be unfolded, Markdown for texts and summaries
    name: str = ""  # a call's tool; the call of a result, where a reader needs to be told
    failed: bool = False  # it tells of an error
    path: bool = False  # the line is a path
    call: str = ""  # the id of the call that it is, or that it is the result of
    diff: bool = False  # the body is a unified difference: what an edit takes out and puts in

    def lines(self) -> list[str]:
        """The lines of the body, none longer than `MAX_PIECE_CHARS`; nothing is left out."""
        return self.first_lines(len(self.body) + 1)[0]

    def first_lines(self, max_lines: int) -> tuple[list[str], int]:
        """The first lines of `lines`, and about how many there are behind them: exact where none is cut."""
        body = self.body.removesuffix("\n")
        if not self.body or max_lines < 1:
            return [], body.count("\n") + 1 if self.body else 0
        lines = body.split("\n", max_lines)
        rest = lines.pop() if len(lines) > max_lines else None
        left = 0 if rest is None else rest.count("\n") + 1
        if "\r" in body:
            lines = [line.removesuffix("\r") for line in lines]
        if len(max(lines, key=len)) > MAX_PIECE_CHARS:
            pieces = [piece for line in lines for piece in _pieces(line)]
            left += len(pieces[max_lines:])
            lines = pieces[:max_lines]
        return lines, left


class MessageContent(Struct, frozen=True):
    """The content of a record, with its timestamp as written, its session's directory, whether a person typed it."""

    role: Role
    parts: tuple[ContentPart, ...]
    stamp: str = ""
    uuid: str = ""
    prompt: bool = False
    cwd: str = ""


def message_content(record: RecordView) -> MessageContent:
    """The content of a record, or why a line holds none and how it begins. Nothing raises."""
    data = record.data
    if record.repeated:
        words = f"{pluralize(record.repeated, 'message')} repeated from before the compaction"
        return MessageContent("session", (ContentPart("repeats", words),))
    if record.bad:
        words = f"no record: {record.bad}"
        if record.pending:
            words += " (its writer may not be done)"
        return MessageContent("session", (ContentPart("bad", words, record.head, failed=True),))
    found = list(record_parts(data))
    if len(found) > MAX_PARTS:
        found[MAX_PARTS:] = [ContentPart("note", f"{len(found) - MAX_PARTS:,} more parts in this record")]
    if record.salvaged:
        words = "comes after other bytes on its line, so the agent client does not read it"
        found.append(ContentPart("note", words, failed=True))
    if record.lossy:
        found.append(ContentPart("note", "some bytes are not UTF-8 and are replaced here", failed=True))
    stamp, uuid, cwd = (text(data.get(key)) for key in ("timestamp", "uuid", "cwd"))
    return MessageContent(record_role(data), tuple(found), stamp, uuid, is_prompt(data), cwd)


def block_content(block: Record) -> ContentPart:
    kind = text(block.get("type"))
    if kind == "text":
        return ContentPart("text", body=text(block.get("text")))
    if kind == "thinking":
        return ContentPart("thinking", "thinking", text(block.get("thinking")))
    if kind == "redacted_thinking":
        return ContentPart("thinking", "thinking, encrypted")
    if kind.endswith("tool_use"):
        name, given = text(block.get("name")), block.get("input")
        diff, path = _edit_diff(given) if name in EDIT_TOOLS else "", _main_argument_key(given) in _PATHS
        words = main_argument(given)
        return ContentPart("call", words, diff or _input(given), name, False, path, text(block.get("id")), bool(diff))
    if kind.endswith("tool_result"):
        return _result(block)
    if kind in ("image", "document"):
        return ContentPart("media", _media(block))
    return ContentPart("note", f"[{kind}]")


def main_argument(given: object) -> str:
    """The main argument of a call in one line: a command, a path, a pattern; "" if there is none."""
    if not isinstance(given, dict):
        return _line(text(given))
    key = _main_argument_key(given)
    if key is None:
        return _line(_json(given)) if given else ""
    argument = given[key] if isinstance(given[key], str) else _json(given[key])
    where = text(given.get("path")) if key == "pattern" else ""
    return _line(f"{argument} in {where}" if where else argument)


def _main_argument_key(given: object) -> str | None:
    if not isinstance(given, dict):
        return None
    keys = [key for key in _MAIN_ARGUMENTS if given.get(key)] or [key for key in given if isinstance(given[key], str)]
    return keys[0] if keys else None


def record_role(data: Record) -> Role:
    kind = data.get("type")
    if kind == "assistant":
        return "assistant"
    if kind == "user":
        if is_prompt(data):
            return "you"
        return "task" if data.get("isSidechain") is True and not data.get("isMeta") else "machine"
    attachment = data.get("attachment")
    typed = kind == "attachment" and isinstance(attachment, dict) and attachment.get("type") == "queued_command"
    return "you" if typed else "session"


def record_parts(data: Record) -> Iterator[ContentPart]:
    kind, message = text(data.get("type")), data.get("message")
    if kind in ("user", "assistant") and isinstance(message, dict):
        yield from _message_parts(data, message)
    elif kind == "system":
        yield _system(data)
    elif kind in _NAMED_FIELDS:
        yield _attached(data.get("data" if kind == "progress" else kind), kind)
    else:
        detail = text(data.get(_NOTE_FIELDS.get(kind, ""))) or text(data.get("content"))
        yield ContentPart("note", _named(kind or "a record without a type", detail), _input(data))


def _message_parts(data: Record, message: Record) -> Iterator[ContentPart]:
    summary = data.get("isCompactSummary") is True
    blocks = list(blocks_of(message))
    if not blocks:
        yield ContentPart("note", "an empty message", _input(message))
    for part in map(block_content, blocks):
        if part.kind != "text":
            yield part
        elif summary:
            yield ContentPart("summary", "summary", part.body)
        elif data.get("type") == "user" and (data.get("isMeta") is True or is_machine_text(part.body)):
            body = _TERMINAL_CODES.sub("", part.body)
            yield ContentPart("machine", _first_line(body), body)
        else:
            yield part


def _system(data: Record) -> ContentPart:
    kind, content = text(data.get("subtype")), text(data.get("content"))
    if kind in ("compact_boundary", "microcompact_boundary"):
        meta = data.get("compactMetadata") or data.get("microcompactMetadata")
        return ContentPart(
            "boundary", _compacted(meta if isinstance(meta, dict) else {}, micro=kind.startswith("micro"))
        )
    if kind == "local_command":
        content = _TERMINAL_CODES.sub("", content)
        return ContentPart("machine", _first_line(content), content)
    if kind == "turn_duration" and (took := _number(data, "durationMs")) is not None:
        return ContentPart("note", f"the turn took {duration(took / 1000)}", _input(data))
    if kind == "stop_hook_summary":
        return _stop_hooks(data)
    failed = kind == "api_error" or data.get("level") == "error"
    if kind == "api_error":
        content = content or _retry(data)
    return ContentPart("note", _named(kind.replace("_", " ") or "system", content), _input(data), failed=failed)


def _stop_hooks(data: Record) -> ContentPart:
    ran, errors = _number(data, "hookCount") or 0, data.get("hookErrors")
    words = [f"{pluralize(int(ran), 'stop hook')} ran"]
    if errors:
        words.append(f"failed: {_json(errors)}")
    if data.get("preventedContinuation") is True:
        words.append(": ".join(filter(None, ("ended the turn", text(data.get("stopReason"))))))
    return ContentPart("note", _line(", ".join(words)), _input(data), failed=bool(errors))


def _retry(data: Record) -> str:
    attempt, max_lines, wait = (_number(data, key) for key in ("retryAttempt", "maxRetries", "retryInMs"))
    words = [f"try {attempt:.0f}" + (f" of {max_lines:.0f}" if max_lines else "")] if attempt else []
    return ", ".join([*words, f"the next in {duration(wait / 1000)}"] if wait is not None else words)


def _number(data: Record, key: str) -> float | None:
    value = data.get(key)
    number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MAX_NUMBER
    return value if number else None


def _compacted(meta: Record, *, micro: bool) -> str:
    words = ["context microcompacted" if micro else "compacted"]
    before, after, saved = (_number(meta, key) for key in ("preTokens", "postTokens", "tokensSaved"))
    if before is not None:
        words.append(f"{before:,.0f} tokens" + (f" to {after:,.0f}" if after is not None else ""))
    if saved is not None:
        words.append(f"{saved:,.0f} saved")
    if trigger := text(meta.get("trigger")):
        words.append("by hand" if trigger == "manual" else trigger)
    return ", ".join(words)


def _attached(value: object, record_type: str) -> ContentPart:
    attached = value if isinstance(value, dict) else {}
    kind, is_attachment = text(attached.get("type")), record_type == "attachment"
    if is_attachment and kind == "queued_command":
        prompt = attached.get("prompt")
        return ContentPart("text", body=prompt if isinstance(prompt, str) else result_text(prompt))
    detail = next((field for key in _NAMED_FIELDS[record_type] if (field := text(attached.get(key)))), "")
    name = (kind or record_type).replace("_", " ")
    return ContentPart("note", _named(name, detail), _input(attached), failed=is_attachment and "error" in kind)


def _result(block: Record) -> ContentPart:
    content = block.get("content")
    pieces = [result_text(content)]
    if isinstance(content, list):
        others = [part for part in content if isinstance(part, dict) and part.get("type") != "text"]
        pieces += [block_content(part).line for part in others if part.get("type") != "tool_result"]
    body = _TERMINAL_CODES.sub("", "\n".join(piece for piece in pieces if piece))
    call, failed = text(block.get("tool_use_id")), block.get("is_error") is True
    return ContentPart("result", _first_line(body) or "(no output)", body, failed=failed, call=call)


def _media(block: Record) -> str:
    source = block.get("source")
    source_fields = source if isinstance(source, dict) else {}
    data = text(source_fields.get("data"))
    words = [text(block.get(key)) for key in ("type", "title")]
    words += [text(source_fields.get(key)) for key in ("media_type", "url")]
    if data:
        words.append(f"{size(len(data) * 3 // 4)}B")
    return f"[{' '.join(title_line(word) for word in words if word)}]"


def _input(given: object) -> str:
    """A call's input, or a record, as text: strings as they are, everything else as JSON."""
    if not isinstance(given, dict):
        return text(given)
    found: list[str] = []
    for key, value in given.items():
        shown = value if isinstance(value, str) else _json(value)
        found.append(f"{key}:\n{shown}" if "\n" in shown else f"{key}: {shown}")
    return "\n".join(found)


def _edit_diff(given: object) -> str:
    """What an edit takes out and puts in, as a unified difference; "" where its input tells of none."""
    if not isinstance(given, dict):
        return ""
    path = text(given.get("file_path")) or text(given.get("notebook_path"))
    edits = given["edits"] if isinstance(given.get("edits"), list) else [given]
    found = ""
    for edit in filter(lambda edit: isinstance(edit, dict), edits):
        after = next((text(edit[key]) for key in ("new_string", "content", "new_source") if edit.get(key)), "")
        before = text(edit.get("old_string"))
        if max(before.count("\n"), after.count("\n")) > MAX_DIFF_LINES:
            return ""
        old, new = (_encoded(side) for side in (before, after))
        lines = unified_diff(old or None, new or None, path).splitlines(keepends=True)
        found += "".join(lines[2:])  # without the names of the two files
    return found


def _encoded(side: str) -> bytes:
    return (side if not side or side.endswith("\n") else side + "\n").encode("utf-8", "surrogatepass")


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:  # the reader accepts deeper nesting than the writer
        return "(nested too deep)"


def _named(name: str, detail: str) -> str:
    return f"{name}: {_line(detail)}" if detail else name


def _line(value: str) -> str:
    return title_line(value[:MAX_PIECE_CHARS])


def _first_line(value: str) -> str:
    return _line(value.lstrip().split("\n", 1)[0])


def _pieces(line: str) -> Iterator[str]:
    """A long line in pieces, cut at a blank where there is one near."""
    while len(line) > MAX_PIECE_CHARS:
        cut = line.rfind(" ", MAX_PIECE_CHARS // 2, MAX_PIECE_CHARS) + 1 or MAX_PIECE_CHARS
        yield line[:cut]
        line = line[cut:]
    yield line
