"""Front matter that is odd or has gaps only a person can fill."""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem, Severity

_CODES: dict[Severity, str] = {
    "error": "unclosed nul not-utf8",
    "warning": "odd-line odd-indent duplicate tight-colon hidden second-block yaml-tag not-a-word",
    "info": "bom folded long-value",
}
_SEVERITIES = {code: severity for severity, codes in _CODES.items() for code in codes.split()}


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
