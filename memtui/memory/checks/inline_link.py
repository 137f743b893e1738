"""A link in the middle of a sentence of the index: it counts as an entry, whose title and description are pieces."""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import INDEX, Check, CheckedFile, Problem

MIN_WORDS_BEFORE = 3


def find(file: CheckedFile) -> Iterator[Problem]:
    text = file.text or ""
    for entry in file.entries:
        before = re.findall(r"[^\W\d_]{2,}", text[entry.start : entry.link.start])
        if len(before) >= MIN_WORDS_BEFORE:
            message = f"{entry.target} is linked in mid-sentence: a line of its own lists it better"
            yield file.problem("inline-link", "info", message, entry.line, entry.link.column, subject=entry.target)


CHECK = Check(("inline-link",), INDEX, find, order=200)
