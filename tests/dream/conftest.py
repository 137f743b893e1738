"""A project to dream in."""

from pathlib import Path

import pytest

from tests.dream.scene import Scene, make_scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)
