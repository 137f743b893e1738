"""A project with a memory of many files, and runs in it."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.client.paths import LOCK_NAME
from memtui.dream.run.run import Emit, RunEnd, run_dream
from memtui.dream.run.stage import Stage
from memtui.memory.workspace import Workspace
from memtui.util.app_dirs import Dirs
from tests.support import adopt_unasked

NOW = 1_764_000_000.0
HOUR = 3600.0
FILES = 40


@dataclass
class Scene:
    """`now` is the clock of everything in it; set it to let time pass."""

    dirs: Dirs
    workspace: Workspace
    now: float = NOW

    @property
    def folder(self) -> Path:
        return self.workspace.location.folder

    @property
    def lock(self) -> Path:
        return self.folder / LOCK_NAME

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        os.utime(path, (NOW - 48 * HOUR, NOW - 48 * HOUR))

    def put_lock(self, content: bytes, age: float) -> tuple[bytes, int]:
        """A lock of that age in seconds; its bytes and its time in nanoseconds."""
        self.lock.write_bytes(content)
        mtime_ns = int((NOW - age) * 1e9) + 123_456_789
        os.utime(self.lock, ns=(mtime_ns, mtime_ns))
        return content, mtime_ns

    def run(self, work: Callable[[Stage, Emit], object], **options: object) -> RunEnd:
        given: dict[str, object] = {"force": True, "now": lambda: self.now} | options
        return run_dream(self.workspace, self.dirs, work, **given)  # type: ignore[arg-type]


def topic(number: int) -> str:
    return f"topic_{number:02}.md"


def make_scene(tmp_path: Path, files: int = FILES, environ: Mapping[str, str] | None = None) -> Scene:
    shop = tmp_path / "shop"
    shop.mkdir(exist_ok=True)
    env = Env(tmp_path / "home", environ or {}, policy_files=())
    dirs = Dirs(tmp_path / "config", tmp_path / "state", tmp_path / "cache")
    scene = Scene(dirs, Workspace(env, dirs, locate_memory(env, shop), trash=False))
    scene.workspace.now = lambda: scene.now
    adopt_unasked(dirs)
    for number in range(files - 1):
        body = f"---\nname: Topic {number}\ntype: project\n---\n\n# Topic {number}\n\nfirst\n\nsecond\n\nthird\n"
        scene.write(topic(number), body)
    scene.write("MEMORY.md", "".join(f"- [Topic {n}]({topic(n)}) — words\n" for n in range(files - 1)))
    return scene


def put_session(scene: Scene, number: int, text: str = "{}\n", age: float = HOUR) -> Path:
    """A transcript of the project, of that age in seconds."""
    path = scene.workspace.location.transcripts / f"{number:08x}-0000-4000-8000-000000000000.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (NOW - age, NOW - age))
    return path


def dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    child.wait()
    return child.pid


def edit(stage: Stage, name: str, old: str, new: str) -> None:
    path = stage.root / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="")


def remove(stage: Stage, name: str) -> None:
    """Remove a topic and its line in the index."""
    (stage.root / name).unlink()
    relist(stage, drop=name)


def add(stage: Stage, name: str, text: str) -> None:
    """Write a new topic and list it."""
    (stage.root / name).write_text(text, encoding="utf-8")
    relist(stage, add=name)


def move(stage: Stage, old: str, new: str) -> None:
    """Rename a topic and list it under its new name."""
    (stage.root / old).rename(stage.root / new)
    relist(stage, drop=old, add=new)


def relist(stage: Stage, *, drop: str = "", add: str = "") -> None:
    path = stage.root / "MEMORY.md"
    path.write_text(relisted(path.read_text(encoding="utf-8"), drop=drop, add=add), encoding="utf-8")


def relisted(index: str, *, drop: str = "", add: str = "") -> str:
    kept = [line for line in index.splitlines(keepends=True) if not drop or f"({drop})" not in line]
    return "".join(kept) + (f"- [New]({add}) — words\n" if add else "")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but the lock."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != LOCK_NAME
    }
