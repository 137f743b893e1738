"""Edit one member of a JSON object and keep every other character.

The standard library parses JSON without positions. This scanner keeps them, accepts exactly what Claude Code accepts
(no comments, no trailing commas, no NaN), and never recurses, so that deep nesting is no problem.
"""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from msgspec import UNSET, Struct, UnsetType

from memtui.util.errors import MemtuiError

_TOKEN = re.compile(
    r"[ \t\n\r]*(?:"
    r"(?P<mark>[{}\[\],:])"
    r'|(?P<string>"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")'
    r"|(?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)"
    r"|(?P<end>\Z))"
)
_SPACE = " \t\n\r"
_MAX_INT_DIGITS = 300  # longer numbers become floats, as in Claude Code; Python reads no integers of 4,300 digits


_MAX_DEPTH = 500  # nested objects and lists that every Python can read


class InvalidJson(ValueError):
    """Text that is no strict JSON object; `line` counts from 1."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(f"{reason} (line {line})")
        self.reason = reason
        self.line = line


class JsonMember(Struct, frozen=True):
    """One `"key": value` of the outermost object, as character offsets, and how deep the value nests."""

    key: str
    start: int
    key_end: int
    value: int
    after: int
    depth: int


class _Token(Struct, frozen=True):
    kind: str  # the mark itself, "string", "scalar" or "end"
    start: int
    stop: int


def parse_members(text: str) -> tuple[JsonMember, ...]:
    """The members of the outermost object as they stand; raises `InvalidJson` if the text isn't one strict object."""
    tokens = _tokens(text)
    token = next(tokens)
    if token.kind != "{":
        _fail(text, token.start, "it is empty" if token.kind == "end" else "it is not an object")
    found: list[JsonMember] = []
    token = next(tokens)
    while token.kind != "}" or found:  # "{}" may close at once; after a comma a key has to come
        key, first = token, _value_of(text, tokens, token)
        name = json.loads(text[key.start : key.stop])
        found.append(JsonMember(name, key.start, key.stop, first.start, *_end(text, tokens, first)))
        token = next(tokens)
        if token.kind == "}":
            break
        if token.kind != ",":
            _unexpected(text, token, "a comma is missing")
        token = next(tokens)
    token = next(tokens)
    if token.kind != "end":
        _fail(text, token.start, "there is text after the end")
    return tuple(found)


def _end(text: str, tokens: Iterator[_Token], token: _Token) -> tuple[int, int]:
    """Where the value ends whose first token is given, and its depth; takes its other tokens from the iterator."""
    stack: list[str] = []
    depth = 0
    while True:
        if token.kind in ("{", "["):
            stack.append("}" if token.kind == "{" else "]")
            depth = max(depth, len(stack))
            token = next(tokens)
            if token.kind != stack[-1]:
                token = _value_of(text, tokens, token) if stack[-1] == "}" else token
                continue
            stack.pop()
        elif token.kind not in ("string", "scalar"):
            _unexpected(text, token, "a value is missing")
        stop = token.stop
        while stack:  # a value has ended: close what it was the last of, or go on to the next
            token = next(tokens)
            if token.kind == stack[-1]:
                stop = token.stop
                stack.pop()
                continue
            if token.kind != ",":
                _unexpected(text, token, "a comma is missing")
            token = next(tokens)
            token = _value_of(text, tokens, token) if stack[-1] == "}" else token
            break
        else:
            return stop, depth


def _value_of(text: str, tokens: Iterator[_Token], key: _Token) -> _Token:
    if key.kind != "string":
        _unexpected(text, key, "a key in double quotes is missing")
    colon = next(tokens)
    if colon.kind != ":":
        _unexpected(text, colon, "a colon is missing")
    return next(tokens)


def _tokens(text: str) -> Iterator[_Token]:
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            _fail(text, len(text) - len(text[at:].lstrip(_SPACE)), "this is no JSON")
        kind = match.lastgroup
        at = match.end()
        yield _Token(match[kind] if kind == "mark" else kind, match.start(kind), at)


def _unexpected(text: str, token: _Token, reason: str) -> NoReturn:
    _fail(text, token.start, "it ends too early" if token.kind == "end" else reason)


def _fail(text: str, at: int, reason: str) -> NoReturn:
    raise InvalidJson(reason, text.count("\n", 0, at) + 1)


def read_object(text: str) -> dict[str, object]:
    """The outermost object, like Claude Code without what nests too deeply to be read; the last of equal keys wins."""
    found: dict[str, object] = {}
    for member in parse_members(text):
        found.pop(member.key, None)
        if member.depth <= _MAX_DEPTH:
            found[member.key] = json.loads(text[member.value : member.after], parse_int=_number)
    return found


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) < _MAX_INT_DIGITS else float(digits)


def edit_setting(text: str, key: str, value: object | UnsetType) -> str:
    """Set one key of a settings file, or delete it (`UNSET`), and keep every other character.

    A key that is there keeps its place (the last one where it stands twice: that one counts); a new key follows the
    last one, in the style of the file. An empty text becomes a small object of its own. What isn't one strict JSON
    object is refused, never repaired by guessing.
    """
    mark, rest = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    if not rest.strip(_SPACE):
        return text if value is UNSET else mark + "{\n  " + _dump(key) + ": " + _dump(value, "\n", "  ") + "\n}\n"
    try:
        found = parse_members(text)
    except InvalidJson as problem:
        raise MemtuiError(
            f"The settings file is not valid JSON: {problem}", hint="repair it in an editor first; nothing was changed"
        ) from problem
    same = [member for member in found if member.key == key]
    if value is UNSET:
        for member in reversed(same):
            text = _delete(text, parse_members(text), member.start)
        return text
    line_end, indent = _style(text, found)
    if not same:
        return _insert(text, found, _dump(key), _dump(value, line_end, indent))
    last = same[-1]
    old = text[last.value : last.after]
    if old == _dump(value) or old == _dump(value, line_end, indent):
        return text
    return text[: last.value] + _dump(value, line_end, indent) + text[last.after :]


def _style(text: str, found: tuple[JsonMember, ...]) -> tuple[str, str]:
    """The line end between members and the indentation of a key; ("", "") where members share a line."""
    if not found:
        return ("\r\n" if "\r\n" in text else "\n"), "  "
    before = _blank_before(text, found[-1].start)
    if "\n" not in before:
        return "", ""
    return ("\r\n" if "\r\n" in before else "\n"), before.rpartition("\n")[2]


def _blank_before(text: str, at: int) -> str:
    return text[len(text[:at].rstrip(_SPACE)) : at]


def _dump(value: object, line_end: str = "", indent: str = "") -> str:
    """A value as JSON; with a line end, what has members is spread over lines under a key of that indentation."""
    spread = bool(line_end) and isinstance(value, dict | list | tuple) and bool(value)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=(indent or "  ") if spread else None)
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair: only its escape can be stored
        text = json.dumps(value, allow_nan=False, indent=(indent or "  ") if spread else None)
    return text.replace("\n", line_end + indent) if spread else text


def _insert(text: str, found: tuple[JsonMember, ...], key: str, value: str) -> str:
    if not found:
        opening = text.index("{")
        closing = text.index("}", opening)
        line_end, indent = _style(text, found)
        return f"{text[: opening + 1]}{line_end}{indent}{key}: {value}{line_end}{text[closing:]}"
    last = found[-1]
    colon = text[last.key_end : last.value]
    before = _blank_before(text, last.start)
    if "\n" in before:
        line, _, indent = before.rpartition("\n")
        before = ("\r\n" if line.endswith("\r") else "\n") + indent
    elif len(found) == 1 and colon.endswith(" "):
        before = " "  # `{"a": 1}` says how it wants its commas only by its colon
    if "\n" in colon:
        colon = ": "
    return f"{text[: last.after]},{before}{key}{colon}{value}{text[last.after :]}"


def _delete(text: str, found: tuple[JsonMember, ...], start: int) -> str:
    at = next(index for index, member in enumerate(found) if member.start == start)
    if at + 1 < len(found):
        return text[:start] + text[found[at + 1].start :]
    if at:
        return text[: found[at - 1].after] + text[found[at].after :]
    return text[: start - len(_blank_before(text, start))] + text[found[at].after :]
