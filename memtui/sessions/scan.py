"""A list's facts of a session in one fast pass: title, first prompt, times, counts.

Most bytes of a transcript are answers, results, attachments and progress, of which a list needs no more than their
number. They are told by their first bytes (`counted`), and their bodies are never decoded. Everything else is decoded:
an optimisation, not a second parser: every line decoded by the standard library gives the same answers (tests compare
them).

Source:
    PERFORMANCE.md section 1. What follows the last line end is not read.
"""

import json
import os
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, field
from msgspec.structs import asdict

from memtui.sessions.counted import HEAD, NOTES, ROW, SOURCE, TAIL, TYPE, Heads
from memtui.sessions.entries import CHAIN_TYPES, is_prompt, text
from memtui.sessions.facts import Facts
from memtui.sessions.lines import LONGEST_LINE, Record, parse_line
from memtui.sessions.title import Title

CHUNK: Final = 128 << 10
"""Bytes per read, more for a longer line: they stay in the processor's cache, and in memory that is used again."""

_BRACE: Final = ord("}")
_LONG: Final = 4096
"""Bytes from which the end of a line is looked at first."""


class Scanner(Struct):
    """Collects the facts of a file, chunk by chunk; goes on where it stopped when the file has grown."""

    facts: Facts = field(default_factory=Facts)
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
        return cls(Facts(**facts), _title=Title(**title), _parents=set(parents))

    def file(self, path: Path) -> Facts:
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


def scan(path: Path, *, quick: bool = True) -> Facts:
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
