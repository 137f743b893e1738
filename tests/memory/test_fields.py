"""The lenient reader of front matter, against our list of odd inputs and against a YAML reader where both agree."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.frontmatter import TYPES, read_frontmatter
from tests.support import REPO

DATA = REPO / "tests" / "data"

CASES = json.loads((DATA / "cases" / "frontmatter.json").read_text(encoding="utf-8"))


def data_of(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8")
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    repeat = value["repeat"]
    return str(repeat["prefix"] + repeat["unit"] * repeat["times"] + repeat.get("suffix", "")).encode("utf-8")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    front = read_frontmatter(data_of(case["input"]))
    seen = {"verdict": front.verdict, "name": front.name, "description": front.description, "type": front.type}
    assert seen == case["expect"], case["why"]


def read(*lines: str) -> Any:
    return read_frontmatter("\n".join(["---", "name: n", "description: d", *lines, "---", "body"]))


@pytest.mark.parametrize(
    ("lines", "type_", "verdict"),
    [
        (["type: user # the person"], "user", "ok"),
        (["type: user # the person", " ---", "x"], "user", "warn"),
        (["metadata:", "  node_type: memory", "  type: Project"], "project", "warn"),
        (["metadata:", "    type: user"], "user", "ok"),
        (["metadata:", "\ttype: user"], "user", "ok"),
        (["metadata:", "  deep:", "    type: user"], None, "warn"),
        (["metadata: # what the client adds", "  type: user"], "user", "ok"),
        (["type:", "metadata:", "  type: user"], "user", "ok"),
        (["type: user", "tags:", "  - a", "  - b"], "user", "ok"),
        (["type: user", "tags:", "- a"], "user", "ok"),
        (["type: user", "tags: [a, b]"], "user", "ok"),
        (["type: user", "metadata:", "  type: feedback"], "user", "ok"),
        (["type: user", "just words"], "user", "warn"),
        (["type: user", "- item"], "user", "warn"),
        (["  type: user"], None, "warn"),
        (["type : user"], "user", "ok"),
        (['type: "user"  # quoted'], "user", "ok"),
        (["type: 'user'"], "user", "ok"),
        (["type: null"], None, "warn"),
        (["type: {a: user}"], None, "warn"),
        (["type: user", "name: other"], "user", "warn"),
        (["type: user", "일정: 내일"], "user", "ok"),
        (["type: user", "color: \x1b[31mred"], "user", "warn"),
    ],
)
def test_type_is_found_where_people_put_it(lines: list[str], type_: str | None, verdict: str) -> None:
    front = read(*lines)
    assert (front.type, front.verdict) == (type_, verdict), front.problems


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a # not a comment", "a # not a comment"),
        ("issue #12: fix", "issue #12: fix"),
        ("# nothing", None),
        ("#1 rule", "#1 rule"),
        ('"a\\n\\"b\\" \\u00e9 \\x2d"', 'a\n"b" é -'),
        ("'it''s'", "it's"),
        ('""', None),
        ("''", None),
        ('"null"', "null"),
        ('"a" b', '"a" b'),
        ("'a' b", "'a' b"),
        ('"a"# b', '"a"# b'),
        ("NULL", None),
        ("no", "no"),
        ("2026-03-05", "2026-03-05"),
        ("12:30:45", "12:30:45"),
        ("|", None),
        ("|\n  one\n\n  two", "one two"),
        (">-\n  one\n    two", "one two"),
        ("one\n  two\n  three", "one two three"),
        ('"one\n  two"', "one two"),
        ("one\n  # note", "one"),
        ("\n  one\n  two", "one two"),
        ("\n  - one", None),
    ],
)
def test_value(written: str, value: str | None) -> None:
    front = read_frontmatter(f"---\nname: n\ndescription: {written}\ntype: user\n---\n")
    assert front.description == value
    assert front.type == "user"


def test_a_key_under_a_key_with_a_value_is_kept_and_noted() -> None:
    front = read_frontmatter("---\nname: n\n  description: d\ntype: user\n---\n")
    assert front.name == "n"
    assert "odd-indent" in [note.code for note in front.problems]


def test_block_must_close_within_thirty_lines() -> None:
    fits = "---\n" + "k: v\n" * 28 + "---\n"
    assert read_frontmatter(fits).block
    assert read_frontmatter("---\n" + "k: v\n" * 29 + "---\n").verdict == "invalid"


def test_head_of_a_file_may_end_inside_a_character() -> None:
    data = "---\nname: 가나\n---\n가".encode()[:-1]
    assert read_frontmatter(data, partial=True).name == "가나"
    assert read_frontmatter(data).verdict == "invalid"


def test_body_starts_behind_the_block() -> None:
    text = "\ufeff---\r\nname: n\r\n---\r\nbody\r\n"
    front = read_frontmatter(text)
    assert text[front.body_start :] == "body\r\n"
    assert front.body_line == 4
    assert read_frontmatter("body").body_line == 1


def test_notes_name_the_line() -> None:
    front = read_frontmatter("---\nname: n\ndescription: d\n\ntype: odd\n---\n")
    assert [(note.code, note.line) for note in front.problems] == [("wrong-type", 5)]


@pytest.mark.parametrize("joined", ["👨‍👩‍👧", "می‌خواهم"])
def test_joiners_between_letters_hide_nothing(joined: str) -> None:
    assert read_frontmatter(f"---\nname: {joined}\ndescription: d\ntype: user\n---\n").verdict == "ok"


@given(st.one_of(st.text(), st.binary()))
def test_any_input_is_read(data: str | bytes) -> None:
    for head in ("---\n", ""):
        start = head if isinstance(data, str) else head.encode()
        front = read_frontmatter(start + data)  # type: ignore[operator]
        assert front.verdict in ("ok", "warn", "invalid")
        assert front.type in (*TYPES, None)


PIECES = ["---", "name: n", "type: user", "  type: x", "\t", "- a", "metadata:", "'", '"', "|", ">", "#", ":", "a:b",
          "[", "\r", " ", "a: |", "  b", "\u2028", "...", "<<: *x", "k: 'v", 'k: "v']  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_spans_cover_what_they_name(lines: list[str], newline: str) -> None:
    text = newline.join(["---", *lines, "---", "body"])
    front = read_frontmatter(text)
    at = 0
    for field in front.fields:
        assert at <= field.start <= field.value_start <= field.value_end <= field.end
        assert text[field.start : field.end].endswith("\n")
        assert text[: field.start].count("\n") + 1 == field.line
        at = field.end


@pytest.mark.parametrize("unit", ["k: v\n", "[", "a: &a\n", " ", "k: |\n  x\n", "\n", "---", "k:\n", "\t", "'", '"\\'])
def test_odd_megabytes_take_no_time(unit: str) -> None:
    text = "---\n" + unit * (1_000_000 // len(unit)) + "\n---\n"
    assert read_frontmatter(text).verdict in ("warn", "invalid")
