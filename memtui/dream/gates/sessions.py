"""Gate: enough sessions, or a new daily log in assistant mode, since they were last read (`session_mark`).

Reading transcripts costs more than all other gates together: a run keeps what its scan found in
`<state>/scans/<hash>.json`, and for ten minutes that is the answer. A session that was judged once and has not changed
is not read again, and once enough sessions count, the rest is not read.

A session counts if a memory could be made from it. One with nothing but shell commands and hardly any text does not.
Whatever can't be decided counts: a session without any tool is talk, a transcript that can't be read is the reader's
fault.

In assistant mode one session goes on for days while the agent writes what matters to daily logs
(`logs/YYYY/MM/YYYY-MM-DD.md`): these are then the source.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from memtui.client.environment import Env
from memtui.client.memory_location import MemoryLocation
from memtui.client.session_files import SessionFile, session_files
from memtui.dream.gates.base import Gate
from memtui.dream.gates.session_mark import session_folders, sessions_key
from memtui.fs.atomic import make_folders, replace_file
from memtui.history.snapshot import scan
from memtui.memory.workspace import Workspace
from memtui.transcripts.entries import blocks_of, is_machine_text, prompt_texts
from memtui.transcripts.lines import MAX_LINE_BYTES, Record, parse_line
from memtui.transcripts.stats import tool_category
from memtui.transcripts.summary import decode_fast
from memtui.util.config import Config
from memtui.util.json_object import load_json
from memtui.util.text import age, pluralize, time_ago

ASSISTANT_SETTING = "assistant_mode"
COUNT_ALL_SETTING = "dream_count_all"
DAILY_LOGS = "logs/"  # the names of daily logs begin with this
MIN_SESSIONS = 5
SCAN_INTERVAL_S = 600
MIN_PROSE_CHARS = 1_500
"""Characters of text, of both sides together, from which a session has substance whatever tools it used."""
MAX_SCANNED_BYTES = 16 << 20  # bytes read of a transcript; a longer session has substance


def assistant_mode(config: Config) -> bool:
    return config[ASSISTANT_SETTING] == "true"


def sessions_since(location: MemoryLocation, env: Env, after: float) -> list[SessionFile]:
    """The sessions that were changed after a time, newest first, without the one that we run in."""
    own = env.get("CLAUDE_CODE_SESSION_ID")
    files = chain.from_iterable(map(session_files, session_folders(location)))
    found = (file for file in files if file.modified > after and file.id != own)
    return sorted(found, key=lambda file: -file.modified)


def logs_since(folder: Path, after: float) -> list[str]:
    """The names of the daily logs that changed after a time, newest first; `folder` may be a copy that keeps mtimes."""
    stamps = scan(folder / DAILY_LOGS, None)
    changed = [(stamp.mtime_ns, DAILY_LOGS + name) for name, stamp in stamps.items() if stamp.mtime_ns / 1e9 > after]
    return [name for _, name in sorted(changed, reverse=True)]


class SessionCheck(Struct, frozen=True, array_like=True):
    """A session at a scan: its file's mtime and size, and whether it counts; `None` if it was not read any more."""

    modified: float
    size: int
    counts: bool | None


class SessionScan(Struct, frozen=True):
    """What a scan at `at` found: the sessions changed after `after`, by path, newest first."""

    at: float
    after: float
    all_count: bool
    sessions: Mapping[str, SessionCheck]

    def count(self, counts: bool | None) -> int:
        """How many count (`True`), have no substance (`False`), or were not read (`None`)."""
        return sum(seen.counts is counts for seen in self.sessions.values())


def session_gate(workspace: Workspace, config: Config, after: float, now: float, *, keep: bool = False) -> Gate:
    """Whether enough sessions changed since `after`, when they were last read; `keep` keeps a new scan's result."""
    if found := current_scan(workspace, config, after, now):
        return _gate(found, workspace, now, fresh=False)
    found = _scan(workspace, config, after, now)
    if keep:
        path = _path(workspace)
        with suppress(OSError):
            make_folders(path.parent)
            replace_file(path, json.dumps(to_builtins(found)).encode("ascii"))  # json keeps names that are no UTF-8
    return _gate(found, workspace, now, fresh=True)


def current_scan(workspace: Workspace, config: Config, after: float, now: float) -> SessionScan | None:
    """The kept scan without the session that we run in, if it is still the answer."""
    known, own = _load(_path(workspace)), workspace.env.get("CLAUDE_CODE_SESSION_ID")
    if known is None or (known.after, known.all_count) != (after, config[COUNT_ALL_SETTING] == "true"):
        return None
    known = replace(known, sessions={path: seen for path, seen in known.sessions.items() if Path(path).stem != own})
    complete = known.count(True) >= MIN_SESSIONS or not known.count(None)
    return known if complete and 0 <= now - known.at < SCAN_INTERVAL_S else None


def log_gate(location: MemoryLocation, after: float) -> Gate:
    found = logs_since(location.folder, after)
    reason = f"{pluralize(len(found), 'daily log')} since then, the newest {found[0]}" if found else "none since then"
    return Gate("sessions", bool(found), "a new daily log", reason, str(location.folder / DAILY_LOGS))


def _scan(workspace: Workspace, config: Config, after: float, now: float) -> SessionScan:
    kept, all_count = _load(_path(workspace)), config[COUNT_ALL_SETTING] == "true"
    known = {} if kept is None else kept.sessions
    found: dict[str, SessionCheck] = {}
    counted = 0
    for file in sessions_since(workspace.location, workspace.env, after):
        last = known.get(file.file_path)
        is_same = last is not None and (last.modified, last.size) == (file.modified, file.size)
        counts = True if all_count else last.counts if last is not None and is_same else None
        if counts is None and counted < MIN_SESSIONS:
            counts = has_substance(file)
        counted += counts is True
        found[file.file_path] = SessionCheck(file.modified, file.size, counts)
    return SessionScan(now, after, all_count, found)


def _gate(scan: SessionScan, workspace: Workspace, now: float, *, fresh: bool) -> Gate:
    counted, thin, unread = scan.count(True), scan.count(False), scan.count(None)
    left_out = ["this one"] if workspace.env.get("CLAUDE_CODE_SESSION_ID") else []
    left_out += [f"{thin} without substance"] if thin else []
    reason = f"{counted} of {MIN_SESSIONS}"
    reason += f", {unread} more touched" if unread else ""
    reason += f" ({' and '.join(left_out)} not counted)" if left_out else ""
    enough = counted >= MIN_SESSIONS
    if not fresh:
        reason += f"; last look {time_ago(now - scan.at)}"
        reason += "" if enough else f", next in {age(max(scan.at + SCAN_INTERVAL_S - now, 60))}"
    words, source = f"{MIN_SESSIONS} sessions not read yet", str(workspace.location.transcripts)
    return Gate("sessions", enough, words, reason, source)


def _path(workspace: Workspace) -> Path:
    return workspace.dirs.state / "scans" / sessions_key(workspace.location)


def _load(path: Path) -> SessionScan | None:
    try:
        return convert(load_json(path), SessionScan)
    except (OSError, ValueError):
        return None


def has_substance(file: SessionFile) -> bool:
    """Whether a session counts; reads only until that is certain."""
    shells = chars = 0
    try:
        with file.path.open("rb") as lines:
            while line := lines.readline(MAX_LINE_BYTES):
                fast = decode_fast(line)
                for data in parse_line(line).objects if fast is None else [fast]:
                    ran, other, prose = _substance(data)
                    shells, chars = shells + ran, chars + prose
                    if other or chars >= MIN_PROSE_CHARS:
                        return True
                if lines.tell() > MAX_SCANNED_BYTES:
                    return True
    except OSError:
        return True
    return not shells


def _substance(data: Record) -> tuple[int, int, int]:
    """Count in one record: shell calls, calls of other tools, characters of text."""
    if data.get("type") == "user":
        typed = () if data.get("isMeta") else prompt_texts(data)
        return 0, 0, sum(len(words) for words in typed if not is_machine_text(words))
    shells = others = chars = 0
    for block in blocks_of(data.get("message")):
        if block["type"] == "tool_use":
            shell = tool_category(str(block.get("name"))) == "shells"
            shells, others = shells + shell, others + (not shell)
        elif block["type"] == "text":
            chars += len(block["text"])
    return shells, others, chars
