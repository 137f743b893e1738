"""Rows: every file once, whatever the grouping, order or filter."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from memtui.memory.snapshot import Snapshot
from memtui.memory.workspace import Workspace
from memtui.tui.render.memory_rows import GROUPINGS, ORDERS, FileRow, GroupRow, Wanted, arrange
from tests.memory.folders import GOOD, snapshot_of, topic

OPEN = Wanted(folded=frozenset())


@pytest.fixture
def snapshot(workspace: Workspace) -> Snapshot:
    return workspace.read(full=True)


def items(rows: tuple[GroupRow | FileRow, ...]) -> list[FileRow]:
    return [row for row in rows if isinstance(row, FileRow)]


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("order", ORDERS)
def test_every_file_is_a_row_once(snapshot: Snapshot, grouping: str, order: str) -> None:
    rows = arrange(snapshot, replace(OPEN, grouping=grouping, order=order))  # type: ignore[arg-type]
    paths = [item.path for item in items(rows)]
    assert snapshot.auto is not None
    assert sorted(p for p in paths if p.parent == snapshot.auto.root) == sorted(f.path for f in snapshot.auto.files)


def test_counts_are_of_what_is_below(snapshot: Snapshot) -> None:
    rows = arrange(snapshot, OPEN)
    for at, row in enumerate(rows):
        if isinstance(row, GroupRow):
            below = next((i for i in range(at + 1, len(rows)) if isinstance(rows[i], GroupRow)), len(rows)) - at - 1
            assert row.files == below


def test_a_folded_group_says_how_many_it_hides(snapshot: Snapshot) -> None:
    rows = arrange(snapshot, replace(OPEN, folded=frozenset({"feedback"})))
    assert GroupRow("feedback", "feedback", 3, True) in rows
    assert not [item for item in items(rows) if item.label.startswith("feedback")]


def test_a_filter_opens_folded_groups(snapshot: Snapshot) -> None:
    rows = arrange(snapshot, replace(OPEN, folded=frozenset({"feedback"}), query="pnpm"))
    assert [item.label for item in items(rows)] == ["pnpm"]


def test_names_below_a_type_are_short_unless_two_read_alike(tmp_path: Path) -> None:
    names = ("user_role", "user-pet", "pet", "user_", "user.role_x", "feedback_odd")
    files = {f"{name}.md": topic(name, type="user") for name in names}
    rows = items(arrange(snapshot_of(tmp_path, files), OPEN))
    labels = {row.path.stem: row.label for row in rows}
    assert labels == {
        "user_role": "role", "user-pet": "user-pet.md", "pet": "pet.md", "user_": "user_", "user.role_x": "user.role_x",
        "feedback_odd": "feedback_odd",
    }  # fmt: skip
    flat = items(arrange(snapshot_of(tmp_path, files), replace(OPEN, grouping="flat")))
    assert {row.label for row in flat} == set(files)


def test_the_worst_mark_wins(tmp_path: Path) -> None:
    files = {**GOOD, "user_role.md": topic("role", type="user"), "user_pet.md": topic("pet", type="userr")}
    marks = {item.path.name: item.mark for item in items(arrange(snapshot_of(tmp_path, files), OPEN))}
    assert marks["user_role.md"] == "unlisted"
    assert marks["user_pet.md"] == "problem"


def test_marks(snapshot: Snapshot, memory: Path) -> None:
    marks = {item.path.name: item.mark for item in items(arrange(snapshot, OPEN))}
    assert marks["feedback_pnpm.md"] == "unlisted"
    assert marks["feedback_testing.md"] == "problem"
    assert marks["user_role.md"] == ""
    wanted = replace(
        OPEN, unsaved=frozenset({memory / "user_role.md"}), pinned=frozenset({memory / "project_oncall.md"})
    )
    marks = {item.path.name: item.mark for item in items(arrange(snapshot, wanted))}
    assert marks["user_role.md"] == "unsaved"
    assert marks["project_oncall.md"] == "pinned"


def test_the_index_line_of_each_file(snapshot: Snapshot) -> None:
    lines = {item.path.name: item.line for item in items(arrange(snapshot, OPEN))}
    assert lines["feedback_testing.md"] == 3
    assert lines["feedback_pnpm.md"] is None


def test_orders(snapshot: Snapshot) -> None:
    by_age = items(arrange(snapshot, replace(OPEN, grouping="flat", order="age")))
    by_size = items(arrange(snapshot, replace(OPEN, grouping="flat", order="size")))
    assert by_age[1].label == "feedback_testing.md"
    assert [i.size for i in by_size[1:]] == sorted((i.size for i in by_size[1:]), reverse=True)
    assert by_age[0].lines is not None, "the index stays on top"
