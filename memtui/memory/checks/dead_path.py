"""A path in code that reads like a file of this repository, whose folder is there and which isn't: it went or moved."""

import re
from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem, TextHit

_PATH = re.compile(
    r"(?<!`)`((?:\./)?(?:[\w@-][\w@.-]*/|\.[\w@-][\w@.-]*/)+[\w@.-]*\w\.[A-Za-z]\w{0,5})(?::\d+(?:[-:]\d+)?)?`(?!`)",
    re.ASCII,
)
_TOLD = re.compile(
    r"\b(?:remov|delet|renam|mov(?:e|ed|ing)\b|replac|drop|gone|retir|former|old\b|legacy|was\b|were\b|used to"
    r"|no longer|doesn['’]t exist|does not exist|not exist|missing|never|add\b|creat|new\b|write to|generat|output|emit"
    r"|build|copy|copies|example|e\.g\.|such as|template|would|should|todo|plan|not yet|absent|until|→|->)",
    re.IGNORECASE,
)
"""Words of a line that says itself that a file went, or that it is to come or made by a program."""
_NOT_TRACKED = re.compile(
    r"(?:.*/)?(?:\.git|node_modules|dist|build|out|target|coverage|tmp|temp|logs?|\.?cache|\.?venv|__pycache__|vendor)/"
)
_PLACEHOLDER = re.compile(
    r"\.\.\.|YYYY|MM-DD|XXX|NNN|[A-Z]{2,}\.(?!md\b)|NAME\b|\b(?:foo|bar|baz|example|some|my|your)\b", re.ASCII
)
MAX_PATHS = 200


def find_in_text(text: str) -> tuple[TextHit, ...]:
    hits: dict[str, TextHit] = {}
    for match in _PATH.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        line = text[start : text.find("\n", match.end()) if "\n" in text[match.end() :] else len(text)]
        path = match[1].removeprefix("./")
        is_file = ".." not in path.split("/") and not _NOT_TRACKED.match(path) and not _PLACEHOLDER.search(path)
        if is_file and not _TOLD.search(line):
            number = text.count("\n", 0, start) + 1
            hits.setdefault(path, TextHit(number, match.start() - start + 1, path))
    return tuple(hits.values())[:MAX_PATHS]


def find(file: CheckedFile) -> Iterator[Problem]:
    for hit in file.hits("dead-path"):
        if file.folder is not None and file.folder.around.is_gone(hit.words):
            message = f"not in the repository any more: {hit.words}"
            yield file.problem("dead-path", "info", message, hit.line, hit.column, subject=hit.words)


CHECK = Check(("dead-path",), TOPICS, find, find_in_text=find_in_text, order=280)
