"""A session as a line of a list, and the folders in which there are some; `search.catalogue` makes the lists.

Sessions of a list, packed: thousands are held as long as the screen is open, dozens of them are looked at.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, overload

from msgspec.msgpack import Decoder, Encoder

from memtui.client.session_files import SessionFile, session_id


class Session(NamedTuple):
    """A session as a line of a list: its file, and of the facts what a line shows, or is looked for in.

    There may be thousands: this is a row of the catalogue as the database gives it, and nothing around it. `when` is
    that of `Facts.when`; `title` is "" where nobody said anything yet, `first_prompt` where it is the title.

    A named tuple, unlike other values: rows of SQLite become sessions, and are compared with what a folder lists, as
    they are. A Struct would be built and taken apart again 5,000 times for one `memtui sessions ls`.
    """

    place: str
    modified: float
    size: int
    inode: int
    when: float
    title: str
    messages: int
    bad: int
    branch: str
    cwd: str
    first_prompt: str

    @property
    def file(self) -> SessionFile:
        """Its file as the folder lists it."""
        return SessionFile(*self[:4])

    @property
    def path(self) -> Path:
        """Its file."""
        return Path(self.place)

    @property
    def id(self) -> str:
        """Its identity: the stem of the file's name, whatever its records say."""
        return session_id(self.place)


def folders(projects: Path) -> list[Path]:
    """The folder of every project, by name; none where there are no projects."""
    try:
        with os.scandir(projects) as entries:
            return [projects / name for name in sorted(entry.name for entry in entries if entry.is_dir())]
    except OSError:
        return []


BLOCK = 64
"""Sessions that are packed together: more than a screen shows, and few enough to be unpacked for a single one."""
_encode = Encoder().encode
_decode = Decoder(list[Session]).decode


class CompressedList(Sequence[Session]):
    """Sessions in order, in a fifth of the room. The block that was looked at last stays unpacked.

    Args:
        sessions: Or rows of the catalogue that are some.
    """

    __slots__ = ("_blocks", "_count", "_last")

    def __init__(self, sessions: Iterable[tuple[Any, ...]] = ()) -> None:
        rest, blocks = iter(sessions), []
        self._count = 0
        while block := list(islice(rest, BLOCK)):
            blocks.append(zlib.compress(_encode(block), 1))
            self._count += len(block)
        self._blocks = tuple(blocks)
        self._last: tuple[int, list[Session]] = (-1, [])

    def at(self, place: str) -> Session | None:
        """The session whose file is there; `None` if it isn't among them."""
        return next((one for one in self if one.place == place), None)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Session: ...
    @overload
    def __getitem__(self, index: slice) -> list[Session]: ...
    def __getitem__(self, index: int | slice) -> Session | list[Session]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._count))]
        number, place = divmod(range(self._count)[index], BLOCK)
        at, block = self._last  # one look: other threads unpack as well
        if at != number:
            block = self._block(number)
            self._last = (number, block)
        return block[place]

    def __iter__(self) -> Iterator[Session]:
        for number in range(len(self._blocks)):
            yield from self._block(number)

    def _block(self, number: int) -> list[Session]:
        return _decode(zlib.decompress(self._blocks[number]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompressedList) and self._blocks == other._blocks

    def __hash__(self) -> int:
        return hash(self._blocks)
