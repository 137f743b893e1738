"""A topic whose text says nothing: none below the front matter, or only that something is to be written."""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem, TextHit
from memtui.memory.frontmatter import read_frontmatter

_FILLER = re.compile(
    r"todo|tbd|tba|fixme|xxx|wip|placeholder|draft|stub|empty|none|nothing|n|a|na|yet|here|to|be|is|the|this|it|see|code"
    r"|file|source|above|below|description|fill|in|write|written|later|more|content|goes|add|text",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t].*$", re.MULTILINE)
_WORD = re.compile(r"[^\W_]+")
MAX_STUB_CHARS = 400  # a longer text is never looked at: it says something


def find_in_text(text: str) -> tuple[TextHit, ...]:
    front = read_frontmatter(text)
    body = text[front.body_start :]
    if not front.block or len(body) > MAX_STUB_CHARS:
        return ()
    said = _HEADING.sub("", _COMMENT.sub("", body))
    if any(not _FILLER.fullmatch(word) for word in _WORD.findall(said)):
        return ()
    return (TextHit(front.body_line, 1, " ".join(said.split())),)


def find(file: CheckedFile) -> Iterator[Problem]:
    for hit in file.hits("stub"):
        what = f'only "{hit.words}"' if hit.words else "no text"
        yield file.problem(
            "stub", "warning", f"{what} below the front matter: whoever opens it learns nothing", hit.line
        )


CHECK = Check(("stub",), TOPICS, find, find_in_text=find_in_text, order=160)
