"""Which memory files go where, and one index in another."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.index import read_entries
from memtui.projects.relocate import plan_memory, tail_of, take_in
from tests.projects.conftest import Home
from tests.support import digest_tree

LINES = st.lists(
    st.sampled_from(
        ["", "# Memory", "## User", "- [A](a.md) — one", "- [A](a.md) — two", "  more of it", "text", "* [B](b.md)",
         "```", "<!-- hidden", "-->", "---", "\ufeff", "1. [C](c.md)"]
    ),
    max_size=12,
)  # fmt: skip
TEXTS = st.builds(lambda lines, end, last: end.join(lines) + last, LINES, st.sampled_from(["\n", "\r\n"]),
                  st.sampled_from(["", "\n"]))  # fmt: skip


@given(TEXTS, TEXTS)
def test_an_index_takes_in_every_line_and_keeps_its_own(index: str, other: str) -> None:
    after, lines = take_in(index, other)
    assert after.startswith(index)
    have = {line.strip() for line in after.split("\n")}
    from memtui.memory.budget import body_start

    assert {line.strip() for line in other[body_start(other) :].split("\n")} - have <= {"", "\ufeff"}
    assert take_in(after, other) == (after, ())
    assert bool(lines) == (after != index)


def test_lines_come_under_a_list_without_a_gap() -> None:
    after, lines = take_in(
        "# Memory\r\n\r\n- [A](a.md)", "# Memory\n\n- [A](a.md)\n- [B](b.md) — b\n\n## More\n- [C](c.md)\n"
    )
    assert after == "# Memory\r\n\r\n- [A](a.md)\r\n- [B](b.md) — b\r\n\r\n## More\r\n- [C](c.md)\r\n"
    assert lines == ("- [B](b.md) — b", "## More", "- [C](c.md)")


def test_a_block_comes_whole() -> None:
    other = "```\nx\n```\n- [A](a.md)\n"
    assert take_in("- [A](a.md)\n", other)[0] == "- [A](a.md)\n\n" + other


def test_both_sides_of_a_conflict_stay_and_the_index_names_both(home: Home) -> None:
    old = home.memory(
        home.old,
        {"a.md": "old a\n", "same.md": "same\n", "only.md": "only\n", "deep/x.md": "x\n",
         "MEMORY.md": "- [A](a.md) — old\n- [Only](only.md)\n"},
    )  # fmt: skip
    new = home.memory(home.new, {"a.md": "new a\n", "same.md": "same\n", "MEMORY.md": "- [A](a.md) — new\n"})
    before = digest_tree(home.root)
    move, stays, notes = plan_memory(old, new, "shop")
    assert digest_tree(home.root) == before
    assert move is not None
    assert stays == []
    assert {file.source: (file.target, file.there) for file in move.files} == {
        "a.md": ("a.from-shop.md", False), "same.md": ("same.md", True), "only.md": ("only.md", False),
        "deep/x.md": ("deep/x.md", False), "MEMORY.md": ("MEMORY.md", False),
    }  # fmt: skip
    coming = {change.name: change.data for change in move.coming.changes}
    assert coming == {
        "a.from-shop.md": b"old a\n", "only.md": b"only\n", "deep/x.md": b"x\n",
        "MEMORY.md": b"- [A](a.md) \xe2\x80\x94 new\n- [A](a.from-shop.md) \xe2\x80\x94 old\n- [Only](only.md)\n",
    }  # fmt: skip
    assert {change.name: change.data for change in move.leaving.changes} == dict.fromkeys(
        ["a.md", "same.md", "only.md", "deep/x.md", "MEMORY.md"]
    )
    assert len(read_entries((coming["MEMORY.md"] or b"").decode())) == 3
    assert notes == ["a.md is another one there: both stay, this one as a.from-shop.md"]


def test_a_name_that_is_taken_twice_counts_on(home: Home) -> None:
    old = home.memory(home.old, {"a.md": "3\n", "b.md": "B\n"})
    new = home.memory(home.new, {"a.md": "1\n", "a.from-shop.md": "2\n", "B.md": "other\n"})
    move, _, _ = plan_memory(old, new, "shop")
    assert move is not None
    assert [file.target for file in move.files] == ["a.from-shop-2.md", "b.from-shop.md"]


def test_what_is_no_memory_stays(home: Home) -> None:
    old = home.memory(home.old, {"a.md": "a\n", "note.txt": "t", ".hidden.md": "h", ".git/x": "x", "CLAUDE.md": "c\n"})
    (old / "link.md").symlink_to("a.md")
    move, stays, _ = plan_memory(old, home.target / "memory", "shop")
    assert move is not None
    assert [file.source for file in move.files] == ["a.md"]
    assert {stay.what for stay in stays} == {"note.txt", ".hidden.md", ".git", "CLAUDE.md", "link.md"}


def test_an_index_over_its_limit_is_told(home: Home) -> None:
    old = home.memory(home.old, {"MEMORY.md": "".join(f"- old {i}\n" for i in range(120))})
    new = home.memory(home.new, {"MEMORY.md": "".join(f"- new {i}\n" for i in range(120))})
    notes = plan_memory(old, new, "shop")[2]
    assert len(notes) == 1
    assert "over its limit" in notes[0]


def test_a_word_for_a_place() -> None:
    assert tail_of("my_app v2.1") == "my-app-v2-1"
    assert tail_of("가게") == "가게"
    assert tail_of("...") == "elsewhere"
    assert len(tail_of("x" * 300)) == 40


def test_files_that_differ_in_case_only_stay_together(home: Home) -> None:
    old = home.memory(home.old, {"a.md": "one\n", "A.md": "one\n", "b.md": "b\n"})
    new = home.memory(home.new, {"a.md": "one\n", "a.from-shop.md": "one\n"})
    move, stays, _ = plan_memory(old, new, "shop")
    assert move is not None
    assert [file.source for file in move.files] == ["b.md"]
    assert {(stay.what, stay.why) for stay in stays} == {
        (name, "differs only in case from another file") for name in ("a.md", "A.md")
    }
