"""Sessions of a list, each as its bytes: thousands are held as long as the screen is open, dozens are looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from msgspec.msgpack import Decoder, Encoder

from memtui.sessions.listing import Session

_encode = Encoder().encode_into
unpack = Decoder(Session).decode


def pack(session: tuple[Any, ...]) -> bytes:
    """The bytes of a session, or of the row of the catalogue that is one; equal ones have equal bytes."""
    room = bytearray()
    _encode(session, room)
    return bytes(room)  # what `encode` gives keeps half a kilobyte, however little is in it


class Packed(Sequence[Session]):
    """Sessions in order. One is made anew whenever it is asked for: it takes a third of the room until then.

    `rows` are their bytes, which stand for them where it only matters whether two are the same.
    """

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[bytes] = ()) -> None:
        self.rows = tuple(rows)

    @classmethod
    def of(cls, sessions: Iterable[Session]) -> Packed:
        """These, packed."""
        return cls(map(pack, sessions))

    def at(self, place: str) -> Session | None:
        """The session whose file is there; `None` if it isn't among them."""
        return next((one for one in self if one.place == place), None)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Session: ...
    @overload
    def __getitem__(self, index: slice) -> Packed: ...
    def __getitem__(self, index: Any) -> Session | Packed:
        return Packed(self.rows[index]) if isinstance(index, slice) else unpack(self.rows[index])

    def __iter__(self) -> Iterator[Session]:
        return map(unpack, self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Packed) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)
