"""What the editor knows of a file, apart from any widget: opening it, its fields, its problems."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from memtui.base.errors import NotFound
from memtui.base.text import ago, is_plain
from memtui.memory.checks import Problem, check_text
from memtui.memory.frontmatter import read_frontmatter, set_field
from memtui.memory.workspace import Workspace
from memtui.memory.world import World
from memtui.tui.sheet import Sheet

FIELDS = ("type", "name", "description")


class Opened(Struct, frozen=True):
    """A file as the editor took it up. `base` is the digest of what is on disk, None for a file that is not there."""

    path: Path
    name: str
    data: bytes
    base: str | None
    sheet: Sheet
    fields: Mapping[str, str]
    is_index: bool
    is_topic: bool
    world: World
    note: str = ""


def open_file(workspace: Workspace, world: World, path: Path, *, draft: bool = True) -> Opened:
    """Read a file, and the draft that was left of it.

    Raises:
        Unopenable: If editing here would change bytes that nobody touched.
        NotFound: If it is gone and there is no draft.
    """
    data, base = b"", None
    kept = workspace.drafts.load(path) if draft else None
    try:
        data, base = workspace.text(path)
    except NotFound:
        if kept is None:
            raise
    file = world.at(path)
    sheet, note = Sheet.from_bytes(data), ""
    if kept is not None and kept.text.encode() != data:
        sheet = Sheet.from_bytes(kept.text.encode())
        moved = "; the file changed meanwhile: F9 compares" if kept.base != base else ""
        note = f"unsaved text from {ago(workspace.now() - kept.saved_at)} is back{moved}"
        base = kept.base
    is_topic = file is not None and file.kind == "topic"
    fields = _fields(sheet) if is_topic else {}
    sheet = sheet if fields else sheet.whole()
    return Opened(
        path, file.name if file else path.name, data, base, sheet, fields,
        file is not None and file.kind == "index", is_topic, world, note,
    )  # fmt: skip


def _fields(sheet: Sheet) -> dict[str, str]:
    """The fields that are offered as lines; none where showing one would have to change its text."""
    front = read_frontmatter(sheet.text)
    if front.verdict == "invalid" or not sheet.head.strip("\ufeff"):
        return {}
    values = (front.type or front.type_text or "", front.name or "", front.description or "")
    whole = all(is_plain(value) and "\n" not in value for value in values)
    return dict(zip(FIELDS, values, strict=True)) if whole else {}


def field_edits(sheet: Sheet, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The head with the fields that changed put in by span; every other byte of it stays."""
    head = sheet.head
    for key in FIELDS:
        if key in before and after[key] != before[key]:
            head = set_field(head, key, after[key])
    return head


def problems_of(workspace: Workspace, opened: Opened, sheet: Sheet) -> tuple[Problem, ...]:
    """What is wrong with the text as it stands, in the order of its lines."""
    problems = check_text(opened.world, opened.path, sheet.text, workspace.now())
    return tuple(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
