"""Real processes: many writers, and writers that are killed."""

import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from memtui.history.store import Store
from memtui.util.app_dirs import Dirs
from tests.history.writer_loop import NAME
from tests.support import REPO, run_python

EDITS = 50


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("kind", "writers"), [("append", 8), ("own", 8), ("append", 16), ("own", 16)])
def test_processes_at_the_same_time_lose_no_edit(tmp_path: Path, kind: str, writers: int) -> None:
    root, state = tmp_path / "memory", tmp_path / "state"
    root.mkdir()
    filler = b"".join(b"line %d that nobody touches\n" % number for number in range(5))
    (root / NAME).write_bytes(b"".join(b"# section %d\n" % number + filler for number in range(writers)))
    command = [sys.executable, "-m", "tests.history.writer_loop", str(root), str(state), kind]
    running = [
        subprocess.Popen([*command, str(number), str(EDITS)], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for number in range(writers)
    ]
    try:
        for writer in running:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
        for writer in running:
            assert writer.stdin is not None
            writer.stdin.write(b"go\n")
            writer.stdin.flush()
        again = [int(writer.communicate()[0]) for writer in running]
    finally:
        for writer in running:
            writer.kill()
            writer.wait()
    assert [writer.returncode for writer in running] == [0] * writers
    lines = (root / NAME).read_bytes().splitlines()
    wanted = [b"process %d edit %d" % (number, edit) for number in range(writers) for edit in range(EDITS)]
    kept = sum(lines.count(line) == 1 for line in wanted)
    print(f"kept={kept}/{len(wanted)} looked_again={sum(again)}")
    assert kept == len(wanted)
    store = Store(root, Dirs(state / "c", state / "s", state / "k"), trash=None)
    assert sum(version.kind == "edit" for version in store.log(limit=None)) == len(wanted)
    assert store.history.head(NAME) == (root / NAME).read_bytes()
    assert store.recover() == ()


@pytest.mark.long
def test_killed_savers_leave_nothing_torn_and_lose_nothing() -> None:
    """A short run of what `python -m tests.history.kill_loop 1000` does at length."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.history.kill_loop", "60"], cwd=REPO, capture_output=True, text=True, check=False
    )
    print(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr
    figures = dict(re.findall(r"(\w+)=(\d+)", run.stdout))
    assert figures["kills"] == "60"
    assert int(figures["saves"]) > 0
    assert {figures[name] for name in ("torn", "lost", "half", "temps")} == {"0"}


LIMITED = """
import resource, sys
from pathlib import Path
from memtui.util.app_dirs import Dirs
from memtui.util.errors import MemtuiError
from memtui.fs.atomic import digest
from memtui.memory.drafts import Drafts
from memtui.history.store import Change, Store
root, state = Path(sys.argv[1]), Path(sys.argv[2])
dirs = Dirs(state / "c", state / "s", state / "k")
store = Store(root, dirs, trash=None)
old = b"the old text\\n"
store.apply([Change("a.md", old, None)], why="start")
import os
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
text = os.urandom(30_000).hex()
try:
    store.apply([Change("a.md", text.encode(), digest(old))], why="too large")
except MemtuiError as error:
    print(type(error).__name__, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
Drafts(dirs).save(root / "a.md", text, digest(old))
draft = Drafts(dirs).load(root / "a.md")
print((root / "a.md").read_bytes() == old, draft is not None and draft.text == text, store.recover())
print(sorted(path.name for path in root.iterdir()))
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no file size limit here")
def test_no_room_means_old_file_clear_message_and_draft(tmp_path: Path) -> None:
    root = tmp_path / "memory"
    root.mkdir()
    run = run_python(LIMITED, str(root), str(tmp_path / "state"))
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "Unsupported No room left on the disk: nothing was written",
        "True True ()",
        "['a.md']",
    ]
