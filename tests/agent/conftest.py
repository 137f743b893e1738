"""What runs of an agent need: one scripted server for a module, a world for a test."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.agent.scripted_api import Scripted, scripted_api
from tests.agent.worlds import build

if TYPE_CHECKING:
    from tests.agent.runs import Runner


@pytest.fixture(scope="module")
def api() -> Iterator[Scripted]:
    with scripted_api() as server:
        yield server


@pytest.fixture
def runner(api: Scripted, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> "Runner":
    """Runs tasks against the server, in a world of its own and an environment without the user's."""
    from tests.agent.runs import Runner  # loads the SDK, which other tests here don't pay for

    monkeypatch.setenv("SSL_CERT_DIR", str(home))  # no certificates to load: a quarter of a run's time
    return Runner(api, build(tmp_path.resolve() / "world"))
