"""The newest sessions of a project folder, with the titles that the agent client shows.

The rules are those of the official list (FORMATS 1.9): only the first and the last 64 KiB count. We read fields of
whole records, where the official one searches text: a title that occurs in a tool's output is none.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from memtui.host.heads import SessionFile, head_and_tail, records, session_files
from memtui.host.titles import COMMAND, WRAPPED, one_line

_MACHINE = re.compile(
    r"\s*(?:<(?:local-command-[a-z]+|bash-(?:input|stdout|stderr)|command-(?:message|args)|session-start-hook|tick|goal|"
    r"task-notification|teammate-message|system-reminder|user-prompt-submit-hook|ide_opened_file|ide_selection)\b|"
    r"\[Request interrupted by user|Stop hook feedback:|This session is being continued from a previous conversation)"
)
_CUT_TEXT = re.compile(rb'"(?:text|content)"\s*:\s*"((?:[^"\\]|\\.){1,2000})')


class RecentSession(Struct, frozen=True):
    """A session in a list: `id` is the file's stem, `modified` seconds since the epoch, `size` bytes."""

    id: str
    title: str
    modified: float
    size: int


def recent_sessions(folder: Path, limit: int) -> tuple[RecentSession, ...]:
    """The newest sessions of a project folder.

    Args:
        folder: The folder that holds the transcripts.
        limit: How many at most; files beyond it are not opened.

    Returns:
        Newest first by the time of the file. A sub-agent's file and one that gives no title are left out.
    """
    found: list[RecentSession] = []
    for file in session_files(folder):
        if len(found) >= limit:
            break
        title = session_title(file)
        if title:
            found.append(RecentSession(file.id, title, file.modified, file.size))
    return tuple(found)


def session_title(file: SessionFile) -> str:
    """What the client calls a session: the title given, else made, else the last prompt, a summary, the first prompt.

    Returns:
        One line; "" where nothing serves, or where the file is a sub-agent's.
    """
    head, tail = head_and_tail(file)
    first = next(records(head[:1]), None)
    if first is not None and first.get("isSidechain") is True:
        return ""
    end = tail or head
    for key, kind, parts in (
        ("customTitle", b'"custom-title"', (end, head)),
        ("aiTitle", b'"ai-title"', (end, head)),
        ("lastPrompt", b'"last-prompt"', (end,)),
        ("summary", b'"summary"', (end,)),
    ):
        for part in parts:
            title = _last(part, key, kind)
            if title:
                return title
    return _first_prompt(head)


def _last(lines: list[bytes], key: str, kind: bytes) -> str:
    """The last value of a field among the records of one type."""
    wanted = kind.strip(b'"').decode()
    for record in records(lines[::-1], kind):
        value = record.get(key)
        if record.get("type") == wanted and isinstance(value, str) and value.strip():
            return one_line(value)
    return ""


def _first_prompt(head: list[bytes]) -> str:
    """The first thing that a person typed; a slash command only where there is nothing else."""
    command = ""
    for record in records(head, b'"user"'):
        if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
            continue
        for text in _texts(record):
            name = COMMAND.search(text)
            if name:
                command = command or one_line(name[1])
            elif not _MACHINE.match(text):
                plain = one_line(WRAPPED.sub(" ", text))
                if plain:
                    return plain
    return command or _cut_prompt(head[-1] if head else b"")


def _cut_prompt(line: bytes) -> str:
    """The beginning of a prompt in a line longer than the head, as one with a pasted picture is."""
    if b'"type":"user"' not in line or b'"isMeta":true' in line or b'"tool_result"' in line:
        return ""
    match = _CUT_TEXT.search(line)
    if match is None:
        return ""
    escaped = match[1].decode("utf-8", "ignore")
    try:
        text = json.loads(f'"{escaped}"', strict=False)
    except ValueError:
        return ""
    return "" if _MACHINE.match(text) or COMMAND.search(text) else one_line(text)


def _texts(record: dict[str, object]) -> Iterator[str]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict)]
        if any(block.get("type") == "tool_result" for block in blocks):
            return
        for block in blocks:
            text = block.get("text")
            if block.get("type") == "text" and isinstance(text, str):
                yield text
