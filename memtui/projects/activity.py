"""What was done to a project, to its memory and its sessions alike: the list, and taking back the newest.

Memory has its history, sessions have their deeds; a person has one past.
"""

from contextlib import suppress

from memtui.client.retention import DEFAULT_DAYS, cleanup_days
from memtui.client.running import running
from memtui.history.trash import put_in_trash
from memtui.history.undo import redo_target
from memtui.history.versions import REDO, UNDO, Version
from memtui.memory.workspace import Workspace
from memtui.sessions.archive import Keeper
from memtui.sessions.operations_log import Deed, Deeds
from memtui.util.errors import NotFound


def keeper_for(workspace: Workspace) -> Keeper:
    """The one who moves sessions, with the person's trash and the client's clean-up."""
    days = cleanup_days(workspace.place.layers)
    trash = put_in_trash if workspace.trash else None
    return Keeper(workspace.dirs, now=workspace.now, trash=trash, cleanup=DEFAULT_DAYS if days is None else days)


def live_sessions(workspace: Workspace) -> frozenset[str]:
    """The ids of the sessions that a client has open."""
    return frozenset(running(workspace.env))


def session_versions(workspace: Workspace, limit: int = 200) -> list[Version]:
    """What was done to the sessions of the project, newest first, in the form of everything else that was done."""
    return [as_version(deed) for deed in Deeds(workspace.dirs).newest(limit, project=workspace.place.transcripts)]


def as_version(deed: Deed) -> Version:
    """A deed in the form of everything else that can be undone; it has no files."""
    kind = deed.what if deed.what in (UNDO, REDO) else f"session-{deed.what}"
    return Version(deed.id, deed.time, "you", deed.words, kind, (), deed.undoes or None, deed.undone)


def deed_to_undo(workspace: Workspace, word: str | None = None) -> Deed | None:
    """The deed that a word means, or the newest one if nothing that stands was written since; None if there is none.

    Raises:
        NotFound: If the word can only be a deed's id, and there is no such deed.
    """
    deeds = Deeds(workspace.dirs)
    if word is not None:
        return deeds.get(word) if word.startswith("s") else None
    deed = deeds.last(project=workspace.place.transcripts)
    if deed is None:
        return None
    try:
        written = workspace.next_undo()[1].when
    except NotFound:
        return deed
    return deed if deed.time > written else None


def undo_deed(workspace: Workspace, deed: Deed) -> Deed:
    """Take a deed back.

    Raises:
        MemtuiError: As from `Keeper.undo`.
    """
    return keeper_for(workspace).undo(deed, live=live_sessions(workspace))


def deed_to_redo(workspace: Workspace) -> Deed | None:
    """The undo of a deed that a redo means; None if memory's own is meant, or there is none.

    As for memory, what was done since stands in its way.
    """
    deeds = {deed.id: deed for deed in Deeds(workspace.dirs).newest(None, project=workspace.place.transcripts)}
    target = redo_target(map(as_version, deeds.values()))
    if target is None:
        return None
    for written in (workspace.next_undo, workspace.next_redo):
        with suppress(NotFound):
            if written()[1].when > target.when:
                return None
    return deeds[target.id]


def redo_deed(workspace: Workspace, undone: Deed) -> Deed:
    """Do again what was undone.

    Raises:
        MemtuiError: As from `Keeper.redo`.
    """
    return keeper_for(workspace).redo(undone, live=live_sessions(workspace))
