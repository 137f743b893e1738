"""Rules of resuming, grouped by families of client versions that share them.

A family implements the steps of a resume and lists every rule with the recordings that show it. A rule can be switched
off, so that a test (or a comparison with a new client version) can tell which answers depend on it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from memtui.resume.conversation import ApiConversation, ResumePoint, Rows
from memtui.transcripts.entries import Entry
from memtui.transcripts.lines import Record


class RuleSet(Struct, frozen=True):
    """The rules in force: all of a family but the disabled ones. `"leaf.rewound" in rules` asks for one by its id."""

    disabled: frozenset[str] = frozenset()

    def __contains__(self, rule_id: str) -> bool:
        return rule_id not in self.disabled


class Rule(Struct, frozen=True):
    """One rule that the client follows; condition and effect are a sentence each."""

    id: str
    condition: str
    effect: str
    function: Callable[..., Any]  # implements it
    recordings: tuple[str, ...]  # sessions below `tests/data` (file/case) whose answer changes without the rule


class ClientFamily(Struct, frozen=True):
    """Client versions that resume by the same rules. The functions are the steps of a resume, in order."""

    name: str  # the beginning of their version numbers
    recorded: str  # the version that the recordings are of
    rules: tuple[Rule, ...]
    load_rows: Callable[[Iterable[Entry], RuleSet], Rows]
    find_resume_point: Callable[[Rows, list[Entry], dict[str, list[str]], RuleSet], ResumePoint]
    # The records down to the resume point, with the number of those, at the beginning, that are not sent.
    records_to_send: Callable[[Rows, ResumePoint, dict[str, list[str]], RuleSet], tuple[list[Entry], int]]
    build_conversation: Callable[[list[Entry], Iterator[Record], int, ResumePoint, RuleSet], ApiConversation]
    parent_substitute: Callable[[Rows, Entry, set[str]], str]  # what is used instead of a parent that is missing

    def without(self, rule_ids: Iterable[str]) -> RuleSet:
        """The rules of this family but some; `ValueError` if there is no rule with such an id."""
        disabled = frozenset(rule_ids)
        if unknown := disabled - {rule.id for rule in self.rules}:
            raise ValueError(f"no such rule: {', '.join(sorted(unknown))}")
        return RuleSet(disabled)
