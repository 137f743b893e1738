"""What is left to a person's judgement, as every look at the memory shows it."""

from collections.abc import Collection

from memtui.dream.proposals import Proposal, find_proposals
from memtui.memory.dismissals import Dismissal
from memtui.memory.snapshot import Snapshot


def open_proposals(snapshot: Snapshot, dismissed: Collection[Dismissal]) -> tuple[Proposal, ...]:
    """What a tidy by rules leaves to a person and wasn't dismissed; `snapshot` has to be a full one."""
    return find_proposals(snapshot.problems, digests_of(snapshot), dismissed)


def digests_of(snapshot: Snapshot) -> dict[str, str]:
    """The digests of the memory folder's files, by name."""
    return {} if snapshot.auto is None else {file.name: file.digest or "" for file in snapshot.auto.files}
