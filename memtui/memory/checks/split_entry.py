"""An index entry that goes on in a second line: each line counts against the limit of 200.

The fix joins lines that Markdown joins too; what hangs below an entry as a list of its own is only told of.
"""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.checks.long_entry import LONG_LINE_CHARS
from memtui.memory.index import IndexEntry, entry_end, read_entries

_OTHER_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d{1,9}[.)]|```|~~~|<!--)")
MAX_LISTED = 3  # entries without a fix that are reported one by one; what follows is one problem


def find(file: CheckedFile) -> Iterator[Problem]:
    text = file.text or ""
    split = [entry for entry in file.entries if entry_end(text, entry) > entry.end]
    long = [entry for entry in split if not _joined(text, entry)]
    summed = long[MAX_LISTED:] if len(long) > MAX_LISTED + 1 else []
    for entry in split:
        if entry not in summed:
            remedy = "" if entry in long else "make it one line"
            message = f"the entry takes {_height(text, entry)} lines: the rest belongs into {entry.target}"
            yield file.problem("split-entry", "info", message, entry.line, fix=remedy, subject=entry.target)
    if summed:
        count = sum(_height(text, entry) for entry in summed)
        message = f"{len(summed)} more entries take {count} lines: the rest belongs into their topics"
        yield file.problem("split-entry", "info", message, summed[0].line)


def _height(text: str, entry: IndexEntry) -> int:
    return len(text[entry.start : entry_end(text, entry)].splitlines())


def _joined(text: str, entry: IndexEntry) -> str:
    """The entry as one line; "" if it isn't one paragraph or gets too long."""
    lines = text[entry.start : entry_end(text, entry)].splitlines()
    joined = " ".join([lines[0].rstrip(), *(line.strip() for line in lines[1:])])
    is_hard = any(line.endswith(("  ", "\\")) for line in lines[:-1])
    is_other = any(_OTHER_BLOCK.match(line) for line in lines[1:])
    return "" if is_other or is_hard or len(joined) > LONG_LINE_CHARS else joined


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(problem.file)
    for entry in read_entries(text):
        if entry.target == problem.subject and entry.line == problem.line and (joined := _joined(text, entry)):
            end = entry_end(text, entry)
            last = text[entry.start : end]
            text = text[: entry.start] + joined + last[len(last.rstrip("\r\n")) :] + text[end:]
            break
    return Fix({problem.file: text})


CHECK = Check(("split-entry",), INDEX, find, fix, is_certain=True, order=190)
