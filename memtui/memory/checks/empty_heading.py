"""A heading with nothing below it before the next one of its level."""

from collections.abc import Iterator

from memtui.memory.checks.base import LISTED, Check, CheckedFile, Problem, TextHit
from memtui.memory.markdown import headings


def find_in_text(text: str) -> tuple[TextHit, ...]:
    """Find them; the title of the text, its first heading, isn't one."""
    hits = []
    heads = headings(text)
    for head, after in zip(heads[1:], [*heads[2:], None], strict=False):
        end, level = (len(text), 0) if after is None else (after.start, after.level)
        if level <= head.level and not text[head.end : end].strip():
            hits.append(TextHit(head.line, 1, head.text))
    return tuple(hits)


def find(file: CheckedFile) -> Iterator[Problem]:
    for hit in file.hits("empty-heading"):
        yield file.problem("empty-heading", "info", f'nothing stands below the heading "{hit.words}"', hit.line)


CHECK = Check(("empty-heading",), LISTED, find, find_in_text=find_in_text, order=180)
