"""Three texts as hunks: nothing is lost, whoever is chosen."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.history.merge import resolve, three_way

LINES = st.lists(st.sampled_from(["a", "b", "c", "d\u2028d", ""]), max_size=12)


@st.composite
def texts(draw: st.DrawFn) -> str:
    lines = draw(LINES)
    return "\n".join(lines) + ("\n" if lines and draw(st.booleans()) else "")


@given(texts(), texts(), texts())
def test_taking_one_side_everywhere_gives_that_side(base: str, mine: str, disk: str) -> None:
    hunks = three_way(base, mine, disk)
    assert resolve(hunks, dict.fromkeys(range(len(hunks)), "mine")) == mine
    assert resolve(hunks, dict.fromkeys(range(len(hunks)), "disk")) == disk


@given(texts(), texts())
def test_what_only_one_side_changed_is_taken(base: str, mine: str) -> None:
    assert resolve(three_way(base, mine, base), {}) == mine
    assert resolve(three_way(base, base, mine), {}) == mine
    assert resolve(three_way(base, mine, mine), {}) == mine


def test_what_both_changed_differently_gets_markers_with_all_three() -> None:
    merged = resolve(three_way("one\ntwo\n", "one\nMINE\n", "one\nDISK\n"), {})
    assert merged == "one\n<<<<<<< mine\nMINE\n||||||| before\ntwo\n=======\nDISK\n>>>>>>> disk\n"


def test_edits_apart_from_each_other_merge() -> None:
    hunks = three_way("1\n2\n3\n4\n5\n", "1x\n2\n3\n4\n5\n", "1\n2\n3\n4\n5y\n")
    assert [h.kind for h in hunks if h.kind != "same"] == ["mine", "disk"]
    assert resolve(hunks, {}) == "1x\n2\n3\n4\n5y\n"
