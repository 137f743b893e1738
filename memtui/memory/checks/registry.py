"""All checks of this package, and what runs them: over a folder, an instruction file, a text in the editor.

`CHECKS` is in the order in which problems of one line are listed. It is made from the package's modules: a new check is
a new file that defines `CHECK`, and nothing is changed here.
"""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from memtui.memory import checks
from memtui.memory.checks import file_state
from memtui.memory.checks.base import Check, CheckedFile, CheckedFolder, Fix, FixContext, Problem, TextFindings
from memtui.memory.conflict_markers import line_list, marker_lines
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import INDEX_NAME
from memtui.memory.instructions import Instruction
from memtui.memory.links import Graph
from memtui.memory.scope import Scope
from memtui.memory.surroundings import NOTHING_AROUND, Surroundings
from memtui.memory.topic import FileKind
from memtui.util.errors import MemtuiError, Refused


def find_checks() -> tuple[Check, ...]:
    """The `CHECK` of every module of the package that has one, by `order`, then by name."""
    names = sorted(
        module.name for module in iter_modules(checks.__path__, f"{checks.__name__}.") if module.name != __name__
    )
    found: list[Check] = [module.CHECK for module in map(import_module, names) if hasattr(module, "CHECK")]
    return tuple(sorted(found, key=lambda check: check.order))


CHECKS = find_checks()
_FIXES = {code: check for check in CHECKS if check.fix is not None for code in check.codes}


def check_file(file: CheckedFile) -> list[Problem]:
    return [problem for check in CHECKS if file.kind in check.kinds for problem in check.find(file)]


def check_folder(
    scope: Scope,
    graph: Graph,
    findings: Mapping[str, TextFindings],
    now: float,
    around: Surroundings = NOTHING_AROUND,
    *,
    compare: bool = True,
) -> tuple[Problem, ...]:
    """Check a folder after the full read; the problems come by file and line, the index first.

    `findings` are by path: a file without an entry isn't judged by its text. `compare`: files with each other, too.
    """
    folder = CheckedFolder(scope, graph, around, now)
    problems: list[Problem] = []
    if scope.index is None:
        problems += check_file(CheckedFile(scope.id, INDEX_NAME, scope.root / INDEX_NAME, "index", folder))
    for file in scope.files:
        is_judged = file.kind == "topic" and not file_state.is_unreadable(file.readonly)
        problems += check_file(
            CheckedFile(
                scope.id, file.name, file.path, file.kind, folder, file,
                text=scope.index_text if file.kind == "index" else None,
                front=file.front if is_judged else None,
                has_body=file.size > 0,
                findings=findings.get(str(file.path), TextFindings("")),
                age_s=now - file.modified,
            )
        )  # fmt: skip
    for check in CHECKS:
        if compare and check.find_in_folder is not None:
            problems += check.find_in_folder(folder)
    order = {file.name: number for number, file in enumerate(scope.files)}
    problems.sort(key=lambda p: (p.file != INDEX_NAME, order.get(p.file, 0), p.line or 0, p.column or 0))
    return tuple(problems)


def check_instructions(items: Iterable[Instruction], findings: Mapping[str, TextFindings]) -> tuple[Problem, ...]:
    files = (_instruction_file(item.path, findings.get(str(item.path), TextFindings("")), item) for item in items)
    return tuple(problem for file in files for problem in check_file(file))


def _instruction_file(path: Path, findings: TextFindings, item: Instruction | None = None) -> CheckedFile:
    return CheckedFile("instructions", path.name, path, "instruction", instruction=item, findings=findings)


def check_editor_text(path: Path, text: str, folder: CheckedFolder | None) -> tuple[Problem, ...]:
    """Check one text as it stands in an editor, of a file that need not exist; an instruction's for secrets alone."""
    if folder is None:
        return tuple(check_file(_instruction_file(path, scan_text(text, "instruction"))))
    name = path.relative_to(folder.scope.root).as_posix()
    known = folder.scope.find(name)
    new: FileKind = "log" if folder.scope.id == "logs" else "index" if name == INDEX_NAME else "topic"
    kind = known.kind if known is not None else new
    file = CheckedFile(
        folder.scope.id, name, path, kind, folder, text=text,
        front=read_frontmatter(text) if kind == "topic" else None,
        has_body=bool(text.strip()),
        findings=scan_text(text, kind),
    )  # fmt: skip
    return tuple(sorted(check_file(file), key=lambda problem: (problem.line or 0, problem.column or 0)))


def scan_text(text: str, kind: FileKind, digest: str = "") -> TextFindings:
    """Look through a text for all checks that need the whole of it; `digest` is that of the file's bytes."""
    hits = {
        check.codes[0]: check.find_in_text(text)
        for check in CHECKS
        if check.find_in_text is not None and kind in check.kinds
    }
    return TextFindings(digest, hits)


def is_certain(problem: Problem) -> bool:
    return bool(problem.fix) and not problem.asks and problem.code in _FIXES and _FIXES[problem.code].is_certain


def fix_problem(problem: Problem, context: FixContext) -> Fix:
    """The texts that fix a problem. Raises if only a person can fix it, or the file changed meanwhile."""
    if not problem.fix:
        raise MemtuiError(f"only you can fix this: {problem.message}")
    check = _FIXES.get(problem.code)
    if check is None or check.fix is None:
        raise MemtuiError(f"memtui can't fix this by itself: {problem.message}")
    made = check.fix(problem, context)
    for name in made.texts:
        if problem.code != "secret" and (lines := marker_lines(context.read(name))):
            raise Refused(f"{name} has conflict markers in {line_list(lines)}", hint="resolve the conflict first")
    if all(text == context.read(name) for name, text in made.texts.items()):
        raise MemtuiError(f"{problem.file} changed meanwhile: the problem isn't there any more", hint="look again")
    return made
