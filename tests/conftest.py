"""Fixtures for every test: a home of its own, an environment without the user's, recordings where they are."""

import gc
import importlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import RAM, REPO, digest_tree

__all__ = ["digest_tree"]  # also importable: `from tests.conftest import digest_tree`

# No deadline: a shared machine swings by a factor of two. On CI the same examples each time, so that a red run repeats.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

if not (REPO / "tests/data/oracle").is_dir():  # the source distribution leaves the recordings out
    collect_ignore = [str(path) for path in (REPO / "tests").rglob("test_*.py") if "oracle" in path.read_text("utf-8")]

# Rewriting the assertions of all tests takes 12 s of a processor in each process, starting our program without its
# compiled modules half a second more each time: what is compiled once is kept, whatever the environment says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# In the background and under nohup some signals are ignored, and would be by every program that a test starts. With a
# handler they are still ignored here, while programs start with the default.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let each process of pytest-xdist compile a part of the tests, before all of them collect all of it."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    modules = sorted((REPO / "tests").rglob("test_*.py"))
    for path in modules[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception):  # the collection meets the same error, and tells it
            importlib.import_module(".".join(path.relative_to(REPO).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Take 12,000 tests out of the garbage collector's sight: they stay until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The recordings and corpora that live beside the repository; tests that need them are skipped elsewhere."""
    folder = REPO.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared beside the repository")
    return folder


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, and an environment that holds nothing of the person who runs the tests.

    HOME and USERPROFILE point to it; agent client, XDG, editor, colour and terminal variables are gone, so a test sets
    those that it is about. The working directory stays.
    """
    folder = tmp_path / "home"
    folder.mkdir()
    for name in list(os.environ):
        if name not in KEPT and not name.startswith(("PYTEST", "TEXTUAL_SNAPSHOT")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.setenv("TERM", "xterm-256color")
    return folder


@pytest.fixture
def ram_path() -> Iterator[Path]:
    """A temporary folder in memory, for tests that put the same files back at every call of a write."""
    with tempfile.TemporaryDirectory(dir=RAM) as name:
        yield Path(name).resolve()


@pytest.fixture(name="digest_tree")
def digest_tree_fixture() -> Callable[[Path], dict[str, tuple[str, bytes, int]]]:
    """`support.digest_tree` for tests that take it as an argument."""
    return digest_tree
