"""How much of a session a resume still reaches, and what keeps it from the rest.

What a compaction summarised, what a person left by a rewind, and what is a sub-agent's own is not meant to be sent, so
it makes no session unhealthy. Messages behind a broken link, beside the record that leads, on a line that holds more
than one record, or in a line that can't be read are lost without anybody wanting it.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, field

from memtui.resume.omitted import Why
from memtui.resume.resume import ResumePlan
from memtui.transcripts.transcript import Transcript
from memtui.util.text import pluralize

LOST: Final[tuple[Why, ...]] = ("lost-parent", "dead-end", "late-side-row", "bad-line")
"""Reasons for which nobody left a message out on purpose."""


class Health(Struct, frozen=True):
    """What became of a session's messages: rows of the main conversation with something to send.

    `total` are all of them, `sent` those that a resume sends, `reachable` those on its way (a thought of another model
    or a call without a result is on the way and isn't sent), `lost` those that nobody left out on purpose, by reason.
    `broken` are links to rows that aren't in the file, `bad` lines that hold no record or more than one, `duplicates`
    records of a uuid that stood before (harmless), `cycles` rings of parents. `found`: the client finds a conversation.
    """

    total: int
    reachable: int
    sent: int
    lost: dict[Why, int] = field(default_factory=dict)
    broken: int = 0
    bad: int = 0
    duplicates: int = 0
    cycles: int = 0
    found: bool = True

    @property
    def missing(self) -> int:
        """Messages that are lost."""
        return sum(self.lost.values())

    @property
    def behind(self) -> int:
        """Messages that hang off a dead end: nothing is wrong with their links, but the client goes on beside them."""
        return self.lost.get("dead-end", 0) + self.lost.get("late-side-row", 0)

    @property
    def percent(self) -> int:
        """The share of what should be sent that a resume reaches; 100 only if nothing is lost, 0 only if all is."""
        wanted = self.reachable + self.missing
        if not self.missing or not wanted:
            return 100
        return max(min(100 * self.reachable // wanted, 99), int(self.reachable > 0))

    @property
    def ok(self) -> bool:
        """Whether nothing is lost and every line and link can be read."""
        return not (self.missing or self.bad or self.cycles) and (self.found or not self.total)

    @property
    def words(self) -> str:
        """One line for people."""
        causes = ", ".join(self._causes())
        if not self.total:
            told = "no message yet"
        elif not self.found:
            told = f"a resume finds no conversation, though the file holds {pluralize(self.total, 'message')}"
        elif self.missing:
            wanted = self.reachable + self.missing
            told = f"only {self.reachable:,} of {wanted:,} messages ({self.percent}%) reachable"
        else:
            told = f"{'all ' if self.reachable > 1 else ''}{pluralize(self.reachable, 'message')} reachable"
        return f"{told}: {causes}" if causes else told

    def _causes(self) -> Iterator[str]:
        for number, one, rest in (
            (self.broken, "broken link", ""),
            (self.behind, "message", " behind a dead end"),
            (self.lost.get("bad-line", 0), "message", " on a line with another record"),
            (self.bad, "bad line", ""),
            (self.cycles, "ring", " of parents"),
        ):
            if number:
                yield pluralize(number, one) + rest


def health_of(transcript: Transcript, resume: ResumePlan) -> Health:
    """Judge a session by what its resume sends and leaves out.

    Args:
        transcript: The session, read.
        resume: `chain.resume` of it, without a chosen message: one that you chose leaves things out on purpose.
    """
    told = {(item.line, item.uuid): item.why for item in resume.left_out}
    on_way = {id(entry) for entry in resume.way}
    lost: Counter[Why] = Counter()
    total = reachable = sent = 0
    for entry in (*transcript.entries, *([transcript.tail] if transcript.tail else [])):
        why = told.get((entry.line, entry.uuid))
        if not entry.speaks or entry.sidechain or (why == "replaced" and id(entry) not in on_way):
            continue
        total += 1
        if id(entry) in on_way:
            reachable += 1
            sent += why is None
        elif why in LOST:
            lost[why] += 1
    kinds = Counter(defect.kind for defect in resume.defects)
    return Health(
        total,
        reachable,
        sent,
        dict(lost),
        kinds["orphan"] + kinds["bridged"],
        kinds["bad-line"],
        kinds["duplicate"],
        kinds["cycle"],
        resume.messages is not None,
    )
