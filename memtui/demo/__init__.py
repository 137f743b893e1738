"""The sample home: three projects with Korean and English memory, an index over its limit, sessions and a history.

In: an empty folder and a time. Out: a `DemoHome`, which memtui opens like a real one: with `memtui --demo`, on a
machine without Claude Code's folder, in tests and for the screenshots.

- `home`         puts it together
- `marks`        placeholders in the data files: dates relative to the given time
- `history`      the last two weeks, written by the real store
- `data/`        all files, sessions included, with placeholders

Invariants: nobody and nothing in it is real, every address ends in `.example`; the same folder and time give the same
bytes and mtimes; nothing outside the given folder is read or written.
"""

from memtui.demo.home import DemoHome, build_demo

__all__ = ["DemoHome", "build_demo"]
