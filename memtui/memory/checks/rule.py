"""A rule file that says nothing, or whose `paths` name no file, so that Claude Code loads it at every start."""

import re
from collections.abc import Iterator

from memtui.memory.budget import body_start, counted_text
from memtui.memory.checks.base import Check, CheckedFile, Problem, TextHit
from memtui.memory.path_rules import rule_paths

_PATHS = re.compile(r"^paths[ \t]*:[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)
_ALL = re.compile(r"[\s\"'\[\],-]*/?\*\*[\s\"'\],]*\Z")


def find_in_text(text: str) -> tuple[TextHit, ...]:
    """Find the `paths` that count for nothing, and (its `words` empty) a text without anything to load."""
    hits = []
    end = body_start(text)
    key = _PATHS.search(text, 0, end)
    if key is not None and not rule_paths(text):
        rest = text[key.start(1) : end].rpartition("---")[0]
        if not _ALL.match(rest):
            hits.append(TextHit(text.count("\n", 0, key.start()) + 1, 1, key[1] or "nothing"))
    if not counted_text(text).text.strip():
        hits.append(TextHit(1, 1, ""))
    return tuple(hits)


def find(file: CheckedFile) -> Iterator[Problem]:
    item = file.instruction
    if item is None or not item.exists or item.layer != "rule":
        return
    for hit in file.hits("rule-paths"):
        if hit.words:
            message = f"paths name no file ({hit.words}): Claude Code loads the rule at every start"
            yield file.problem("rule-paths", "warning", message, hit.line)
        else:
            yield file.problem("empty-rule", "info", "the rule says nothing")


CHECK = Check(("rule-paths", "empty-rule"), frozenset({"instruction"}), find, find_in_text=find_in_text, order=260)
