"""Printing: nothing foreign gets out as it is, tables line up, faults have their form."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.cli import GlobalOptions
from memtui.cli.diffs import diff_lines
from memtui.cli.output import Output, StyledText, iso
from memtui.util.diff import unified_diff
from memtui.util.errors import Refused


def options_of(**options: bool) -> GlobalOptions:
    """A call's options, all others off."""
    found = GlobalOptions()
    for name, value in options.items():
        setattr(found, name, value)
    return found


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@contextmanager
def printed(stream: io.StringIO) -> Iterator[io.StringIO]:
    """Takes the place of standard output; no fixture, because hypothesis and pytest's capture both get in its way."""
    before = sys.stdout
    sys.stdout = stream
    try:
        yield stream
    finally:
        sys.stdout = before


ENV = {"TERM": "xterm", "COLUMNS": "60"}
CONTROL = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from(["", "bold", "problem"])), max_size=5))
def test_no_control_character_of_a_text_gets_out(parts: list[tuple[str, str]]) -> None:
    with printed(Terminal()) as stream:
        Output(options_of(no_color=True), ENV).result("x", {}, [[StyledText(text, style) for text, style in parts]])
    assert not set(stream.getvalue().removesuffix("\n")) & (CONTROL | {"\u202e", "\u2066"})


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=4))
def test_json_is_ascii_whatever_is_in_it(data: dict[str, str]) -> None:
    with printed(io.StringIO()) as stream:
        Output(options_of(json=True), ENV).result("x", data, [])
    assert stream.getvalue().isascii()
    assert stream.getvalue().count("\n") == 1


def test_colour_follows_the_stream_and_the_wishes() -> None:
    for wishes, env, coloured in (
        (options_of(), ENV, True),
        (options_of(no_color=True), ENV, False),
        (options_of(plain=True), ENV, False),
        (options_of(), {**ENV, "NO_COLOR": "1"}, False),
        (options_of(), {**ENV, "NO_COLOR": ""}, True),
        (options_of(), {"TERM": "dumb"}, False),
        (options_of(), {}, False),
    ):
        with printed(Terminal()) as stream:
            Output(wishes, env).result("x", {}, [StyledText("red", "problem")])
        assert ("\x1b[31m" in stream.getvalue()) == coloured


def test_an_encoding_that_lacks_a_character_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    out = Output(options_of(), {})
    assert out.glyphs.unlisted == "o"
    out.result("x", {}, ["결제 –"])
    sys.stdout.flush()
    assert raw.getvalue() == b"\\uacb0\\uc81c \\u2013\n"


def test_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    error = Terminal()
    monkeypatch.setattr(sys, "stderr", error)
    for answer, yes in (("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False), ("", False), ("yep\n", False)):
        typed = Terminal(answer)
        monkeypatch.setattr(sys, "stdin", typed)
        assert Output(options_of(), ENV).ask("Delete \x1b[31m?") is yes
    assert "\x1b" not in error.getvalue()
    assert Output(options_of(yes=True), ENV).ask("?")
    with pytest.raises(Refused):
        Output(options_of(no_input=True), ENV).ask("?")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(Refused):
        Output(options_of(), ENV).ask("?")


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_a_diff_tells_equal_from_different(before: bytes, after: bytes) -> None:
    text = unified_diff(before, after, "a.md")
    assert (text == "") == (before == after)
    assert len(list(diff_lines(text))) == text.count("\n")


def test_a_diff_of_what_comes_and_goes() -> None:
    assert unified_diff(None, b"a\n", "a.md") == "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1 @@\n+a\n"
    assert (
        unified_diff(b"a", None, "a.md")
        == "--- a/a.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n"
    )
    assert unified_diff(b"a\r\nb\n", b"a\nb\n", "a.md").count("\r") == 1


def test_times() -> None:
    assert iso(0) == "1970-01-01T00:00:00Z"
    assert iso(None) is None
    assert iso(1e300) is None
