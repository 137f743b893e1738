"""Which sessions there are: those of one project's folder, or of all, with a list's facts of each.

Every file is scanned whole, so a list of thousands takes seconds; nothing is remembered between two lists.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
    def helper(self) -> bool:
        """Whether it is a sub-agent's file that lies among the sessions, as old releases left them."""
        return bool(self.facts.side) and not self.facts.messages


def folders(projects: Path) -> list[Path]:
    """The folder of every project, by name; none where there are no projects."""
    try:
        return sorted(path for path in projects.iterdir() if path.is_dir())
    except OSError:
        return []


def sessions(places: Iterable[Path], faults: list[MemtuiError]) -> Iterator[Session]:
    """The sessions of these folders, newest first by the time of the file; sub-agents' files are no sessions.

    Args:
        places: Folders that hold transcripts.
        faults: Takes what kept a file from being read; the others are listed all the same.
    """
    found = [file for place in places for file in session_files(place)]
    found.sort(key=lambda file: (-file.modified, file.place))
    for file in found:
        try:
            session = Session(file, Scanner().file(file.path))
        except OSError as error:
            faults.append(fault(error, file.id, outcome="not listed"))
            continue
        if not session.helper:
            yield session


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
