"""Which sessions of a list are still to be looked at."""

from array import array

from memtui.sessions.listing import CompressedSessions, Session
from memtui.tui.loaders.health import PendingHealth, compare

NONE: frozenset[str] = frozenset()


def session(name: str, *, modified: float = 1.0, size: int = 10) -> Session:
    return Session(f"/p/{name}.jsonl", modified, size, 0, 1.0, name, 1, 0, "main", "/code/shop", "")


def nothing() -> PendingHealth:
    return PendingHealth(CompressedSessions(), array("q"), bytearray())


def test_what_is_known_of_a_session_follows_it_through_lists() -> None:
    a, b, c = (session(name) for name in "abc")
    seen, fresh = compare(nothing(), CompressedSessions([a, b, c]), NONE)
    assert list(fresh) == [1, 1, 1]
    seen.waiting[1] = 1
    seen, fresh = compare(seen, CompressedSessions([b, c]), NONE)
    assert (list(fresh), list(seen.waiting)) == ([0, 0], [1, 0])
    assert (seen.number(b), seen.number(c), seen.number(a)) == (0, None, None)


def test_one_that_changed_or_came_is_looked_at() -> None:
    a, b = session("a"), session("b")
    seen, _ = compare(nothing(), CompressedSessions([a, b]), NONE)
    _, fresh = compare(
        seen, CompressedSessions([session("a", size=11), b, session("c"), session("b", modified=2.0)]), NONE
    )
    assert list(fresh) == [1, 0, 1, 1]


def test_an_open_one_waits_until_it_is_closed() -> None:
    a, b = session("a"), session("b")
    seen, fresh = compare(nothing(), CompressedSessions([a, b]), frozenset({"a"}))
    assert list(fresh) == [0, 1]
    assert seen.number(a) is None
    seen, fresh = compare(seen, CompressedSessions([a, b]), NONE)
    assert list(fresh) == [1, 0]


def test_the_first_that_wait() -> None:
    seen, _ = compare(nothing(), CompressedSessions(session(str(number)) for number in range(9)), NONE)
    for number in (1, 4, 8):
        seen.waiting[number] = 1
    assert seen.first(2) == [1, 4]
    assert seen.first(9) == [1, 4, 8]
