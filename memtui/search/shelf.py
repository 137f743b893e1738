"""Sessions for one question: all of some folders, the newest, or the one that a word means."""

from collections.abc import Sequence
from pathlib import Path

from memtui.base.errors import MemtuiError
from memtui.base.meant import begins, the_one
from memtui.host.heads import session_files
from memtui.search.catalogue import Catalogue
from memtui.sessions.listing import Session


def sessions(cache: Path, places: Sequence[Path], faults: list[MemtuiError]) -> list[Session]:
    """The sessions of these folders, newest first; sub-agents' files and empty ones are left out.

    Args:
        cache: Our cache folder.
        places: Folders that hold transcripts.
        faults: Takes what kept a file from being read; the others are listed all the same.
    """
    with Catalogue(cache) as catalogue:
        return catalogue.current(places, faults)


def newest(cache: Path, place: Path) -> Session | None:
    """The session of a folder that `sessions` lists first."""
    with Catalogue(cache) as catalogue:
        catalogue.refresh([place])
        return next(iter(catalogue.page([place], limit=1)), None)


def find(cache: Path, places: Sequence[Path], word: str) -> Path:
    """The file of one session: by its path, by the beginning of its id, or by its title.

    Raises:
        NotFound: If none fits.
        Usage: If several fit.
    """
    if word.endswith(".jsonl") and Path(word).is_file():
        return Path(word)
    files = [file for place in places for file in session_files(place)]
    fits = [file.path for file in files if begins(file.id, word)]
    if not fits:
        fits = [one.path for one in sessions(cache, places, []) if one.title.casefold() == word.casefold()]
    twice = len({path.stem for path in fits}) < len(fits)  # one id in two projects: only the path tells them apart
    lists = "memtui sessions ls --all lists them"
    return the_one(fits, word, "session", lists=lists, name=str if twice else lambda path: path.stem)
