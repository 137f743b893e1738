r"""Front matter of a topic file: edit one field and leave every other byte (DESIGN.md D6).

`fields` reads; this module writes. A write replaces the characters of one value, or puts one line in: byte order mark,
line ends, comments, quotes, unknown keys, invalid YAML and a missing last line end stay as they were.
"""

import re

from memtui.base.errors import MemtuiError
from memtui.memory.fields import (
    DOUBLE_QUOTED,
    MAX_BYTES,
    MAX_LINES,
    SINGLE_QUOTED,
    TYPES,
    Field,
    Frontmatter,
    Note,
    read_frontmatter,
)

__all__ = [
    "MAX_BYTES",
    "MAX_LINES",
    "TYPES",
    "Field",
    "Frontmatter",
    "Note",
    "new_block",
    "read_frontmatter",
    "remove_field",
    "set_field",
]

# What every reader of YAML takes for this very text: no indicator or digit first, no ": ", " #" or ":" at the end.
_PLAIN = re.compile(r"[^\W\d](?:[^:#]|:(?=\S)|(?<=\S)#)*(?<=\S)\Z")
_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off"))
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?\Z")
_MOVABLE = ("type", "modified")  # at the top level in older files, under `metadata` in newer ones
_TIMES = ("modified", "metadata.modified")  # the client writes them without quotes
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def set_field(text: str, key: str, value: str) -> str:
    """Give a key a value and leave every other byte as it is.

    Args:
        text: The whole file, byte order mark and line ends as they are.
        key: A dotted name. `type` and `modified` go where they already are; absent, under `metadata` if the block has
            that, else at the top level.
        value: Any text; it is quoted only when a YAML reader, or ours, would take it for something else.

    Returns:
        The new text; a file without a block gets one. `read_frontmatter(result).get(key) == value`.

    Raises:
        MemtuiError: The block is never closed, the key is no key or holds other keys, or the value is empty.
    """
    if not value:
        raise MemtuiError(f"{key} can't be empty", hint="remove the field instead")
    if re.fullmatch(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)?", key) is None:
        raise MemtuiError(f"not a field name: {key}")
    front = _editable(text)
    if not front.block:
        return _with_block(text, key, value)
    field = front.placed(key) if key in _MOVABLE else front.field(key)
    return _replaced(text, front, field, value) if field is not None else _inserted(text, front, key, value)


def remove_field(text: str, key: str) -> str:
    """Take every line of a key out (all of them if it is there twice), with the keys and items nested under it.

    Raises:
        MemtuiError: The block is never closed.
    """
    front = _editable(text)
    gone = front.placed(key) if key in _MOVABLE else front.field(key)
    if gone is None:
        return text
    spans = [
        (field.start, _end_with_rest(text, front, field))
        for field in front.fields
        if field.key == gone.key and field.depth == gone.depth
    ]
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return text


def new_block(name: str, description: str, type: str) -> str:
    """The block of a new topic file, closing fence and blank line included."""
    lines = [f"name: {_written(name)}"]
    lines += [f"description: {_written(description)}"] if description else []
    return "\n".join(["---", *lines, f"type: {_written(type)}", "---", "", ""])


def _editable(text: str) -> Frontmatter:
    front = read_frontmatter(text)
    if front.verdict == "invalid":
        raise MemtuiError(front.problems[0].message, hint="repair the first lines of the file by hand")
    return front


def _with_block(text: str, key: str, value: str) -> str:
    """The text with a new block of one field before it."""
    newline = _newline(text)
    at = int(text.startswith("\ufeff"))
    gap = newline if text[at:].strip() and not text[at:].startswith(("\n", "\r")) else ""
    head, _, child = key.rpartition(".")
    written = _written(value, bare_time=key in _TIMES)
    lines = [f"{head}:", f"  {child}: {written}"] if head else [f"{key}: {written}"]
    return text[:at] + newline.join(["---", *lines, "---", gap]) + text[at:]


def _replaced(text: str, front: Frontmatter, field: Field, value: str) -> str:
    """The text with another value in a field that is there."""
    if field.value == value:
        return text
    end = field.value_end
    if field.value is None:
        if any(other.key.startswith(f"{field.key}.") for other in front.fields):
            raise MemtuiError(f"{field.key} holds other fields")
        rest = _end_with_rest(text, front, field)
        if rest != field.end:  # a list: the value takes its place
            end = len(text[:rest].rstrip("\r\n"))
    before = "" if text[field.value_start - 1] in " \t" else " "
    written = _written(value, text[field.value_start : end], bare_time=field.key in _TIMES)
    return text[: field.value_start] + before + written + text[end:]


def _inserted(text: str, front: Frontmatter, key: str, value: str) -> str:
    """The text with one line more."""
    head, _, leaf = key.rpartition(".")
    parent = front.field(head) if head else front.field("metadata") if key in _MOVABLE else None
    line = f"{leaf}: {_written(value, bare_time=key in _TIMES)}{_newline(text)}"
    if parent is not None and parent.value is None:
        below = [f for f in front.fields if f.depth == parent.depth + 1 and f.key.startswith(parent.key + ".")]
        if below:
            at = _end_with_rest(text, front, below[-1])
            return text[:at] + below[-1].indent + line + text[at:]
        if _end_with_rest(text, front, parent) == parent.end:  # else it holds a list, and can't hold keys as well
            return text[: parent.end] + parent.indent + "  " + line + text[parent.end :]
    if head:
        raise MemtuiError(f"there is no {head} to put {leaf} under")
    top = [f for f in front.fields if f.depth == 0]
    order = ("name", "description", "type")
    before_it = [f for f in top if f.key in order[: order.index(key)]] if key in order else []
    at = _end_with_rest(text, front, before_it[-1]) if before_it else _close_at(text, front)
    return text[:at] + (top[0].indent if top else "") + line + text[at:]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"


def _end_with_rest(text: str, front: Frontmatter, field: Field) -> int:
    """Where a field ends together with its nested keys, list items and whatever else belongs to it."""
    index = front.fields.index(field)
    later = [f for f in front.fields[index + 1 :] if f.depth <= field.depth]
    stop = later[0].start if later else _close_at(text, front)
    end = at = max(f.end for f in front.fields[index:] if f.start < stop)
    for line in text[at:stop].split("\n"):
        at += len(line) + 1
        bare = line.strip()
        if bare and not bare.startswith("#"):
            depth = len(line) - len(line.lstrip(" \t"))
            if depth < len(field.indent) or (depth == len(field.indent) and not bare.startswith("-")):
                break
            end = at
    return end


def _close_at(text: str, front: Frontmatter) -> int:
    """Where the closing fence of an existing block starts."""
    return text.rindex("---", 0, front.body_start)


def _written(value: str, old: str = "", *, bare_time: bool = False) -> str:
    """A value as it stands in a file; an old value passes its kind of quotes on, `modified` is bare as the client's."""
    if "---" in value or _UNPRINTABLE.search(value) is not None:
        # The client takes the first "---" after the opening line for the end of the block, even inside quotes.
        return _double(value).replace("---", "-\\x2d-")
    if old[:1] == "'" and SINGLE_QUOTED.match(old) is not None:
        return "'" + value.replace("'", "''") + "'"
    if old[:1] == '"' and DOUBLE_QUOTED.match(old) is not None:
        return _double(value)
    if _PLAIN.match(value) is not None and value.lower() not in _WORDS:
        return value
    if _TIME.match(value) is not None and (bare_time or _TIME.match(old) is not None):
        return value
    return _double(value) if '"' not in value and "\\" not in value else "'" + value.replace("'", "''") + "'"


def _double(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _UNPRINTABLE.sub(_escape, escaped) + '"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    word = {"\n": "n", "\t": "t", "\r": "r"}.get(char)
    if word:
        return "\\" + word
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
