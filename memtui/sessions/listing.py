"""Which sessions there are: those of one project's folder, or of all, with a list's facts of each.

Every file is scanned whole, so a list of thousands takes seconds; nothing is remembered between two lists.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memtui.base.errors import MemtuiError, NotFound, Usage
from memtui.base.files import fault
from memtui.base.text import visible
from memtui.host.heads import SessionFile, session_files
from memtui.sessions.scan import Facts, Scanner

SHORTEST = 4
"""Characters of an id that are enough to name a session, if no other begins with them."""


@dataclass(frozen=True, slots=True)
class Session:
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


def sessions(places: Iterable[Path], faults: list[MemtuiError]) -> list[Session]:
    """The sessions of these folders, newest first; sub-agents' files and empty ones are left out.

    Args:
        places: Folders that hold transcripts.
        faults: Takes what kept a file from being read; the others are listed all the same.
    """
    found: list[Session] = []
    for file in (file for place in places for file in session_files(place)):
        try:
            found.append(Session(file, Scanner().file(file.path)))
        except OSError as error:
            faults.append(fault(error, file.id, outcome="not listed"))
    return sorted((one for one in found if one.listed), key=lambda one: (-one.when, one.file.place))


def find(places: Iterable[Path], word: str) -> Path:
    """The file of one session: by its path, by the beginning of its id, or by its title.

    Raises:
        NotFound: If none fits.
        Usage: If several fit.
    """
    if word.endswith(".jsonl") and Path(word).is_file():
        return Path(word)
    places = list(places)
    files = [file for place in places for file in session_files(place)]
    fits = [file.path for file in files if len(word) >= SHORTEST and file.id.startswith(word.lower())]
    if not fits:
        fits = [one.file.path for one in sessions(places, []) if one.title.casefold() == word.casefold()]
    shown = visible(word, keep="")
    if not fits:
        raise NotFound(f"no session {shown!r}", hint="memtui sessions ls --all lists them")
    if len(fits) > 1:
        raise Usage(f"{shown!r} fits {len(fits)} sessions", hint=", ".join(path.stem for path in fits[:4]))
    return fits[0]
