"""A transcript in file order in which what a compaction wrote again is one line, until somebody opens it.

That line is a passage of its own, before the first record that it stands for; what it hides is not found either.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from memtui.sessions.file_source import FileSource
from memtui.sessions.passages import Mark, Passage, Spot
from memtui.sessions.repeats import Run

FOLD: Final = -1
"""The part of the line that stands for a run."""


class FoldedSource(FileSource):
    """The records of one file, runs of repeats folded.

    Args:
        path: The transcript.
        runs: The runs, in file order.

    Raises:
        As `FileSource`.
    """

    def __init__(self, path: Path, runs: Iterable[Run] = ()) -> None:
        super().__init__(path)
        self._opened: frozenset[int] = frozenset()
        self.fold(runs)

    def copy(self) -> "FoldedSource":
        twin = FoldedSource.__new__(FoldedSource)
        self._copy_into(twin)
        twin._opened = self._opened
        twin.fold(self.runs)
        return twin

    def fold(self, runs: Iterable[Run]) -> None:
        """From now on these are the runs; what was opened stays open."""
        self.runs = tuple(runs)
        self._starts = [run.start for run in self.runs]

    def is_open(self, spot: Spot) -> bool:
        """Whether the run is open for which the line at a spot stands."""
        return spot.at in self._opened

    def turn(self, spot: Spot, *, opened: bool) -> None:
        """Open or fold the run for which the line at a spot stands."""
        self._opened = self._opened | {spot.at} if opened else self._opened - {spot.at}

    def turn_all(self, *, opened: bool) -> None:
        """Open or fold every run."""
        self._opened = frozenset(self._starts) if opened else frozenset()

    # One passage.

    def first(self, most: int | None = None) -> Passage | None:
        return self._entered(super().first(most))

    def last(self, most: int | None = None) -> Passage | None:
        return self._shown(super().last(most))

    def after(self, spot: Spot, most: int | None = None) -> Passage | None:
        run = self._run(spot)
        if run is None or self.is_open(Spot(run.start)):
            return super().get(Spot(spot.at), most) if spot.part == FOLD else self._entered(super().after(spot, most))
        return self._entered(super().after(Spot(run.end), most))

    def before(self, spot: Spot, most: int | None = None) -> Passage | None:
        run = self._run(spot)
        if run is not None and spot == Spot(run.start) and self.is_open(spot):
            return _line_of(run)
        if run is not None and not self.is_open(Spot(run.start)):
            spot = Spot(run.start)
        return self._shown(super().before(Spot(spot.at) if spot.part == FOLD else spot, most))

    def get(self, spot: Spot, most: int | None = None) -> Passage | None:
        run = self._run(spot)
        if run is not None and spot == Spot(run.start, FOLD):
            return _line_of(run)
        return self._shown(super().get(Spot(spot.at) if spot.part == FOLD else spot, most))

    def at(self, offset: int, most: int | None = None) -> Passage | None:
        return self._shown(super().at(offset, most))

    def candidates(
        self, mark: Mark, start: Spot | None, step: int, most: int | None = None
    ) -> Iterator[Passage | float]:
        for item in super().candidates(mark, start, step, most):
            if isinstance(item, float) or self._shown(item) is item:
                yield item

    def _run(self, spot: Spot) -> Run | None:
        """The run in which a spot is."""
        number = bisect_right(self._starts, spot.at) - 1
        return self.runs[number] if number >= 0 and spot.at <= self.runs[number].end else None

    def _shown(self, passage: Passage | None) -> Passage | None:
        """What is shown for a passage: itself, or the line of the run that hides it."""
        run = self._run(passage.spot) if passage is not None else None
        return _line_of(run) if run is not None and not self.is_open(Spot(run.start)) else passage

    def _entered(self, passage: Passage | None) -> Passage | None:
        """The same for a passage that is come to from above, where the line of its run stands before it."""
        run = self._run(passage.spot) if passage is not None else None
        if run is not None and passage is not None and passage.spot == Spot(run.start):
            return _line_of(run)
        return self._shown(passage)


def _line_of(run: Run) -> Passage:
    return Passage(Spot(run.start, FOLD), run.start, 0, repeats=run.messages)
