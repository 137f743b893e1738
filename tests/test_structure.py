"""The shape of the code base: no import cycles, few local imports, one class for each name, no outside references.

All of it is read from the sources, so that an import inside a function or below `TYPE_CHECKING` counts as well.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support import REPO

PACKAGE = REPO / "memtui"
MAX_LOCAL_IMPORTS = 100
MAX_SHARED_CLASS_NAMES = 3

SOURCES = {
    ".".join(path.relative_to(REPO).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@cache
def trees() -> dict[str, ast.Module]:
    """Each module, parsed."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in SOURCES.items()}


def imported(tree: ast.Module) -> Iterator[str]:
    """The modules of ours that a module imports, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in SOURCES)
        elif isinstance(node, ast.ImportFrom) and node.module in SOURCES:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in SOURCES else node.module


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of two or more modules that import each other (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in edges.get(name, ()):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == order[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in edges:
        if name not in order:
            visit(name)
    return found


def local_imports() -> list[str]:
    """Imports inside functions, as "module:line"."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = {
        f"{name}:{inner.lineno}"
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, functions)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }
    return sorted(found)


def shared_class_names() -> dict[str, list[str]]:
    """Public classes whose name is defined in more than one module."""
    places: dict[str, list[str]] = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {name: modules for name, modules in places.items() if len(modules) > 1}


def test_a_cycle_is_found() -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_modules_import_each_other() -> None:
    assert cycles({name: set(imported(tree)) - {name} for name, tree in trees().items()}) == []


def test_imports_stand_at_the_top() -> None:
    found = local_imports()
    assert len(found) <= MAX_LOCAL_IMPORTS, found


def test_a_class_name_means_one_thing() -> None:
    found = shared_class_names()
    assert len(found) <= MAX_SHARED_CLASS_NAMES, found


@pytest.mark.parametrize("folder", ["memtui", "tests", "styles", ".github", ".ci"])
def test_nothing_refers_to_a_page_outside_the_repository(folder: str) -> None:
    pages = re.compile(r"\b(DESIGN|SAFETY|FORMATS|UX|PERFORMANCE|FINDINGS|NAMES|STYLE)\.md\b")
    here = Path(__file__)
    found = [
        f"{path.relative_to(REPO)}:{number}"
        for path in sorted((REPO / folder).rglob("*"))
        if path.suffix in (".py", ".md", ".tcss", ".toml", "") and path.is_file() and path != here
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pages.search(line)
    ]
    assert found == []


if __name__ == "__main__":
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in SOURCES.values())
    groups = cycles({name: set(imported(tree)) - {name} for name, tree in trees().items()})
    print(f"modules {len(SOURCES)}\nlines {lines}\nimport cycles {len(groups)} with {sum(map(len, groups))} modules")
    print(f"local imports {len(local_imports())}\nclass names defined twice {len(shared_class_names())}")
    sys.exit(0)
