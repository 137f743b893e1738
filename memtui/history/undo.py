"""Which deed an undo or redo means, and what one file has to become for it."""

from collections.abc import Iterable

from memtui.fs.atomic import FileContent
from memtui.history.merge import merge3
from memtui.history.transaction import Step
from memtui.history.versions import UNDO, Version


def undo_target(versions: Iterable[Version]) -> Version | None:
    """The newest deed of ours that still stands.

    Args:
        versions: Newest first.
    """
    return next((version for version in versions if version.undoable and not version.undone), None)


def redo_target(versions: Iterable[Version]) -> Version | None:
    """The newest undo that still stands, unless something new was done since: redoing over that would surprise.

    Args:
        versions: Newest first.
    """
    for version in versions:
        if version.undone:
            continue
        if version.kind == UNDO:
            return version
        if version.undoable:
            return None
    return None


def taken_back(
    name: str, disk: FileContent | None, before: bytes | None, after: bytes | None
) -> tuple[Step, bool] | bytes:
    """The step that takes a change of one file back, whatever was done to the file since.

    Args:
        disk: The file as it is.
        before: What it held before the change; `None` if the change made it.
        after: What it held after the change; `None` if the change removed it.

    Returns:
        The step and whether texts were merged for it; or, if later edits stand in the way, both texts with marks
        (empty where one of them is no text but an absence).
    """
    now = disk.data if disk is not None else None
    if now in (before, after):
        return Step(name, disk, before), False
    if now is None or before is None or after is None:
        return b""
    merged = merge3(before, after, now)
    return merged.text if merged.conflicts else (Step(name, disk, merged.text), True)
