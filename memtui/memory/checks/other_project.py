"""A topic whose paths all lie in another project of this machine: it may have been written into the wrong memory."""

import re
from collections import Counter
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem, TextHit

MIN_PATHS = 2
_PATH = re.compile(r"(?<![\w./~:-])(?:~/|/(?!/))[\w.@+-]+(?:/[\w.@+-]+)+")


def find_in_text(text: str) -> tuple[TextHit, ...]:
    """Find the absolute paths, each where it stands first."""
    first: dict[str, int] = {}
    for match in _PATH.finditer(text):
        first.setdefault(match[0].rstrip(".-"), match.start())
    return tuple(TextHit(text.count("\n", 0, at) + 1, 1, path) for path, at in first.items())


def find(file: CheckedFile) -> Iterator[Problem]:
    """Report a topic of the project's own memory; what is known of the person holds in every project."""
    hits = file.hits("other-project")
    if file.folder is None or file.scope != "auto" or len(hits) < MIN_PATHS:
        return
    if file.front is not None and file.front.type == "user":
        return
    places = Counter(file.folder.around.other_project(hit.words) for hit in hits)
    place, count = places.most_common(1)[0]
    if place and count == len(hits):
        message = f"all {count} paths in it lie in another project: {place}"
        yield file.problem("other-project", "info", message, hits[0].line, subject=place)


CHECK = Check(("other-project",), TOPICS, find, find_in_text=find_in_text, order=290)
