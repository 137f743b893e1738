"""What runs of an agent need: one scripted server for a module, a world for a test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.runs import Runner
from tests.agent.scripted_api import Scripted, scripted_api
from tests.agent.worlds import build


@pytest.fixture(scope="module")
def api() -> Iterator[Scripted]:
    with scripted_api() as server:
        yield server


@pytest.fixture
def runner(api: Scripted, tmp_path: Path, home: Path) -> Runner:
    """Runs tasks against the server, in a world of its own and an environment without the user's."""
    return Runner(api, build(tmp_path.resolve() / "world"))
