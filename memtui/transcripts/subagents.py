"""Sub-agents of a session: their files, their records inside the session's own file, and the calls that started them.

Layouts: `<session>/subagents/**/agent-*.jsonl` (2.1 and later, workflows in folders below), `agent-*.jsonl` beside the
sessions (2.0), and `isSidechain` records inside the session's file (1.0).
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

from msgspec import Struct

from memtui.transcripts.entries import CHAIN_TYPES, blocks_of, text
from memtui.transcripts.lines import Record, parse_line
from memtui.transcripts.stats import SessionStats, SessionTokens
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.transcripts.tree import Tree
from memtui.util.errors import MemtuiError
from memtui.util.json_object import read_json_object

_TOLD = re.compile(r"agentId: ([\w-]+)")
_LAUNCHERS = ("Agent", "Task")
_LINE_BYTES, _MAX_LINES = 1 << 20, 64  # how far a file is looked into for its first record


class SubAgent(Struct, frozen=True):
    """A sub-agent's conversation."""

    id: str
    path: Path | None = None  # None for records inside the session's file
    start: str = ""  # the first uuid
    call: str = ""  # the id of the tool_use that started it, "" if not known
    kind: str = ""
    describe: str = ""
    internal: bool = False  # a fork that the client made for itself (compaction, suggestions)


def find_agents(transcript: Transcript, tree: Tree) -> tuple[SubAgent, ...]:
    """The sub-agents of a session, those with a known call in the order of the calls, then the others by name."""
    calls = _calls(transcript)
    by_agent = {entry.agent_run: entry.answers[0] for entry in transcript.entries if entry.agent_run and entry.answers}
    by_agent |= {agent_id: call for agent_id, call in _named_in_results(transcript) if agent_id not in by_agent}
    found = [_from_file(path, by_agent, calls) for path in agent_files(transcript.path)]
    for root in tree.roots:
        if root.sidechain:
            call = call_with_prompt(calls, _first_text(transcript.data(root)))
            found.append(SubAgent(root.agent or root.uuid, None, root.uuid, call))
    order = {call: number for number, call in enumerate(calls)}
    return tuple(sorted(found, key=lambda agent: (order.get(agent.call, len(order)), agent.id)))


def agent_files(session: Path) -> list[Path]:
    """The sub-agents' files of a session; those beside it only if their records name it."""
    found = sorted(session.with_suffix("").joinpath("subagents").rglob("agent-*.jsonl"))
    for path in sorted(session.parent.glob("agent-*.jsonl")):
        if text(_first_record(path).get("sessionId")) == session.stem:
            found.append(path)
    return found


def _first_record(path: Path) -> Record:
    """The first record of a conversation in a file's first lines: notes, torn and endless lines may come before it."""
    whole = True
    try:
        with path.open("rb") as file:
            for line in islice(iter(partial(file.readline, _LINE_BYTES), b""), _MAX_LINES):
                for data in parse_line(line).objects if whole else ():
                    if text(data.get("type")) in CHAIN_TYPES and text(data.get("uuid")):
                        return data
                whole = line.endswith(b"\n")
    except OSError:
        pass
    return {}


def add_agents(stats: SessionStats, session: Path) -> SessionTokens:
    """Add the tokens of a session's sub-agents to its own, and return their part; an answer held twice counts once."""
    before = stats.tokens
    for path in agent_files(session):
        with suppress(MemtuiError):
            transcript = read_transcript(path)
            for data in transcript.each([entry for entry in transcript.entries if entry.type == "assistant"]):
                stats.add_usage(data)
    return stats.tokens - before


def _from_file(path: Path, by_agent: dict[str, str], calls: dict[str, str]) -> SubAgent:
    meta = read_json_object(path.with_suffix(".meta.json"))
    name = path.stem.removeprefix("agent-")
    call = text(meta.get("toolUseId")) or by_agent.get(name) or by_agent.get(path.parent.name, "")
    first = _first_record(path)
    call = call or call_with_prompt(calls, _first_text(first))
    internal = name.startswith(("acompact-", "aprompt_suggestion-", "aside_question-"))
    kind, describe = text(meta.get("agentType")), text(meta.get("description"))
    if path.parent.parent.name == "workflows":
        kind = f"{kind or 'agent'} of {path.parent.name}"
    return SubAgent(name, path, text(first.get("uuid")), call, kind, describe, internal)


def _calls(transcript: Transcript) -> dict[str, str]:
    rows = [entry for entry in transcript.entries if entry.calls]
    found: dict[str, str] = {}
    for data in transcript.each(rows):
        for block in blocks_of(data.get("message")):
            given = block.get("input")
            if block["type"] == "tool_use" and block.get("name") in _LAUNCHERS and isinstance(given, dict):
                found[text(block.get("id"))] = text(given.get("prompt"))
    return found


def call_with_prompt(calls: dict[str, str], prompt: str) -> str:
    """The call that was given a prompt; "" if none or several were."""
    found = [call for call, given in calls.items() if prompt and given.strip() == prompt.strip()]
    return found[0] if len(found) == 1 else ""


def _named_in_results(transcript: Transcript) -> Iterable[tuple[str, str]]:
    """Agent id, or a workflow's run id, and call id of results that name one."""
    rows = [entry for entry in transcript.entries if entry.answers and not entry.agent_run]
    for data in transcript.each(rows):
        result = data.get("toolUseResult")
        run = text(result.get("runId")) if isinstance(result, dict) else ""
        for block in blocks_of(data.get("message")):
            content = block.get("content")
            if run and block["type"] == "tool_result":
                yield run, text(block.get("tool_use_id"))
            if block["type"] != "tool_result" or not isinstance(content, list):
                continue
            for part in content:
                match = _TOLD.search(text(part.get("text"))) if isinstance(part, dict) else None
                if match:
                    yield match[1], text(block.get("tool_use_id"))


def _first_text(data: Record) -> str:
    return next((block["text"] for block in blocks_of(data.get("message")) if block["type"] == "text"), "")
