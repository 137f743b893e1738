"""A generated set of sessions with its true answers, and the plain loop that finds the same with `json` alone."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FACTS = ("title", "first_prompt", "first_time", "last_time", "messages", "prompts", "rewinds", "compactions")
"""What a list shows of a session, and what all ways of reading are asked for."""

Facts = dict[str, Any]


@dataclass(frozen=True)
class Set:
    """A folder that `gen_sessions.py` wrote: every session's file with what is true of it."""

    folder: Path
    sessions: list[tuple[Path, Facts]]

    @property
    def paths(self) -> list[Path]:
        """The sessions' files."""
        return [path for path, _ in self.sessions]

    @property
    def size(self) -> int:
        """Bytes of all sessions' files."""
        return sum(path.stat().st_size for path in self.paths)

    @property
    def largest(self) -> Path:
        """The longest transcript."""
        return max(self.paths, key=lambda path: path.stat().st_size)


def read_set(folder: Path) -> Set:
    """The set in a folder.

    Raises:
        SystemExit: If there is none.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise SystemExit(f"no set of sessions in {folder}: {error.strerror}; gen_sessions.py makes one") from error
    projects = folder / "projects"
    return Set(
        folder,
        [(projects / one["project"] / f"{one['session_id']}.jsonl", one) for one in manifest["sessions"]],
    )


def plain_facts(path: Path) -> Facts:
    """A session's facts by decoding every line with the standard library: what everybody writes first."""
    given = made = summary = ""
    first_prompt = first_time = last_time = None
    messages = prompts = rewinds = compactions = 0
    parents = set()
    with path.open("rb") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError:  # cut off
                continue
            kind = record.get("type")
            if kind == "custom-title":
                given = record["customTitle"]
            elif kind == "ai-title":
                made = record["aiTitle"]
            elif kind == "summary":
                summary = record["summary"]
            if "timestamp" not in record or "uuid" not in record or record["isSidechain"]:
                continue
            first_time = first_time or record["timestamp"]
            last_time = record["timestamp"]
            messages += kind in ("user", "assistant")
            prompts += typed_elsewhere(record)
            compactions += record.get("subtype") == "compact_boundary"
            if kind == "user" and (said := typed(record)):
                prompts += 1
                first_prompt = first_prompt or said
                rewinds += record["parentUuid"] in parents
                parents.add(record["parentUuid"])
    found = (given or made or summary, first_prompt, first_time, last_time, messages, prompts, rewinds, compactions)
    return dict(zip(FACTS, found, strict=True))


def typed_elsewhere(record: Facts) -> bool:
    """Whether it is a slash command, or a prompt that waited while the model worked: typed, but not by the manifest."""
    queued = record.get("attachment") or {}
    if queued.get("type") == "queued_command" and queued.get("commandMode") == "prompt":
        return not queued.get("isMeta")
    return record["type"] == "user" and str(record["message"]["content"]).startswith("<command-name>")


def typed(record: Facts) -> str:
    """What a person typed in a user's record; "" if a machine made it."""
    content = record["message"]["content"]
    if record.get("isMeta") or record.get("isCompactSummary"):
        return ""
    if not isinstance(content, str):
        if any(block["type"] == "tool_result" for block in content):
            return ""
        content = next(block["text"] for block in content if block["type"] == "text")
    return "" if content.startswith(("<command-name>", "<local-command-")) else content


def wrong(truth: Facts, found: Facts) -> list[str]:
    """The facts that are not what they should be; a title may stand for a missing one, and have its blanks joined."""
    missed = [name for name in FACTS[1:] if (found[name] or None) != (truth[name] or None)]
    if truth["title"] and " ".join(found["title"].split()) != " ".join(truth["title"].split()):
        missed.insert(0, "title")
    return missed
