"""Foreign text: nothing that a terminal obeys comes through, and widths are what they say."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memtui.util import text

ANY = st.text(alphabet=st.characters(codec=None), max_size=60)
WORDS = st.text(alphabet="ab \u754c\uac00\u00e9e\u0301-", max_size=40)


@given(ANY)
def test_no_control_or_format_character_comes_through(raw: str) -> None:
    shown = text.visible(raw, keep="")
    assert not [char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert text.visible(shown, keep="") == shown


@given(ANY)
def test_line_ends_and_tabs_stay_where_they_are_wanted(raw: str) -> None:
    assert [c for c in text.visible(raw) if c in "\n\t"] == [c for c in raw if c in "\n\t"]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain [b]markup[/b]", "plain [b]markup[/b]"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\x7fb", "a␡b"),
        ("\x9b31m", "‹U+009B›31m"),
        ("safe\u202egnp.md", "safe‹U+202E›gnp.md"),
        ("한글 日本語", "한글 日本語"),
        ("\ud800", "‹U+D800›"),
    ],
)
def test_marks(raw: str, shown: str) -> None:
    assert text.visible(raw) == shown


@given(WORDS, st.integers(0, 30))
def test_pad_is_exact_and_clip_never_wider(raw: str, width: int) -> None:
    assert text.cells(text.clip(raw, width)) <= width
    assert text.cells(text.pad(raw, width)) == width
    assert text.cells(text.pad(raw, width, right=True)) == width


@pytest.mark.parametrize(
    ("seconds", "word"),
    [(-5, "now"), (59, "now"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86_400, "1d"), (13 * 86_400, "13d"),
     (21 * 86_400, "3w"), (90 * 86_400, "3mo"), (800 * 86_400, "2y")],
)  # fmt: skip
def test_ages(seconds: float, word: str) -> None:
    assert text.age(seconds) == word


@pytest.mark.parametrize(
    ("number", "word"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (14_560, "14.6k"), (25_000, "25.0k"), (999_950, "1000k"),
     (1_200_000, "1.2M")],
)  # fmt: skip
def test_sizes_count_in_thousands(number: int, word: str) -> None:
    assert text.size(number) == word


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0s"), (59.9, "59s"), (134, "2m14s"), (3900, "1h05m"), (90_000, "25h00m")]
)
def test_how_long(seconds: float, words: str) -> None:
    assert text.duration(seconds) == words


@given(st.text("ab/한 ", max_size=30), st.integers(4, 12))
def test_a_path_is_broken_behind_slashes(path: str, width: int) -> None:
    lines = text.break_path(path, width)
    assert all(text.cells(line) <= width for line in lines)
    assert all(line.endswith("/") for line in lines[:-1])
    if all(text.cells(part) < width for part in path.split("/")):
        assert "".join(lines) == path


def test_every_width_is_that_of_the_table() -> None:
    wrong = [hex(code) for code in range(0x20, 0xD800) if text.cells(chr(code)) != cell_len(chr(code))]
    assert wrong == [hex(0x7F)]  # shown as a picture of itself: never measured


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x30FF)).map(text.visible), st.integers(0, 20))
def test_clipping_is_that_of_the_table(raw: str, width: int) -> None:
    assert text.cells(raw) == cell_len(raw)
    cut = text.clip(raw, width)
    assert text.cells(cut) <= width
    assert cut == raw or cut == "" or raw.startswith(cut[:-1])
