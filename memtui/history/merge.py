"""Two changes of one file brought together: by itself where they don't overlap, else hunk by hunk.

`git merge-file` does the merge: it is on nearly every machine and its answers are known to people. It runs in a private
folder, sees no repository and no configuration, and so starts no program that a memory folder could name. Without git,
only what needs no merging is merged.

`three_way` shows the same texts as hunks a person can choose between. Base, mine and disk are aligned by the lines that
all three share; between two such lines stands one hunk, which only one side changed, or both.
"""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from shutil import which
from typing import Literal

from msgspec import Struct

Side = Literal["mine", "disk", "both", "markers"]
Kind = Literal["same", "mine", "disk", "conflict"]


class Hunk(Struct, frozen=True):
    """A run of lines. `kind` says who changed it: nobody, one side, or both differently."""

    kind: Kind
    base: tuple[str, ...]
    mine: tuple[str, ...]
    disk: tuple[str, ...]

    @property
    def default(self) -> Side:
        """What is taken if nobody chooses: the side that changed; markers where both did."""
        return {"same": "mine", "mine": "mine", "disk": "disk", "conflict": "markers"}[self.kind]  # type: ignore[return-value]


def three_way(base: str, mine: str, disk: str) -> tuple[Hunk, ...]:
    """The texts as hunks, in order; joining one side of all hunks gives that side's text back."""
    lines = [text.splitlines(keepends=True) if text.isascii() else _lines(text) for text in (base, mine, disk)]
    anchors = _anchors(*lines)
    hunks: list[Hunk] = []
    at = (0, 0, 0)
    for starts, length in [*anchors, ((len(lines[0]), len(lines[1]), len(lines[2])), 0)]:
        pieces = [tuple(text[a:b]) for text, a, b in zip(lines, at, starts, strict=True)]
        if any(pieces):
            hunks.append(_hunk(*pieces))
        if length:
            same = tuple(lines[0][starts[0] : starts[0] + length])
            hunks.append(Hunk("same", same, same, same))
        at = (starts[0] + length, starts[1] + length, starts[2] + length)
    return tuple(hunks)


def _lines(text: str) -> list[str]:
    """Lines end at "\\n" only: U+2028 inside a line is text."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _anchors(base: Sequence[str], mine: Sequence[str], disk: Sequence[str]) -> list[tuple[tuple[int, int, int], int]]:
    """Runs that all three share: where they start in each, and how long they are."""
    to_mine, to_disk = (
        {a + i: b + i for a, b, n in SequenceMatcher(None, base, other, False).get_matching_blocks() for i in range(n)}
        for other in (mine, disk)
    )
    runs: list[tuple[tuple[int, int, int], int]] = []
    for line in range(len(base)):
        if line not in to_mine or line not in to_disk:
            continue
        here = (line, to_mine[line], to_disk[line])
        if runs:
            start, length = runs[-1]
            if here == (start[0] + length, start[1] + length, start[2] + length):
                runs[-1] = (start, length + 1)
                continue
        runs.append((here, 1))
    return runs


def _hunk(base: tuple[str, ...], mine: tuple[str, ...], disk: tuple[str, ...]) -> Hunk:
    if mine == disk:
        return Hunk("same", base, mine, disk)
    if mine == base:
        return Hunk("disk", base, mine, disk)
    return Hunk("mine" if disk == base else "conflict", base, mine, disk)


def resolve(hunks: Sequence[Hunk], choices: Mapping[int, Side]) -> str:
    """The text that the choices give, by number of the hunk from 0; a hunk without one takes its default."""
    out: list[str] = []
    for number, hunk in enumerate(hunks):
        side = choices.get(number, hunk.default)
        match side:
            case "mine":
                out += hunk.mine
            case "disk":
                out += hunk.disk
            case "both":
                out += [*_ended(hunk.mine), *hunk.disk]
            case "markers":
                out += ["<<<<<<< mine\n", *_ended(hunk.mine), "||||||| before\n", *_ended(hunk.base)]
                out += ["=======\n", *_ended(hunk.disk), ">>>>>>> disk\n"]
    return "".join(out)


def _ended(lines: tuple[str, ...]) -> tuple[str, ...]:
    if lines and not lines[-1].endswith("\n"):
        return (*lines[:-1], lines[-1] + "\n")
    return lines


_MARKS = (b"<<<<<<< mine", b"||||||| base", b"=======", b">>>>>>> disk")


class Merged(Struct, frozen=True):
    """What came out: bytes with diff3 marks where `conflicts` is above zero."""

    text: bytes
    conflicts: int


def merge3(mine: bytes, base: bytes, disk: bytes) -> Merged:
    """Merge two descendants of one text, `mine` to be saved and `disk` as it is now, line by line."""
    if mine in (disk, base):
        return Merged(disk, 0)
    if disk == base:
        return Merged(mine, 0)
    if b"\0" in mine + base + disk:
        return _both(mine, base, disk)
    return _merge_file(mine, base, disk) or _both(mine, base, disk)


def _both(mine: bytes, base: bytes, disk: bytes) -> Merged:
    """One conflict over the whole text, in the same marks that git uses."""
    parts: list[bytes] = []
    for mark, text in zip(_MARKS, (mine, base, disk, b""), strict=True):
        parts += [mark + b"\n", text, b"" if not text or text.endswith(b"\n") else b"\n"]
    return Merged(b"".join(parts), 1)


def _merge_file(mine: bytes, base: bytes, disk: bytes) -> Merged | None:
    """Ask git; `None` when there is none or it can't (binary, no room for its files)."""
    git = which("git")
    if git is None:
        return None
    try:
        with tempfile.TemporaryDirectory(prefix="memtui-merge-") as name:
            folder = Path(name)
            for part, text in (("mine", mine), ("base", base), ("disk", disk)):
                (folder / part).write_bytes(text)
            command = [git, "merge-file", "-p", "-q", "--diff3", "-L", "mine", "-L", "base", "-L", "disk"]
            run = subprocess.run(
                [*command, "mine", "base", "disk"],
                cwd=folder,
                env=git_environment(folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=20,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Merged(run.stdout, run.returncode) if 0 <= run.returncode < 128 else None


def git_environment(folder: Path) -> dict[str, str]:
    """No configuration of the user, the system or a repository above."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "LC_ALL": "C",
    }
