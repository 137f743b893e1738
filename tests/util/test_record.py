"""Records are named tuples."""

import pytest

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
