"""Did a session do anything that a memory could be made from?

One that ran shell commands and nothing else, and in which hardly anything was said, did not. Whatever can't be told
counts as something: a session without any tool is talk, and a transcript that nobody can read is the reader's fault.
"""

from memtui.host.heads import SessionFile
from memtui.sessions.entries import blocks_of, is_machine, prompt_texts
from memtui.sessions.lines import LONGEST_LINE, Record, parse_line
from memtui.sessions.scan import decode
from memtui.sessions.stats import kind_of

LITTLE = 1_500
"""Characters said by both sides together below which it is little prose."""

MOST = 16 << 20
"""Bytes that are read; a session that is longer did something."""


def has_substance(file: SessionFile) -> bool:
    """Whether a session counts; read only until that is certain, which is soon where there is any.

    A file that can't be read counts.
    """
    shells = said = 0
    try:
        with file.path.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                for data in _records(line):
                    ran, other, prose = _deeds(data)
                    shells, said = shells + ran, said + prose
                    if other or said >= LITTLE:
                        return True
                if lines.tell() > MOST:
                    return True
    except OSError:
        return True
    return not shells


def _records(line: bytes) -> list[Record]:
    data = decode(line)
    return [data] if data is not None else parse_line(line).objects


def _deeds(data: Record) -> tuple[int, int, int]:
    """What one record holds: calls of a shell, calls of other tools, characters that somebody said."""
    message = data.get("message")
    if not isinstance(message, dict):
        return 0, 0, 0
    if data.get("type") == "user":
        typed = () if data.get("isMeta") else prompt_texts(data)
        return 0, 0, sum(len(words) for words in typed if not is_machine(words))
    shells = others = said = 0
    for block in blocks_of(message):
        if block["type"] == "tool_use":
            shell = kind_of(str(block.get("name"))) == "shells"
            shells, others = shells + shell, others + (not shell)
        elif block["type"] == "text":
            said += len(block["text"])
    return shells, others, said
