"""Gaps in front matter: no block, no name, no description, a type that its file's name or spelling makes certain.

A name is the first heading, if that is the text's own and no other file is called so ("Decision"), else the file's name
in words; a description is the first sentence. A type that only a person can tell stays away. What is there is never
changed, but for a type that is misspelt.
"""

import re

from memtui.dream.rules.context import RuleContext
from memtui.dream.rules.empty import is_empty
from memtui.memory.checks.fixes import first_sentence, name_of, plan_fix
from memtui.memory.frontmatter import read_frontmatter, set_field
from memtui.memory.links import slug
from memtui.memory.markdown import headings
from memtui.util.errors import MemtuiError

_DAY = re.compile(r"^\d{4} \d\d \d\d (?=.)")
"""A date at the head of a file's name, in words: it says nothing of what the file is about."""


def fill_front(desk: RuleContext) -> None:
    """Fill what is missing in the topics' front matter."""
    for problem in desk.snapshot.problems:
        file = desk.scope.find(problem.file)
        if problem.code not in ("missing-frontmatter", "wrong-type") or not problem.fix:
            continue
        if file is None or file.kind != "topic" or not desk.may(file.name) or is_empty(desk, file):
            continue
        plan = plan_fix(desk.snapshot, problem)
        text = next((one.data.decode("utf-8") for one in plan.changes if one.name == file.name and one.data), "")
        did = f"is of type {problem.subject}"
        if problem.code == "missing-frontmatter":
            did = "has front matter now"
            text = _set(text, "name", _name(desk, file.name, text)) or text
        desk.change("frontmatter", file.name, f"{file.name} {did}", {file.name: text})
    for file in desk.topics:
        if not is_empty(desk, file):
            _fill(desk, file.name)


def _name(desk: RuleContext, file: str, text: str) -> str:
    """What a file without a name is to be called."""
    body = text[read_frontmatter(text).body_start :].lstrip("\r\n")
    first = next(iter(headings(body)), None)
    name = name_of(body, file)
    taken = {slug(other.title) for other in desk.scope.topics if other.name != file}
    if first is not None and first.level == 1 and slug(name) not in taken:
        return name
    return _DAY.sub("", name_of("", file))


def _fill(desk: RuleContext, name: str) -> None:
    text = desk.text(name)
    front = read_frontmatter(text)
    if not front.block or front.verdict == "invalid":
        return
    body = text[front.body_start :].lstrip("\r\n")
    for key in ("name", "description"):
        if front.get(key) is not None:
            continue
        value = _name(desk, name, text) if key == "name" else first_sentence(body)
        after = _set(text, key, value) if value else None
        if after is not None and desk.change("frontmatter", name, f"{name} has a {key} now: {value}", {name: after}):
            text = after


def _set(text: str, key: str, value: str) -> str | None:
    """The text with a field more; `None` if the block can't take it (too long then, or the key holds a list)."""
    try:
        after = set_field(text, key, value)
    except MemtuiError:
        return None
    front = read_frontmatter(after)
    return after if front.verdict != "invalid" and front.get(key) == value else None
