"""A project to dream in, and a model service that answers from a script."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.scripted_api import Scripted, scripted_api
from tests.dream.scene import Scene, make_scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(tmp_path)


@pytest.fixture(scope="module")
def api() -> Iterator[Scripted]:
    with scripted_api() as server:
        yield server
