"""A topic that nothing leads to: not listed, not linked, and older than the newest 200 that the agent's scan reads."""

from collections.abc import Iterator

from memtui.memory.checks.base import TOPICS, Check, CheckedFile, Problem
from memtui.util.text import nfc


def find(file: CheckedFile) -> Iterator[Problem]:
    read, folder = file.file, file.folder
    if read is None or folder is None or read.scanned or nfc(read.name) in folder.listed:
        return
    if not folder.graph.links_in(read):
        message = "nothing leads to it: not in MEMORY.md, not linked, older than the newest 200"
        yield file.problem("unreachable", "warning", message)


CHECK = Check(("unreachable",), TOPICS, find, order=220)
