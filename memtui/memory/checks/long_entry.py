"""An index line that is longer than a line should be.

The fix leaves the first sentence of its description in the index and moves the rest into the topic; a person sees it
first. A description that is one long sentence stays: no rule knows which half of it matters.
"""

from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.index import read_entries
from memtui.memory.sentences import first_sentences, with_words

LONG_LINE_CHARS = 200


def find(file: CheckedFile) -> Iterator[Problem]:
    for entry in file.entries:
        line = (file.text or "")[entry.start : entry.end].rstrip("\r\n")
        if len(line) <= LONG_LINE_CHARS:
            continue
        described = entry.description
        short = described if entry.more else first_sentences(described)
        saved = len(described.encode("utf-8", "replace")) - len(short.encode("utf-8", "replace"))
        is_enough = saved > 0 and len(line) - len(described) + len(short) <= LONG_LINE_CHARS
        message = f"index line is long: {len(line)} characters"
        if is_enough:
            message += f"; shortening it saves {saved} bytes"
        remedy = "shorten it" if is_enough else ""
        yield file.problem("long-line", "warning", message, entry.line, fix=remedy, subject=entry.target)


def fix(problem: Problem, context: FixContext) -> Fix:
    text = context.read(problem.file)
    texts = {problem.file: text}
    for entry in read_entries(text):
        if entry.target == problem.subject and entry.line == problem.line:
            short = first_sentences(entry.description)
            texts[problem.file] = text[: entry.description_start] + short + text[entry.description_end :]
            topic = context.topic_of(entry.target)
            if topic:
                texts[topic] = with_words(context.read(topic), entry.description)
            break
    return Fix(texts)


CHECK = Check(("long-line",), INDEX, find, fix, order=40)
