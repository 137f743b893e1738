"""What one reading of a session's file finds out about it; `scan` collects it, `search.catalogue` keeps it."""

from datetime import UTC, datetime

from msgspec import Struct


class Facts(Struct):
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
