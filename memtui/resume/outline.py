"""A session's tree in the order in which it is drawn.

Branches come below the branch that they leave, sub-agents below the branch that called them.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from memtui.client.session_files import title_line
from memtui.resume.resume import ResumePlan
from memtui.transcripts.entries import Entry, blocks_of, message_of, text
from memtui.transcripts.lines import Record
from memtui.transcripts.subagents import SubAgent, find_agents
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.transcripts.tree import Branch, BranchKind, Tree, build_tree
from memtui.util.errors import MemtuiError

NodeKind = BranchKind | Literal["agent-file"]

NODE_LABELS: dict[NodeKind, str] = {
    "root": "",
    "rewind": "rewind",
    "retry": "retry",
    "left": "left by a machine's turn",
    "compaction": "after compaction",
    "orphan": "orphan",
    "sub-agent": "sub-agent",
    "agent-file": "sub-agent",
}


class OutlineNode(Struct, frozen=True):
    """One line of the outline: a branch, or a sub-agent's file."""

    depth: int  # from 0; a compaction continues at that of what it summarised
    last: bool  # the last child of its parent node
    kind: NodeKind
    first_text: str  # the first prompt, else the first text, in one line
    messages: int
    stamp: str  # the time of its last message as written
    uuid: str  # that message
    leaf: bool = False  # the client's own leaf is here
    leaf_uuid: str = ""
    off: Entry | None = None  # the record at which it leaves its parent
    branch: Branch | None = None  # None for a sub-agent's file
    agent: SubAgent | None = None
    kept: frozenset[str] = frozenset()  # uuids of those of its messages that a compaction kept: they are still sent


def outline_of(transcript: Transcript, resume: ResumePlan) -> tuple[OutlineNode, ...]:
    """The nodes of a session, top down, with the leaf of a resume."""
    return tuple(_Outline(transcript, resume, build_tree(transcript.entries)).nodes())


def record_line(data: Record, longest: int = 0) -> str:
    """A record in one line: its texts, `+Tool` for a call, `=` for a result, the kind of any other block."""
    parts: list[str] = []
    for block in blocks_of(message_of(data)):
        if block["type"] == "text":
            parts.append(block["text"][: longest or None])
        elif block["type"] == "tool_use":
            parts.append("+" + (text(block.get("name")) or "tool"))
        else:
            parts.append("=" if block["type"] == "tool_result" else f"[{block['type']}]")
    return title_line(" ".join(parts))


class _Outline:
    def __init__(self, transcript: Transcript, resume: ResumePlan, tree: Tree) -> None:
        self.transcript = transcript
        self.tree = tree
        self.leaf = resume.leaf.uuid
        self.kept = frozenset(resume.rows.preserved)
        agents = find_agents(transcript, tree)
        inline = {agent.start: agent for agent in agents if agent.path is None}
        owner = {call: (branch.index, row) for branch in tree.branches for row in branch.rows for call in row.calls}
        below: dict[int | None, list[tuple[float, Branch | SubAgent]]] = {}
        self.agents: dict[int, SubAgent] = {}
        for branch in tree.branches:
            above, off = branch.parent, branch.off or branch.start
            agent = inline.get(branch.start.uuid)
            if agent is not None:
                self.agents[branch.index] = agent
                above, off = owner.get(agent.call, (above, off))
            below.setdefault(None if above == branch.index else above, []).append((off.index, branch))
        for agent in agents:
            if agent.path is not None:
                called = owner.get(agent.call)
                index = called[1].index if called else float("inf")
                below.setdefault(called[0] if called else None, []).append((index, agent))
        self.below = {
            index: [one for _, one in sorted(found, key=lambda item: item[0])] for index, found in below.items()
        }

    def nodes(self) -> Iterator[OutlineNode]:
        drawn: set[int] = set()
        yield from self._draw(self._children(None, 0), drawn)
        for branch in self.tree.branches:  # agents that seem to have called each other are below no node
            if branch.index not in drawn:
                yield from self._draw([(branch, 0, True)], drawn)

    def _draw(self, waiting: list[tuple[Branch | SubAgent, int, bool]], drawn: set[int]) -> Iterator[OutlineNode]:
        while waiting:
            one, depth, last = waiting.pop()
            if isinstance(one, SubAgent):
                yield self._file(one, depth, last=last)
            elif one.index not in drawn:
                drawn.add(one.index)
                yield self._branch(one, depth, last=last)
                waiting += self._children(one.index, depth + 1)

    def _children(self, index: int | None, depth: int) -> list[tuple[Branch | SubAgent, int, bool]]:
        """The children of a node, the last first; what follows a compaction comes last, one level up."""
        found = self.below.get(index, [])
        if index is None:
            return [(one, depth, number == len(found) - 1) for number, one in enumerate(found)][::-1]
        continued = [one for one in found if isinstance(one, Branch) and one.kind == "compaction"]
        children = [one for one in found if one not in continued]
        nodes = [(one, depth, number == len(children) - 1) for number, one in enumerate(children)]
        return [*nodes, *((one, depth - 1, True) for one in continued)][::-1]

    def _branch(self, branch: Branch, depth: int, *, last: bool) -> OutlineNode:
        messages = [row for row in branch.rows if row.has_content]
        here = any(row.uuid == self.leaf for row in branch.rows) if self.leaf else False
        agent = self.agents.get(branch.index)
        first = next((row for row in messages if row.prompt), messages[0] if messages else branch.start)
        line, tip = record_line(self.transcript.data(first)), branch.tip
        return OutlineNode(
            depth, last, branch.kind, line, len(messages), tip.stamp, tip.uuid,
            here, self.leaf if here else "", branch.off, branch, agent,
            self.kept.intersection(row.uuid for row in messages),
        )  # fmt: skip

    def _file(self, agent: SubAgent, depth: int, *, last: bool) -> OutlineNode:
        first_text, count, stamp, uuid = agent.describe, 0, "", agent.start
        try:
            own = read_transcript(agent.path) if agent.path else None
        except MemtuiError:
            own = None
        if own is not None and (messages := [row for row in own.entries if row.has_content]):
            first_text = first_text or record_line(own.data(messages[0]))
            count, stamp, uuid = len(messages), messages[-1].stamp, messages[-1].uuid
        return OutlineNode(depth, last, "agent-file", title_line(first_text), count, stamp, uuid, agent=agent)
