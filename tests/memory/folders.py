"""Memory folders made for tests, and the snapshots read from them."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.history.store import Store
from memtui.memory import plans
from memtui.memory.checks.base import Problem
from memtui.memory.plans import Plan
from memtui.memory.snapshot import Snapshot, load_snapshot
from memtui.util.app_dirs import Dirs

NOW = 1_780_000_000.0
"""The clock of these tests; files are two hours old unless said otherwise."""


def topic(name: str = "x", description: str = "what it says", type: str = "project", body: str = "Body.\n") -> str:
    """A topic file's text."""
    return f"---\nname: {name}\ndescription: {description}\ntype: {type}\n---\n\n{body}"


def write(root: Path, files: Mapping[str, str | bytes], *, old: float = 7200.0) -> None:
    """Write files below a folder, `old` seconds before the clock of the tests."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        os.utime(path, (NOW - old, NOW - old))


def location_of(tmp_path: Path) -> tuple[Env, MemoryLocation]:
    """A directory `repo` whose memory folder is `<tmp>/memory`."""
    for name in ("home/.claude", "repo"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    env = Env(tmp_path / "home", {}, ())
    return env, replace(locate_memory(env, tmp_path / "repo"), folder=tmp_path / "memory")


def read(tmp_path: Path, *, full: bool = True, known: Snapshot | None = None, now: float = NOW) -> Snapshot:
    """Read the memory of `location_of`."""
    env, location = location_of(tmp_path)
    return load_snapshot(location, env, full=full, known=known, now=now)


def snapshot_of(tmp_path: Path, files: Mapping[str, str | bytes], *, old: float = 7200.0) -> Snapshot:
    """Write a memory folder and read it."""
    (tmp_path / "memory").mkdir(exist_ok=True)
    write(tmp_path / "memory", files, old=old)
    return read(tmp_path)


GOOD = {
    "MEMORY.md": "# Memory\n\n- [Testing](feedback_testing.md) — real database\n- [On call](project_oncall.md) — who\n",
    "feedback_testing.md": topic("testing", type="feedback", body="Never mock. See [on call](project_oncall.md).\n"),
    "project_oncall.md": topic("oncall", body="Kim, 2026-03-02. [[testing]]\n"),
}
"""A folder without a problem."""

FILES = {
    "MEMORY.md": "# Memory\n\n## Feedback\n\n- [Testing](feedback_testing.md) — real database\n\n## Project\n\n"
    "- [project_oncall.md](project_oncall.md): who is called\n",
    "feedback_testing.md": topic(
        "testing-rules", type="feedback", body="Ask [`project_oncall.md`](./project_oncall.md#who).\n"
    ),
    "project_oncall.md": topic("On call", body="Kim. [[feedback_testing]], [[testing-rules]], [up](sub/deep.md)\n"),
    "sub/deep.md": topic("deep", body="[a](../project_oncall.md) [[../project_oncall]] [b](<../project_oncall.md>)\n"),
}
"""A folder whose files link to each other; one topic is not listed."""


def codes(snapshot: Snapshot, severity: str = "") -> list[tuple[str, str, int | None]]:
    return [(p.file, p.code, p.line) for p in snapshot.problems if not severity or p.severity == severity]


def one(snapshot: Snapshot, code: str) -> Problem:
    (problem,) = [problem for problem in snapshot.problems if problem.code == code]
    return problem


def carry_out(tmp_path: Path, plan: Plan) -> Snapshot:
    """Do what a plan says, through the real store, and read again."""
    store = Store(plan.root, Dirs(tmp_path / "c", tmp_path / "s", tmp_path / "k"), allow=plan.allow, trash=None)
    store.apply(plan.changes, why=plan.title)
    return read(tmp_path)


def text(tmp_path: Path, name: str) -> str:
    return (tmp_path / "memory" / name).read_bytes().decode()


def fixed(tmp_path: Path, files: dict[str, str], code: str) -> Snapshot:
    snapshot = snapshot_of(tmp_path, files)
    problem = next(problem for problem in snapshot.problems if problem.code == code)
    return carry_out(tmp_path, plans.plan_fix(snapshot, problem))
