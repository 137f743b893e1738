"""Sessions as bytes: nothing of one is lost, and two are the same where their bytes are."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.search.packed import Packed, pack, unpack
from memtui.sessions.listing import Session

whole = st.integers(0, 2**63 - 1)
times = st.floats(0, 1e12)
sessions = st.builds(Session, st.text(), times, whole, whole, times, st.text(), whole, whole, *[st.text()] * 3)


@given(sessions, sessions)
def test_there_and_back(one: Session, other: Session) -> None:
    assert unpack(pack(one)) == one
    assert type(unpack(pack(one))) is Session
    assert (pack(one) == pack(other)) is (one == other)


@given(st.lists(sessions, max_size=4), st.slices(4))
def test_a_sequence_like_any_other(many: list[Session], some: slice) -> None:
    packed = Packed.of(many)
    assert list(packed) == many
    assert [packed[index] for index in range(len(packed))] == many
    assert list(packed[some]) == many[some]
    assert packed == Packed.of(many)
    assert hash(packed) == hash(Packed.of(many))
    assert packed != many
    for one in many:
        assert packed.at(one.place) == next(each for each in many if each.place == one.place)
    assert packed.at("nowhere\0") is None or any(one.place == "nowhere\0" for one in many)
