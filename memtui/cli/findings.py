"""What was found: the lines of `memtui doctor` and of `memtui dream doctor`."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from memtui.cli.context import CliContext
from memtui.cli.output import Cell, Line, StyledText
from memtui.cli.table import columns, table

State = Literal["ok", "note", "problem"]
_STYLES = {"ok": "good", "note": "warn", "problem": "problem"}


class DoctorResult(Struct, frozen=True):
    """One thing looked at: its state, what was found, and what to do (may be empty)."""

    name: str
    state: State
    message: str
    hint: str = ""


def ok(name: str, message: str, hint: str = "") -> DoctorResult:
    return DoctorResult(name, "ok", message, hint)


def note(name: str, message: str, hint: str = "") -> DoctorResult:
    return DoctorResult(name, "note", message, hint)


def problem(name: str, message: str, hint: str = "") -> DoctorResult:
    return DoctorResult(name, "problem", message, hint)


def writable_place(folder: Path) -> tuple[Path, bool]:
    """The folder, or the nearest above it that there is, and whether something can be written into that."""
    there = next((one for one in (folder, *folder.parents) if os.path.lexists(one)), Path("/"))
    return there, there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def print_results(context: CliContext, kind: str, found: Sequence[DoctorResult], fixed: Sequence[str] = ()) -> int:
    """Print what was found, after what was removed; the exit code: 1 if something is wrong."""
    findings = [asdict(one) for one in found]

    def text() -> Iterator[Line]:
        for name in fixed:
            yield [StyledText("removed  ", "good"), name]
        rows: list[list[Cell]] = []
        for one in found:
            rows.append([StyledText(one.state, _STYLES[one.state]), one.name, one.message])
            if one.hint and not context.out.quiet:
                rows.append(["", "", StyledText(one.hint, "dim")])
        yield from table(context.out, columns("", "", ""), rows)

    context.out.result(kind, {"findings": findings, "fixed": list(fixed)}, text(), rows=findings)
    return int(any(one.state == "problem" for one in found))
