"""A folder with topics and without `MEMORY.md`. The fix writes a new file, so a person sees it first."""

from collections.abc import Iterator

from memtui.memory.checks import index_budget
from memtui.memory.checks.base import INDEX, Check, CheckedFile, Problem


def find(file: CheckedFile) -> Iterator[Problem]:
    if file.text is None and file.folder is not None and file.folder.scope.topics:
        message = "no MEMORY.md: nothing is loaded at start"
        yield file.problem("no-index", "warning", message, fix="make it from the topics")


CHECK = Check(
    ("no-index",), INDEX, find, lambda problem, context: index_budget.shorten(context, rebuild=True), order=10
)
