"""Sessions: what happened in one, what a resume sends of it, and when the client deletes it."""

from collections import Counter
from datetime import datetime

from memtui.presentation import LabeledText
from memtui.resume.conversation import RESUME_POINT_REASONS
from memtui.resume.health import Health
from memtui.resume.omitted import OMISSION_REASONS
from memtui.resume.resume import ResumePlan
from memtui.transcripts.stats import SessionStats, SessionTokens
from memtui.transcripts.summary import SessionSummary
from memtui.util.text import pluralize, size

_TOOLS = {"reads": "read", "searches": "search", "shells": "shell", "edits": "edit", "others": "other"}


def local_time(stamp: str) -> str:
    """A record's time as a short local one: "2026-11-30 14:02"; "" if it is none."""
    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return ""


def cleanup_text(days_left: float | None) -> str:
    """When Claude Code deletes a session by itself: "in 12 days"; `days_left` as from `client.retention`."""
    if days_left is None:
        return "off: a settings file is faulty"
    if days_left >= 1:
        return f"in {pluralize(int(days_left), 'day')}"
    return "at Claude Code's next start" if days_left <= 0 else "today"


def summary_details(summary: SessionSummary) -> list[LabeledText]:
    found = [
        LabeledText("began", local_time(summary.first_time)),
        LabeledText("ended", local_time(summary.last_time)),
        LabeledText("prompts", f"{summary.prompts:,}"),
        LabeledText("messages", f"{summary.messages:,}"),
        LabeledText("rewinds", f"{summary.rewinds:,}" if summary.rewinds else ""),
        LabeledText("compacted", pluralize(summary.compactions, "time") if summary.compactions else ""),
        LabeledText("file", pluralize(summary.lines, "line")),
        LabeledText("bad lines", f"{summary.bad:,}" if summary.bad else "", "problem"),
    ]
    return [one for one in found if one.text]


def work_details(done: SessionStats, agents: SessionTokens) -> list[LabeledText]:
    """What was done in a session: tools, lines changed, tokens with what agents and copies have of them."""
    stats, usage = done.tools, done.tokens
    tools = ", ".join(f"{word} {getattr(stats, name):,}" for name, word in _TOOLS.items() if getattr(stats, name))
    parts = ((usage, ""), (agents, " by sub-agents"), (done.copied, " copied from its parent"))
    tokens = [f"{size(one.all_sent)} in, {size(one.received)} out{by}" for one, by in parts if one != SessionTokens()]
    found = [
        LabeledText("tools", tools),
        LabeledText("lines", f"+{stats.added:,} -{stats.removed:,}" if stats.edits else ""),
        LabeledText("tokens", "; of these ".join(tokens)),
    ]
    return [one for one in found if one.text]


def resume_details(plan: ResumePlan, health: Health) -> list[LabeledText]:
    """What a resume sends, and why from there."""
    if plan.messages is None:
        return [
            LabeledText("resume sends", "nothing", "problem"),
            LabeledText("because", RESUME_POINT_REASONS[plan.leaf.reason]),
        ]
    sent = f"{pluralize(len(plan.messages), 'message')}, from {health.sent:,} of {pluralize(health.total, 'record')}"
    return [
        LabeledText("resume sends", sent, "good"),
        LabeledText("continues at", RESUME_POINT_REASONS[plan.leaf.reason]),
    ]


def omitted_details(plan: ResumePlan) -> list[LabeledText]:
    """How many records are not sent, by reason, the most frequent first."""
    counts = Counter(item.why for item in plan.omitted)
    return [
        LabeledText("not sent", f"{pluralize(count, 'record')}: {OMISSION_REASONS[why]}", "dim")
        for why, count in counts.most_common()
    ]
