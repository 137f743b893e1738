"""The one figure of the list that is steady enough to be judged anywhere: what it holds in memory (row 17)."""

import sys
from pathlib import Path
from uuid import UUID

import psutil
import pytest

from tests.support import REPO

sys.path.append(str(REPO / "bench"))
import view
from ptyapp import PtyApp
from start import BARE

SESSIONS, PROJECTS = 5_000, 100


def resident(app: PtyApp) -> float:
    """Megabytes."""
    return psutil.Process(app.process.pid).memory_info().rss / 1e6


def bare(env: dict[str, str], cwd: Path) -> float:
    app = PtyApp([sys.executable, "-c", BARE], env=env, cwd=str(cwd))
    try:
        app.wait_for(lambda text: "bare and ready" in text)
        app.quiet(0.5)
        return resident(app)
    finally:
        app.close()


def listed(env: dict[str, str], cwd: Path) -> float:
    with view.sessions_view(env, cwd, ["-m", "memtui"]) as app:
        app.press("A")
        app.wait_for(lambda text: f"all · {SESSIONS:,}" in text)
        app.quiet(2.0, most=20.0)
        return resident(app)


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory means something else there")
def test_a_list_of_thousands_takes_20_mb_over_an_app_that_holds_nothing(tmp_path: Path) -> None:
    env, cwd = view.make_project(tmp_path)
    projects = tmp_path / ".claude/projects"
    for number in range(SESSIONS):
        folder = projects / f"-home-dev-code-{number % PROJECTS}"
        folder.mkdir(exist_ok=True)
        said = f"ask {number:x}: " + " ".join(f"{number * step % 99_991:x}" for step in range(3, 33))
        (folder / f"{UUID(int=number)}.jsonl").write_text(view.session(number, said), encoding="ascii")
    listed(env, cwd)  # compiles modules, fills the cache
    assert listed(env, cwd) - bare(env, cwd) <= 20.0
