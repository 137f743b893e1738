"""Two topics with the same `name` field: a link by that name reaches only one of them."""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem
from memtui.memory.index import same_name
from memtui.memory.links import slug


def find(file: CheckedFile) -> Iterator[Problem]:
    name = file.front.name if file.front is not None else None
    if not name or file.folder is None:
        return
    others = file.folder.by_name.get(slug(name), [])
    other = next((other for other in others if not same_name(other, file.name)), None)
    if other is not None:
        yield file.problem("duplicate-topic", "warning", f"{other} has the same name: {name}", 1, subject=other)


CHECK = Check(("duplicate-topic",), TOPICS, find, order=60)
