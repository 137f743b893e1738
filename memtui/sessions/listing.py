"""Sessions as lines of a list, a compact form to keep thousands of them in memory, and the project folders."""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, overload

from memtui.client.session_files import PROGRAM_KINDS, SessionFile, session_id
from memtui.fs.folders import subfolders


class Session(NamedTuple):
    """A session as a line of a list: its file, and the part of its summary that a line shows or a search looks at.

    A named tuple, unlike other values: rows of the catalogue become sessions, and are compared with what a folder
    lists, as they are. A Struct would be built and taken apart again 5,000 times for one `memtui sessions ls`.
    """

    file_path: str
    modified: float
    size: int
    inode: int
    when: float  # the time of the last record (`SessionSummary.when`), in seconds since 1970
    title: str  # "" where nothing was written yet
    messages: int
    bad: int
    branch: str
    cwd: str
    first_prompt: str  # "" where it is the title
    kind: str = ""  # these four as in `SessionSummary`
    tag: str = ""
    forked_from: str = ""
    continued_in: str = ""

    @property
    def by_program(self) -> bool:
        """Whether a program began it: Claude Code's picker doesn't list it."""
        return self.kind in PROGRAM_KINDS

    @property
    def marks(self) -> str:
        """What it is besides a session that a person began, in words: "headless", "fork", "continued", "#tag"."""
        words = (self.kind, self.forked_from and "fork", self.continued_in and "continued", self.tag and f"#{self.tag}")
        return " ".join(filter(None, words))

    @property
    def file(self) -> SessionFile:
        return SessionFile(*self[:4])

    @property
    def path(self) -> Path:
        return Path(self.file_path)

    @property
    def id(self) -> str:
        """The stem of its file's name, whatever its records say."""
        return session_id(self.file_path)


def project_folders(projects: Path) -> list[Path]:
    """The folder of every project, sorted by name; none where there are no projects."""
    return [projects / name for name in subfolders(projects, follow=True)]


SESSIONS_PER_BLOCK = 64  # compressed together: more than a screen shows, few enough to decompress for one


class CompressedSessions(Sequence[Session]):
    """Sessions (or rows of the catalogue) in order, in a fifth of the memory. The block read last stays decompressed.

    Blocks are marshalled, not packed by msgspec: that would cost each `sessions ls` 10 ms to import.
    """

    __slots__ = ("_blocks", "_count", "_last")

    def __init__(self, sessions: Iterable[tuple[Any, ...]] = ()) -> None:
        rest, blocks = iter(sessions), []
        self._count = 0
        while block := list(islice(rest, SESSIONS_PER_BLOCK)):
            blocks.append(zlib.compress(marshal.dumps(list(map(tuple, block))), 1))
            self._count += len(block)
        self._blocks = tuple(blocks)
        self._last: tuple[int, list[Session]] = (-1, [])

    def at(self, path: str) -> Session | None:
        """The session of a file; None if it isn't in the list."""
        return next((one for one in self if one.file_path == path), None)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Session: ...
    @overload
    def __getitem__(self, index: slice) -> list[Session]: ...
    def __getitem__(self, index: int | slice) -> Session | list[Session]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._count))]
        number, offset = divmod(range(self._count)[index], SESSIONS_PER_BLOCK)
        last, block = self._last  # read once: other threads may replace it
        if last != number:
            block = self._block(number)
            self._last = (number, block)
        return block[offset]

    def __iter__(self) -> Iterator[Session]:
        for number in range(len(self._blocks)):
            yield from self._block(number)

    def _block(self, number: int) -> list[Session]:
        return list(map(Session._make, marshal.loads(zlib.decompress(self._blocks[number]))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompressedSessions) and self._blocks == other._blocks

    def __hash__(self) -> int:
        return hash(self._blocks)
