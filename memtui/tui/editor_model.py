"""What the editor knows of a file, apart from any widget: opening it, its fields, its problems.

A file as the editor holds it: frontmatter apart, body with one kind of line end, and back to the same bytes.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.memory.checks.base import Problem
from memtui.memory.frontmatter import read_frontmatter, set_field
from memtui.memory.snapshot import Snapshot, check_text
from memtui.memory.workspace import Workspace
from memtui.util.errors import NotFound
from memtui.util.text import is_plain, time_ago

LARGEST = 1_000_000  # bytes; what is larger opens read only


_SEPARATORS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What `str.splitlines`, and so the text field, takes for a line end although the file's format does not."""


class NotEditable(ValueError):
    """The editor would change bytes that were not edited; the message says why."""


class EditorText(Struct, frozen=True):
    """`head + body` is the whole text, with "\\n" for every line end; `newline` is what the file has."""

    head: str
    body: str
    newline: str

    @classmethod
    def from_bytes(cls, data: bytes) -> "EditorText":
        """Take a file apart; raises NotEditable if editing it here would lose something."""
        if len(data) > LARGEST:
            raise NotEditable(f"{len(data):,} bytes: over 1 MB")
        if b"\0" in data:
            raise NotEditable("binary: it holds NUL bytes")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotEditable(f"not UTF-8 at byte {error.start}") from error
        plain = text.replace("\r\n", "\n")
        crlf = len(text) - len(plain)
        if "\r" in plain or (crlf and crlf != plain.count("\n")):
            raise NotEditable("mixed line ends: an editor would make them one kind")
        if _SEPARATORS.search(plain):
            raise NotEditable("line separators (form feed, U+2028 …) that an editor would turn into line ends")
        front = read_frontmatter(plain)
        at = front.body_start if front.verdict != "invalid" else 0
        at = at or int(plain.startswith("\ufeff"))
        return cls(plain[:at], plain[at:], "\r\n" if crlf else "\n")

    def whole(self) -> "EditorText":
        """The same file with its frontmatter as part of the body, for files whose fields are not offered apart."""
        mark = "\ufeff" if self.head.startswith("\ufeff") else ""
        return EditorText(mark, self.text.removeprefix(mark), self.newline)

    @property
    def text(self) -> str:
        return self.head + self.body

    def to_bytes(self) -> bytes:
        return self.exact.encode("utf-8")

    @property
    def exact(self) -> str:
        return self.text.replace("\n", self.newline)

    @property
    def body_line(self) -> int:
        return self.head.count("\n") + 1


FIELDS = ("type", "name", "description")


class OpenedFile(Struct, frozen=True):
    """A file as the editor took it up. `base` is the digest of what is on disk, None for a file that is not there."""

    path: Path
    name: str
    data: bytes
    base: str | None
    text: EditorText
    fields: Mapping[str, str]
    is_index: bool
    snapshot: Snapshot
    note: str = ""


def open_file(workspace: Workspace, snapshot: Snapshot, path: Path, *, draft: bool = True) -> OpenedFile:
    """Read a file, and the draft that was left of it.

    Raises:
        NotEditable: If editing here would change bytes that were not edited.
        NotFound: If it is gone and there is no draft.
    """
    data, base = b"", None
    saved_draft = workspace.drafts.load(path) if draft else None
    try:
        data, base = workspace.text(path)
    except NotFound:
        if saved_draft is None:
            raise
    file = snapshot.at(path)
    text, note = EditorText.from_bytes(data), ""
    if saved_draft is not None and saved_draft.text.encode() != data:
        text = EditorText.from_bytes(saved_draft.text.encode())
        moved = "; the file changed meanwhile: F9 compares" if saved_draft.base != base else ""
        note = f"unsaved text from {time_ago(workspace.now() - saved_draft.saved_at)} is back{moved}"
        base = saved_draft.base
    fields = _fields(text) if file is not None and file.kind == "topic" else {}
    text = text if fields else text.whole()
    return OpenedFile(
        path, file.name if file else path.name, data, base, text, fields,
        file is not None and file.kind == "index", snapshot, note,
    )  # fmt: skip


def take_fixed(opened: OpenedFile, text: str) -> OpenedFile:
    """The same file with another unsaved text; NotEditable if that has other fields than are on the screen."""
    made = EditorText.from_bytes(text.encode())
    fields = _fields(made) if opened.fields else {}
    if fields.keys() != opened.fields.keys():
        raise NotEditable("the fix changes which fields there are: save, and f in the list does it")
    made = replace(made if fields else made.whole(), newline=opened.text.newline)
    return replace(opened, text=made, fields=fields)


def _fields(text: EditorText) -> dict[str, str]:
    """The fields that are offered as lines; none where showing one would have to change its text."""
    front = read_frontmatter(text.text)
    if front.verdict == "invalid" or not text.head.strip("\ufeff"):
        return {}
    values = (front.type or front.type_text or "", front.name or "", front.description or "")
    whole = all(is_plain(value) and "\n" not in value for value in values)
    return dict(zip(FIELDS, values, strict=True)) if whole else {}


def field_edits(text: EditorText, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The head with the fields that changed put in by span; every other byte of it stays."""
    head = text.head
    for key in FIELDS:
        if key in before and after[key] != before[key]:
            head = set_field(head, key, after[key])
    return head


def problems_of(workspace: Workspace, opened: OpenedFile, text: EditorText) -> tuple[Problem, ...]:
    problems = check_text(opened.snapshot, opened.path, text.text)
    return tuple(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
