"""The sessions of a project folder, and what the ends of a transcript say: enough for a list, whatever the file's size.

Titles follow the rules of Claude Code's own list, recorded on 2.1.332: the title given (`custom-title`), else generated
(`ai-title`), else the last prompt, a summary, the first prompt; only the first and the last 64 KiB count. We read
fields of whole records, where Claude Code searches the text: a title that occurs in a tool's output is none.
"""

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from memtui.util.json_object import json_object

PART_BYTES = 1 << 16  # the head and the tail that Claude Code's own list reads
SESSION_FILE_NAME = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\.jsonl")
"""The file name of a session; other names are sub-agents and foreign files."""


class SessionFile(Struct, frozen=True):
    """A session's file as the folder lists it; its path is a text: thousands are listed, few opened."""

    file_path: str
    modified: float
    size: int
    inode: int = 0

    @property
    def path(self) -> Path:
        return Path(self.file_path)

    @property
    def id(self) -> str:
        """The session's id: the stem of the file's name, whatever its records say."""
        return session_id(self.file_path)


def session_id(place: str) -> str:
    return place.rpartition("/")[2].removesuffix(".jsonl")


def session_files(folder: Path) -> list[SessionFile]:
    """The sessions of a project folder, newest first; a folder that can't be read has none."""
    files = [SessionFile(*listed) for listed in listed_files([folder])]
    return sorted(files, key=lambda file: (-file.modified, file.file_path))


ListedFile = tuple[str, float, int, int]  # the fields of a `SessionFile`, for callers that compare thousands


def listed_files(folders: Iterable[Path]) -> list[ListedFile]:
    """The sessions of some project folders in no order; a folder that can't be read has none."""
    found: list[ListedFile] = []
    for folder in folders:
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                # stat of a name in an open folder costs half of what its whole path does.
                for name in filter(SESSION_FILE_NAME.fullmatch, os.listdir(descriptor)):  # noqa: PTH208 - pathlib knows no open folders
                    with suppress(OSError):
                        known = os.stat(name, dir_fd=descriptor)
                        if stat.S_ISREG(known.st_mode):
                            found.append((f"{folder}/{name}", known.st_mtime, known.st_size, known.st_ino))
            finally:
                os.close(descriptor)
    return found


def read_part(place: str, at: int = 0, size: int = PART_BYTES) -> bytes:
    """At most `size` bytes of a file from an offset; b"" if it can't be read."""
    try:
        descriptor = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, size, at)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def head_and_tail(file: SessionFile) -> tuple[list[bytes], list[bytes]]:
    """The lines of the first and last 64 KiB (none where the head is all); a cut one is left out of the tail only."""
    head = read_part(file.file_path)
    lines = head.split(b"\n")
    if file.size <= len(head):
        return lines, []
    at = max(file.size - PART_BYTES - 1, 0)
    return lines, read_part(file.file_path, at, PART_BYTES + 1).split(b"\n")[1:]


def parse_records(lines: list[bytes], *words: bytes) -> Iterator[dict[str, object]]:
    """Parse the lines that are JSON objects and hold one of the words (every line if there are none)."""
    for line in lines:
        if words and not any(word in line for word in words):
            continue
        if record := json_object(line):
            yield record


UNTITLED = "no title"
TEAM_WORKER, HEADLESS, SDK = PROGRAM_KINDS = ("team worker", "headless", "SDK")
"""What began a session that Claude Code's picker doesn't list, nor `claude --continue` open."""
MAX_TITLE_CHARS = 200
COMMAND_NAME = re.compile(r"<command-name>([^<]*)</command-name>")
CLIENT_MARKUP = re.compile(r"<(system-reminder|ide_opened_file|ide_selection)>.*?</\1>", re.DOTALL)
_COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SHELL_INPUT = re.compile(r"\s*<bash-input>(.*?)</bash-input>", re.DOTALL)
_PASTE_MARKS = re.compile(r"</?pasted_content\b[^>]*>")


def title_line(value: str) -> str:
    """Reduce white space to single blanks and cut at `MAX_TITLE_CHARS`."""
    line = " ".join(value.split())
    return line if len(line) <= MAX_TITLE_CHARS else line[:MAX_TITLE_CHARS].rstrip() + "…"


MACHINE_TEXT = re.compile(
    r"\s*(?:<(?:local-command-[a-z]+|bash-(?:input|stdout|stderr)|command-(?:name|message|args)|session-start-hook|tick|goal|"
    r"task-notification|teammate-message|system-reminder|user-prompt-submit-hook|ide_opened_file|ide_selection|"
    r"cross-session-message|scheduled-task|channel)\b|\[Request interrupted by user|\[SYSTEM NOTIFICATION\b|"
    r"Stop hook feedback:|Another Claude session sent a message:|A background agent completed a task:|"
    r"This session is being continued from a previous conversation)"
)
"""How a user's text begins that a machine made: a command's output, a notification, a hook."""


def typed_words(value: str) -> str:
    """What a person typed in a user's text, as Claude Code's picker shows it; "" where a machine wrote all of it.

    A slash command with what it was given, "! make test" for bash mode, else the text without the client's own markup.
    """
    if MACHINE_TEXT.match(value):
        if shell := _SHELL_INPUT.match(value):
            return f"! {shell[1].strip()}"
        if command := COMMAND_NAME.search(value):
            given = _COMMAND_ARGUMENTS.search(value)
            return f"{command[1]} {given[1] if given else ''}".strip()
        value = CLIENT_MARKUP.sub(" ", value)
        return "" if MACHINE_TEXT.match(value) else value.strip()
    return _PASTE_MARKS.sub(" ", CLIENT_MARKUP.sub(" ", value)).strip()


_CUT_TEXT = re.compile(rb'"(?:text|content)"\s*:\s*"((?:[^"\\]|\\.){1,2000})')


class RecentSession(Struct, frozen=True):
    """A session in a list: `id` is the file's stem, `modified` in seconds since 1970, `size` in bytes."""

    id: str
    title: str
    modified: float
    size: int


def recent_sessions(folder: Path, limit: int) -> tuple[RecentSession, ...]:
    """The newest sessions of a project folder with a title, at most `limit`; further files are not opened."""
    titled = ((file, title) for file in session_files(folder) if (title := session_title(file)))
    return tuple(RecentSession(file.id, title, file.modified, file.size) for file, title in islice(titled, limit))


def session_title(file: SessionFile) -> str:
    """The title that Claude Code shows for a session, one line; "" if there is none, or the file is a sub-agent's."""
    head, tail = head_and_tail(file)
    first = next(parse_records(head[:1]), None)
    if first is not None and first.get("isSidechain") is True:
        return ""
    end = tail or head
    for lines, kind, key in (
        (end, "custom-title", "customTitle"),
        (head, "custom-title", "customTitle"),
        (end, "ai-title", "aiTitle"),
        (head, "ai-title", "aiTitle"),
        (end, "last-prompt", "lastPrompt"),
        (end, "summary", "summary"),
    ):
        if title := _last(lines, kind, key):
            return title
    return _first_prompt(head)


def _last(lines: list[bytes], kind: str, key: str) -> str:
    for record in parse_records(lines[::-1], f'"{kind}"'.encode()):
        value = record.get(key)
        if record.get("type") == kind and isinstance(value, str) and (value.strip() or kind == "custom-title"):
            return title_line(value)
    return ""


def _first_prompt(head: list[bytes]) -> str:
    """The first prompt that was typed; a slash command only if there is nothing else."""
    command = ""
    for record in parse_records(head, b'"user"'):
        if record.get("type") != "user" or record.get("isMeta") or record.get("isCompactSummary"):
            continue
        for text in _texts(record):
            words = title_line(typed_words(text))
            if COMMAND_NAME.search(text):
                command = command or words
            elif words:
                return words
    return command or _cut_prompt(head[-1] if head else b"")


def _cut_prompt(line: bytes) -> str:
    """The beginning of a prompt in a line longer than the head, as one with a pasted picture is."""
    if b'"type":"user"' not in line or b'"isMeta":true' in line or b'"tool_result"' in line:
        return ""
    match = _CUT_TEXT.search(line)
    escaped = "" if match is None else match[1].decode("utf-8", "ignore")
    try:
        text = json.loads(f'"{escaped}"', strict=False)
    except ValueError:
        return ""
    return "" if MACHINE_TEXT.match(text) or COMMAND_NAME.search(text) else title_line(text)


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
