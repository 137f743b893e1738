"""The block of `key: value` lines at the head of a topic file: read leniently, edited by span.

The block isn't read as YAML: memory files hold values that a YAML loader refuses (`Use X: always`) or changes (`no`,
`017`, dates). A value is text with its quotes removed, and nothing in it is ever run. What is odd is noted and shown,
never a reason to drop the file.

How a block is read, one rule a line:
- It opens with `---` on the first line and closes with `---` within 30 lines and 16 KiB, or it is invalid.
- A key may hold indented keys (`metadata:` / `  type: user`); they are named with a dot, `metadata.type`.
- Three forms occur: `type` at the top; the same with `originSessionId`; `type`, `originSessionId` and `modified` below
  `metadata`. The top-level `type` wins over the nested one.
- The last of two equal keys wins; null and empty count as missing.
- `#` inside a plain value is text, because people write "issue #12"; a comment is a line of its own, or stands behind a
  quoted value or a type.

How it is edited: an edit replaces the characters of one value or puts one line in. Byte order mark, line ends,
comments, quotes, order, unknown keys, invalid YAML and a missing last line end stay as they were.
"""

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from memtui.util.errors import MemtuiError

TYPES = ("user", "feedback", "project", "reference")
MAX_BLOCK_LINES = 30  # that the agent client scans for a block
MAX_BLOCK_BYTES = 16 * 1024
LONG_VALUE_CHARS = 1000  # a name or description beyond it is clipped wherever it is shown
_ABOVE_BLOCK = re.compile(r"\ufeff?(?:[ \t]*\r?\n|#[^\n]*\n|<!--(?:(?!-->).)*-->[ \t]*\r?\n)*", re.DOTALL)
_LATER_BLOCK = re.compile(
    r"(---|\+\+\+|;;;)[ \t]*\r?\n(?=(?:(?!\1)[^\n]*\n){0,30}?[\"']?(?:name|title|description)[\"']?[ \t]*[:=])"
    r"(?:(?!\1)[^\n]*\n){1,30}?\1[ \t]*\r?(?:\n|\Z)"
)
_FENCE = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_KEY = re.compile(r"([ \t]*)([^\s:#\-\[\]{},&*!|>'\"%@`][^:\r\n]*?|<<)([ \t]*):(?:([ \t]+)|(?=\r?\Z))")
_TIGHT = re.compile(r"([ \t]*)([A-Za-z_][\w-]*)(:)(?=[^\s:/])")
_BLOCK = re.compile(r"[|>][+-]?[1-9]?[+-]?(?:[ \t]+#.*)?\Z")
DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?:[ \t]+#.*)?\Z')
SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'(?:[ \t]+#.*)?\Z")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"} | {
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"
}  # fmt: skip
# A zero-width joiner between two non-ASCII characters is how emoji and Persian are written; anywhere else it hides.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


class FrontmatterNote(Struct, frozen=True):
    """Something odd about a block: `line` counts from 1 in the file, `code` is for programs, `message` for people."""

    line: int | None
    code: str
    message: str


class Field(Struct, frozen=True):
    """One key of a block."""

    key: str  # dotted if it is nested
    value: str | None  # None for null and empty
    line: int
    start: int  # `start` and `end` are character offsets of its whole lines
    end: int
    value_start: int  # those of the value as written
    value_end: int
    indent: str
    depth: int


class Frontmatter(Struct, frozen=True):
    """What the head of a file says; offsets are in the decoded text, a byte order mark counted."""

    verdict: str  # "ok", "warn" (shown with a note) or "invalid" (shown raw)
    fields: tuple[Field, ...] = ()
    problems: tuple[FrontmatterNote, ...] = ()
    body_start: int = 0
    body_line: int = 1
    block: bool = False  # whether there is a block at all

    def field(self, key: str) -> Field | None:
        """The field that counts for a key (`type`, `metadata.type`): the last one of that name."""
        depth = key.count(".")
        return next((field for field in self.fields[::-1] if field.key == key and field.depth == depth), None)

    def get(self, key: str) -> str | None:
        """The value of a key (`name`, `metadata.modified`), or None if it is missing, null or empty."""
        field = self.field(key)
        return None if field is None else field.value

    def placed(self, key: str) -> Field | None:
        """The field of a key that may stand at the top or under `metadata`; the top level wins if it has a value."""
        top = self.field(key)
        if top is not None and top.value is not None:
            return top
        return self.field(f"metadata.{key}") or top

    def _placed_value(self, key: str) -> str | None:
        field = self.placed(key)
        return None if field is None else field.value

    @property
    def name(self) -> str | None:
        return self.get("name")

    @property
    def description(self) -> str | None:
        return self.get("description")

    @property
    def type_text(self) -> str | None:
        """The type as written, whether or not it is one of the four."""
        return self._placed_value("type")

    @property
    def type(self) -> str | None:
        return _known_type(self.type_text or "")

    @property
    def modified(self) -> str | None:
        return self._placed_value("modified")

    @property
    def origin(self) -> str | None:
        """The id of the session that wrote the file."""
        return self._placed_value("originSessionId")


def newline_of(text: str) -> str:
    r"""The line end that a text uses first: "\r\n" or "\n"."""
    return "\r\n" if "\r\n" in text[: text.find("\n") + 1] else "\n"


def type_of_name(name: str) -> str | None:
    """The type that a file's name begins with, as in `feedback_testing.md`."""
    leaf = name.rpartition("/")[2].lower()
    return next((kind for kind in TYPES if leaf.startswith((f"{kind}_", f"{kind}-"))), None)


def _known_type(word: str) -> str | None:
    word = word.strip().lower()
    return word if word in TYPES else None


def _invalid(code: str, message: str, line: int | None = None) -> Frontmatter:
    return Frontmatter("invalid", problems=(FrontmatterNote(line, code, message),))


def read_frontmatter(data: bytes | str, *, partial: bool = False) -> Frontmatter:
    """Read the block at the head of a file; never raises.

    `data` is bytes, or decoded without dropping a byte order mark; if `partial`, it is only the head of the file, so a
    character cut in two at its end is no fault. The verdict is "warn" when there is no block, "invalid" when it isn't
    closed in time or the data is no UTF-8 text.
    """
    if isinstance(data, bytes):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            if not partial or error.start < len(data) - 3 or error.reason != "unexpected end of data":
                return _invalid("not-utf8", f"not UTF-8: byte {error.start}")
            text = data[: error.start].decode("utf-8")
    else:
        text = data
    if "\0" in text:
        return _invalid("nul", "holds NUL bytes: binary, or zero-filled after a power cut")
    bom = text.startswith("\ufeff")
    opening = _FENCE.match(text, bom)
    if opening is None:
        note = FrontmatterNote(None, "missing", "no front matter")
        if text.lstrip("\ufeff \t\r\n").startswith("---"):
            message = "no front matter: its first line must be exactly ---, at the very top"
            note = FrontmatterNote(None, "misplaced", message)
        elif (found := _later_block(text, 0, 0)) is not None:
            line, fence = found
            what = "a block" if fence == "---" else f"a {fence} block"
            message = f"no front matter: {what} stands in line {line}, but it must open with --- in the first line"
            note = FrontmatterNote(line, "misplaced", message)
        return Frontmatter("warn", problems=(note,), body_start=int(bom))
    closing = _closing(text, opening.end())
    if closing is None:
        message = f"front matter is never closed: --- is missing in the first {MAX_BLOCK_LINES} lines or 16 KiB"
        return _invalid("unclosed", message, 1)
    close_at, body_start, body_line = closing
    notes = [FrontmatterNote(1, "bom", "a byte order mark stands before the block")] if bom else []
    front = Frontmatter("ok", _fields(text, opening.end(), close_at, notes), (), body_start, body_line, True)
    notes += _missing(front)
    if (found := _later_block(text, body_start, body_line - 1)) is not None:
        message = f"a second block stands in line {found[0]}: only the first one is read"
        notes.append(FrontmatterNote(found[0], "second-block", message))
    return replace(front, verdict="warn", problems=tuple(notes)) if notes else front


def _later_block(text: str, at: int, lines_before: int) -> tuple[int, str] | None:
    """Line and fence of a block further down, with nothing but blank lines, comments and headings above it."""
    above = _ABOVE_BLOCK.match(text, at)
    found = _LATER_BLOCK.match(text, at if above is None else above.end())
    if found is None:
        return None
    line = lines_before + text.count("\n", at, found.start()) + 1
    return (line, found[1]) if line <= MAX_BLOCK_LINES else None


def _closing(text: str, at: int) -> tuple[int, int, int] | None:
    """Where the closing fence starts and ends, and the number of the line after it; None beyond the limits."""
    for number in range(2, MAX_BLOCK_LINES + 1):
        if not at or at >= len(text):
            break
        fence = _FENCE.match(text, at)
        if fence is not None:
            head = text[: fence.end()]
            small = len(head) <= MAX_BLOCK_BYTES // 4 or len(head.encode("utf-8", "surrogatepass")) <= MAX_BLOCK_BYTES
            return (at, fence.end(), number + 1) if small else None
        at = text.find("\n", at) + 1
    return None


def _fields(text: str, at: int, end: int, notes: list[FrontmatterNote]) -> tuple[Field, ...]:
    fields: list[Field] = []
    seen: set[tuple[str, int]] = set()
    parents: list[tuple[int, str]] = []  # indents and dotted names of the keys that a deeper line belongs to
    number, base = 1, -1
    while at < end:
        number += 1
        line_end = text.index("\n", at) + 1
        line = text[at : line_end - 1].rstrip("\r")
        bare = line.strip(" \t")
        if not bare or bare[0] == "#":
            at = line_end
            continue
        match = _KEY.match(line) or _TIGHT.match(line)
        width = _indent(line)
        while parents and parents[-1][0] >= width:
            parents.pop()
        if match is None or match[2] == "<<" or (width != base and not parents and base >= 0):
            # Items of a list that an unknown key holds are fine; we don't read them.
            if bare[0] != "-" or not fields or fields[-1].value is not None:
                notes.append(FrontmatterNote(number, "odd-line", f"not a key and a value: {bare[:60]}"))
            at = line_end
            continue
        base = width if base < 0 else base
        key = f"{parents[-1][1]}.{match[2]}" if parents else match[2]
        if parents and fields[-1].value is not None and fields[-1].key == parents[-1][1]:
            notes.append(FrontmatterNote(number, "odd-indent", f"{match[2]} is indented under a key that has a value"))
        value_at = at + match.end()
        line_end, lines, raw, value = _value(text, value_at, line_end, end, width)
        if match[2] == "type" and " #" in raw and _known_type(raw.partition(" #")[0]) is not None:
            raw = value = raw.partition(" #")[0].rstrip()  # one of four words, so this is a comment
        if match.re is _TIGHT:
            notes.append(FrontmatterNote(number, "tight-colon", f"no blank after the colon of {key}"))
        if value is not None:
            notes += _oddities(key, raw, value, number)
        if (key, len(parents)) in seen:
            notes.append(FrontmatterNote(number, "duplicate", f"{key} is there more than once; the last one counts"))
        seen.add((key, len(parents)))
        fields.append(Field(key, value, number, at, line_end, value_at, value_at + len(raw), match[1], len(parents)))
        parents.append((width, key))
        number += lines - 1
        at = line_end
    return tuple(fields)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _value(text: str, at: int, line_end: int, end: int, width: int) -> tuple[int, int, str, str | None]:
    """The value that starts at an offset: end of its last line, how many lines, as written, and as meant."""
    raw = text[at : line_end - 1].rstrip(" \t\r")
    is_block = raw[:1] in ("|", ">") and _BLOCK.match(raw) is not None
    parts: list[str] = []
    lines, last, blanks, next_at = 1, line_end, 0, line_end
    while next_at < end and raw[:1] not in ("[", "{", "#"):
        next_end = text.index("\n", next_at) + 1
        line = text[next_at : next_end - 1].rstrip("\r")
        bare = line.strip(" \t")
        if not bare:
            blanks += 1
        elif _indent(line) <= width or not (is_block or (bare[0] != "#" and _KEY.match(line) is None)):
            break
        elif bare == "---":
            break  # meant as the end of the block
        elif not raw and not parts and bare[0] in "-[{":
            break  # a list or map below its key, not a text
        else:
            parts.append(bare)
            lines, last, blanks = lines + blanks + 1, next_end, 0
        next_at = next_end
    if not parts:
        return (line_end, 1, raw, None) if is_block else (line_end, 1, *_scalar(raw))
    joined = " ".join(parts) if is_block else _scalar(" ".join([raw, *parts] if raw else parts))[1]
    return last, lines, text[at : last - 1].rstrip(" \t\r"), joined


def _scalar(raw: str) -> tuple[str, str | None]:
    """A value as written, without a comment behind its closing quote, and as meant."""
    first = raw[:1]
    if first == '"':
        match = DOUBLE_QUOTED.match(raw)
        if match is not None:
            return raw[: match.end(1) + 1], _ESCAPE.sub(_unescape, match[1]) or None
    elif first == "'":
        match = SINGLE_QUOTED.match(raw)
        if match is not None:
            return raw[: match.end(1) + 1], match[1].replace("''", "'") or None
    elif raw in _NULLS:
        return raw, None
    elif first == "#" and (len(raw) == 1 or raw[1] in " \t"):
        return "", None
    return raw, raw


def _unescape(match: re.Match[str]) -> str:
    word = match[1]
    if len(word) > 1:
        code = int(word[1:], 16)
        return chr(code) if code < 0x110000 else match[0]
    return _ESCAPES.get(word, word)


def _oddities(key: str, raw: str, value: str, number: int) -> Iterator[FrontmatterNote]:
    """What YAML would read otherwise, and what a person can't see."""
    if raw[0] in "!&*":
        yield FrontmatterNote(number, "yaml-tag", f"{key}: a YAML tag, anchor or alias is kept as text")
    elif raw[0] in "[{" and key in ("name", "description", "type", "metadata", "metadata.type"):
        yield FrontmatterNote(number, "not-a-word", f"{key}: a list or map stands where a word belongs")
    elif "\n" in raw:
        yield FrontmatterNote(number, "folded", f"{key}: text over several lines is read as one line")
    if len(value) > LONG_VALUE_CHARS:
        yield FrontmatterNote(number, "long-value", f"{key}: {len(value)} characters")
    if hidden := _HIDDEN.search(value):
        yield FrontmatterNote(number, "hidden", f"{key}: hidden character U+{ord(hidden[0]):04X}")


def _missing(front: Frontmatter) -> Iterator[FrontmatterNote]:
    for key in ("name", "description"):
        if front.get(key) is None:
            yield FrontmatterNote(None, f"no-{key}", f"{key} is missing")
    field = front.placed("type")
    if field is None or field.value is None:
        yield FrontmatterNote(None, "no-type", "type is missing")
    elif front.type is None:
        message = f"type {field.value[:40]!r} is none of {', '.join(TYPES)}"
        yield FrontmatterNote(field.line, "wrong-type", message)
    elif field.value != front.type:
        yield FrontmatterNote(field.line, "type-case", f"type is written {field.value[:40]!r}")


# What every reader of YAML takes for this very text: no indicator or digit first, no ": ", " #" or ":" at the end.
_PLAIN = re.compile(r"[^\W\d](?:[^:#]|:(?=\S)|(?<=\S)#)*(?<=\S)\Z")
_YAML_WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off"))
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?\Z")
_TOP_OR_METADATA = ("type", "modified")  # at the top level in older files, under `metadata` in newer ones
_UNQUOTED_TIMES = ("modified", "metadata.modified")  # the client writes them without quotes
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def set_field(text: str, key: str, value: str) -> str:
    """Give a key a value and leave every other byte of a file as it is; a file without a block gets one.

    `key` is a dotted name. `type` and `modified` go where they already are; absent, under `metadata` if the block has
    that, else at the top level. The value is quoted only when a YAML reader, or ours, would take it for something else.
    Raises if the block is never closed, the key is no key or holds other keys, or the value is empty.
    """
    if not value:
        raise MemtuiError(f"{key} can't be empty", hint="remove the field instead")
    if re.fullmatch(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)?", key) is None:
        raise MemtuiError(f"not a field name: {key}")
    front, field = _editable(text, key)
    if not front.block:
        return _with_block(text, key, value)
    return _replaced(text, front, field, value) if field is not None else _inserted(text, front, key, value)


def remove_field(text: str, key: str) -> str:
    """Remove every line of a key, however often it is there, with the keys and items nested below it."""
    front, gone = _editable(text, key)
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


def _editable(text: str, key: str) -> tuple[Frontmatter, Field | None]:
    front = read_frontmatter(text)
    if front.verdict == "invalid":
        raise MemtuiError(front.problems[0].message, hint="repair the first lines of the file by hand")
    return front, front.placed(key) if key in _TOP_OR_METADATA else front.field(key)


def _with_block(text: str, key: str, value: str) -> str:
    newline = newline_of(text)
    at = int(text.startswith("\ufeff"))
    gap = newline if text[at:].strip() and not text[at:].startswith(("\n", "\r")) else ""
    head, _, child = key.rpartition(".")
    written = _written(value, bare_time=key in _UNQUOTED_TIMES)
    lines = [f"{head}:", f"  {child}: {written}"] if head else [f"{key}: {written}"]
    return text[:at] + newline.join(["---", *lines, "---", gap]) + text[at:]


def _replaced(text: str, front: Frontmatter, field: Field, value: str) -> str:
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
    written = _written(value, text[field.value_start : end], bare_time=field.key in _UNQUOTED_TIMES)
    return text[: field.value_start] + before + written + text[end:]


def _inserted(text: str, front: Frontmatter, key: str, value: str) -> str:
    head, _, leaf = key.rpartition(".")
    parent = front.field(head) if head else front.field("metadata") if key in _TOP_OR_METADATA else None
    line = f"{leaf}: {_written(value, bare_time=key in _UNQUOTED_TIMES)}{newline_of(text)}"
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
            if _indent(line) < len(field.indent) + (not bare.startswith("-")):
                break
            end = at
    return end


def _close_at(text: str, front: Frontmatter) -> int:
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
    if _PLAIN.match(value) is not None and value.lower() not in _YAML_WORDS:
        return value
    if _TIME.match(value) is not None and (bare_time or _TIME.match(old) is not None):
        return value
    return _double(value) if '"' not in value and "\\" not in value else "'" + value.replace("'", "''") + "'"


def _double(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _UNPRINTABLE.sub(_escape, escaped) + '"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[char]
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
