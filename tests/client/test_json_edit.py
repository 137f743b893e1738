"""Editing one key of strict JSON: the rest of the text stays, to the byte."""

import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memtui.client.json_edit import UNSET, InvalidJson, edit_setting, parse_members, read_object
from memtui.util.errors import MemtuiError

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from(["autoMemoryEnabled", "theme", "hooks", "", "é", '"q"', "a\\b"]) | st.text(max_size=6)
blanks = st.sampled_from(["", "", " ", "\n", "\r\n", "\t", "  ", "\n    ", "\r\n\t"])


@st.composite
def loose_objects(draw: st.DrawFn) -> str:
    """An object as anybody might have typed it: blanks anywhere, keys twice, either line end, a byte order mark."""
    pairs = draw(st.lists(st.tuples(keys, values), max_size=5))
    parts = []
    for key, value in pairs:
        ascii_only = draw(st.booleans())
        body = json.dumps(value, ensure_ascii=ascii_only, indent=draw(st.sampled_from([None, 2, "\t"])))
        name = json.dumps(key, ensure_ascii=ascii_only)
        parts.append(f"{draw(blanks)}{name}{draw(blanks)}:{draw(blanks)}{body}{draw(blanks)}")
    text = "{" + (",".join(parts) or draw(blanks)) + "}"
    return draw(st.sampled_from(["", "\ufeff"])) + draw(blanks) + text + draw(blanks)


@st.composite
def tidy_objects(draw: st.DrawFn) -> str:
    """An object as a program writes it."""
    data = draw(st.dictionaries(keys, values, max_size=5))
    indent = draw(st.sampled_from([None, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":")]))
    text = json.dumps(data, ensure_ascii=False, indent=indent, separators=separators)
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n", "\r\n"]))


objects = loose_objects() | tidy_objects()


def parse(text: str) -> dict[str, object]:
    data: dict[str, object] = json.loads(text.removeprefix("\ufeff"))
    return data


@given(objects, keys, values)
def test_a_set_key_has_the_value_and_the_rest_is_as_before(text: str, key: str, value: object) -> None:
    before = parse(text)
    after = edit_setting(text, key, value)
    assert parse(after) == {**before, key: value}
    same = [member for member in parse_members(text) if member.key == key]
    if same:  # only the value changed, and it kept its place
        last = same[-1]
        assert after.startswith(text[: last.value])
        assert after.endswith(text[last.after :])
        assert list(parse(after)) == list(before)
    elif before:  # one piece was put in behind the last member
        at = parse_members(text)[-1].after
        assert after.startswith(text[:at])
        assert after.endswith(text[at:])
        assert list(parse(after)) == [*before, key]
    else:  # an empty object is filled between its brackets
        assert after.startswith(text[: text.index("{") + 1])
        assert after.endswith(text[text.rindex("}") :])


@given(objects, keys)
def test_a_key_taken_out_is_gone_and_the_rest_is_as_before(text: str, key: str) -> None:
    before = parse(text)
    after = edit_setting(text, key, UNSET)
    before.pop(key, None)
    assert parse(after) == before
    kept = [text[member.start : member.after] for member in parse_members(text) if member.key != key]
    assert [after[member.start : member.after] for member in parse_members(after)] == kept
    if key not in parse(text):
        assert after == text


@given(objects, keys, values)
def test_putting_in_and_taking_out_again_gives_the_same_bytes(text: str, key: str, value: object) -> None:
    assume(parse(text) and key not in parse(text))
    assert edit_setting(edit_setting(text, key, value), key, UNSET) == text


@given(objects, keys, values)
def test_setting_it_again_changes_nothing(text: str, key: str, value: object) -> None:
    once = edit_setting(text, key, value)
    assert edit_setting(once, key, value) == once


@given(tidy_objects(), keys, scalars)
def test_a_change_and_back_gives_the_same_bytes(text: str, key: str, value: object) -> None:
    written = edit_setting(text, key, value)
    assert edit_setting(edit_setting(written, key, ["other"]), key, value) == written


@given(st.text(alphabet='{}[],:"\\ \n\t0123456789.eE+-truefalsn\ufeffx/\x00', max_size=30) | st.text(max_size=20))
def test_it_accepts_what_a_strict_reader_accepts(text: str) -> None:
    try:
        wanted = json.loads(text.removeprefix("\ufeff"), parse_constant=lambda word: 1 / 0)
    except (ValueError, ZeroDivisionError):
        wanted = None
    if isinstance(wanted, dict):
        assert read_object(text) == wanted
    else:
        with pytest.raises(InvalidJson):
            parse_members(text)


@given(objects, st.data())
def test_a_broken_text_is_refused_and_never_repaired(text: str, data: st.DataObject) -> None:
    cut = text[: data.draw(st.integers(text.index("{") + 1, text.rindex("}")))]
    with pytest.raises(MemtuiError, match="not valid JSON"):
        edit_setting(cut, "key", 1)


@pytest.mark.parametrize(
    ("text", "key", "value", "after"),
    [
        ("", "a", True, '{\n  "a": true\n}\n'),
        ("\ufeff \r\n", "a", True, '\ufeff{\n  "a": true\n}\n'),
        ("{}", "a", True, '{\n  "a": true\n}'),
        ("{\r\n}\r\n", "a", True, '{\r\n  "a": true\r\n}\r\n'),
        ('{"a":1}', "b", 2, '{"a":1,"b":2}'),
        ('{"a": 1}', "b", 2, '{"a": 1, "b": 2}'),
        ('{ "a" : 1 }', "b", 2, '{ "a" : 1, "b" : 2 }'),
        ('{\n\t"a": 1\n}', "b", [1], '{\n\t"a": 1,\n\t"b": [\n\t\t1\n\t]\n}'),
        ('{\n    "a": 1,\n\n    "b": 2\n}\n', "c", 3, '{\n    "a": 1,\n\n    "b": 2,\n    "c": 3\n}\n'),
        ('{\r\n  "a": {"x": 1}\r\n}', "a", {"y": 2}, '{\r\n  "a": {\r\n    "y": 2\r\n  }\r\n}'),
        ('{"a": 1, "a": 2}', "a", 3, '{"a": 1, "a": 3}'),
        ('{"a": 1.0}', "a", 1, '{"a": 1}'),
        ('{"a": 1}', "é", "ü\ud800", '{"a": 1, "é": "\\u00fc\\ud800"}'),
        ('{"a": 1, "b": 2, "a": 3}', "a", UNSET, '{"b": 2}'),
        ('{\n  "a": 1\n}\n', "a", UNSET, "{\n}\n"),
        ("", "a", UNSET, ""),
    ],
)
def test_examples(text: str, key: str, value: object, after: str) -> None:
    assert edit_setting(text, key, value) == after


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[]", 1),
        ('{\n"a": 1,\n}', 3),
        ('// x\n{"a": 1}', 1),
        ('{"a": 1}\n\nx', 3),
        ('{\n"a": NaN}', 2),
        ("{'a': 1}", 1),
    ],
)
def test_a_fault_says_its_line(text: str, line: int) -> None:
    with pytest.raises(InvalidJson) as caught:
        parse_members(text)
    assert caught.value.line == line


def test_deep_nesting_and_huge_numbers_are_no_trap() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    text = f'{{"deep": {deep}, "big": {"9" * 9_000}, "much": 1e999, "on": true}}'
    data = read_object(text)
    assert set(data) == {"big", "much", "on"}  # the client skips an entry that nests too deeply
    assert data["much"] == math.inf
    assert edit_setting(text, "on", False) == text.replace("true", "false")
    assert [set(read_object(f'{{"a": {"[" * depth}{"]" * depth}}}')) for depth in (500, 501)] == [{"a"}, set()]
