"""Conflict markers that a merge left in a file: the agent reads both sides as one text.

Only a person can say which side holds, so there is no fix, and no other repair touches such a file. An example of a
conflict in a closed code block is a hint only.
"""

from collections.abc import Iterator

from memtui.memory.checks.base import LISTED, Check, CheckedFile, Problem, TextHit
from memtui.memory.conflict_markers import find_markers, line_list
from memtui.memory.markdown import code_blocks, is_inside


def find_in_text(text: str) -> tuple[TextHit, ...]:
    found = find_markers(text)
    if not found:
        return ()
    blocks = code_blocks(text)
    real = [line for line, at in found if not is_inside(blocks, at)]
    lines = real or [line for line, _ in found]
    return (TextHit(lines[0], 1, line_list(lines), rule="" if real else "code"),)


def find(file: CheckedFile) -> Iterator[Problem]:
    for hit in file.hits("conflict-markers"):
        if hit.rule:
            message = f"conflict markers in a code block, {hit.words}: no repair touches the file"
            yield file.problem("conflict-markers", "info", message, hit.line)
        else:
            message = f"a conflict is left open, {hit.words}: keep one side and delete the markers"
            yield file.problem("conflict-markers", "error", message, hit.line)


CHECK = Check(("conflict-markers",), LISTED, find, find_in_text=find_in_text, order=5)
