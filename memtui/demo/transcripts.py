"""Write session transcripts as Claude Code does, from short readable scripts.

A script is a text file: `key: value` lines, an empty line, then blocks that begin with `===`:

    === user [#label]             a prompt
    === think / === text          one block of an answer; neighbours make one response, one line of the file each
    === call TOOL {json}          a tool call; several in a row are parallel calls (agent=SCRIPT: with a sub-agent)
    === result [error]            the answer to the oldest call without one
    === turn                      the end of a turn
    === rewind #label             the next prompt replaces that one: a branch
    === compact TRIGGER BEFORE AFTER   a compaction with its summary
    === pause 50m                 time passes

Source:
    Fields, their order and the links between records as in files of Claude Code 2.1.258 and later.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from memtui.demo.marks import demo_session_id, iso_timestamp, made_uuid, span_seconds
from memtui.demo.results import tool_result

VERSION = "2.1.332"
MODEL = "claude-opus-5"

Entry = dict[str, Any]


class ScriptBlock(Struct, frozen=True):
    """One `===` block: its kind, the rest of its first line, and the lines below."""

    kind: str
    rest: str
    body: str

    @property
    def label(self) -> str | None:
        """The word behind `#`, if the first line ends in one."""
        found = re.search(r"#([\w-]+)$", self.rest)
        return found[1] if found else None


class Script(Struct, frozen=True):
    """A parsed script file; `name` is the file's stem."""

    name: str
    head: dict[str, str]
    blocks: tuple[ScriptBlock, ...]


def parse_script(name: str, text: str) -> Script:
    """Parse a script; marks in it are filled in already.

    Raises:
        ValueError: If a head line is no `key: value` pair.
    """
    top, _, rest = text.partition("\n\n")
    head, blocks = dict[str, str](), list[ScriptBlock]()
    for line in top.splitlines():
        key, colon, value = line.partition(": ")
        if not colon:
            raise ValueError(f"{name}: no `key: value`: {line!r}")
        head[key] = value.strip()
    for part in re.split(r"^=== ", rest, flags=re.MULTILINE)[1:]:
        first, _, body = part.partition("\n")
        kind, _, words = first.partition(" ")
        blocks.append(ScriptBlock(kind, words.strip(), body.rstrip("\n")))
    return Script(name, head, tuple(blocks))


class DemoTranscript(Struct):
    """The lines of one session file while they are being written. Times are seconds since its start until `lines`."""

    name: str
    session: str
    cwd: str
    branch: str
    agent: str | None = None
    entries: list[Entry] = field(default_factory=list)
    clock: float = 0.0
    parent: str | None = None
    leaf: str | None = None
    prompt: str = ""
    prompt_id: str = ""
    tokens: int = 21_400
    labels: dict[str, int] = field(default_factory=dict)
    turn_began: float = 0.0
    agents: list[tuple[str, "DemoTranscript", Entry]] = field(default_factory=list)

    def chain(self, first: Entry, last: Entry, *, parent: str | None = None, root: bool = False) -> str:
        """Append an entry that has a parent; what is particular to it stands in front, the envelope behind."""
        number = made_uuid(self.session, self.agent, len(self.entries))
        entry: Entry = {"parentUuid": None if root else parent or self.parent, "isSidechain": self.agent is not None}
        if self.agent is not None:
            entry["agentId"] = self.agent
        entry |= first | {"uuid": number, "timestamp": self.clock} | last
        entry |= {"userType": "external", "entrypoint": "cli", "cwd": self.cwd, "sessionId": self.session}
        self.entries.append(entry | {"version": VERSION, "gitBranch": self.branch})
        self.parent = number
        if entry["type"] in ("user", "assistant"):
            self.leaf = number
        return number

    def meta(self, kind: str, **fields: object) -> None:
        """Append a line that stands outside the chain."""
        self.entries.append({"type": kind, **fields, "sessionId": self.session})

    def note_prompt(self) -> None:
        """The last prompt, and where a resume would go on."""
        self.meta("last-prompt", lastPrompt=self.prompt.replace("\n", " ")[:200], leafUuid=self.leaf)

    def lines(self, start: float) -> list[str]:
        """The file's lines, with real times."""

        def real(entry: Entry) -> Entry:
            made = dict(entry)
            if isinstance(clock := entry.get("timestamp"), int | float):
                made["timestamp"] = iso_timestamp(start + clock)
            if "snapshot" in entry:
                made["snapshot"] = real(entry["snapshot"])
            return made

        return [json.dumps(real(entry), ensure_ascii=False, separators=(",", ":")) for entry in self.entries]


class TranscriptWriter:
    """Plays a script's blocks into a transcript."""

    def __init__(self, transcript: DemoTranscript, load: Callable[[str], Script]) -> None:
        self.to = transcript
        self.load = load
        self.waiting: list[tuple[str, str, str, Entry]] = []  # call id, line's uuid, tool, input
        self.response: str | None = None
        self.rewound: str | None = None
        self.rewinding = False

    def play(self, blocks: Sequence[ScriptBlock]) -> None:
        for index, block in enumerate(blocks):
            if block.kind in ("think", "text", "call"):
                more = index + 1 < len(blocks) and blocks[index + 1].kind in ("think", "text", "call")
                self.answer(block, last=not more)
            else:
                self.response = None
                getattr(self, block.kind)(block)
            if block.label and block.kind != "rewind":
                self.to.labels[block.label] = len(self.to.entries)

    def user(self, block: ScriptBlock) -> None:
        """A prompt, with the snapshot line before it and, the first time, what the client attaches."""
        to = self.to
        to.clock += 20 + len(block.body) / 6
        to.prompt, to.prompt_id, to.turn_began = block.body, made_uuid(to.session, "prompt", len(to.entries)), to.clock
        number = made_uuid(to.session, to.agent, len(to.entries) + (to.agent is None))
        first = not any(entry.get("type") == "user" for entry in to.entries)
        if to.agent is None:
            files = {"messageId": number, "trackedFileBackups": {}, "timestamp": to.clock}
            line: Entry = {"type": "file-history-snapshot", "messageId": number, "snapshot": files}
            to.entries.append(line | {"isSnapshotUpdate": False})
        message = {"promptId": to.prompt_id, "type": "user", "message": {"role": "user", "content": block.body}}
        root = self.rewinding and self.rewound is None
        to.chain(message, {"origin": {"kind": "human"}}, parent=self.rewound, root=root)
        self.rewound, self.rewinding = None, False
        if first and to.agent is None:
            snapshot = {"workingDirectory": to.cwd, "isWorktree": False, "isGitRepo": True, "platform": "darwin"}
            to.chain({"attachment": {"type": "environment", "snapshot": snapshot}, "type": "attachment"}, {})
            model = {"modelId": MODEL, "marketingName": "Opus 5"}
            to.chain({"attachment": {"type": "model", "identity": model}, "type": "attachment"}, {})

    def answer(self, block: ScriptBlock, *, last: bool) -> None:
        """One block of a response: a line of its own, the message's id the same for all of them."""
        to = self.to
        to.clock += 2 + len(block.body or block.rest) / 60
        if self.response is None:
            self.response = made_uuid(to.session, to.agent, "response", len(to.entries)).replace("-", "")[:22]
        content, tool = self.content(block)
        length = len(block.body or block.rest)
        to.tokens += 60 + length // 3
        usage = {
            "input_tokens": 4, "cache_creation_input_tokens": 60 + length // 3, "cache_read_input_tokens": to.tokens,
            "output_tokens": 12 + length // 4, "service_tier": "standard",
        }  # fmt: skip
        message = {
            "model": MODEL, "id": f"msg_01{self.response}", "type": "message", "role": "assistant",
            "content": [content], "stop_reason": "tool_use" if tool or not last else "end_turn", "stop_sequence": None,
            "usage": usage,
        }  # fmt: skip
        line = to.chain({"message": message, "requestId": f"req_01{self.response}", "type": "assistant"}, {})
        if tool:
            self.waiting.append((content["id"], line, content["name"], content["input"]))

    def content(self, block: ScriptBlock) -> tuple[Entry, bool]:
        """The API block, and whether it is a call."""
        if block.kind == "text":
            return {"type": "text", "text": block.body}, False
        seed = made_uuid(self.to.session, self.to.agent, "block", len(self.to.entries)).replace("-", "")
        if block.kind == "think":
            return {"type": "thinking", "thinking": "", "signature": "demo" + seed * 4}, False
        tool, _, rest = block.rest.partition(" ")
        words, _, agent = rest.partition("} agent=")
        given = json.loads(words + "}" if agent else words)
        call = f"toolu_01{seed[:22]}"
        if agent:
            self.spawn(agent, call)
        return {"type": "tool_use", "id": call, "name": tool, "input": given}, True

    def spawn(self, name: str, call: str) -> None:
        """Play a sub-agent's script into a file of its own; the main session waits for it."""
        script = self.load(name)
        agent = "a" + made_uuid(self.to.session, name).replace("-", "")[:16]
        child = DemoTranscript(name, self.to.session, self.to.cwd, self.to.branch, agent=agent, clock=self.to.clock)
        TranscriptWriter(child, self.load).play(script.blocks)
        meta = {"agentType": script.head["agent"], "description": script.head["description"], "toolUseId": call}
        self.to.agents.append((agent, child, meta))
        self.to.clock = child.clock

    def result(self, block: ScriptBlock) -> None:
        """The answer to the oldest open call; its parent is the line that holds the call."""
        to = self.to
        call, line, tool, given = self.waiting.pop(0)
        error = block.rest == "error"
        to.clock += 0.2 + len(block.body) / 400 + (6.5 if tool == "Bash" else 0)
        agent = next((found for found in to.agents if found[2]["toolUseId"] == call), None)
        text, detail = tool_result(tool, given, block.body, error=error)
        if agent is not None:
            detail |= {"agentId": agent[0], "totalDurationMs": round((agent[1].clock - to.turn_began) * 1000)}
        content = [{"tool_use_id": call, "type": "tool_result", "content": text, "is_error": error}]
        first = {"promptId": to.prompt_id, "type": "user", "message": {"role": "user", "content": content}}
        behind: Entry = {"toolUseResult": f"Error: {text}" if error else detail, "sourceToolAssistantUUID": line}
        to.chain(first, {} if to.agent is not None else behind, parent=line)
        to.tokens += len(text) // 3

    def turn(self, block: ScriptBlock) -> None:
        """The end of a turn, as the client notes it, and where a resume would go on."""
        to = self.to
        duration, count = round((to.clock - to.turn_began) * 1000), sum("uuid" in entry for entry in to.entries)
        first: Entry = {"type": "system", "subtype": "turn_duration", "durationMs": duration, "messageCount": count}
        to.chain(first, {"isMeta": False})
        to.note_prompt()

    def rewind(self, block: ScriptBlock) -> None:
        """The next prompt hangs where the labelled one hangs."""
        assert block.label is not None
        old = next(e for e in reversed(self.to.entries[: self.to.labels[block.label]]) if e.get("origin"))
        self.rewound, self.rewinding = old["parentUuid"], True

    def compact(self, block: ScriptBlock) -> None:
        """The boundary, which has no parent, and the summary below it."""
        to = self.to
        trigger, before, after = block.rest.split()
        to.clock += 48
        metadata = {"trigger": trigger, "preTokens": int(before), "postTokens": int(after), "durationMs": 46_180}
        first: Entry = {"logicalParentUuid": to.parent, "type": "system", "subtype": "compact_boundary"}
        first |= {"content": "Conversation compacted", "isMeta": False}
        to.chain(first, {"level": "info", "compactMetadata": metadata}, root=True)
        summary = {"type": "user", "message": {"role": "user", "content": block.body}}
        to.chain(summary, {"isVisibleInTranscriptOnly": True, "isCompactSummary": True})
        to.tokens = int(after)

    def pause(self, block: ScriptBlock) -> None:
        self.to.clock += span_seconds(block.rest)


def open_transcript(script: Script, cwd: str) -> DemoTranscript:
    """An empty transcript for a script, with the lines that the client writes first."""
    to = DemoTranscript(script.name, demo_session_id(script.name), cwd, script.head["branch"])
    to.meta("mode", mode="normal")
    to.meta("permission-mode", permissionMode=script.head.get("mode", "default"))
    return to


def fork_transcript(base: DemoTranscript, script: Script) -> DemoTranscript:
    """A branch in a file of its own, as the client's /branch makes it: same message ids, another session."""
    label = script.head["fork"].partition("#")[2]
    to = open_transcript(script, base.cwd)
    for entry in base.entries[: base.labels[label]]:
        if "uuid" in entry:
            origin = {"sessionId": base.session, "messageUuid": entry["uuid"]}
            to.entries.append(entry | {"sessionId": to.session, "forkedFrom": origin})
            to.clock = entry["timestamp"]
    to.parent = to.entries[-1]["uuid"]
    return to


def close_transcript(to: DemoTranscript, script: Script) -> None:
    """The lines that the client keeps at the end: titles and, where there is one, the pull request."""
    if "ai-title" in script.head:
        to.meta("ai-title", aiTitle=script.head["ai-title"])
    if "custom-title" in script.head:
        to.meta("custom-title", customTitle=script.head["custom-title"])
        to.meta("agent-name", agentName=script.head["custom-title"])
    if "pr" in script.head:
        number = int(script.head["pr"])
        url = f"https://git.moru.example/shop/pull/{number}"
        to.meta("pr-link", prNumber=number, prUrl=url, prRepository="moru/shop", timestamp=to.clock)
    if to.prompt:
        to.note_prompt()
