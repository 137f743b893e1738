"""The one difference of two texts."""

from hypothesis import given
from hypothesis import strategies as st

from memtui.util.diff import DiffLine, count_hunks, parse_diff, take_hunks, unified_diff

TEXTS = st.lists(st.sampled_from(["a", "-- b", "++ c", "@@ -1 +1 @@", "d\r", "\u2028", "\\ e", ""])).map("\n".join)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_a_diff_tells_equal_from_different(before: bytes, after: bytes) -> None:
    text = unified_diff(before, after, "a.md")
    assert (text == "") == (before == after)
    assert len(list(parse_diff(text))) == text.count("\n")


def test_a_diff_of_what_comes_and_goes() -> None:
    assert unified_diff(None, b"a\n", "a.md") == "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1 @@\n+a\n"
    assert unified_diff(b"a", None, "a.md") == (
        "--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"
    )
    assert unified_diff(None, b"", "a.md") == "--- /dev/null\n+++ b/a.md\n"
    assert unified_diff(None, None, "a.md") == ""


def test_only_a_line_feed_ends_a_line() -> None:
    assert unified_diff(b"a\r\nb\n", b"a\nb\n", "a.md").count("\r") == 1
    before, after = "x\u2028y\x0cz\n".encode(), "x\u2028y\x0cw\n".encode()
    assert [line.kind for line in parse_diff(unified_diff(before, after, "a.md"))][3:] == ["removed", "added"]


def test_bytes_that_are_no_text_differ() -> None:
    assert unified_diff(b"\xff\n", b"\xfe\n", "a.md")


def test_names() -> None:
    assert unified_diff(b"a\n", b"a\n", "new.md", old_name="old.md") == "rename from old.md\nrename to new.md\n"
    assert "--- a/old.md\n+++ b/new.md\n" in unified_diff(b"a\n", b"b\n", "new.md", old_name="old.md")
    assert "--- /home/x.toml\n+++ /home/x.toml\n" in unified_diff(b"a\n", b"b\n", "/home/x.toml")


@given(TEXTS, TEXTS)
def test_lines_say_what_they_are_and_where(before: str, after: str) -> None:
    old, new = before.encode(), after.encode()
    lines = list(parse_diff(unified_diff(old, new, "a.md") * 2))
    for number_of, text, gone in (("old", before, "added"), ("new", after, "removed")):
        for line in lines:
            number = getattr(line, number_of)
            if line.kind in ("file", "hunk", "note", gone):
                assert number is None
            else:
                assert text.split("\n")[number - 1] == line.text[1:]
    assert sum(line.kind == "file" for line in lines) == (4 if before != after else 0)


def test_a_list_that_is_no_diff() -> None:
    assert list(parse_diff("--- old\n+session 1\n")) == [DiffLine("file", "--- old"), DiffLine("added", "+session 1")]
    assert list(parse_diff("")) == []


@given(TEXTS, TEXTS, st.sampled_from([0, 1, 3]), st.data())
def test_some_hunks_and_then_the_rest(before: str, after: str, context: int, data: st.DataObject) -> None:
    old, new = before.encode(), after.encode()
    shown = [line for line in parse_diff(unified_diff(old, new, "a.md", context=context)) if line.kind == "hunk"]
    count = count_hunks(old, new, context=context)
    assert count == len(shown)
    taken = data.draw(st.sets(st.integers(1, count))) if count else set()
    some = take_hunks(old, new, taken, context=context)
    assert some == (new if len(taken) == count else some) and (taken or not count or some == old)
    assert take_hunks(some, new, range(1, 99), context=context) == new


def test_a_file_that_comes_or_goes_is_one_hunk() -> None:
    assert count_hunks(None, b"a\n") == count_hunks(b"a\n", None) == 1
    assert take_hunks(None, b"a\n", ()) is None and take_hunks(b"a\n", None, (1,)) is None
