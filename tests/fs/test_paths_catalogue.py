"""data/cases/paths.json through the boundary and through the store that uses it.

The fictional folders /w and /h are made for real below a temporary folder, with secrets in the places that must not be
reached.
"""

import json
import os
import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from memtui.fs.boundary import Actor, PathVerdict, check_path
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Refused
from tests.support import digest_tree

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "paths.json").read_text(encoding="utf-8")
)
ACTORS: tuple[Actor, ...] = ("agent", "dream", "user")
SECRET = b"CANARYSECRET\n"


def real(snapshot: Path, path: str) -> str:
    """A path of the catalogue in the world that was made for it: /w and /h, wherever they stand in it."""
    return re.sub(
        r"(^|/root|://)(/[wWhH])(?=/|\Z|[^\w])", lambda match: f"{match[1]}{snapshot}{match[2]}", path, count=1
    )


def make_world(base: Path, setup: list[list[str]]) -> None:
    for folder in ("w/memory", "w/sessions", "w/repo/.git", "w/outside", "w/memory-evil", "w/sessions-old", "h/.ssh"):
        (base / folder).mkdir(parents=True)
    for name in (
        "w/outside/secret.md", "w/memory-evil/x.md", "w/sessions-old/s.jsonl", "h/.ssh/id_rsa", "w/repo/.git/config",
        "w/repo/.env", "w/sessions/s1.jsonl", "w/repo/README.md",
    ):  # fmt: skip
        (base / name).write_bytes(SECRET)
    for kind, name, *target in setup:
        path = base / "w/memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "file":
            path.write_bytes(b"as it was\n")
        elif kind == "dir":
            path.mkdir()
        elif kind == "symlink":
            path.symlink_to(real(base, target[0]))
        elif kind == "hardlink":
            os.link(real(base, target[0]), path)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "socket":
            here = Path.cwd()
            os.chdir(path.parent)  # a socket's path has to be short
            try:
                with socket.socket(socket.AF_UNIX) as one:
                    one.bind(path.name)
            finally:
                os.chdir(here)
        else:
            raise AssertionError(kind)


def judge(snapshot: Path, case: dict[str, Any], actor: Actor) -> PathVerdict:
    asked = case["input"]
    path = real(snapshot, asked["path"]) if isinstance(asked["path"], str) else asked["path"]
    reads = [snapshot / "w/sessions", snapshot / "w/repo"]
    return check_path(
        Path(real(snapshot, asked["root"])),
        path,
        op=asked["op"],
        actor=actor,
        reads=reads,
        casefold=asked.get("casefold", False),
    )


@pytest.mark.parametrize("actor", ACTORS)
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_boundary_agrees(tmp_path: Path, case: dict[str, Any], actor: Actor) -> None:
    make_world(tmp_path, case["input"].get("setup", []))
    before = digest_tree(tmp_path)
    start = time.process_time()
    verdict = judge(tmp_path, case, actor)
    assert time.process_time() - start < 1, "seconds of CPU"
    assert ("allow" if verdict.allowed else "deny") == case["expect"], verdict.reason
    assert verdict.allowed == (verdict.name is not None)
    assert verdict.reason
    assert digest_tree(tmp_path) == before


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case["input"]["op"] == "write" and isinstance(case["input"]["path"], str)],
    ids=lambda case: case["id"],
)
def test_the_store_writes_only_where_the_boundary_lets_it(tmp_path: Path, case: dict[str, Any]) -> None:
    make_world(tmp_path, case["input"].get("setup", []))
    root = Path(real(tmp_path, case["input"]["root"]))
    store = Store(root, Dirs(tmp_path / "c", tmp_path / "state", tmp_path / "k"), trash=None)
    before = digest_tree(tmp_path / "w"), digest_tree(tmp_path / "h")
    path = real(tmp_path, case["input"]["path"])
    if case["expect"] == "allow" and not case["input"].get("casefold"):
        verdict = judge(tmp_path, case, "user")
        assert verdict.name is not None
        names = set(digest_tree(root))
        there = store.read(path)
        store.apply([Change(path, b"written\n", there[1] if there else None)], why="write")
        assert (root / verdict.name).read_bytes() == b"written\n"
        if there is not None:
            assert set(digest_tree(root)) == names, "a twin was made"
        secrets = {name: entry for name, entry in before[0].items() if "memory" not in name or "evil" in name}
        after = digest_tree(tmp_path / "w")
        assert {name: after[name] for name in secrets if secrets[name][0] == "file"} == {
            name: entry for name, entry in secrets.items() if entry[0] == "file"
        }
    else:
        with pytest.raises(Refused):
            store.apply([Change(path, b"written\n", None)], why="write")
        assert (digest_tree(tmp_path / "w"), digest_tree(tmp_path / "h")) == before


def test_the_catalogue_is_whole() -> None:
    assert len(CASES) == 99
    assert len({case["id"] for case in CASES}) == 99
