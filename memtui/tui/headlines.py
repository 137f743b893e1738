"""What the two lines at the top say, from the state."""

from pathlib import Path

from memtui.client.paths import tilde_path
from memtui.tui.render.arrange import unlisted
from memtui.tui.segments.budget_meter import OFF, Fill
from memtui.tui.segments.place_line import PlaceFacts, dreamt
from memtui.tui.state import AppState
from memtui.util.text import visible


def place_facts(state: AppState, home: Path) -> PlaceFacts:
    """Counts are of the memory itself; agent memory and instructions speak for themselves in the list."""
    place = state.location
    snapshot = state.snapshot
    auto = snapshot.auto if snapshot else None
    counted = sum(p.severity != "info" and p.code != "orphan" for p in snapshot.problems) if snapshot else 0
    first = state.first if snapshot is None else None
    last_dream = first.last_dream if first else state.last_dream
    return PlaceFacts(
        project=visible(place.root.name or str(place.root), keep=""),
        branch=visible(first.branch if first else state.branch, keep=""),
        folder=visible(tilde_path(place.folder, home), keep=""),
        problems=first.problems if first else counted,
        unlisted=first.unlisted if first else len(unlisted(auto)) if auto else 0,
        last_dream=dreamt(last_dream, state.now),
        flags=state.flags,
        notice=visible(state.notice, keep=""),
    )


def meter_fill(state: AppState) -> Fill | None:
    """How full the index is; of the last picture until the disk is read, None where nothing is loaded."""
    if state.snapshot is None:
        return state.first.fill if state.first else None
    return Fill.of(state.snapshot.auto) if state.snapshot.auto else None


def meter_note(state: AppState) -> str:
    """Why there is no meter to draw, or ""."""
    auto = state.snapshot.auto if state.snapshot else None
    if not state.location.enabled:
        return OFF
    if state.snapshot is not None and auto is None:
        return "no memory yet: the agent loads nothing at the start of a session"
    if state.snapshot is not None and auto is not None and auto.budget is None:
        return auto.problem or "no MEMORY.md yet: nothing is loaded at the start of a session"
    return ""
