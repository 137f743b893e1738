"""An index line that is longer than a line should be. The fix cuts its description to one sentence."""

from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.index import read_entries
from memtui.memory.tidy import LONG_DESCRIPTION_CHARS, one_sentence

LONG_LINE_CHARS = 200


def find(file: CheckedFile) -> Iterator[Problem]:
    for entry in file.entries:
        line = (file.text or "")[entry.start : entry.end].rstrip("\r\n")
        if len(line) <= LONG_LINE_CHARS:
            continue
        described = entry.description
        short = one_sentence(described) if len(described) > LONG_DESCRIPTION_CHARS and not entry.more else described
        saved = len(described.encode("utf-8", "replace")) - len(short.encode("utf-8", "replace"))
        is_enough = saved > 0 and len(line) - len(described) + len(short) <= LONG_LINE_CHARS
        message = f"index line is long: {len(line)} characters"
        if is_enough:
            message += f"; shortening it saves {saved} bytes"
        remedy = "shorten it" if is_enough else ""
        yield file.problem("long-line", "warning", message, entry.line, fix=remedy, subject=entry.target)


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(problem.file)
    for entry in read_entries(text):
        if entry.target == problem.subject and entry.line == problem.line:
            text = text[: entry.description_start] + one_sentence(entry.description) + text[entry.description_end :]
            break
    return Fix({problem.file: text})


CHECK = Check(("long-line",), INDEX, find, fix, is_certain=True, order=40)
