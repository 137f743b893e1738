"""A file taken apart for the editor and put together again: the same bytes, or a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.document._document import Document

from memtui.tui.editor_model import EditorText, NotEditable

PIECES = st.lists(
    st.sampled_from(
        ["---", "name: x", "type: user", "", "\u2028", "body é 한", "\ufeff", "\x0c", "a\x1bb", "\r", "\0"]
    ),
    max_size=8,
)


@given(PIECES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_opens_is_written_back_byte_for_byte(pieces: list[str], newline: str, ends: bool) -> None:
    data = (newline.join(pieces) + (newline if ends else "")).encode()
    try:
        text = EditorText.from_bytes(data)
    except NotEditable:
        return
    assert text.to_bytes() == data
    assert Document(text.body).text == text.body  # what the text field gives back unedited


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\r\nb\n", "mixed"),
        (b"a\rb", "mixed"),
        (b"\xff\xfe", "UTF-8"),
        (b"a\0b", "NUL"),
        ("a\u2028b".encode(), "U+2028"),
        (b"x" * 1_000_001, "1 MB"),
    ],
)
def test_what_an_editor_would_damage_does_not_open(data: bytes, reason: str) -> None:
    with pytest.raises(NotEditable, match=reason.replace("+", r"\+")):
        EditorText.from_bytes(data)


def test_body_starts_behind_the_frontmatter() -> None:
    text = EditorText.from_bytes(b"---\nname: n\ntype: user\n---\n\nBody\n")
    assert text.body.strip() == "Body"
    assert text.body_line >= 5
