"""Directories by their project name."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memtui.client.paths import project_name
from memtui.client.projects import directories_for_project_name


def test_every_directory_of_a_name_is_found_and_no_link(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    for name in ("a/b", "a-b", "a_b", "a", "b"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "a.b").symlink_to("a-b")
    (root / "a+b").touch()
    name = project_name(str(root / "a-b"))
    assert directories_for_project_name(name, root) == tuple(sorted(root / one for one in ("a/b", "a-b", "a_b")))
    assert directories_for_project_name(name + "-c", root) == ()
    assert directories_for_project_name(f"{name}-" + "x" * 200, root) == ()


@given(
    parts=st.lists(st.text("ab-_. 가", min_size=1, max_size=6).filter(lambda s: s.strip(".")), min_size=1, max_size=3)
)
def test_one_that_exists_is_always_among_them(parts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve().joinpath(*parts)
        path.mkdir(parents=True)
        assert path in directories_for_project_name(project_name(str(path)), Path(folder).resolve())
