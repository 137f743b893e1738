"""Memory folders made for tests, and the world read from them."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.memory.snapshot import Snapshot, load_snapshot

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


def place_of(tmp_path: Path) -> tuple[Env, MemoryLocation]:
    """A directory `repo` whose memory folder is `<tmp>/memory`."""
    for name in ("home/.claude", "repo"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    env = Env(tmp_path / "home", {}, ())
    return env, replace(locate_memory(env, tmp_path / "repo"), folder=tmp_path / "memory")


def read(tmp_path: Path, *, full: bool = True, known: Snapshot | None = None, now: float = NOW) -> Snapshot:
    """Read the world of `place_of`."""
    env, place = place_of(tmp_path)
    return load_snapshot(place, env, full=full, known=known, now=now)


def snapshot_of(tmp_path: Path, files: Mapping[str, str | bytes], *, old: float = 7200.0) -> Snapshot:
    """Write a memory folder and read it."""
    (tmp_path / "memory").mkdir(exist_ok=True)
    write(tmp_path / "memory", files, old=old)
    return read(tmp_path)
