"""SIGKILL at every system call of a real save, one after the other. Needs strace: skipped elsewhere."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.history.store import Change, Store
from memtui.util.app_dirs import Dirs
from tests.support import REPO

CALLS = ("fsync", "rename", "renameat", "unlink", "unlinkat", "mkdir", "mkdirat", "flock", "write", "fchmod")
OLD, NEW, OTHER = b"old\n" * 300, b"new\n" * 400, b"other\n"

SAVE = """
import sys
from pathlib import Path
from memtui.util.app_dirs import Dirs
from memtui.fs.atomic import digest
from memtui.history.store import Change, Store
base = Path(sys.argv[1])
store = Store(base / "memory", Dirs(base / "c", base / "s", base / "k"), trash=None)
old, new, other = (bytes.fromhex(text) for text in sys.argv[2:5])
changes = [Change("a.md", new, digest(old)), Change("sub/b.md", other, None), Change("c.md", None, digest(other))]
store.apply(changes, why="x")
"""


@pytest.mark.fault
@pytest.mark.long
@pytest.mark.timeout(400)
def test_killed_at_any_system_call_the_folder_is_old_or_new(tmp_path: Path) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("no strace")
    before = {"a.md": OLD, "c.md": OTHER}
    after = {"a.md": NEW, "sub/b.md": OTHER}
    points = 0
    for call in CALLS:
        for number in range(1, 100):
            base = tmp_path / f"{call}{number}"
            root, dirs = base / "memory", Dirs(base / "c", base / "s", base / "k")
            root.mkdir(parents=True)
            for name, data in before.items():
                (root / name).write_bytes(data)
            code = [sys.executable, "-B", "-c", SAVE, str(base), OLD.hex(), NEW.hex(), OTHER.hex()]
            kill = ["-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
            command = [strace, "-qq", "-o", "/dev/null", *kill, *code]
            run = subprocess.run(command, cwd=REPO, capture_output=True, check=False)
            if b"ptrace" in run.stderr.lower():
                pytest.skip("strace may not trace here")
            killed = run.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
            assert killed or run.returncode == 0, run.stderr
            store = Store(root, dirs, trash=None)
            store.recover()
            now = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
            assert now == after or (killed and now == before), f"{call} {number}"
            assert not list(base.rglob("*.tmp"))
            store.note_outside()
            assert {name: store.history.head(name) for name in now} == now
            if now == after:
                assert store.history.content(digest(OLD)) == OLD
                store.apply([Change("a.md", OLD, digest(NEW))], why="goes on")
            shutil.rmtree(base)
            if not killed:
                break
            points += 1
    print(f"points={points} torn=0 lost=0")
    assert points > 20
