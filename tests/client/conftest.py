"""A home and a project to decide about."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memtui.client.environment import Env

MakeEnv = Callable[..., Env]


@pytest.fixture
def ana(tmp_path: Path) -> Path:
    """The home folder of the recordings, real path."""
    home = (tmp_path / "home" / "ana").resolve()
    home.mkdir(parents=True)
    return home


@pytest.fixture
def make_env(ana: Path, tmp_path: Path) -> MakeEnv:
    """Builds an `Env` in that home, with the managed settings beside it instead of the machine's own."""

    def make(**environ: str) -> Env:
        return Env(ana, environ, (tmp_path / "policy" / "managed-settings.json",))

    return make


@pytest.fixture
def write(ana: Path) -> Callable[[Mapping[str, str]], None]:
    """Writes files given by their names below the home."""

    def write_all(files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = ana / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    return write_all
