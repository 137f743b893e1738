"""A memory folder that two directories share, and an agent that has several: what is written isn't read elsewhere."""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFolder, Problem
from memtui.memory.index import INDEX_NAME


def find_in_folder(folder: CheckedFolder) -> Iterator[Problem]:
    """Report it at the index, which is what the agent reads first."""
    scope, around = folder.scope, folder.around
    code, message = "shared-store", around.sharing_note() if scope.id == "auto" else ""
    if scope.id.startswith("agent:") and (note := around.agent_note(scope.id.split(":", 2)[2])):
        code, message = "agent-stores", f"{note}: memtui promote NAME SCOPE brings a topic over"
    if message:
        yield Problem(scope.id, INDEX_NAME, scope.root / INDEX_NAME, None, None, code, "info", message)


CHECK = Check(("shared-store", "agent-stores"), TOPICS, find_in_folder=find_in_folder, order=320)
