"""Real disks that are full, read only or not ours. Needs root and mounts: skipped elsewhere, with a
count.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtui.fs.atomic import digest
from memtui.history.database import HistoryDatabase
from memtui.history.store import Change, Store
from memtui.memory.drafts import Drafts
from memtui.util.app_dirs import Dirs
from memtui.util.errors import Refused, Unsupported
from tests.support import REPO

pytestmark = pytest.mark.fault
OLD = b"the old text\n"


def mount(*args: str) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs root and mount")
    run = subprocess.run(["mount", *args], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"can't mount here: {run.stderr.strip()}")


@pytest.fixture
def dirs(tmp_path: Path) -> Dirs:
    return Dirs(tmp_path / "config", tmp_path / "state", tmp_path / "cache")


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        HistoryDatabase(folder / "state" / "history.db").close()
        subprocess.run(["umount", str(folder)], check=True)


def store_with(root: Path, dirs: Dirs) -> Store:
    root.mkdir()
    store = Store(root, dirs, trash=None)
    store.apply([Change("a.md", OLD, None)], why="start")
    return store


def test_the_memory_folder_is_full(small: Path, dirs: Dirs) -> None:
    store = store_with(small / "memory", dirs)
    text = "typed\n" * 100_000
    words = "No room left on the disk: nothing was written"
    with pytest.raises(Unsupported, match=words):
        store.apply([Change("a.md", text.encode(), digest(OLD))], why="too much")
    Drafts(dirs).save(small / "memory/a.md", text, digest(OLD))
    assert (small / "memory/a.md").read_bytes() == OLD
    assert [path.name for path in (small / "memory").iterdir()] == ["a.md"]
    store.apply([Change("a.md", b"less\n", digest(OLD))], why="fits")
    assert (small / "memory/a.md").read_bytes() == b"less\n"


def test_our_own_state_folder_is_full(small: Path, tmp_path: Path) -> None:
    dirs = Dirs(tmp_path / "config", small / "state", tmp_path / "cache")
    store = store_with(tmp_path / "memory", dirs)
    path = tmp_path / "memory/a.md"
    Drafts(dirs).save(path, "first", None)  # makes the reserve, if there is room
    (small / "filler").write_bytes(b"")
    with (small / "filler").open("ab", buffering=0) as filler:
        try:
            while filler.write(os.urandom(4096)):
                pass
        except OSError:
            pass
    text = os.urandom(8_000).hex()
    with pytest.raises(Unsupported, match="No room left"):
        store.apply([Change("a.md", text.encode(), digest(OLD))], why="no history, no write")
    assert path.read_bytes() == OLD
    assert Store(tmp_path / "memory", dirs, trash=None).recover() == ()
    assert path.read_bytes() == OLD
    (small / "filler").unlink()
    store.apply([Change("a.md", text.encode(), digest(OLD))], why="room again")
    assert store.history.before(store.log()[0].id, "a.md") == OLD


def test_a_read_only_disk(tmp_path: Path, dirs: Dirs) -> None:
    root = tmp_path / "memory"
    store = store_with(root, dirs)
    mount("--bind", str(root), str(root))
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(root)], check=True)
        with pytest.raises(Refused, match="read only, nothing was written"):
            store.apply([Change("a.md", b"new\n", digest(OLD))], why="x")
        with pytest.raises(Refused, match="read only"):
            store.apply([Change("a.md", None, digest(OLD))], why="x")
        assert (root / "a.md").read_bytes() == OLD
        assert store.recover() == ()
        assert store.note_outside() is None
    finally:
        subprocess.run(["umount", str(root)], check=True)
    store.apply([Change("a.md", b"new\n", digest(OLD))], why="x")
    assert (root / "a.md").read_bytes() == b"new\n"


NOBODY = """
import sys
from pathlib import Path
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError
from memtui.fs.atomic import digest
from memtui.memory.drafts import Drafts
from memtui.history.store import Change, Store
root, state = Path(sys.argv[1]), Path(sys.argv[2])
dirs = Dirs(state / "c", state / "s", state / "k")
store = Store(root, dirs, trash=None)
print(store.recover(), store.note_outside().kind)
for change in (Change("a.md", b"new", digest(b"the old text\\n")), Change("b.md", b"new", None),
               Change("a.md", None, digest(b"the old text\\n"))):
    try:
        store.apply([change], why="x")
    except MemtuiError as error:
        print(type(error).__name__, error.exit_code, error)
Drafts(dirs).save(root / "a.md", "new", None)
print(Drafts(dirs).load(root / "a.md").text)
"""


def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root and setpriv")
    base = Path("/var/tmp") / f"memtui-test-{os.getpid()}"
    root, state = base / "memory", base / "state"
    root.mkdir(parents=True)
    state.mkdir()
    try:
        (root / "a.md").write_bytes(OLD)
        os.chown(state, 65534, 65534)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-B", "-c", NOBODY]
        run = subprocess.run(
            [*command, str(root), str(state)],
            cwd="/",
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPO)},
            capture_output=True,
            text=True,
            check=False,
        )
        if "No module named" in run.stderr or "Permission denied" in run.stderr:
            pytest.skip("an ordinary user can't run this Python")
        assert run.returncode == 0, run.stderr
        assert run.stdout.splitlines() == [
            "() found",
            "Refused 5 a.md: permission denied, nothing was written",
            "Refused 5 b.md: permission denied, nothing was written",
            "Refused 5 a.md: permission denied, nothing was written",
            "new",
        ]
        assert (root / "a.md").read_bytes() == OLD
        assert [path.name for path in root.iterdir()] == ["a.md"]
    finally:
        shutil.rmtree(base)
