"""A problem as data: what is wrong, where, how bad, and what memtui would do about it."""

from pathlib import Path
from typing import Literal

from msgspec import Struct

Severity = Literal["error", "warning", "info"]
"""Something is lost or leaks; worth mending; a hint that is never counted."""


class Problem(Struct, frozen=True):
    """One thing that is wrong.

    `scope` is the scope's id or "instructions", `file` the name in it, `path` where it is. `line` and `column` count
    from 1,
    columns in characters. `subject` is what it is about, for programs: the target of a dead link, the name to put in
    its place after a blank, a type.
    """

    scope: str
    file: str
    path: Path
    line: int | None
    column: int | None
    code: str
    severity: Severity
    message: str
    fix: str = ""
    subject: str = ""
    better: str = ""


class At(Struct, frozen=True):
    """The file that problems are made for."""

    scope: str
    file: str
    path: Path

    def problem(
        self,
        code: str,
        severity: Severity,
        message: str,
        line: int | None = None,
        column: int | None = None,
        fix: str = "",
        subject: str = "",
        better: str = "",
    ) -> Problem:
        return Problem(self.scope, self.file, self.path, line, column, code, severity, message, fix, subject, better)
