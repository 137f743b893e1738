"""A memory folder that two directories share, and an agent that has several: what is written isn't read elsewhere."""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFolder, Problem
from memtui.memory.index import INDEX_NAME


def find_in_folder(folder: CheckedFolder) -> Iterator[Problem]:
    """Report it at the index, which is what the agent reads first."""
    scope, around = folder.scope, folder.around
    if scope.id == "auto":
        for note in around.sharing_notes():
            yield _hint(folder, "shared-store", note)
    elif scope.id.startswith("agent:"):
        for note in around.agent_notes(scope.id.split(":", 2)[2]):
            yield _hint(folder, "agent-stores", f"{note}: memtui promote NAME SCOPE brings a topic over")


def _hint(folder: CheckedFolder, code: str, message: str) -> Problem:
    root = folder.scope.root
    return Problem(folder.scope.id, INDEX_NAME, root / INDEX_NAME, None, None, code, "info", message)


CHECK = Check(("shared-store", "agent-stores"), TOPICS, find_in_folder=find_in_folder, order=320)
