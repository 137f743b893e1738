"""A `name` field that has no word in common with the file's name: a link by one doesn't tell of the other."""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem
from memtui.memory.links import slug
from memtui.memory.topic import stem_of

MIN_CHARS = 3  # a shorter name is too short to tell
_ONE_WORD = re.compile(r"[\w.-]+\Z", re.ASCII)


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report a name that is written as file names are; one in words ("Who is on call") is a title."""
    field = file.field("name")
    if field is None or field.value is None or not _ONE_WORD.match(field.value):
        return
    name, stem = slug(field.value.removesuffix(".md")), slug(stem_of(file.name))
    if (
        min(len(name), len(stem)) < MIN_CHARS
        or name.replace("-", "") in stem.replace("-", "")
        or stem.replace("-", "") in name.replace("-", "")
    ):
        return
    if not {*name.split("-")} & {*stem.split("-")}:
        message = f"the name in the front matter, {field.value}, is another than the file's"
        yield file.problem("name-mismatch", "info", message, field.line, subject=field.value)


CHECK = Check(("name-mismatch",), TOPICS, find, order=150)
