r"""Search for a text, a prompt or a uuid from any place of a source, in either direction.

Each search is a generator that works through one block of the file at a time. It yields the fraction that is searched,
and at last the hit, if there is one; a caller stops it by not asking again. First only bytes are compared; a line that
may match is decoded and compared as it is shown.

Letters match in either case. ASCII written as `\u0061`, which no writer is known to do, is not found.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from memtui.transcripts.content import ContentPart, MessageContent, message_content
from memtui.transcripts.entries import is_prompt
from memtui.transcripts.fast_decode import decode_entries
from memtui.transcripts.records import Cursor, LiteralPattern, RecordSource, RecordView

_PLAIN = re.compile(r"[a-z0-9 _.,:;()=!?*+#@$%|~^-]+")  # ASCII that every JSON writer writes literally


class SearchHit(Struct, frozen=True):
    """The place of a hit: record, part (-1: the record as a whole), line of its body (-1: its title line)."""

    record: RecordView
    part: int
    line: int
    wrapped: bool = False


class TextPattern(LiteralPattern):
    """A text to search for (a character or more), in all the forms in which a file may hold it."""

    def __init__(self, words: str) -> None:
        self.words = words.lower()
        plain = max(_PLAIN.findall(self.words), key=len, default="")
        super().__init__(plain if len(plain) >= min(3, len(self.words)) else "")
        self._pattern = re.compile(b"".join(map(_written, self.words)))

    def fold(self, data: bytes) -> bytes:
        return data.lower()

    def first(self, folded: bytes, start: int) -> int:
        if self.literal:
            return super().first(folded, start)
        match = self._pattern.search(folded, start)
        return match.start() if match else -1

    def last(self, folded: bytes, end: int) -> int:
        if self.literal:
            return super().last(folded, end)
        return max((match.start() for match in self._pattern.finditer(folded, 0, end)), default=-1)

    def hits(self, message: MessageContent) -> list[tuple[int, int]]:
        return [(number, line) for number, part in enumerate(message.parts) for line in self._lines(part)]

    def _lines(self, part: ContentPart) -> Iterator[int]:
        body = part.body.lower()
        if part.line and self.words in f"{part.name} {part.line}".lower():
            yield -1
        if self.words in body:
            yield from (number for number, line in enumerate(part.lines()) if self.words in line.lower())


class _Prompts(LiteralPattern):
    """What a person typed."""

    def may_match(self, line: bytes) -> bool:
        entries = decode_entries(line + b"\n")
        return entries is None or entries[0].prompt


def find_text(
    source: RecordSource,
    pattern: TextPattern,
    start: Cursor | None,  # search behind this record; at the beginning, or the end, for None
    step: int,  # 1 forward, -1 back
    *,
    behind: tuple[int, int] | None = None,  # a part and line of that record behind which it is searched first
    wrap: bool = False,  # go on from the other end
) -> Iterator[SearchHit | float]:
    """Find a text: yields the fraction that is searched, and at the end the first hit, if there is one."""
    here = source.get(start) if start is not None and behind is not None else None
    if here is not None and behind is not None:
        hits = [hit for hit in pattern.hits(message_content(here)) if (hit > behind if step > 0 else hit < behind)]
        if hits:
            yield SearchHit(here, *(hits[0] if step > 0 else hits[-1]))
            return
    for wrapped in (False, True) if wrap else (False,):
        for item in source.candidates(pattern, None if wrapped else start, step):
            if isinstance(item, float):
                yield item
            elif hits := pattern.hits(message_content(item)):
                yield SearchHit(item, *(hits[0] if step > 0 else hits[-1]), wrapped)
                return


def find_prompt(source: RecordSource, start: Cursor | None, step: int) -> Iterator[SearchHit | float]:
    """Find the next (or previous) prompt that a person typed; as `find_text`."""
    for item in source.candidates(_Prompts('"user"'), start, step):
        if isinstance(item, float):
            yield item
        elif is_prompt(item.data):
            yield SearchHit(item, -1, -1)
            return


def find_uuid(source: RecordSource, uuid: str) -> Iterator[SearchHit | float]:
    """Find the record with a uuid, from the end."""
    for item in source.candidates(TextPattern(uuid), None, -1):
        if isinstance(item, float):
            yield item
        elif item.data.get("uuid") == uuid:
            yield SearchHit(item, -1, -1)
            return


def _written(character: str) -> bytes:
    """A pattern of all forms of a lower-case character in JSON, for bytes of which ASCII is lower case."""
    forms: dict[bytes, None] = {}
    for form in (character, character.upper(), character.title()):
        forms[form.encode("utf-8", "surrogatepass").lower()] = None
        pairs = form.encode("utf-16-be", "surrogatepass")
        forms[b"".join(b"\\u%02x%02x" % (pairs[i], pairs[i + 1]) for i in range(0, len(pairs), 2))] = None
    escaped = {'"': b'\\"', "\\": b"\\\\", "/": b"\\/", "\t": b"\\t"}.get(character)
    if escaped:
        forms[escaped] = None
    return b"(?:" + b"|".join(map(re.escape, forms)) + b")"
