"""Does a run get anywhere: the same call over and over, turns that read and write nothing new.

Source: SAFETY.md F48.
"""

from memtui.agent.answers import Call
from memtui.agent.tools.outcome import Outcome

SAME = 3
"""So many times the same call stops a run."""
IDLE = 6
"""So many turns without anything new stop it."""

_WRITING = ("Edit", "Write")


class Progress:
    """Watches the calls of one run.

    After a write, reading the same again is no repetition: what is there may be new. Writing the same again is one.
    """

    def __init__(self) -> None:
        self._reads: dict[str, int] = {}
        self._writes: dict[str, int] = {}
        self._fresh: set[str] = set()
        self._moved = False
        self.idle = 0
        """Turns in a row without anything new."""

    def repeats(self, call: Call) -> bool:
        """Whether this call is one too many."""
        counts = self._writes if call.name in _WRITING else self._reads
        counts[call.key] = counts.get(call.key, 0) + 1
        return counts[call.key] >= SAME

    def saw(self, outcome: Outcome) -> None:
        """Take note of what a call came to."""
        if outcome.wrote:
            self._reads.clear()
            self._moved = True
        if outcome.fresh and outcome.fresh not in self._fresh:
            self._fresh.add(outcome.fresh)
            self._moved = True

    def turn_over(self) -> None:
        """The turn's calls are done."""
        self.idle = 0 if self._moved else self.idle + 1
        self._moved = False
