"""Problems of memory files."""

from collections import Counter
from collections.abc import Iterable

from memtui.memory.checks.base import Problem, Severity
from memtui.presentation import LabeledText, Tone
from memtui.util.text import pluralize

SEVERITY_TONES: dict[Severity, Tone] = {"error": "problem", "warning": "warn", "info": "dim"}


def problem_place(name: str, line: int | None, column: int | None = None) -> str:
    """Where a problem is, as compilers say it: "MEMORY.md:12:3"."""
    return ":".join(str(part) for part in (name, line, column) if part is not None)


def problem_text(problem: Problem) -> LabeledText:
    """A problem of a file that is known already, labelled with its line."""
    place = "" if problem.line is None else f"line {problem.line:,}"
    return LabeledText(place, problem.message, SEVERITY_TONES[problem.severity])


def problems_in_files(count: int, files: int) -> str:
    """How many problems there are in how many files: "15 problems in 10 files"; one file isn't counted."""
    return pluralize(count, "problem") + (f" in {pluralize(files, 'file')}" if files > 1 else "")


def problem_counts(severities: Iterable[Severity]) -> str:
    """How many problems there are: "2 errors, 1 warning"; hints are not counted, "" for none."""
    counts = Counter(severities)
    return ", ".join(pluralize(counts[severity], severity) for severity in ("error", "warning") if counts[severity])
