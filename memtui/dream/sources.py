"""What a dream is made from: the sessions that were touched since the last one, and the daily logs.

In assistant mode one session goes on for days, and the agent writes down what matters in daily logs: these are then the
source. Looking changes nothing.

Source: FORMATS.md 3.4.
"""

from collections.abc import Iterator
from pathlib import Path

from memtui.base.config import Config
from memtui.host.env import Env
from memtui.host.heads import SessionFile, session_files
from memtui.host.paths import project_name
from memtui.host.place import Place
from memtui.memory.ledger import walk

ASSISTANT = "assistant_mode"
"""The setting of ours that turns assistant mode on."""
LOGS = "logs/"
"""What the names of daily logs begin with."""


def assistant_mode(config: Config) -> bool:
    """Whether the agent works as an assistant that keeps daily logs."""
    return config[ASSISTANT] == "true"


def session_folders(place: Place) -> tuple[Path, ...]:
    """The folders of the sessions that fill a memory: the directory's, and its repository's root's."""
    if place.project_dir == project_name(str(place.cwd)) and place.root != place.cwd:
        return (place.transcripts, place.transcripts.with_name(project_name(str(place.root))))
    return (place.transcripts,)


def sessions_since(place: Place, env: Env, after: float) -> list[SessionFile]:
    """The sessions that fill a memory and were touched after a time, newest first; one that we run in is left out.

    Args:
        after: Seconds since 1970.
    """
    own = env.get("CLAUDE_CODE_SESSION_ID")
    found = [
        file
        for folder in session_folders(place)
        for file in session_files(folder)
        if file.modified > after and file.id != own
    ]
    return sorted(found, key=lambda file: -file.modified)


def logs_since(folder: Path, after: float) -> list[str]:
    """The daily logs of a memory folder, or of a copy with its times, that changed after a time: names, newest first.

    Args:
        after: Seconds since 1970.
    """
    changed = [(at, name) for name, at in _logs(folder) if at > after]
    return [name for _, name in sorted(changed, reverse=True)]


def _logs(folder: Path) -> Iterator[tuple[str, float]]:
    for above, _, entries in walk(folder / LOGS):
        for entry in entries:
            if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                yield f"{LOGS}{above}{entry.name}", entry.stat(follow_symlinks=False).st_mtime
