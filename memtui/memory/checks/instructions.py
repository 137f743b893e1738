"""Instruction files that are too large to be loaded or longer than is advised, and imports that load nothing."""

from collections.abc import Iterator

from memtui.memory.checks.base import Check, CheckedFile, Problem
from memtui.memory.instructions import ADVISED_LINES, walk_imports


def find(file: CheckedFile) -> Iterator[Problem]:
    item = file.instruction
    if item is None:
        return
    if item.exists and item.skipped and item.skipped.startswith("larger than"):
        yield file.problem("too-large", "error", item.skipped)
    if item.is_long and item.layer != "rule":
        message = f"{item.loaded_lines} lines are loaded: Claude Code's advice is at most {ADVISED_LINES}"
        yield file.problem("long-instructions", "info", message)
    for each in walk_imports(item.imports):
        if each.state == "missing" and each.is_meant and each.hops == 1:
            message = f"import not found: {each.written} ({each.reason})"
            yield file.problem("dead-link", "warning", message, each.line)
        elif each.state in _NOT_LOADED and each.hops == 1:
            message = f"import not loaded: {each.written} ({each.reason})"
            yield file.problem("import-not-loaded", "warning", message, each.line)
        elif each.state == "too-deep":
            message = f"import {each.path.name} is not loaded: {each.reason}"
            yield file.problem("import-depth", "warning", message, each.line if each.hops == 1 else None)


_NOT_LOADED = frozenset({"outside", "not-text", "skipped"})
CODES = ("too-large", "long-instructions", "dead-link", "import-not-loaded", "import-depth")
CHECK = Check(CODES, frozenset({"instruction"}), find, order=120)
