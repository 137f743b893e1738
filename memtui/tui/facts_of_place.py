"""What the first line says, from the state."""

from memtui.base.text import age, visible
from memtui.tui.panels.place_line import PlaceFacts
from memtui.tui.state import AppState


def place_facts(state: AppState) -> PlaceFacts:
    """Counts are of the memory itself; agent memory and instructions speak for themselves in the list."""
    place = state.place
    problems = [p for p in state.world.problems if p.severity != "info"] if state.world else []
    unlisted = sum(p.code == "orphan" for p in problems)
    home = str(place.config.parent)
    folder = str(place.folder)
    return PlaceFacts(
        project=visible(place.root.name or str(place.root), keep=""),
        branch=visible(state.branch, keep=""),
        folder=visible(folder.replace(home, "~", 1) if folder.startswith(home + "/") else folder, keep=""),
        problems=len(problems) - unlisted,
        unlisted=unlisted,
        last_dream=f"{age(state.now - state.last_dream)} ago" if state.last_dream else "never",
        flags=state.flags,
        notice=visible(state.notice, keep=""),
    )
