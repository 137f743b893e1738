"""What a program keeps of memory that it once needed; each in a process of its own, for it holds for all of one."""

import subprocess
import sys

import pytest

SETTLED = """
import gc, weakref
from memtui.util.gc_tuning import freeze_heap
class Ring: pass
def ring():
    one = Ring(); one.self = one
    return weakref.ref(one)
gc.disable()
kept, left = Ring(), ring()
freeze_heap()
assert left() is None, "what the start left is gone"
assert gc.isenabled() and gc.get_freeze_count() > 1000
assert gc.get_threshold()[2] == 2
later = ring()
gc.collect()
assert later() is None, "what comes later is collected as ever"
"""

GIVEN_BACK = """
import threading
from memtui.util.gc_tuning import limit_heaps
limit_heaps()
def resident():
    with open("/proc/self/statm") as file: return int(file.read().split()[1]) * 4
def read(size):
    for _ in range(20): bytearray(size)
read(100)
before = resident()
for size in (1 << 20, 4 << 20, 20 << 20):  # each larger one lets glibc keep as much, if it may
    for _ in range(3):
        thread = threading.Thread(target=read, args=(size - 100,))
        thread.start(); thread.join()
print(resident() - before)
"""


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_what_the_start_left_goes_and_what_it_brought_stays() -> None:
    run(SETTLED)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_large_buffers_go_back() -> None:
    assert int(run(GIVEN_BACK)) < 2_000, "kB"


def test_where_there_is_no_such_library_nothing_happens() -> None:
    run("import sys; sys.modules['ctypes'] = None; from memtui.util.gc_tuning import limit_heaps; limit_heaps()")
