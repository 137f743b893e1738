"""What a list shows of a session, found in one fast pass over its file: title, first prompt, times, counts.

Most bytes of a transcript are answers, results, attachments and progress. A list needs only their number, so they are
told by their first bytes and never decoded (`LineClassifier`). Everything else is decoded. This is an optimisation, not
a second parser: tests compare it with every line decoded by the standard library.

Not noticed are a note behind a record on the same line, and a record that was cut off just behind a brace: to look for
these in every line would cost as much as all the rest. What follows the last line end is not read.

A session's title is chosen in the client's order, but from the whole file: the title that a person gave, the generated
one, the last prompt, a summary, the first prompt.
"""

import codecs
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from memtui.client.session_files import COMMAND_NAME, HEADLESS, SDK, TEAM_WORKER, title_line, typed_words
from memtui.transcripts.entries import CHAIN_TYPES, IMAGE, is_prompt, parse_timestamp, prompt_texts, text
from memtui.transcripts.lines import MAX_LINE_BYTES, Record, parse_line

LineKind = Literal["message", "other", "sidechain"]

HEAD_START: Final = (
    len('{"parentUuid":"') + 36
)  # the head of a line goes from here, behind the parent's uuid, to its body
SKIPPED_NOTES: Final = tuple(
    b'{"type":"%b",' % name
    for name in (
        b"mode",
        b"permission-mode",
        b"file-history-snapshot",
        b"queue-operation",
        b"atis-latch",
        b"api-request",
        b"api-request-shape",
        b"api-request-blob",
        b"prompt_snapshot",
        b"cost-state",
    )
)
"""How notes begin that a list does not need."""

TYPE_KEY: Final = b'"type":'  # found once in a note; found again, it belongs to another record on the line
ROW_START: Final = b'{"parentUuid"'  # how a chain record begins; found within a line, another record is glued to it
SOURCE_KEY: Final = b'"sourceToolAssistantUUID":"'
"""Newer releases write it at the end of a tool's result, with the parent's uuid. If the line begins with the same
parent, both ends belong to one record, and the costly search for another one is saved."""

TAIL_BYTES: Final = 800  # bytes at a line's end that hold the envelope of releases that write it behind the body
_MAIN_SIDE: Final = b'","isSidechain":false,'

_MAX_HEADS: Final = 8  # of a kind: a session has few, but one may hold something that changes with every prompt
_BEGIN: Final = re.compile(
    rb'\{"parentUuid":(?:null|"[^"\\]{0,100}"),"isSidechain":(true|false),'
    rb'([^{\\]{0,1500})"(?:'  # without a brace and an escape: pairs of the record itself
    rb'(?P<user>message":\{"role":"user","content":\[\{"(?:tool_use_id":"|type":"tool_result"))'
    rb'|(?P<assistant>message":\{"(?:model":"|id":"|role":"assistant"))'
    rb'|(?P<progress>data":\{)'
    rb'|(?P<attachment>attachment":\{"type":"(?!queued_command")[a-z_]+")'
    rb'|(?P<system>subtype":"(?!compact_boundary")[a-z_]+"))'
)
"""Side, pairs before the body, and the type of record that has such a body."""


class LineClassifier(Struct):
    """Tells by its first bytes what a line is; one `startswith` tells it of a later line with the same head."""

    messages: tuple[bytes, ...] = ()  # heads of the main conversation's messages
    others: tuple[bytes, ...] = ()  # heads of its other records

    def classify(self, line: bytes) -> LineKind | None:
        """The kind of a line; None if it has to be decoded."""
        match = _BEGIN.match(line)
        if match is None or not line.endswith(b"}") or line.find(ROW_START, 1) > 0:
            return None
        envelope = match[2] if b'"type":"' in match[2] else line[max(match.end(), len(line) - TAIL_BYTES) :]
        if b'"type":"%b"' % str(match.lastgroup).encode() not in envelope:
            return None
        if b'"uuid":"' not in envelope and b'"uuid":"' not in line:
            return None
        if match[1] == b"true":
            return "sidechain"
        head = line[HEAD_START : match.end()] if line.startswith(_MAIN_SIDE, HEAD_START) else b""
        if match.lastgroup in ("user", "assistant"):
            self.messages = _remember(self.messages, head)
            return "message"
        self.others = _remember(self.others, head)
        return "other"


def _remember(heads: tuple[bytes, ...], head: bytes) -> tuple[bytes, ...]:
    return heads if not head or head in heads else (head, *heads[: _MAX_HEADS - 1])


class SessionSummary(Struct):
    """What a list shows of a session. Times are as written."""

    title: str = ""
    first_prompt: str = ""
    first_time: str = ""
    last_time: str = ""
    messages: int = 0  # the user's and assistant's records of the main conversation
    prompts: int = 0  # what a person typed
    rewinds: int = 0  # how often they went back and typed something else
    compactions: int = 0
    side: int = 0  # records of sub-agents in this file
    lines: int = 0
    bad: int = 0
    offset: int = 0  # the byte behind the last whole line
    cwd: str = ""
    branch: str = ""  # that of the last prompt
    kind: str = ""  # what began it, "" a person: see `session_kind`
    tag: str = ""
    forked_from: str = ""  # the id of the session of which it began as a copy
    continued_in: str = ""  # the id of the session in which it goes on

    @property
    def listed(self) -> bool:
        """Whether a list shows it: not an empty file, nor a sub-agent's file among the sessions."""
        return bool(self.messages or (self.title and not self.side))

    def when(self, modified: float) -> float:
        """The time of the last record, in seconds since 1970; the time of the file where no record has one."""
        time = parse_timestamp(self.last_time)
        return modified if time is None else time


def session_kind(data: Record) -> str:
    """What began a session, by its first record: "team worker", "headless", "SDK", "background", "" for a person."""
    program = text(data.get("entrypoint"))
    if text(data.get("teamName")) and text(data.get("agentName")):
        return TEAM_WORKER
    if program.startswith("sdk"):
        return HEADLESS if program == "sdk-cli" else SDK
    return "background" if data.get("sessionKind") == "bg" else ""


_TITLE_FIELDS = {
    "custom-title": ("customTitle", "given"),
    "ai-title": ("aiTitle", "made"),
    "last-prompt": ("lastPrompt", "last_prompt"),
    "summary": ("summary", "summary"),
}
"""Of a type of record: the field with a title, and the field of `TitleCollector` that keeps it."""


class TitleCollector(Struct):
    """Chooses a title record by record. Texts are kept as written."""

    given: str = ""
    made: str = ""
    last_prompt: str = ""
    summary: str = ""
    first_prompt: str = ""  # what a person typed first, whole
    command: str = ""  # the first slash command or picture, for where there is nothing else

    def add(self, data: Record) -> None:
        kind = data.get("type")
        if kind == "user":
            if not self.first_prompt:
                self._prompt(data)
        elif isinstance(kind, str) and kind in _TITLE_FIELDS:
            key, name = _TITLE_FIELDS[kind]
            value = text(data.get(key))
            if (value and not value.isspace()) or name == "given":  # an empty name takes the given one back
                setattr(self, name, value.strip() and value)

    def __str__(self) -> str:
        title = self.given or self.made or self.last_prompt or self.summary
        return title_line(title or typed_words(self.first_prompt)) or self.command

    def _prompt(self, data: Record) -> None:
        if data.get("isMeta") or data.get("isSidechain") or data.get("isCompactSummary"):
            return
        texts = prompt_texts(data)
        command = next((typed_words(part) for part in texts if COMMAND_NAME.search(part) or part == IMAGE), "")
        if command:
            self.command = self.command or title_line(command)
        elif is_prompt(data):
            self.first_prompt = next((part for part in texts if typed_words(part)), "")


def title_from_records(records: Iterable[Record]) -> str:
    title = TitleCollector()
    for data in records:
        title.add(data)
    return str(title)


READ_BYTES: Final = 128 << 10  # bytes per read, more for a longer line: few enough to stay in the processor's cache
_BRACE: Final = ord("}")
_LONG_LINE_BYTES: Final = 4096  # bytes from which the end of a line is looked at first


class SummaryScanner(Struct):
    """Builds the summary of a file chunk by chunk; goes on where it stopped when the file has grown."""

    summary: SessionSummary = field(default_factory=SessionSummary)
    fast: bool = True  # off to decode every line by the standard library
    _title: TitleCollector = field(default_factory=TitleCollector)
    _classifier: LineClassifier = field(default_factory=LineClassifier)
    _parents: set[str] = field(default_factory=set)
    _last_line: tuple[int, int] = (0, 0)  # offset and length of the last undecoded line: only its time is read

    def state(self) -> str:
        """What `resumed` needs to go on where this one stopped, as JSON."""
        return json.dumps([asdict(self.summary), asdict(self._title), sorted(self._parents)])

    @classmethod
    def resumed(cls, state: str) -> "SummaryScanner":
        summary, title, parents = json.loads(state)
        return cls(SessionSummary(**summary), _title=TitleCollector(**title), _parents=set(parents))

    def file(self, path: Path) -> SessionSummary:
        """Read a file from where this scanner stopped to its last line end; raises `OSError`."""
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            size = READ_BYTES
            while data := os.pread(file, size, self.summary.offset):
                if self._read_lines(data):
                    size = READ_BYTES
                elif len(data) < size:
                    break  # no line end yet
                elif size <= MAX_LINE_BYTES:
                    size = min(2 * size, MAX_LINE_BYTES + 1)
                elif not self._skip_long_line(file, size):
                    break
            if self._last_line[1]:
                line = os.pread(file, self._last_line[1], self._last_line[0])
                record = decode_fast(line) or next(iter(parse_line(line).objects), {})
                self.summary.last_time = text(record.get("timestamp")) or self.summary.last_time
                self._last_line = (0, 0)
        finally:
            os.close(file)
        self.summary.title, self.summary.first_prompt = str(self._title), self._title.first_prompt
        return self.summary

    def _read_lines(self, data: bytes) -> bool:
        """Look at the whole lines that some bytes begin with; False if there is none."""
        summary, classifier, find, begins = self.summary, self._classifier, data.find, data.startswith
        messages, others = classifier.messages, classifier.others
        origin, lines = summary.offset, summary.lines
        start = 0
        stop = find(b"\n")
        while stop >= 0:
            lines += 1
            head = start + HEAD_START
            is_message = begins(messages, head, stop)
            closed = data[stop - 1] == _BRACE
            row = closed and (is_message or begins(others, head, stop))
            if row:
                alone = head  # up to here no other row is glued to it
                if is_message and stop - start > _LONG_LINE_BYTES:
                    alone = max(head, find(SOURCE_KEY + data[head - 36 : head], stop - TAIL_BYTES, stop))
                row = find(ROW_START, alone, stop) < 0
            if row:
                summary.messages += is_message
                self._last_line = (origin + start, stop - start)
            elif stop > start and not (
                closed
                and self.fast
                and begins(SKIPPED_NOTES, start)
                and find(TYPE_KEY, start + len(TYPE_KEY), stop) < 0
            ):
                summary.lines, summary.offset = lines, origin + start
                self._read_line(data[start:stop])
                messages, others = classifier.messages, classifier.others
            start = stop + 1
            stop = find(b"\n", start)
        summary.lines, summary.offset = lines, origin + start
        return start > 0

    def _skip_long_line(self, file: int, held: int) -> bool:
        """Pass over a line that is too long, of which `held` bytes are known; False if it has no end yet."""
        at = self.summary.offset + held
        while data := os.pread(file, READ_BYTES, at):
            stop = data.find(b"\n")
            if stop >= 0:
                self.summary.lines += 1
                self.summary.bad += 1
                self.summary.offset = at + stop + 1
                return True
            at += len(data)
        return False

    def _read_line(self, line: bytes) -> None:
        summary = self.summary
        known = self.fast and summary.first_time and summary.cwd and line.startswith(ROW_START)
        kind = self._classifier.classify(line) if known else None
        if kind == "sidechain":
            summary.side += 1
        elif kind is not None:
            summary.messages += kind == "message"
            self._last_line = (summary.offset, len(line))
        else:
            data = decode_fast(line) if self.fast else None
            if data is not None:
                self._add_record(data)
                return
            parsed = parse_line(line.removeprefix(codecs.BOM_UTF8) if summary.lines == 1 else line)
            summary.bad += bool(parsed.bad)
            for record in parsed.objects:
                self._add_record(record)

    def _add_record(self, data: Record) -> None:
        kind = text(data.get("type"))
        summary = self.summary
        self._title.add(data)
        if kind == "tag":
            summary.tag = title_line(text(data.get("tag")))
        elif kind == "continued-in":
            summary.continued_in = text(data.get("continuedInSessionId"))
        if kind not in CHAIN_TYPES or not text(data.get("uuid")):
            return
        if data.get("isSidechain") is True:
            summary.side += 1
            return
        if not (summary.first_time or summary.cwd):
            summary.kind, source = session_kind(data), data.get("forkedFrom")
            summary.forked_from = text(source.get("sessionId")) if isinstance(source, dict) else ""
        summary.cwd = summary.cwd or text(data.get("cwd"))
        stamp = text(data.get("timestamp"))
        if stamp:
            summary.first_time = summary.first_time or stamp
            summary.last_time, self._last_line = stamp, (0, 0)
        if kind in ("user", "assistant"):
            summary.messages += 1
        if kind == "system" and data.get("subtype") == "compact_boundary":
            summary.compactions += 1
        if kind == "attachment":
            summary.prompts += is_prompt(data)
        if kind == "user" and is_prompt(data):
            summary.prompts += 1
            summary.branch = title_line(text(data.get("gitBranch"))) or summary.branch
            parent = text(data.get("parentUuid"))
            summary.rewinds += parent in self._parents
            self._parents.add(parent)


_decode = msgspec.json.Decoder(dict[str, Any]).decode


def decode_fast(line: bytes) -> Record | None:
    """A line as a record by the fast decoder; None if it isn't one, or if the careful reader has to look at it."""
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return None
