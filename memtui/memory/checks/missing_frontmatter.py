"""A topic without front matter. The fix makes a block of what the text says."""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Fix, FixContext, Problem
from memtui.memory.frontmatter import new_block, newline_of, read_frontmatter, remove_field, type_of_name
from memtui.memory.markdown import headings
from memtui.memory.sentences import first_sentence, without_marks
from memtui.memory.topic import stem_of

MAX_NAME_CHARS = 80


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report a topic with text and without a block; a block that isn't at the top has no fix."""
    front = file.front
    if front is None or front.block or front.verdict == "invalid" or not file.has_body:
        return
    misplaced = next((note for note in front.problems if note.code == "misplaced"), None)
    message = "no front matter: the agent can't tell what it is about" if misplaced is None else misplaced.message
    remedy = "add it" if misplaced is None else ""
    line = 1 if misplaced is None else misplaced.line or 1
    kind = type_of_name(file.name) or ""
    yield file.problem("missing-frontmatter", "warning", message, line, fix=remedy, subject=kind)


def fix(problem: Problem, context: FixContext) -> Fix:
    """Put a block on top: heading or file name, first sentence, and a type if the file's name tells one."""
    text = context.read(problem.file)
    if read_frontmatter(text).block:
        return Fix({problem.file: text})
    kind = type_of_name(problem.file)
    block = new_block(name_of(text, problem.file), first_sentence(text), kind or "reference")
    if kind is None:
        block = remove_field(block, "type")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return Fix({problem.file: mark + block.replace("\n", newline_of(text)) + text[len(mark) :].lstrip("\r\n")})


def name_of(text: str, file: str) -> str:
    """A name for a text: its first heading near the top, else its file name in words."""
    found = headings(text.removeprefix("\ufeff"))
    if found and found[0].line <= 3 and found[0].text.strip():
        return " ".join(without_marks(found[0].text).split())[:MAX_NAME_CHARS]
    return re.sub(r"[\W_]+", " ", stem_of(file)).strip() or file


CHECK = Check(("missing-frontmatter",), TOPICS, find, fix, is_certain=True, order=80)
