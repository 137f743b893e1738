"""Comments are taken out as the agent client does it: recordings of it, and what must hold for any text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.budget import as_sent
from memtui.memory.comments import comment_spans
from memtui.util.text import JS_SPACE
from tests.support import REPO

RECORDED = [
    json.loads(line)
    for line in (REPO / "tests" / "data" / "oracle" / "comments.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]


def strip_comments(text: str) -> str:
    """The text without what the client takes out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    kept, at = "", 0
    for start, end in comment_spans(text):
        kept, at = kept + text[at:start], end
    return kept + text[at:]


@pytest.mark.parametrize("case", RECORDED, ids=[case["id"] for case in RECORDED])
def test_the_client_loads_the_same(case: dict[str, str]) -> None:
    assert as_sent(strip_comments(case["text"]).strip(JS_SPACE)) == (case["loaded"] or "")


LINES = st.sampled_from(
    ["<!-- c -->", " <!-- c -->", "    <!-- c -->", "<!--", "-->", "<!-- c --> t", "- a", "  - b", "1. a", "> q",
     "> - a", ">", "```", "~~~", "para", "", "   ", "# h", "---", "===", "<div>", "</div>", "<pre>", "[a]: b", "\ttab",
     "x <!-- y"]
)  # fmt: skip


@given(st.lists(LINES, max_size=12))
def test_only_comments_and_blank_lines_go(lines: list[str]) -> None:
    text = "\n".join(lines)
    at = 0
    for start, end in comment_spans(text):
        assert at <= start < end <= len(text)
        assert text[start:end].strip().startswith("<!--")
        assert text[start:end].strip().endswith("-->")
        at = end


@given(st.text(alphabet="<!-> \n\t`~#*[]:\"'ab\r\u2028"))
def test_any_text_is_read(text: str) -> None:
    assert len(strip_comments(text)) <= len(text)
    strip_comments(text + "<!-- c -->")


def test_no_comment_leaves_the_text_alone() -> None:
    assert comment_spans("a\nb\n-->") == []


@pytest.mark.parametrize(
    "unit", ["> a\nb\n", "> - a\nb\n", "<!--", "- a\n", "a\n<!-- x --> t\n", "<div>\n", '[a]: "x\n', "* * ", "\n", "`"]
)
def test_odd_texts_take_time_in_proportion(unit: str) -> None:
    strip_comments(unit * (40_000 // len(unit)) + "\n<!-- z -->\n")  # a minute, if it were not so
