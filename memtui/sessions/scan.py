"""A list's facts of a session in one fast pass: title, first prompt, times, counts.

Most bytes of a transcript are answers, results, attachments and progress, of which a list needs no more than their
envelope. A line is matched from its start by one anchored pattern; if it is one of these, it is counted and its
body is never decoded. Everything else, and every line that doesn't match, is decoded: an optimisation, not a second
parser. Both ways, and msgspec and the standard library, give the same answers (tests compare them).

Source:
    PERFORMANCE.md section 1. What follows the last line end is not read.
"""

import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from memtui.sessions.entries import CHAIN_TYPES, is_prompt, text
from memtui.sessions.lines import LONGEST_LINE, Record, parse_line
from memtui.sessions.title import Title

try:
    import msgspec
except ImportError:  # an optional wheel; the standard library gives the same answers, slower
    msgspec = None  # type: ignore[assignment, unused-ignore]

CHUNK: Final = 4 << 20
_TAIL: Final = 800
"""Bytes at a line's end in which newer releases put the envelope."""

_BRACE: Final = ord("}")
_GLUED: Final = b'{"parentUuid"'

_BEHIND_PARENT: Final = len('{"parentUuid":"') + 36
_MAIN: Final = b'","isSidechain":false,"'
_ANSWER: Final = b'type":"assistant","message":{'
_RESULT: Final = b'type":"user","message":{"role":"user","content":[{"t'
_IS_RESULT: Final = b'"type":"tool_result"'
_SILENT: Final = (b'attachment":{"type":"', b'type":"progress","data":{')

_SCALAR = rb'"[A-Za-z_]+":(?:"[^"\\]{0,300}"|null|true|false|-?[0-9.]+),'
_ENVELOPE = re.compile(
    rb'\{"parentUuid":(?:null|"[^"\\]{0,100}"),"isSidechain":(true|false),((?:' + _SCALAR + rb"){0,20})"
    rb'(?:"message":\{((?:'
    + _SCALAR
    + rb'){0,8})"content":(\[\{(?:"tool_use_id":"[^"\\]{0,60}",)?"type":"tool_result")?'
    rb'|"attachment":\{|("data":\{))'
)
"""Side, scalars before the body, those of a message before its content, whether it answers a call or reports."""

_NOTE = re.compile(rb'\{"type":"([a-z-]+)",')
_PLAIN_NOTES: Final = frozenset(
    {b"mode", b"permission-mode", b"file-history-snapshot", b"queue-operation", b"atis-latch"}
)
"""Notes that a list has no use for."""


@dataclass(slots=True)
class Facts:
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


@dataclass(slots=True)
class Scanner:
    """Collects the facts of a file, chunk by chunk; goes on where it stopped when the file has grown."""

    facts: Facts = field(default_factory=Facts)
    quick: bool = True
    _title: Title = field(default_factory=Title)
    _parents: set[str] = field(default_factory=set)
    _late: tuple[int, int] = (0, 0)

    def state(self) -> str:
        """What a later scanner needs to go on where this one stopped, as JSON."""
        return json.dumps([asdict(self.facts), asdict(self._title), sorted(self._parents)])

    @classmethod
    def resumed(cls, state: str) -> "Scanner":
        """A scanner that goes on from a `state`."""
        facts, title, parents = json.loads(state)
        return cls(Facts(**facts), _title=Title(**title), _parents=set(parents))

    def file(self, path: Path) -> Facts:
        """Read a file from where this scanner stopped to its last line end.

        Raises:
            OSError: If it can't be read.
        """
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            buffer = bytearray(max(1, min(CHUNK, os.fstat(descriptor).st_size - self.facts.offset + 1)))
            os.lseek(descriptor, self.facts.offset, os.SEEK_SET)
            held = skipping = 0
            while True:
                if held == len(buffer):
                    if held > LONGEST_LINE:
                        skipping, held = skipping + held, 0
                    else:
                        buffer += bytes(len(buffer))
                with memoryview(buffer) as view, view[held:] as room:
                    size = os.readv(descriptor, [room])
                if not size:
                    break
                held, skipping = self._take(buffer, held + size, skipping)
            if self._late[1]:
                stamp = _time(os.pread(descriptor, self._late[1], self._late[0]))
                self.facts.last_time, self._late = stamp or self.facts.last_time, (0, 0)
        finally:
            os.close(descriptor)
        self.facts.title, self.facts.first_prompt = str(self._title), self._title.first_prompt
        return self.facts

    def _take(self, buffer: bytearray, size: int, skipping: int) -> tuple[int, int]:
        """Look at the whole lines in a buffer; the bytes of the last, unfinished one move to its start."""
        start = 0
        find = buffer.find
        stop = find(b"\n", start, size)
        while stop >= 0:
            length = stop - start + skipping
            self.facts.lines += 1
            if length > LONGEST_LINE:
                self.facts.bad += 1
            elif length and not (self.quick and self._counted(buffer, start, stop)):
                self._decoded(bytes(buffer[start:stop]))
            self.facts.offset += length + 1
            start, skipping = stop + 1, 0
            stop = find(b"\n", start, size)
        rest = size - start
        if start:
            buffer[:rest] = buffer[start:size]
        return rest, skipping

    def _counted(self, buffer: bytearray, start: int, stop: int) -> bool:
        """Count a line by its envelope alone; False if it has to be decoded."""
        if buffer[stop - 1] != _BRACE:
            return False
        begins, facts = buffer.startswith, self.facts
        at = start + _BEHIND_PARENT
        if begins(_MAIN, at) and facts.first_time and facts.cwd:  # as most releases write it: fields at fixed places
            at += len(_MAIN)
            talks = begins(_ANSWER, at) or (begins(_RESULT, at) and buffer.find(_IS_RESULT, at, at + 160) >= 0)
            if (talks or begins(_SILENT, at)) and buffer.find(_GLUED, at, stop) < 0:
                facts.messages += talks
                self._late = (facts.offset, stop - start)
                return True
        match = _ENVELOPE.match(buffer, start, stop)
        if match is None:
            note = _NOTE.match(buffer, start, stop)
            return note is not None and note[1] in _PLAIN_NOTES
        side, head, inner, answers, report = match.groups()
        if inner is None:
            talks = False
            if (b'"type":"progress"' in head) is not (report is not None):
                return False
        else:
            talks = True
            if b'"type":"assistant"' in head:
                if b'"role":"assistant"' not in inner:
                    return False
            elif answers is None or b'"type":"user"' not in head:
                return False
        if b'"sessionId"' not in head and buffer.rfind(b'"sessionId"', max(match.end(), stop - _TAIL), stop) < 0:
            return False  # an envelope that we don't know
        if buffer.find(_GLUED, start + 1, stop) >= 0:
            return False
        if side == b"true":
            facts.side += 1
            return True
        if not facts.first_time or not facts.cwd:
            return False
        facts.messages += talks
        self._late = (facts.offset, stop - start)
        return True

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


def scan(path: Path, *, quick: bool = True) -> Facts:
    """The facts of a session's file.

    Args:
        path: The file.
        quick: Off: every line is decoded by the standard library, for comparison.

    Raises:
        OSError: If it can't be read.
    """
    return Scanner(quick=quick).file(path)


def _decoder() -> Callable[[bytes], Any]:
    return _strict if msgspec is None else msgspec.json.Decoder(dict[str, Any]).decode


def _strict(line: bytes) -> Any:
    value = json.loads(line.decode(), parse_constant=_refuse)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _refuse(name: str) -> Any:
    raise ValueError(name)


_decode = _decoder()


def decode(line: bytes) -> Record | None:
    """A line as a record by the fast decoder; None if it isn't one, or if the careful reader has to look at it."""
    try:
        value = _decode(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
