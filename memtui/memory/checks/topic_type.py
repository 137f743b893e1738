"""A type that is missing or none of the four. The fix sets what the spelling or the file's name makes certain."""

import difflib
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Fix, FixContext, Problem, Severity
from memtui.memory.frontmatter import TYPES, set_field, type_of_name


def find(file: CheckedFile) -> Iterator[Problem]:
    if file.front is None:
        return
    for note in file.front.problems:
        message, line, guess, asks = note.message, note.line, type_of_name(file.name) or "", False
        if note.code == "no-type":
            message, line = "no type in the front matter", 1
        elif note.code == "wrong-type":
            word = (file.front.type_text or "").strip().lower()
            similar = difflib.get_close_matches(word, TYPES, 1, 0.75)
            guess, asks = (*similar, guess)[0], not similar  # a word of its own may be meant
        elif note.code == "type-case":
            guess = file.front.type or ""
            message = f"{message}: it is {guess}"
        else:
            continue
        remedy = "" if not guess else f"write it as {guess}" if note.code == "type-case" else f"set it to {guess}"
        severity: Severity = "info" if note.code == "no-type" and not guess else "warning"
        yield file.problem("wrong-type", severity, message, line, fix=remedy, subject=guess, asks=asks)


def fix(problem: Problem, context: FixContext) -> Fix:
    return Fix({problem.file: set_field(context.read(problem.file), "type", problem.subject)})


CHECK = Check(("wrong-type",), TOPICS, find, fix, is_certain=True, order=100)
