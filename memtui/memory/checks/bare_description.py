"""A description that only repeats the topic's name: the agent can't tell from it when the topic is useful."""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem
from memtui.memory.frontmatter import TYPES
from memtui.memory.links import slug
from memtui.memory.topic import stem_of

_SAYS_NOTHING = re.compile(
    r"an?|the|of|for|on|about|and|in|to|with|this|that|is|are|memor(?:y|ie)|note|topic|file|info|information|detail"
    rf"|description|{'|'.join(TYPES)}"
)


def find(file: CheckedFile) -> Iterator[Problem]:
    field = file.field("description")
    if field is None or file.front is None:
        return
    words = {word for word in _words(field.value or "") if not _SAYS_NOTHING.fullmatch(word)}
    if words <= _words(file.front.name or "") | _words(stem_of(file.name)):
        message = "the description only repeats the name: say when the topic is useful"
        yield file.problem("bare-description", "warning", message, field.line)


def _words(text: str) -> set[str]:
    """The words of a text, those in the plural as in the singular."""
    return {word.removesuffix("s") for word in re.findall(r"[^\W_]+", slug(text))}


CHECK = Check(("bare-description",), TOPICS, find, order=170)
