"""What is known of one session, in words: the third pane, and the lines above the conversation where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memtui.client.paths import tilde_path
from memtui.client.retention import CLEANUP_WARNING_DAYS, days_left
from memtui.presentation import LabeledText
from memtui.presentation.session_text import (
    cleanup_text,
    omitted_details,
    resume_details,
    summary_details,
    work_details,
)
from memtui.resume.health import check_health
from memtui.resume.outline import outline_of
from memtui.resume.resume import ResumePlan
from memtui.sessions.listing import Session
from memtui.transcripts.stats import collect_stats
from memtui.transcripts.summary import SessionSummary
from memtui.transcripts.transcript import Transcript
from memtui.tui.state import OpenSession, SessionListState
from memtui.tui.theme import TONE_STYLES
from memtui.util.text import size, time_ago, visible

if TYPE_CHECKING:
    from memtui.memory.workspace import Workspace
    from memtui.tui.widgets.properties import Pair


LISTED = frozenset({"ended", "messages", "bad lines"})
"""What `pairs_of` says already, or says better."""


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
        ("clean-up", "" if kept else cleanup_text(left), "$warn" if soon else ""),
    ]
    return [pair for pair in pairs if pair[1]]


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
    written = done.written_files
    memory = memory_names(written, workspace.location.folder)
    files = {*written, *(file.path for file in done.changed_files)}
    health = check_health(transcript, told)
    details = [
        *(one for one in (summary_details(facts) if facts else ()) if one.label not in LISTED),
        *resume_details(told, health),
        *work_details(done.tools, done.tokens),
        LabeledText("files", f"{len(files)} changed" if files else ""),
        LabeledText("memory", ", ".join(memory), "link"),
    ]
    pairs: list[Pair] = [(one.label, visible(one.text, keep=""), TONE_STYLES[one.tone]) for one in details if one.text]
    notes = [*([] if health.ok else [health.words]), *(f"not sent: {one.text}" for one in omitted_details(told))]
    return OpenSession(place, outline_of(transcript, told), pairs, notes, written)


def memory_names(written: tuple[str, ...], folder: Path) -> list[str]:
    """Those of the written files that lie in the memory folder, by their names in it."""
    return [str(Path(path).relative_to(folder)) for path in written if Path(path).is_relative_to(folder)]
