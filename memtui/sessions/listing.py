"""A session as a line of a list, and the folders in which there are some; `search.catalogue` makes the lists."""

import os
from pathlib import Path

from memtui.base.record import Record
from memtui.host.heads import SessionFile, session_id


class Session(Record):
    """A session as a line of a list: its file, and of the facts what a line shows, or is looked for in.

    There may be thousands: this is a row of the catalogue as the database gives it, and nothing around it. `when` is
    that of `Facts.when`; `title` is "" where nobody said anything yet, `first_prompt` where it is the title.
    """

    place: str
    modified: float
    size: int
    inode: int
    when: float
    title: str
    messages: int
    bad: int
    branch: str
    cwd: str
    first_prompt: str

    @property
    def file(self) -> SessionFile:
        """Its file as the folder lists it."""
        return SessionFile(*self[:4])

    @property
    def path(self) -> Path:
        """Its file."""
        return Path(self.place)

    @property
    def id(self) -> str:
        """Its identity: the stem of the file's name, whatever its records say."""
        return session_id(self.place)


def folders(projects: Path) -> list[Path]:
    """The folder of every project, by name; none where there are no projects."""
    try:
        with os.scandir(projects) as entries:
            return [projects / name for name in sorted(entry.name for entry in entries if entry.is_dir())]
    except OSError:
        return []
