"""Front matter that is odd or has gaps only a person can fill."""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem, Severity

_SEVERITIES: dict[str, Severity] = {
    "unclosed": "error",
    "nul": "error",
    "not-utf8": "error",
    "odd-line": "warning",
    "odd-indent": "warning",
    "duplicate": "warning",
    "tight-colon": "warning",
    "hidden": "warning",
    "second-block": "warning",
    "yaml-tag": "warning",
    "not-a-word": "warning",
    "bom": "info",
    "folded": "info",
    "long-value": "info",
}


def find(file: CheckedFile) -> Iterator[Problem]:
    front = file.front
    if front is None or not (front.block or front.verdict == "invalid"):
        return
    for note in front.problems:
        if note.code == "no-description":
            message = "no description: the agent can't tell when it is useful"
            yield file.problem("frontmatter", "warning", message, 1, subject="description")
        elif note.code == "no-name":
            yield file.problem("frontmatter", "info", "no name in the front matter", 1, subject="name")
        elif note.code in _SEVERITIES:
            yield file.problem("frontmatter", _SEVERITIES[note.code], note.message, note.line, subject=note.code)


CHECK = Check(("frontmatter",), TOPICS, find, order=90)
