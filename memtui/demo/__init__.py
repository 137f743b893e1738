"""A made-up home: three projects with Korean and English memory, an index over its limit, sessions and a history.

In: an empty folder and a moment. Out: a `DemoHome`, which the program opens like a real one. People see it with
`memtui --demo` and on a machine without any agent folder; tests and pictures use it as well.

- `home`         puts it together
- `words`        marks in the data files: dates that count from the moment
- `transcripts`  short scripts to session files in the client's own shape (`results`: what tools answer)
- `repository`   a git repository by hand
- `history`      the last two weeks, through the real store
- `data/`        everything that is text, as text

Invariants: nobody and nothing in it is real, every address ends in `.example`; the same folder and moment give the same
bytes and times; nothing outside the given folder is read or written.
"""

from memtui.demo.home import DemoHome, build_demo

__all__ = ["DemoHome", "build_demo"]
