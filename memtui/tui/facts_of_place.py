"""What the first line says, from the state."""

from pathlib import Path

from memtui.base.text import ago, visible
from memtui.tui.arrange import unlisted
from memtui.tui.panels.place_line import PlaceFacts
from memtui.tui.state import AppState


def short(path: Path, home: Path) -> str:
    """A path with "~" for the home."""
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def place_facts(state: AppState, home: Path) -> PlaceFacts:
    """Counts are of the memory itself; agent memory and instructions speak for themselves in the list."""
    place = state.place
    world = state.world
    auto = world.auto if world else None
    counted = sum(p.severity != "info" and p.code != "orphan" for p in world.problems) if world else 0
    first = state.first if world is None else None
    last_dream = first.last_dream if first else state.last_dream
    return PlaceFacts(
        project=visible(place.root.name or str(place.root), keep=""),
        branch=visible(first.branch if first else state.branch, keep=""),
        folder=visible(short(place.folder, home), keep=""),
        problems=first.problems if first else counted,
        unlisted=first.unlisted if first else len(unlisted(auto)) if auto else 0,
        last_dream=ago(state.now - last_dream) if last_dream else "never",
        flags=state.flags,
        notice=visible(state.notice, keep=""),
    )
