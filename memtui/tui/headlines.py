"""What the two lines at the top say, from the state."""

from pathlib import Path

from memtui.client.paths import tilde_path
from memtui.presentation.problem_text import problems_in_files
from memtui.tui.render.memory_rows import unlisted
from memtui.tui.state import AppState
from memtui.tui.widgets.budget_meter import IndexFill
from memtui.tui.widgets.title_bar import ProjectStatus
from memtui.util.text import time_ago, visible

MEMORY_OFF = "memory is off: Claude Code loads nothing (5 Settings says who turned it off)"


def title_status(state: AppState, home: Path) -> ProjectStatus:
    """Counts are of the memory itself; agent memory and instructions speak for themselves in the list."""
    location, snapshot = state.location, state.snapshot
    if snapshot is None and state.first is not None and state.first.title is not None:
        return state.first.title
    counted = [p for p in snapshot.problems if p.severity != "info" and p.code != "orphan"] if snapshot else []
    return ProjectStatus(
        project=visible(location.root.name or str(location.root), keep=""),
        branch=visible(state.branch, keep=""),
        folder=visible(tilde_path(location.folder, home), keep=""),
        problems=problems_in_files(len(counted), len({one.path for one in counted})) if counted else "",
        unlisted=len(unlisted(snapshot.auto)) if snapshot and snapshot.auto else 0,
        last_dream=time_ago(state.now - state.last_dream) if state.last_dream else "never",
        flags=(*state.flags, *(["secrets shown"] if state.secrets_shown else [])),
        notice=visible(state.notice, keep=""),
    )


def meter_fill(state: AppState) -> IndexFill | None:
    """How full the index is; None where nothing is loaded, and before the disk is read."""
    if state.snapshot is None:
        return state.first.budget if state.first else None
    snapshot = state.snapshot
    return IndexFill.of(snapshot.auto) if snapshot.auto and snapshot.context.off is None else None


def meter_note(state: AppState) -> str:
    if not state.location.enabled:
        return MEMORY_OFF
    if state.snapshot is None:
        return state.first.budget_note if state.first else ""
    if state.snapshot.context.off is not None:
        return f"memory is {state.snapshot.context.off}: Claude Code loads nothing"
    auto = state.snapshot.auto
    if auto is None:
        return "no memory yet: Claude Code loads nothing at the start of a session"
    if auto.budget is None:
        return auto.problem or "no MEMORY.md yet: nothing is loaded at the start of a session"
    return ""
