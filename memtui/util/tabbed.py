"""Rows of plain values as lines of text, for what can't wait for json: its import brings `re` along (see `record`)."""

from collections.abc import Iterable

TYPE_CHECKING = False  # as in typing
if TYPE_CHECKING:
    from typing import Any

Value = str | int | float | bool | None
_SAID: dict[str, Value] = {"-": None, "yes": True, "no": False}
_WORDS = {value: word for word, value in _SAID.items()}


def pack(row: Iterable[Value]) -> str:
    """One row as a line without its end; any text, lone surrogates included, comes back as it was."""
    return "\t".join(map(_word, row))


def unpack(line: str) -> "list[Any]":
    """The row of a line.

    Raises:
        ValueError: If `pack` didn't make it.
    """
    return [_value(word) for word in line.split("\t")]


def _word(value: Value) -> str:
    if isinstance(value, str):
        return "=" + value.encode("unicode_escape").decode("ascii")
    return _WORDS[value] if value is None or isinstance(value, bool) else repr(value)


def _value(word: str) -> Value:
    if word[:1] == "=":
        return word[1:] if "\\" not in word else word[1:].encode("ascii").decode("unicode_escape")
    if word in _SAID:
        return _SAID[word]
    return int(word) if word.isdecimal() or (word[:1] == "-" and word[1:].isdecimal()) else float(word)
