"""How much of a session a resume still reaches, and what keeps it from the rest.

What a compaction summarised, what a person left by a rewind, and a sub-agent's own records are not meant to be sent.
Lost are messages behind a broken link, beside the record that the client chose, beside a branch that no person began (a
notification, a hook), on a line with more than one record, or on a line that can't be read.
"""

from collections import Counter
from typing import Final

from msgspec import Struct, field

from memtui.resume.omitted import OmissionReason
from memtui.resume.resume import ENDED, ResumePlan, plan_resume
from memtui.transcripts.transcript import Transcript
from memtui.util.text import pluralize

LOSS_REASONS: Final[tuple[OmissionReason, ...]] = (
    "lost-parent", "dead-end", "machine-turn", "late-side-row", "bad-line",
)  # fmt: skip
"""Reasons for which a message is lost, not omitted on purpose."""


class Health(Struct, frozen=True):
    """What a resume makes of a session's messages: records of the main conversation with something to send."""

    total: int
    reachable: int  # on the path of the resume
    sent: int  # without thinking of another model and calls without a result
    lost: dict[OmissionReason, int] = field(default_factory=dict)  # by reason
    broken: int = 0  # links to records that aren't in the file
    bad: int = 0  # lines that hold no record or more than one
    duplicates: int = 0  # later records of a uuid (harmless)
    cycles: int = 0  # of parents
    found: bool = True  # the client finds a conversation, and resumes it
    ended: bool = False  # it refuses, because the model ended it

    @property
    def missing(self) -> int:
        return sum(self.lost.values())

    @property
    def behind(self) -> int:
        """Messages whose links are intact, but beside which the client continues."""
        return self.lost.get("dead-end", 0) + self.lost.get("late-side-row", 0)

    @property
    def percent(self) -> int:
        """The percentage of wanted messages that a resume reaches; 100 only if none is lost, 0 only if all are."""
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
        causes = ", ".join(
            pluralize(number, one) + rest
            for number, one, rest in (
                (self.broken, "broken link", ""),
                (self.behind, "message", " behind a dead end"),
                (self.lost.get("machine-turn", 0), "message", " behind a branch that a machine began"),
                (self.lost.get("bad-line", 0), "message", " on a line with another record"),
                (self.bad, "bad line", ""),
                (self.cycles, "cycle", " of parents"),
            )
            if number
        )
        if not self.total:
            summary = "no message yet"
        elif self.ended:
            summary = f"{ENDED}, a fork at a message goes on: {pluralize(self.reachable, 'message')}"
        elif not self.found:
            summary = f"a resume finds no conversation, though the file holds {pluralize(self.total, 'message')}"
        elif self.missing:
            wanted = self.reachable + self.missing
            summary = f"only {self.reachable:,} of {wanted:,} messages ({self.percent}%) reachable"
        else:
            summary = f"{'all ' if self.reachable > 1 else ''}{pluralize(self.reachable, 'message')} reachable"
        return f"{summary}: {causes}" if causes else summary


class LostEnd(Struct, frozen=True):
    """The last lost message; a fork that ends there has `more` messages than a resume, and lacks `less` of it."""

    uuid: str
    more: int
    less: int

    @property
    def words(self) -> str:
        less = f", {self.less:,} less" if self.less else ""
        return f"{pluralize(self.more, 'message')} more than Claude Code loads{less}"


def find_lost_end(transcript: Transcript, resume: ResumePlan) -> LostEnd | None:
    """Where a fork has to end to get lost messages back; `None` if none is lost, or no fork can reach them."""
    lost = {item.uuid for item in resume.omitted if item.why in LOSS_REASONS and item.why != "bad-line"}
    last = next((one for one in reversed(transcript.known()) if one.uuid in lost and one.has_content), None)
    if last is None or last.sidechain or not last.chained:
        return None
    there, here = (
        {entry.uuid for entry in path if entry.has_content}
        for path in (plan_resume(transcript, last.uuid, brief=True).path, resume.path)
    )
    return LostEnd(last.uuid, len(there - here), len(here - there))


def check_health(transcript: Transcript, resume: ResumePlan) -> Health:
    """Judge a session by what its resume at the client's own leaf sends; a chosen one omits things on purpose."""
    reasons = {(item.line, item.uuid): item.why for item in resume.omitted}
    on_path = {id(entry) for entry in resume.path}
    lost: Counter[OmissionReason] = Counter()
    total = reachable = sent = 0
    for entry in (*transcript.entries, *([transcript.tail] if transcript.tail else [])):
        why = reasons.get((entry.line, entry.uuid))
        if not entry.has_content or entry.sidechain or (why == "replaced" and id(entry) not in on_path):
            continue
        total += 1
        if id(entry) in on_path:
            reachable += 1
            sent += why is None
        elif why in LOSS_REASONS:
            lost[why] += 1
    kinds = Counter(defect.kind for defect in resume.defects)
    return Health(
        total, reachable, sent, dict(lost), broken=kinds["orphan"] + kinds["bridged"], bad=kinds["bad-line"],
        duplicates=kinds["duplicate"], cycles=kinds["cycle"], found=resume.messages is not None,
        ended=resume.leaf.reason == "ended",
    )  # fmt: skip
