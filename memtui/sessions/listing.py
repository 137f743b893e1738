"""What a list knows of a session, and the folders in which there are some; `search.catalogue` makes the lists."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from memtui.host.heads import SessionFile


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


class Session(NamedTuple):
    """A session's file and what a list shows of it."""

    file: SessionFile
    facts: Facts

    @property
    def title(self) -> str:
        """What it is called; "" where nobody said anything yet."""
        return self.facts.title

    @property
    def when(self) -> float:
        """When its last record was written, in seconds since 1970; the time of the file where no record tells."""
        try:
            stamp = datetime.fromisoformat(self.facts.last_time)
        except ValueError:
            return self.file.modified
        return (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp()

    @property
    def listed(self) -> bool:
        """Whether a list shows it: not a file without a word, nor a sub-agent's that lies among the sessions."""
        facts = self.facts
        return bool(facts.messages or (facts.title and not facts.side))


def folders(projects: Path) -> list[Path]:
    """The folder of every project, by name; none where there are no projects."""
    try:
        return sorted(path for path in projects.iterdir() if path.is_dir())
    except OSError:
        return []
