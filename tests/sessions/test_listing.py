"""Sessions packed: nothing of one is lost, wherever it stands."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from memtui.sessions import listing as packed
from memtui.sessions.listing import SESSIONS_PER_BLOCK, CompressedSessions, Session

whole = st.integers(0, 2**63 - 1)
times = st.floats(0, 1e12)
sessions = st.builds(Session, st.text(), times, whole, whole, times, st.text(), whole, whole, *[st.text()] * 3)


@given(st.lists(sessions, max_size=7), st.slices(7), st.integers(1, 3))
def test_a_sequence_like_any_other(many: list[Session], some: slice, size: int) -> None:
    with patch.object(packed, "SESSIONS_PER_BLOCK", size):
        held = CompressedSessions(many)
        assert list(held) == many
        assert all(type(one) is Session for one in held)
        assert [held[number] for number in range(-len(many), len(many))] == many + many
        assert held[some] == many[some]
        assert len(held) == len(many)
        assert held == CompressedSessions(many)
        assert hash(held) == hash(CompressedSessions(many))
        assert held != CompressedSessions([*many, *many[:1]]) or not many
        for one in many:
            assert held.at(one.file_path) == next(each for each in many if each.file_path == one.file_path)


def test_thousands_take_little_room() -> None:
    many = [
        Session(f"/home/ana/.claude/projects/-home-ana-shop/{number:036}.jsonl", 1.5e9 + number, number, number, 1.5e9,
                f"make the checkout remember number {number}", 9, 0, "main", "/home/ana/shop", "")
        for number in range(100 * SESSIONS_PER_BLOCK)
    ]  # fmt: skip
    held = CompressedSessions(many)
    assert sum(map(len, held._blocks)) < 100 * len(many)
    assert (held[0], held[-1], held[4321]) == (many[0], many[-1], many[4321])
    assert held.at("nowhere") is None
