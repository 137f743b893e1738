"""What is known of one session, in words: the third pane, and the lines above the conversation where there is none."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from memtui.client.paths import tilde_path
from memtui.client.retention import CLEANUP_WARNING_DAYS, days_left
from memtui.resume.conversation import RESUME_POINT_REASONS
from memtui.resume.health import check_health
from memtui.resume.omitted import OMISSION_REASONS
from memtui.resume.outline import outline_of
from memtui.resume.resume import ResumePlan
from memtui.sessions.listing import Session
from memtui.transcripts.stats import collect_stats
from memtui.transcripts.summary import SessionSummary
from memtui.transcripts.transcript import Transcript
from memtui.tui.state import OpenSession, SessionListState
from memtui.util.text import pluralize, size, time_ago, visible

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace
    from memtui.tui.widgets.properties import Pair

TOOLS = {"reads": "reads", "searches": "searches", "shells": "shell", "edits": "edits", "others": "other"}


def pairs_of(session: Session, session_list: SessionListState, now: float, home: Path) -> list[Pair]:
    """What the list alone knows: no file is read for it."""
    kept = session.file_path in session_list.archived
    left = None if session_list.days is None else days_left(session.modified, now, session_list.days)
    soon = not kept and left is not None and left < CLEANUP_WARNING_DAYS
    live = session_list.live.get(session.id)
    pairs: list[Pair] = [
        ("id", session.id[:8], ""),
        ("live", f"open in process {live.pid}" if live else "", "$good"),
        ("in", visible(tilde_path(Path(session.cwd), home), keep="") if session.cwd else "", ""),
        ("branch", visible(session.branch, keep=""), ""),
        ("last", time_ago(now - session.when), ""),
        ("messages", f"{session.messages:,}", ""),
        ("size", f"{size(session.size)}B", ""),
        ("bad lines", f"{session.bad:,}" if session.bad else "", "$problem"),
        ("archived", "kept by memtui; a puts it back" if kept else "", "$link"),
        ("clean-up", "" if kept else _clean_up(left), "$warn" if soon else ""),
    ]
    return [pair for pair in pairs if pair[1]]


def _clean_up(left: float | None) -> str:
    if left is None:
        return "off: a settings file is faulty"
    return f"in {pluralize(int(left), 'day')}" if left >= 1 else "at Claude Code's next start" if left <= 0 else "today"


def opened_of(
    place: str, transcript: Transcript, told: ResumePlan, workspace: Workspace, facts: SessionSummary | None
) -> OpenSession:
    """What a whole reading tells: branches, what a resume sends and why, tools, tokens, files, memory written.

    Args:
        place: The session's file.
        transcript: It, read.
        told: What a resume sends of it.
        workspace: Says which of the files that it wrote are memory.
        facts: What the catalogue knows of it.
    """
    done = collect_stats(transcript.each(transcript.entries))
    stats, usage = asdict(done.tools), done.tokens
    tools = ", ".join(f"{word} {stats[name]}" for name, word in TOOLS.items() if stats[name])
    written = done.written_files
    memory = memory_names(written, workspace.location.folder)
    files = {*written, *(file.path for file in done.changed_files)}
    pairs: list[Pair] = [
        *(_counts(facts) if facts else []),
        ("resume sends", _sent(told, facts),
         "$problem" if told.messages is None else "$good"),
        ("continues at", RESUME_POINT_REASONS[told.leaf.reason], ""),
        ("tools", tools, ""),
        ("lines", f"+{stats['added']:,} -{stats['removed']:,}" if stats["edits"] else "", ""),
        ("tokens", f"{size(usage.sent + usage.cached + usage.stored)} in, {size(usage.received)} out", ""),
        ("files", f"{len(files)} changed" if files else "", ""),
        ("memory", visible(", ".join(memory), keep=""), "$link"),
    ]  # fmt: skip
    health = check_health(transcript, told)
    left = Counter(item.why for item in told.omitted)
    notes = [*([] if health.ok else [health.words])]
    notes += [f"{number:,} not sent: {OMISSION_REASONS[why]}" for why, number in left.most_common()]
    return OpenSession(place, outline_of(transcript, told), [pair for pair in pairs if pair[1]], notes, written)


def _sent(plan: ResumePlan, facts: SessionSummary | None) -> str:
    """How many of the session's messages a resume sends."""
    if plan.messages is None:
        return "no conversation"
    sent = len(plan.messages)
    return f"{sent:,} of {facts.messages:,} messages" if facts and facts.messages > sent else pluralize(sent, "message")


def _counts(facts: SessionSummary) -> list[Pair]:
    return [
        ("began", local(facts.first_time), ""),
        ("prompts", f"{facts.prompts:,}", ""),
        ("rewinds", f"{facts.rewinds:,}" if facts.rewinds else "", ""),
        ("compacted", f"{facts.compactions:,}x" if facts.compactions else "", ""),
        ("file", pluralize(facts.lines, "line"), ""),
    ]


def memory_names(written: tuple[str, ...], folder: Path) -> list[str]:
    """Those of the written files that lie in the memory folder, by their names in it."""
    return [str(Path(path).relative_to(folder)) for path in written if Path(path).is_relative_to(folder)]


def local(stamp: str) -> str:
    """A record's time as a short local one; "" if it is none."""
    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return ""
