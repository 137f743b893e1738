"""Records are named tuples, and rows come back from a line as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memtui.util.tabbed import Value, pack, unpack

from memtui.util.record import Record


class Point(Record):
    """A place."""

    x: int
    y: int = 2

    @property
    def far(self) -> bool:
        """Beyond ten."""
        return self.x > 10


def test_a_record_is_a_named_tuple() -> None:
    point = Point(1)
    assert point == (1, 2) == Point(x=1, y=2)
    assert point._replace(x=11).far
    assert Point._fields == ("x", "y")
    assert point._asdict() == {"x": 1, "y": 2}
    assert repr(point) == "Point(x=1, y=2)"
    assert Point.__doc__ == "A place."
    assert Point.__module__ == __name__
    with pytest.raises(AttributeError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]


TEXTS = st.text(st.characters(exclude_categories=()))
NUMBERS = st.integers() | st.floats(allow_nan=False)


@given(st.lists(st.none() | st.booleans() | NUMBERS | TEXTS, min_size=1))
def test_a_row_comes_back_from_its_line(row: list[Value]) -> None:
    line = pack(row)
    assert line.isascii()
    assert "\n" not in line
    assert "\r" not in line
    back = unpack(line)
    assert back == row
    assert list(map(type, back)) == list(map(type, row))
