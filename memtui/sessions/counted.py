"""Lines that a list only counts: answers, results, attachments, reports; which they are is told by how they begin.

Of such a line nothing but its type is needed, and its end if it is the last one. One anchored pattern judges it. What
was judged once is remembered by its head, the literal bytes from the parent's uuid to the beginning of the body: a
later line of the same file with the same head is of the same type, and one `startswith` tells.

A row that is glued to a row, whole or cut off, is found. Not seen are a note behind a row, and that a row was cut off
just behind a brace: to look for these in every line would cost as much as all the rest.

Source:
    PERFORMANCE.md section 1 (two-ended envelope); FORMATS 1.3.
"""

import re
from typing import Final, Literal

from msgspec import Struct

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
