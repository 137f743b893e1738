"""A list's facts of a session in one fast pass: title, first prompt, times, counts.

Most bytes of a transcript are answers, results, attachments and progress, of which a list needs no more than their
number. They are told by their first bytes (`counted`), and their bodies are never decoded. Everything else is decoded:
an optimisation, not a second parser: every line decoded by the standard library gives the same answers (tests compare
them).

Source:
    PERFORMANCE.md section 1. What follows the last line end is not read.

What one reading of a session's file finds out about it; `scan` collects it, `search.catalogue` keeps it.

Lines that a list only counts: answers, results, attachments, reports; which they are is told by how they begin.

Of such a line nothing but its type is needed, and its end if it is the last one. One anchored pattern judges it. What
was judged once is remembered by its head, the literal bytes from the parent's uuid to the beginning of the body: a
later line of the same file with the same head is of the same type, and one `startswith` tells.

A row that is glued to a row, whole or cut off, is found. Not seen are a note behind a row, and that a row was cut off
just behind a brace: to look for these in every line would cost as much as all the rest.

Source:
    PERFORMANCE.md section 1 (two-ended envelope); FORMATS 1.3.

What a session is called, by the client's order but from the whole file: a title far from the end counts too.

Source:
    FORMATS 1.9: the title given, else made, else the last prompt, a summary, the first prompt.
"""

import json
import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from memtui.client.session_files import CLIENT_MARKUP, COMMAND_NAME, title_line
from memtui.transcripts.entries import CHAIN_TYPES, is_prompt, prompt_texts, text
from memtui.transcripts.lines import LONGEST_LINE, Record, parse_line

Kind = Literal["talks", "silent", "side"]
HEAD: Final = len('{"parentUuid":"') + 36
"""Where a head begins: behind the uuid of the parent."""
NOTES: Final = tuple(
    b'{"type":"%b",' % name
    for name in (b"mode", b"permission-mode", b"file-history-snapshot", b"queue-operation", b"atis-latch")
)
"""How the notes begin that a list has no use for."""
TYPE: Final = b'"type":'
"""What a note has once. Found again, it belongs to another record on the line."""
ROW: Final = b'{"parentUuid"'
"""How a row begins: found within a line, it is one that was glued to what is left of another."""
SOURCE: Final = b'"sourceToolAssistantUUID":"'
"""What newer releases put at the end of a tool's result before its parent's uuid. If the line begins with this parent,
both ends belong to one row, and the costly look for another one is saved."""
TAIL: Final = 800
"""Bytes at a line's end that hold the envelope of releases that don't put it before the body."""
_MAIN: Final = b'","isSidechain":false,'
_MOST: Final = 8
"""Heads remembered of a kind. A session has few, but one may hold what changes with every prompt."""
_BEGIN: Final = re.compile(
    rb'\{"parentUuid":(?:null|"[^"\\]{0,100}"),"isSidechain":(true|false),'
    rb'([^{\\]{0,1500})"(?:'  # without a brace and an escape: pairs of the record itself
    rb'(?P<user>message":\{"role":"user","content":\[\{"(?:tool_use_id":"|type":"tool_result"))'
    rb'|(?P<assistant>message":\{"(?:model":"|id":"|role":"assistant"))'
    rb'|(?P<progress>data":\{)'
    rb'|(?P<attachment>attachment":\{)'
    rb'|(?P<system>subtype":"(?!compact_boundary")[a-z_]+"))'
)
"""Side, pairs before the body, and the type of record that has such a body."""


class Heads(Struct):
    """What was judged in one file: heads of the main conversation's messages, and of its rows that say nothing."""

    talking: tuple[bytes, ...] = ()
    silent: tuple[bytes, ...] = ()

    def judge(self, line: bytes) -> Kind | None:
        """What a line is, which is remembered; None if it has to be decoded."""
        match = _BEGIN.match(line)
        if match is None or not line.endswith(b"}") or line.find(ROW, 1) > 0:
            return None
        envelope = match[2] if b'"type":"' in match[2] else line[max(match.end(), len(line) - TAIL) :]
        if b'"type":"%b"' % str(match.lastgroup).encode() not in envelope:
            return None
        if b'"uuid":"' not in envelope and b'"uuid":"' not in line:
            return None
        if match[1] == b"true":
            return "side"
        head = line[HEAD : match.end()] if line.startswith(_MAIN, HEAD) else b""
        if match.lastgroup in ("user", "assistant"):
            self.talking = _remember(self.talking, head)
            return "talks"
        self.silent = _remember(self.silent, head)
        return "silent"


def _remember(heads: tuple[bytes, ...], head: bytes) -> tuple[bytes, ...]:
    return heads if not head or head in heads else (head, *heads[: _MOST - 1])


class SessionSummary(Struct):
    """What a list shows of a session. Times are as written; `offset` is the byte behind the last whole line.

    `messages` are the main conversation's rows of both sides, `prompts` what a person typed, `rewinds` how often
    they went back and typed something else, `side` the rows of sub-agents in this file. `branch` is that of the
    last prompt.
    """

    title: str = ""
    first_prompt: str = ""
    first_time: str = ""
    last_time: str = ""
    messages: int = 0
    prompts: int = 0
    rewinds: int = 0
    compactions: int = 0
    side: int = 0
    lines: int = 0
    bad: int = 0
    offset: int = 0
    cwd: str = ""
    branch: str = ""

    @property
    def listed(self) -> bool:
        """Whether a list shows it: not a file without a word, nor a sub-agent's that lies among the sessions."""
        return bool(self.messages or (self.title and not self.side))

    def when(self, modified: float) -> float:
        """When the last record was written, in seconds since 1970; the time of the file where no record tells."""
        try:
            stamp = datetime.fromisoformat(self.last_time)
        except ValueError:
            return modified
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()


TITLES = ("custom-title", "ai-title", "last-prompt", "summary")
_FIELD = {"custom-title": "customTitle", "ai-title": "aiTitle", "last-prompt": "lastPrompt", "summary": "summary"}


class Title(Struct):
    """Collects a title record by record, so that one pass and little memory are enough. Texts are kept as written.

    `first_prompt` is what a person typed first, whole; `command` the first slash command, for where there is
    nothing else.
    """

    given: str = ""
    made: str = ""
    last_prompt: str = ""
    summary: str = ""
    first_prompt: str = ""
    command: str = ""

    def take(self, data: Record) -> None:
        """Look at one record."""
        kind = data.get("type")
        if kind == "user":
            if not self.first_prompt:
                self._prompt(data)
        elif isinstance(kind, str) and kind in _FIELD:
            value = text(data.get(_FIELD[kind]))
            if not value or value.isspace():
                return
            if kind == "custom-title":
                self.given = value
            elif kind == "ai-title":
                self.made = value
            elif kind == "last-prompt":
                self.last_prompt = value
            else:
                self.summary = value

    def __str__(self) -> str:
        told = self.given or self.made or self.last_prompt or self.summary
        return title_line(told or CLIENT_MARKUP.sub(" ", self.first_prompt)) or self.command

    def _prompt(self, data: Record) -> None:
        if data.get("isMeta") or data.get("isSidechain") or data.get("isCompactSummary"):
            return
        texts = prompt_texts(data)
        command = next((match[1] for part in texts if (match := COMMAND_NAME.search(part))), "")
        if command:
            self.command = self.command or title_line(command)
        elif is_prompt(data):
            self.first_prompt = next((part for part in texts if title_line(CLIENT_MARKUP.sub(" ", part))), "")


def title_of(records: Iterable[Record]) -> str:
    """The title of a session's records; "" if nothing serves."""
    title = Title()
    for data in records:
        title.take(data)
    return str(title)


CHUNK: Final = 128 << 10
"""Bytes per read, more for a longer line: they stay in the processor's cache, and in memory that is used again."""
_BRACE: Final = ord("}")
_LONG: Final = 4096
"""Bytes from which the end of a line is looked at first."""


class Scanner(Struct):
    """Collects the facts of a file, chunk by chunk; goes on where it stopped when the file has grown."""

    facts: SessionSummary = field(default_factory=SessionSummary)
    quick: bool = True
    _title: Title = field(default_factory=Title)
    _heads: Heads = field(default_factory=Heads)
    _parents: set[str] = field(default_factory=set)
    _late: tuple[int, int] = (0, 0)

    def state(self) -> str:
        """What a later scanner needs to go on where this one stopped, as JSON."""
        return json.dumps([asdict(self.facts), asdict(self._title), sorted(self._parents)])

    @classmethod
    def resumed(cls, state: str) -> "Scanner":
        """A scanner that goes on from a `state`."""
        facts, title, parents = json.loads(state)
        return cls(SessionSummary(**facts), _title=Title(**title), _parents=set(parents))

    def file(self, path: Path) -> SessionSummary:
        """Read a file from where this scanner stopped to its last line end.

        Raises:
            OSError: If it can't be read.
        """
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            size = CHUNK
            while data := os.pread(file, size, self.facts.offset):
                if self._take(data):
                    size = CHUNK
                elif len(data) < size:
                    break  # no line end yet
                elif size <= LONGEST_LINE:
                    size = min(2 * size, LONGEST_LINE + 1)
                elif not self._passed(file, size):
                    break
            if self._late[1]:
                stamp = _time(os.pread(file, self._late[1], self._late[0]))
                self.facts.last_time, self._late = stamp or self.facts.last_time, (0, 0)
        finally:
            os.close(file)
        self.facts.title, self.facts.first_prompt = str(self._title), self._title.first_prompt
        return self.facts

    def _take(self, data: bytes) -> bool:
        """Look at the whole lines that some bytes begin with; False if there is none."""
        facts, heads, find, begins = self.facts, self._heads, data.find, data.startswith
        talking, silent = heads.talking, heads.silent
        origin, lines = facts.offset, facts.lines
        start = 0
        stop = find(b"\n")
        while stop >= 0:
            lines += 1
            head = start + HEAD
            talks = begins(talking, head, stop)
            closed = data[stop - 1] == _BRACE
            row = closed and (talks or begins(silent, head, stop))
            if row:
                alone = head  # up to here no other row is glued to it
                if talks and stop - start > _LONG:
                    alone = max(head, find(SOURCE + data[head - 36 : head], stop - TAIL, stop))
                row = find(ROW, alone, stop) < 0
            if row:
                facts.messages += talks
                self._late = (origin + start, stop - start)
            elif closed and self.quick and begins(NOTES, start) and find(TYPE, start + len(TYPE), stop) < 0:
                pass
            elif stop > start:
                facts.lines, facts.offset = lines, origin + start
                self._line(data[start:stop])
                talking, silent = heads.talking, heads.silent
            start = stop + 1
            stop = find(b"\n", start)
        facts.lines, facts.offset = lines, origin + start
        return start > 0

    def _passed(self, file: int, held: int) -> bool:
        """Pass over a line that is too long, of which `held` bytes are known; False if it has no end yet."""
        at = self.facts.offset + held
        while data := os.pread(file, CHUNK, at):
            stop = data.find(b"\n")
            if stop >= 0:
                self.facts.lines += 1
                self.facts.bad += 1
                self.facts.offset = at + stop + 1
                return True
            at += len(data)
        return False

    def _line(self, line: bytes) -> None:
        """Count a line, or decode it."""
        facts = self.facts
        judged = self.quick and facts.first_time and facts.cwd and line.startswith(ROW)
        kind = self._heads.judge(line) if judged else None
        if kind == "side":
            facts.side += 1
        elif kind is not None:
            facts.messages += kind == "talks"
            self._late = (facts.offset, len(line))
        else:
            self._decoded(line)

    def _decoded(self, line: bytes) -> None:
        data = decode(line) if self.quick else None
        if data is not None:
            self._record(data)
            return
        parsed = parse_line(line.removeprefix(b"\xef\xbb\xbf") if self.facts.lines == 1 else line)
        self.facts.bad += bool(parsed.bad)
        for record in parsed.objects:
            self._record(record)

    def _record(self, data: Record) -> None:
        kind = data.get("type")
        facts = self.facts
        self._title.take(data)
        if kind not in CHAIN_TYPES or not text(data.get("uuid")):
            return
        if data.get("isSidechain") is True:
            facts.side += 1
            return
        facts.cwd = facts.cwd or text(data.get("cwd"))
        stamp = text(data.get("timestamp"))
        if stamp:
            facts.first_time = facts.first_time or stamp
            facts.last_time, self._late = stamp, (0, 0)
        if kind in ("user", "assistant"):
            facts.messages += 1
        if kind == "system" and data.get("subtype") == "compact_boundary":
            facts.compactions += 1
        if kind == "user" and is_prompt(data):
            facts.prompts += 1
            facts.branch = text(data.get("gitBranch")) or facts.branch
            parent = text(data.get("parentUuid"))
            facts.rewinds += parent in self._parents
            self._parents.add(parent)


def _time(line: bytes) -> str:
    data = decode(line)
    if data is None:
        data = next(iter(parse_line(line).objects), {})
    return text(data.get("timestamp"))


def scan(path: Path, *, quick: bool = True) -> SessionSummary:
    """The facts of a session's file.

    Args:
        path: The file.
        quick: Off: every line is decoded by the standard library, for comparison.

    Raises:
        OSError: If it can't be read.
    """
    return Scanner(quick=quick).file(path)


_decode = msgspec.json.Decoder(dict[str, Any]).decode


def decode(line: bytes) -> Record | None:
    """A line as a record by the fast decoder; None if it isn't one, or if the careful reader has to look at it."""
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return None
