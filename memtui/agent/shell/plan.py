"""What a command line comes to once it is found harmless."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


class Denied(Exception):
    """The line isn't run; the message says why and what would do instead. It never leaves `permissions.decide`."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """Output 1 or 2 thrown away ("null"), or joined to where output 1 goes now ("stdout")."""

    fd: int
    target: Literal["null", "stdout"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One program: its bare name and arguments, and what becomes of its outputs, in order."""

    argv: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A pipeline, and when it runs: `after` is "" (the first), ";", "&&" or "||"."""

    after: str
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that runs. `cwd` is where; `readable` the folders that may be read, links resolved."""

    cwd: Path
    steps: tuple[Step, ...]
    readable: tuple[Path, ...]
