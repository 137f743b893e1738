"""A session to be put away and brought back, and what has to be true wherever the world stops meanwhile."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from memtui.history.database import HistoryDatabase
from memtui.sessions.archive import ArchivedSession, SessionArchive
from memtui.sessions.operations_log import SessionOperation
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError
from tests.fs.faults import Crash, FaultFS, Snapshot, upward
from tests.fs.power import PowerFS
from tests.support import digest_tree
from tests.transcripts.rows import SESSION, Script

NOW = 1_800_000_000.0
DAY = 86_400
OTHER = "99999999-2222-4333-8444-555555555555"
Tree = dict[str, tuple[str, bytes, int]]


def old(path: Path, days: float, ns: int = 0) -> None:
    stamp = int((NOW - days * DAY) * 1e9) + ns
    os.utime(path, ns=(stamp, stamp))


def make(project: Path, *, lean: bool = False) -> Path:
    """A session with all that may belong to one, and what doesn't beside it; `lean`: one of each kind."""
    project.mkdir(parents=True)
    path = Script().user("u0", None, "Move to pnpm").answer("a1", "u0").write(project)
    side = Script().user("s0", None, "look", isSidechain=True, agentId="a").lines[0] + "\n"
    deep = project / SESSION / "subagents" / "workflows" / "run1"
    deep.mkdir(parents=True)
    (deep.parent.parent / "agent-a.jsonl").write_text(side, encoding="utf-8")
    (deep / "agent-b.jsonl").write_text(side, encoding="utf-8")
    results = project / SESSION / "tool-results"
    results.mkdir()
    (results / "toolu_1.txt").write_bytes(b"\xff\x00" * 2000)
    (results / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"")
    (project / SESSION / "empty").mkdir()
    (project / "agent-flat.jsonl").write_text(side, encoding="utf-8")
    (project / "agent-flat.meta.json").write_text("{}", encoding="utf-8")
    if lean:
        for name in ("subagents/agent-a.jsonl", "tool-results/toolu_1.txt"):
            (project / SESSION / name).unlink()
        (project / "agent-flat.meta.json").unlink()
    (project / "agent-others.jsonl").write_text(side.replace(SESSION, OTHER), encoding="utf-8")
    (project / f"{OTHER}.jsonl").write_text('{"type":"mode","mode":"normal"}\n', encoding="utf-8")
    memory = project / "memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
    path.chmod(0o600)
    if not lean:
        (results / "toolu_1.txt").chmod(0o640)
    for number, one in enumerate(sorted(project.rglob("*"), reverse=True)):
        old(one, 3, number * 1_000_003)
    return path


class Scene:
    """A project folder, our state folder, and what was in them at the start."""

    def __init__(self, base: Path, *, lean: bool = False) -> None:
        self.base = base / "disk"
        self.project = (self.base / "projects" / "-home-ana-proj").resolve()
        self.path = make(self.project, lean=lean)
        self.dirs = Dirs(base / "config", self.base / "state", base / "cache")
        self.now = NOW
        self.before = self.tree()

    def keeper(self, fs: FaultFS | PowerFS | None = None, **more: object) -> SessionArchive:
        return SessionArchive(self.dirs, fs=fs or FaultFS(), now=lambda: self.now, patience=1, **more)  # type: ignore[arg-type]

    def tree(self) -> Tree:
        found = digest_tree(self.project)
        found.pop(".", None)
        return found

    @property
    def others(self) -> Tree:
        mine = (SESSION, "agent-flat")
        return {name: entry for name, entry in self.before.items() if not name.startswith(mine)}

    def box(self) -> ArchivedSession:
        return self.keeper().kept()[0]


def last(keeper: SessionArchive) -> SessionOperation | None:
    """The newest operation that still stands and is no undo."""
    return next(
        (one for one in keeper.operations.all()[::-1] if one.what not in ("undo", "redo") and not one.undone), None
    )


def away(scene: Scene, keeper: SessionArchive) -> None:
    keeper.delete([scene.path])


def back(scene: Scene, keeper: SessionArchive) -> None:
    keeper.put_back([scene.box()])


def check(scene: Scene, where: str, *, done: bool | None = None) -> None:
    """The invariant: whole in one place right now, and in exactly one place after the next operation."""
    text = scene.before[scene.path.name][1]
    boxes = [one for one in scene.keeper().kept() if one.note.id == SESSION]
    here = scene.path.exists() and scene.path.read_bytes() == text
    mine = {name: entry for name, entry in scene.before.items() if name not in scene.others and entry[0] == "file"}
    for one in boxes:
        assert {(one.box / name).read_bytes() for name in mine} == {entry[1] for entry in mine.values()}, where
    assert here or boxes, where
    if not boxes:
        assert {name: entry for name, entry in scene.tree().items() if name in scene.before} == scene.before, where
    scene.keeper().recover()
    boxes = [one for one in scene.keeper().kept() if one.note.id == SESSION]
    tree = scene.tree()
    assert tree == (scene.others if boxes else scene.before), where
    if done is not None:
        assert len(scene.keeper().operations.all()) >= 1 or not done, where
    left = [path for path in scene.base.rglob("*") if path.name.endswith(".tmp") or path.parent.name == "moving"]
    assert not left, where
    folders = [path for path in scene.base.joinpath("state", "sessions").glob("*/*/*") if path.is_dir()]
    assert len(folders) == len(boxes), where


def prepared(scene: Scene, act: Callable[[Scene, SessionArchive], None]) -> Snapshot:
    if act is back:
        scene.keeper().archive([scene.path])
    HistoryDatabase.of(scene.dirs).close()
    return Snapshot(scene.base)


def restore(scene: Scene, snapshot: Snapshot) -> None:
    """As it was, folders' times too."""
    HistoryDatabase.of(scene.dirs).close()
    snapshot.put_back()
    for name, (kind, _, stamp) in sorted(scene.before.items(), reverse=True):
        if kind == "dir" and (scene.project / name).is_dir():
            os.utime(scene.project / name, ns=(stamp, stamp))


Act = Callable[[Scene, SessionArchive], None]


def faulty(scene: Scene, snapshot: Snapshot, fault: Callable[[FaultFS, int], None]) -> Callable[[int], FaultFS]:
    """File systems for `upward`: the scene is as it was, and there is a fault at the call of this number."""

    def make_fs(number: int) -> FaultFS:
        restore(scene, snapshot)
        fs = FaultFS()
        fault(fs, number)
        return fs

    return make_fs


def stop_everywhere(scene: Scene, act: Act, *, after: bool = False) -> int:
    """Let the world stop before (or right after) each call of an operation.

    Returns:
        How many calls there were.
    """
    snapshot, points = prepared(scene, act), 0
    for fs in upward(faulty(scene, snapshot, lambda fs, number: fs.crash_at(number, after=after))):
        points += 1
        try:
            act(scene, scene.keeper(fs))
        except Crash:
            pass
        check(scene, fs.where)
    return points


def fail_everywhere(scene: Scene, act: Act, codes: Sequence[int]) -> int:
    """Let each call of an operation fail.

    Args:
        codes: The errors, which take turns.

    Returns:
        How many of the faults made the operation fail.
    """
    snapshot, failed = prepared(scene, act), 0
    for fs in upward(faulty(scene, snapshot, lambda fs, number: fs.fail_at(number, codes[number % len(codes)]))):
        try:
            act(scene, scene.keeper(fs))
        except MemtuiError:
            failed += 1
            assert scene.path.exists() == (act is away), fs.where
        else:
            assert scene.path.exists() == (act is back), fs.where
        assert not fs.open_fds, fs.where
        check(scene, fs.where)
    return failed


def stop_twice(scene: Scene, act: Act, *, first: int, then: int) -> int:
    """Let the world stop at a call of an operation, and again while the next operation ends what that left.

    Args:
        first: Every so many-th call of the operation.
        then: Every so many-th call of what ends it.

    Returns:
        How many pairs of calls there were.
    """
    snapshot, points, number = prepared(scene, act), 0, 0
    while True:
        number += first
        restore(scene, snapshot)
        stopped = FaultFS()
        stopped.crash_at(number)
        try:
            act(scene, scene.keeper(stopped))
        except Crash:
            pass
        if not stopped.fired:
            return points
        for fs in upward(faulty(scene, Snapshot(scene.base), lambda fs, at: fs.crash_at(at * then))):
            points += 1
            try:
                scene.keeper(fs).recover()
            except Crash:
                pass
            check(scene, f"{number}, then {fs.where}")
