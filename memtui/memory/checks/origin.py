"""A topic whose session of origin is gone although it isn't old: where its facts are from can't be looked up any more.

Claude Code deletes sessions after 30 days, so only younger topics are looked at, and only where sessions are kept.
"""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem

SESSIONS_KEPT_S = 30 * 86_400.0


def find(file: CheckedFile) -> Iterator[Problem]:
    field, folder = file.field("originSessionId"), file.folder
    if field is None or field.value is None or folder is None or not 0 <= file.age_s < SESSIONS_KEPT_S:
        return
    is_shared = file.scope == "team" or file.scope.startswith("agent:project:")
    if not is_shared and folder.around.sessions and field.value not in folder.around.sessions:
        message = f"the session that wrote it is gone: {field.value}"
        yield file.problem("origin-gone", "info", message, field.line, subject=field.value)


CHECK = Check(("origin-gone",), TOPICS, find, order=230)
