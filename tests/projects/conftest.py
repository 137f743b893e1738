"""A home with a project that moved: its sessions and memory lie in the folder of its old directory."""

import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memtui.client.environment import Env
from memtui.client.paths import project_name
from memtui.projects.relocate import MovePlan, plan_move
from memtui.util.app_dirs import Dirs

OLD = 1_700_000_000
"""When everything was written: long enough ago to be read once."""


def session_id(number: int) -> str:
    return str(uuid.UUID(int=number))


@dataclass
class Home:
    """Builds folders; `old` is the directory that is gone, `new` where the project is now."""

    root: Path
    env: Env
    dirs: Dirs
    count: int = 0
    fresh: list[str] = field(default_factory=list)

    @property
    def old(self) -> Path:
        return self.root / "shop"

    @property
    def new(self) -> Path:
        return self.root / "code" / "shop"

    def folder(self, directory: Path) -> Path:
        return self.root / ".claude" / "projects" / project_name(str(directory))

    @property
    def source(self) -> Path:
        return self.folder(self.old)

    @property
    def target(self) -> Path:
        return self.folder(self.new)

    def write(self, path: Path, data: str | bytes) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        os.utime(path, (OLD, OLD))
        return path

    def session(self, directory: Path, number: int, text: str = "hello", *more: Mapping[str, Any]) -> Path:
        """A transcript in the folder of a directory."""
        rows = [{"type": "user", "cwd": str(directory), "message": {"role": "user", "content": text}}, *more]
        path = self.folder(directory) / f"{session_id(number)}.jsonl"
        self.write(path, "".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (OLD - number, OLD - number))
        return path

    def memory(self, directory: Path, files: Mapping[str, str]) -> Path:
        """Memory files in the folder of a directory."""
        root = self.folder(directory) / "memory"
        for name, text in files.items():
            self.write(root / name, text)
        return root

    def plan(self, **more: Any) -> MovePlan:
        """The move from the old directory to the new one."""
        return plan_move(
            self.env, self.dirs, self.source, self.new, **{"directory": self.old, "now": lambda: OLD + 9.0, **more}
        )


@pytest.fixture
def home(ram_path: Path) -> Home:
    root = ram_path / "home"
    state = root / ".local" / "state" / "memtui"
    made = Home(root, Env(root, {}, (ram_path / "policy.json",)), Dirs(root / "config", state, root / "cache"))
    made.new.mkdir(parents=True)
    return made


def files(root: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
