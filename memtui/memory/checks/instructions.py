"""Instruction files that are too large to be loaded, and imports that load nothing."""

from collections.abc import Iterator

from memtui.memory.checks.base import Check, CheckedFile, Problem
from memtui.memory.instructions import walk_imports


def find(file: CheckedFile) -> Iterator[Problem]:
    item = file.instruction
    if item is None:
        return
    if item.exists and item.skipped and item.skipped.startswith("larger than"):
        yield file.problem("too-large", "error", item.skipped)
    for each in walk_imports(item.imports):
        if each.state == "missing" and each.word is not None and each.word.means_a_file and each.hops == 1:
            message = f"import not found: {each.written} ({each.reason})"
            yield file.problem("dead-link", "warning", message, each.line)
        elif each.state == "too-deep":
            message = f"import {each.path.name} is not loaded: {each.reason}"
            yield file.problem("import-depth", "warning", message, each.line if each.hops == 1 else None)


CHECK = Check(("too-large", "dead-link", "import-depth"), frozenset({"instruction"}), find, order=120)
