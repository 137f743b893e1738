"""Gaps in front matter: no block, no name, no description, a type that its file's name or spelling makes certain.

A name is the first heading, if that is the text's own and no other file is called so ("Decision"), else the file's name
in words; a description is the first sentence. A type that only a person can tell stays away. What is there is never
changed, but for a type that is misspelt. A file with a block further down is left to a person: nothing is taken from
inside another block.
"""

import re

from memtui.dream.rules.context import RuleContext, RuleStep
from memtui.dream.rules.empty import is_empty
from memtui.memory.checks.missing_frontmatter import name_of
from memtui.memory.frontmatter import read_frontmatter, set_field
from memtui.memory.links import slug
from memtui.memory.markdown import headings
from memtui.memory.sentences import first_sentence
from memtui.util.errors import MemtuiError

_DAY = re.compile(r"^\d{4} \d\d \d\d (?=.)")  # a date at the start of a file's name, in words


def fill_frontmatter(context: RuleContext) -> None:
    for problem in context.problems:
        file = context.scope.find(problem.file)
        if problem.code not in ("missing-frontmatter", "wrong-type") or not problem.fix or problem.asks:
            continue
        if file is None or not context.may_change(file.name) or is_empty(context, file):
            continue
        text = context.fix(problem).get(file.name)
        if text is None:
            continue
        did = f"is of type {problem.subject}"
        if problem.code == "missing-frontmatter":
            did = "has front matter now"
            text = _set(text, "name", _name(context, file.name, text)) or text
        context.change("frontmatter", file.name, f"{file.name} {did}", {file.name: text})
    for file in context.topics:
        if not is_empty(context, file):
            _fill(context, file.name)


def _name(context: RuleContext, file: str, text: str) -> str:
    body = text[read_frontmatter(text).body_start :].lstrip("\r\n")
    first = next(iter(headings(body)), None)
    name = name_of(body, file)
    taken = {slug(other.title) for other in context.scope.topics if other.name != file}
    if first is not None and first.level == 1 and slug(name) not in taken:
        return name
    return _DAY.sub("", name_of("", file))


def _fill(context: RuleContext, name: str) -> None:
    text = context.text(name)
    front = read_frontmatter(text)
    if not front.block or front.verdict == "invalid" or any(note.code == "second-block" for note in front.problems):
        return
    body = text[front.body_start :].lstrip("\r\n")
    for key in ("name", "description"):
        if front.get(key) is not None:
            continue
        value = _name(context, name, text) if key == "name" else first_sentence(body)
        after = _set(text, key, value) if value else None
        if after is not None and context.change("frontmatter", name, f"{name} has a {key} now: {value}", {name: after}):
            text = after


def _set(text: str, key: str, value: str) -> str | None:
    """The text with a new field; `None` if the block can't take it (too long then, or the key holds a list)."""
    try:
        after = set_field(text, key, value)
    except MemtuiError:
        return None
    front = read_frontmatter(after)
    return after if front.verdict != "invalid" and front.get(key) == value else None


STEP = RuleStep((fill_frontmatter,), order=40)
