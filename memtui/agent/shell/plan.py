"""What a command line comes to once it is found harmless."""

from pathlib import Path
from typing import Literal

from msgspec import Struct


class Denied(Exception):
    """The line isn't run; the message says why and what would do instead. It never leaves `permissions.decide`."""


class Redirect(Struct, frozen=True):
    """Output 1 or 2 thrown away ("null"), or joined to where output 1 goes now ("stdout")."""

    fd: int
    target: Literal["null", "stdout"]


class PipelineStage(Struct, frozen=True):
    """One program: its bare name and arguments, and what becomes of its outputs, in order."""

    argv: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()


class ShellStep(Struct, frozen=True):
    """A pipeline, and when it runs: `after` is "" (the first), ";", "&&" or "||"."""

    after: str
    stages: tuple[PipelineStage, ...]


class ShellPlan(Struct, frozen=True):
    """Everything that runs. `cwd` is where; `readable` the folders that may be read, links resolved."""

    cwd: Path
    steps: tuple[ShellStep, ...]
    readable: tuple[Path, ...]
