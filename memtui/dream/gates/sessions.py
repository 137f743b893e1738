"""The gate that looks at sessions: have enough been worked in since the last dream?

A scan costs more than all other gates together, so there is one every ten minutes at most: what a run's scan found is
kept in `<state>/scans/<hash>.json` and is the answer until then. Looking keeps nothing. A session that was judged once
and has neither grown nor changed is not read again; once enough count, the rest is not read at all.

What a dream is made from: the sessions that were touched since the last one, and the daily logs.

In assistant mode one session goes on for days, and the agent writes down what matters in daily logs: these are then the
source. Looking changes nothing.

Source: FORMATS.md 3.4.

Did a session do anything that a memory could be made from?

One that ran shell commands and nothing else, and in which hardly anything was said, did not. Whatever can't be told
counts as something: a session without any tool is talk, and a transcript that nobody can read is the reader's fault.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation
from memtui.client.paths import project_name
from memtui.client.session_files import SessionFile, session_files
from memtui.dream.gates.base import Gate
from memtui.fs.atomic import digest, make_folders, replace_file
from memtui.history.snapshot import walk
from memtui.transcripts.entries import blocks_of, is_machine, prompt_texts
from memtui.transcripts.lines import LONGEST_LINE, Record, parse_line
from memtui.transcripts.stats import kind_of
from memtui.transcripts.summary import decode
from memtui.util.app_dirs import Dirs
from memtui.util.config import Config
from memtui.util.text import age, pluralize, time_ago

ASSISTANT = "assistant_mode"
"""The setting of ours that turns assistant mode on."""
LOGS = "logs/"
"""What the names of daily logs begin with."""


def assistant_mode(config: Config) -> bool:
    """Whether the agent works as an assistant that keeps daily logs."""
    return config[ASSISTANT] == "true"


def session_folders(location: MemoryLocation) -> tuple[Path, ...]:
    """The folders of the sessions that fill a memory: the directory's, and its repository's root's."""
    if location.project_dir == project_name(str(location.cwd)) and location.root != location.cwd:
        return (location.transcripts, location.transcripts.with_name(project_name(str(location.root))))
    return (location.transcripts,)


def sessions_since(location: MemoryLocation, env: Env, after: float) -> list[SessionFile]:
    """The sessions that fill a memory and were touched after a time, newest first; one that we run in is left out.

    Args:
        after: Seconds since 1970.
    """
    own = env.get("CLAUDE_CODE_SESSION_ID")
    found = [
        file
        for folder in session_folders(location)
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


SESSIONS = 5
"""Sessions touched since the last dream."""
EVERY = 600
"""Seconds between two scans."""
COUNT_ALL = "dream_count_all"
"""The setting of ours by which sessions without substance count, too."""


class SessionCheck(Struct, frozen=True):
    """A session at a scan: its file's time and size, and whether it counts; `None` if that was not asked any more."""

    modified: float
    size: int
    counts: bool | None


class Scan(Struct, frozen=True):
    """What a scan found: the sessions touched after `after`, by their path, newest first; times since 1970."""

    at: float
    after: float
    all_count: bool
    sessions: Mapping[str, SessionCheck]

    @property
    def counted(self) -> int:
        """Sessions that count for sure."""
        return sum(seen.counts is True for seen in self.sessions.values())

    @property
    def thin(self) -> int:
        """Sessions without substance."""
        return sum(seen.counts is False for seen in self.sessions.values())

    @property
    def rest(self) -> int:
        """Sessions that nobody had to judge."""
        return len(self.sessions) - self.counted - self.thin

    def without(self, id: str | None) -> "Scan":
        """The same without one session."""
        left = {location: seen for location, seen in self.sessions.items() if Path(location).stem != id}
        return Scan(self.at, self.after, self.all_count, left)

    def in_force(self, after: float, now: float, *, all_count: bool) -> bool:
        """Whether it still is the answer, or another scan is due."""
        same = (self.after, self.all_count) == (after, all_count)
        return same and 0 <= now - self.at < EVERY and (self.counted >= SESSIONS or not self.rest)


def session_gate(
    location: MemoryLocation, env: Env, after: float, now: float, dirs: Dirs, config: Config, *, keep: bool = False
) -> Gate:
    """Whether enough sessions were touched since the last dream.

    Args:
        after: When that was, in seconds since 1970; 0 for never.
        keep: For a run: a scan that had to be made is kept, if the disk takes it.
    """
    known = _load(_path(dirs, location))
    all_count = config[COUNT_ALL] == "true"
    found = known_scan(location, env, after, now, dirs, config)
    if found is not None:
        return _gate(found, env, now, location, fresh=False)
    found = _scan(location, env, after, now, {} if known is None else known.sessions, all_count=all_count)
    if keep:
        with suppress(OSError):
            _save(_path(dirs, location), found)
    return _gate(found, env, now, location, fresh=True)


def known_scan(location: MemoryLocation, env: Env, after: float, now: float, dirs: Dirs, config: Config) -> Scan | None:
    """The scan that is still the answer; `None` if another one is due."""
    known = _load(_path(dirs, location))
    if known is None:
        return None
    known = known.without(env.get("CLAUDE_CODE_SESSION_ID"))
    return known if known.in_force(after, now, all_count=config[COUNT_ALL] == "true") else None


def log_gate(location: MemoryLocation, after: float) -> Gate:
    """The same in assistant mode, where daily logs are the source.

    Args:
        after: When the last dream was, in seconds since 1970; 0 for never.
    """
    found = logs_since(location.folder, after)
    reason = f"{pluralize(len(found), 'daily log')} since then, the newest {found[0]}" if found else "none since then"
    return Gate("sessions", bool(found), "a new daily log", reason, str(location.folder / LOGS))


def _scan(
    location: MemoryLocation, env: Env, after: float, now: float, known: Mapping[str, SessionCheck], *, all_count: bool
) -> Scan:

    found: dict[str, SessionCheck] = {}
    counted = 0
    for file in sessions_since(location, env, after):
        last = known.get(file.place)
        counts: bool | None = True
        if not all_count:
            same = last is not None and (last.modified, last.size) == (file.modified, file.size)
            counts = last.counts if last is not None and same else None
            if counts is None and counted < SESSIONS:
                counts = has_substance(file)
        counted += counts is True
        found[file.place] = SessionCheck(file.modified, file.size, counts)
    return Scan(now, after, all_count, found)


def _gate(scan: Scan, env: Env, now: float, location: MemoryLocation, *, fresh: bool) -> Gate:
    left_out = ["this one"] if env.get("CLAUDE_CODE_SESSION_ID") else []
    left_out += [f"{scan.thin} without substance"] if scan.thin else []
    reason = f"{scan.counted} of {SESSIONS}"
    reason += f", {scan.rest} more touched" if scan.rest else ""
    reason += f" ({' and '.join(left_out)} not counted)" if left_out else ""
    open_ = scan.counted >= SESSIONS
    if not fresh:
        reason += f"; last look {time_ago(now - scan.at)}"
        reason += "" if open_ else f", next in {age(max(scan.at + EVERY - now, 60))}"
    return Gate("sessions", open_, f"{SESSIONS} sessions since then", reason, str(location.transcripts))


def _path(dirs: Dirs, location: MemoryLocation) -> Path:
    """By the folders of the sessions: one memory is filled from different ones, seen from different directories."""
    folders = b"\0".join(os.fsencode(folder) for folder in (location.folder, *session_folders(location)))
    return dirs.state / "scans" / f"{digest(folders)[:16]}.json"


def _load(path: Path) -> Scan | None:
    try:
        data: dict[str, Any] = json.loads(path.read_bytes())
        sessions = {
            os.fsdecode(location.encode("latin-1")): SessionCheck(float(modified), int(size), counts)
            for location, (modified, size, counts) in data["sessions"].items()
            if counts is None or isinstance(counts, bool)
        }
        return Scan(float(data["at"]), float(data["after"]), data["all_count"] is True, sessions)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _save(path: Path, scan: Scan) -> None:
    sessions = {
        os.fsencode(location).decode("latin-1"): [seen.modified, seen.size, seen.counts]
        for location, seen in scan.sessions.items()
    }
    data = {"at": scan.at, "after": scan.after, "all_count": scan.all_count, "sessions": sessions}
    make_folders(path.parent)
    replace_file(path, json.dumps(data).encode("ascii"))


LITTLE = 1_500
"""Characters said by both sides together below which it is little prose."""
MOST = 16 << 20
"""Bytes that are read; a session that is longer did something."""


def has_substance(file: SessionFile) -> bool:
    """Whether a session counts; read only until that is certain, which is soon where there is any.

    A file that can't be read counts.
    """
    shells = said = 0
    try:
        with file.path.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                for data in _records(line):
                    ran, other, prose = _deeds(data)
                    shells, said = shells + ran, said + prose
                    if other or said >= LITTLE:
                        return True
                if lines.tell() > MOST:
                    return True
    except OSError:
        return True
    return not shells


def _records(line: bytes) -> list[Record]:
    data = decode(line)
    return [data] if data is not None else parse_line(line).objects


def _deeds(data: Record) -> tuple[int, int, int]:
    """What one record holds: calls of a shell, calls of other tools, characters that somebody said."""
    message = data.get("message")
    if not isinstance(message, dict):
        return 0, 0, 0
    if data.get("type") == "user":
        typed = () if data.get("isMeta") else prompt_texts(data)
        return 0, 0, sum(len(words) for words in typed if not is_machine(words))
    shells = others = said = 0
    for block in blocks_of(message):
        if block["type"] == "tool_use":
            shell = kind_of(str(block.get("name"))) == "shells"
            shells, others = shells + shell, others + (not shell)
        elif block["type"] == "text":
            said += len(block["text"])
    return shells, others, said
