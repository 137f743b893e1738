"""Rows: every file once, whatever the grouping, order or filter."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from memtui.memory.snapshot import World
from memtui.memory.workspace import Workspace
from memtui.tui.render.arrange import GROUPINGS, ORDERS, Group, Item, Wanted, arrange

OPEN = Wanted(folded=frozenset())


@pytest.fixture
def world(workspace: Workspace) -> World:
    return workspace.read(full=True)


def items(rows: tuple[Group | Item, ...]) -> list[Item]:
    return [row for row in rows if isinstance(row, Item)]


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("order", ORDERS)
def test_every_file_is_a_row_once(world: World, grouping: str, order: str) -> None:
    rows = arrange(world, replace(OPEN, grouping=grouping, order=order))  # type: ignore[arg-type]
    paths = [item.path for item in items(rows)]
    assert world.auto is not None
    assert sorted(p for p in paths if p.parent == world.auto.root) == sorted(f.path for f in world.auto.files)


def test_counts_are_of_what_is_below(world: World) -> None:
    rows = arrange(world, OPEN)
    for at, row in enumerate(rows):
        if isinstance(row, Group):
            below = next((i for i in range(at + 1, len(rows)) if isinstance(rows[i], Group)), len(rows)) - at - 1
            assert row.files == below


def test_a_folded_group_says_how_many_it_hides(world: World) -> None:
    rows = arrange(world, replace(OPEN, folded=frozenset({"feedback"})))
    assert Group("feedback", "feedback", 3, True) in rows
    assert not [item for item in items(rows) if item.label.startswith("feedback")]


def test_a_filter_opens_folded_groups(world: World) -> None:
    rows = arrange(world, replace(OPEN, folded=frozenset({"feedback"}), query="pnpm"))
    assert [item.label for item in items(rows)] == ["feedback_pnpm.md"]


def test_marks(world: World, memory: Path) -> None:
    marks = {item.label: item.mark for item in items(arrange(world, OPEN))}
    assert marks["feedback_pnpm.md"] == "unlisted"
    assert marks["feedback_testing.md"] == "problem"
    assert marks["user_role.md"] == ""
    facts = replace(
        OPEN, unsaved=frozenset({memory / "user_role.md"}), pinned=frozenset({memory / "project_oncall.md"})
    )
    marks = {item.label: item.mark for item in items(arrange(world, facts))}
    assert marks["user_role.md"] == "unsaved"
    assert marks["project_oncall.md"] == "pinned"


def test_the_index_line_of_each_file(world: World) -> None:
    lines = {item.label: item.line for item in items(arrange(world, OPEN))}
    assert lines["feedback_testing.md"] == 3
    assert lines["feedback_pnpm.md"] is None


def test_orders(world: World) -> None:
    by_age = items(arrange(world, replace(OPEN, grouping="flat", order="age")))
    by_size = items(arrange(world, replace(OPEN, grouping="flat", order="size")))
    assert by_age[1].label == "feedback_testing.md"
    assert [i.size for i in by_size[1:]] == sorted((i.size for i in by_size[1:]), reverse=True)
    assert by_age[0].lines is not None, "the index stays on top"
