"""Operations of the history in words."""

from memtui.history.versions import FOUND, OUTSIDE, Operation


def who_words(operation: Operation) -> str:
    """Who did it: "you", "dream …", "other program"."""
    return "other program" if operation.who == OUTSIDE else operation.who


def why_words(operation: Operation) -> str:
    if operation.kind == FOUND:
        return f"first seen: {operation.files[0].name}" if len(operation.files) == 1 else "first seen"
    if operation.kind == OUTSIDE:
        return operation.why.replace("changed outside:", "changed by another program:", 1)
    return operation.why
