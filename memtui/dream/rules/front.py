"""Gaps in front matter: no block, no name, no description, a type that its file's name or spelling makes certain.

A name comes from the first heading or the file's name, a description is the first sentence. A type that only a person
can tell stays away. What is there is never changed, but for a type that is misspelt.
"""

from memtui.base.errors import MemtuiError
from memtui.dream.rules.desk import Desk
from memtui.dream.rules.empty import is_empty
from memtui.memory.changes import plan_fix
from memtui.memory.fields import read_frontmatter
from memtui.memory.fixes import first_sentence, name_of
from memtui.memory.frontmatter import set_field


def fill_front(desk: Desk) -> None:
    """Fill what is missing in the topics' front matter."""
    for problem in desk.world.problems:
        file = desk.scope.find(problem.file)
        if problem.code not in ("missing-frontmatter", "wrong-type") or not problem.fix:
            continue
        if file is None or file.kind != "topic" or not desk.may(file.name) or is_empty(desk, file):
            continue
        did = "has front matter now" if problem.code == "missing-frontmatter" else f"is of type {problem.subject}"
        desk.carry_out("frontmatter", file.name, f"{file.name} {did}", plan_fix(desk.world, problem))
    for file in desk.topics:
        if not is_empty(desk, file):
            _fill(desk, file.name)


def _fill(desk: Desk, name: str) -> None:
    text = desk.text(name)
    front = read_frontmatter(text)
    if not front.block or front.verdict == "invalid":
        return
    body = text[front.body_start :].lstrip("\r\n")
    for key, value in (("name", name_of(body, name)), ("description", first_sentence(body))):
        if front.get(key) is not None or not value:
            continue
        after = _set(text, key, value)
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
