"""Links and headings: what counts, where it is, and that nothing in code or comments does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.markdown import code_spans, find_links, headings, write_label, write_target


def targets(text: str) -> list[str]:
    return [link.target for link in find_links(text)]


@pytest.mark.parametrize(
    ("text", "kind", "target", "label"),
    [
        ("[A](a.md)", "markdown", "a.md", "A"),
        ("[A]( a.md )", "markdown", "a.md", "A"),
        ('[A](a.md "title")', "markdown", "a.md", "A"),
        ("[A](<a b.md>)", "markdown", "a b.md", "A"),
        ("[A](a%20b.md)", "markdown", "a b.md", "A"),
        ("[A](%ED%95%9C.md)", "markdown", "한.md", "A"),
        ("[한글 제목](한글.md)", "markdown", "한글.md", "한글 제목"),
        ("[A](sub/a.md#part)", "markdown", "sub/a.md", "A"),
        ("[A](a_(1).md)", "markdown", "a_(1).md", "A"),
        (r"[A](a\(1.md)", "markdown", "a(1.md", "A"),
        ("[A [b] c](a.md)", "markdown", "a.md", "A [b] c"),
        ("[A [b [c]] d](a.md)", "markdown", "a.md", "A [b [c]] d"),
        (r"[A \[b](a.md)", "markdown", "a.md", "A [b"),
        ("[two\nlines](a.md)", "markdown", "a.md", "two lines"),
        ("[`code`](a.md)", "markdown", "a.md", "`code`"),
        ("[![alt](i.png)](a.md)", "markdown", "a.md", "![alt](i.png)"),
        ("[A](https://x.y/a.md#z)", "markdown", "https://x.y/a.md#z", "A"),
        ("[a]: a.md", "markdown", "a.md", "a"),
        ("   [a]: <a b.md> 'title'", "markdown", "a b.md", "a"),
        ("[[topic]]", "wiki", "topic", "topic"),
        ("[[ topic |shown ]]", "wiki", "topic", "shown"),
        ("[[topic#head|x]]", "wiki", "topic", "x"),
        ("    - [A](a.md)", "markdown", "a.md", "A"),
        ("- x\n\n      [A](a.md)", "markdown", "a.md", "A"),
    ],
)
def test_a_link(text: str, kind: str, target: str, label: str) -> None:
    (link,) = find_links(text)
    assert (link.kind, link.target, link.label) == (kind, target, label)


@pytest.mark.parametrize(
    "text",
    [
        "![A](a.md)",
        "`[A](a.md)`",
        "``[A](a.md) ` x``",
        "`two\nlines [A](a.md)`",
        "```\n[A](a.md)\n```",
        "```py\n[A](a.md)",
        "~~~\n[A](a.md)\n~~~~",
        "````\n```\n[A](a.md)\n````",
        "- x\n  ```\n  [A](a.md)\n  ```",
        "> ```\n> [A](a.md)\n> ```",
        "1. ```\n   [A](a.md)\n   ```",
        "text\n\n    [A](a.md)",
        "\t[A](a.md)",
        "<!-- [A](a.md) -->",
        "<!--\n[A](a.md)\n\n-->",
        r"\[A](a.md)",
        "[A] (a.md)",
        "[A](a b.md)",
        "[A](a.md",
        "[A\n\nB](a.md)",
        "[[a\nb]]",
        "mail@host.md",
        "@",
        "`@a.md`",
        "text [a]: a.md",
        "[a]",
    ],
)
def test_no_link(text: str) -> None:
    assert find_links(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`a [A](a.md)", ["a.md"]),
        ("`` a ` [A](a.md)", ["a.md"]),
        ("`x`[A](a.md)`y`", ["a.md"]),
        ("`a\n\n[A](a.md) `", ["a.md"]),
        ("```x`y\n[A](a.md)", ["a.md"]),
        ("```\nx\n``` y\n```\n[A](a.md)", ["a.md"]),
        ("<!-- [A](a.md)", ["a.md"]),
        ("<!-- a --> [A](a.md) <!-- [B](b.md) --> [C](c.md)", ["a.md", "c.md"]),
        ("[A](a.md)[B](b.md)[[c]]", ["a.md", "b.md", "c"]),
        ("para\n    [A](a.md)", ["a.md"]),
        ("- a\n\n    [A](a.md)\n\ntext\n\n    [B](b.md)\n\n[C](c.md)", ["a.md", "c.md"]),
        ("x [ y [A](a.md)", ["a.md"]),
    ],
)
def test_links_around_what_is_none(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_lines_and_columns_count_from_one() -> None:
    text = "a\r\n가 [A](a.md)\n\n[[b]]"
    assert [(link.line, link.column) for link in find_links(text)] == [(2, 3), (4, 1)]
    assert [text[link.start : link.end] for link in find_links(text)] == ["[A](a.md)", "[[b]]"]
    assert [text[link.target_start : link.target_end] for link in find_links(text)] == ["a.md", "b"]


def test_external_targets_are_known() -> None:
    text = "[a](https://x) [b](mailto:x@y) [c](//x) [d](d.md) [e](./e:f.md)"
    assert [link.external for link in find_links(text)] == [True, True, True, False, False]


def test_headings_outside_code() -> None:
    text = "# One\n\n```\n# no\n```\n<!--\n# no\n-->\n## Two ##\r\n   ### *Three*\n#no\n#### \n    # no\n"
    text += "####### no\n"
    found = headings(text)
    assert [(heading.level, heading.text, heading.line) for heading in found] == [
        (1, "One", 1), (2, "Two", 9), (3, "*Three*", 10), (4, "", 12),
    ]  # fmt: skip
    assert text[found[0].start : found[0].end] == "# One"


SIGNS = st.text(alphabet="ab c()[]<>%#?\\\t가é\xa0\u3000\x1b\u202e\udc80\udcff.-_&'\"`!*", min_size=1, max_size=12)
NAMES = SIGNS.map(lambda name: f"{name.strip()}x.md")


@given(NAMES, st.text(st.characters(codec=None), max_size=12), st.sampled_from(["", "<old.md>"]))
def test_what_is_written_is_text_and_reads_back(name: str, label: str, like: str) -> None:
    text = f"- [{write_label(label)}]({write_target(name, like)}) — hook"
    assert text.encode()
    (link,) = [found for found in find_links(text) if found.kind == "markdown"]
    assert link.target == name
    assert link.label.split() == re.sub("[\ud800-\udfff]", "\ufffd", label).split() or "`" in label


SOUP = st.text(alphabet="`~<!->[]()@# \n\\ab|:\t>", max_size=60)


@given(SOUP)
def test_any_text_is_read(text: str) -> None:
    spans = code_spans(text)
    at = 0
    for start, end in spans:
        assert start < end <= len(text)
    for link in find_links(text):
        assert at <= link.start < link.end <= len(text)
        assert link.start <= link.target_start <= link.target_end <= link.end
        assert all(not start <= link.start < end for start, end in spans)
        at = link.end
    headings(text)


@pytest.mark.parametrize(
    "unit",
    ["[", "![a]", "[x](", "[[", "`", "`` a ` ", "<!--", "[a]: ", "@a ", "~~~~ a\n", "[x [a]\n", "(", "a\n    b\n\n"],
)
def test_odd_texts_take_time_in_proportion(unit: str) -> None:
    find_links(unit * (300_000 // len(unit)))
