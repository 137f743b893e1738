"""What a list knows of a session, and the folders in which there are some; `search.catalogue` makes the lists."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memtui.host.heads import SessionFile, session_id


@dataclass(slots=True)
class Facts:
    """What a list shows of a session. Times are as written; `offset` is the byte behind the last whole line.

    `messages` are the main conversation's rows of both sides, `prompts` what a person typed, `rewinds` how often
    they went back and typed something else, `side` the rows of sub-agents in this file. `branch` is that of the
    last prompt.
    """

    title: str = ""
    first_prompt: str = ""
    first_time: str = ""
    last_time: str = ""
    messages: int = 0
    prompts: int = 0
    rewinds: int = 0
    compactions: int = 0
    side: int = 0
    lines: int = 0
    bad: int = 0
    offset: int = 0
    cwd: str = ""
    branch: str = ""

    @property
    def listed(self) -> bool:
        """Whether a list shows it: not a file without a word, nor a sub-agent's that lies among the sessions."""
        return bool(self.messages or (self.title and not self.side))

    def when(self, modified: float) -> float:
        """When the last record was written, in seconds since 1970; the time of the file where no record tells."""
        try:
            stamp = datetime.fromisoformat(self.last_time)
        except ValueError:
            return modified
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()


class Session(NamedTuple):
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
        return sorted(path for path in projects.iterdir() if path.is_dir())
    except OSError:
        return []
