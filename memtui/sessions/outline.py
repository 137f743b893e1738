"""A session in a few lines: its branches with their first words, its sub-agents, and where a resume goes on.

It is what a list or a tree shows of a session; only the rows that begin a branch are decoded.
"""

from dataclasses import dataclass

from memtui.sessions.agents import SubAgent, find_agents
from memtui.sessions.chain import Resume
from memtui.sessions.entries import Entry, blocks_of, prompt_texts, seconds, text
from memtui.sessions.lines import Record
from memtui.sessions.title import one_line
from memtui.sessions.transcript import Transcript
from memtui.sessions.tree import Branch, BranchKind, build_tree



@dataclass(frozen=True, slots=True)
class Twig:
    """A branch as a line. `depth` counts the forks above it; `words` are those of its first prompt.

    `messages` are its rows of both sides, `ended` is when its last row was written (seconds, None if no row tells),
    `start` and `tip` the uuids of its first row and its last message, `off` that of the row that it leaves.
    `leaf`: the client goes on from here.
    """

    index: int
    kind: BranchKind
    depth: int
    words: str
    messages: int
    prompts: int
    ended: float | None
    start: str
    tip: str
    off: str
    leaf: bool


@dataclass(frozen=True, slots=True)
class Outline:
    """A session's branches, each fork behind the branch that it leaves, and its sub-agents."""

    twigs: tuple[Twig, ...]
    agents: tuple[SubAgent, ...]


def outline(transcript: Transcript, told: Resume) -> Outline:
    """The outline of a session.

    Args:
        transcript: The session, read.
        told: What a resume of it sends.
    """
    tree = build_tree(transcript.entries)
    branches = [branch for branch in tree.branches if branch.kind != "sub-agent"]
    firsts = transcript.each(_first(branch) for branch in branches)
    depths: dict[int, int] = {}
    found: list[Twig] = []
    for branch, data in zip(branches, firsts, strict=True):
        depth = 0 if branch.parent is None else depths.get(branch.parent, 0) + (branch.kind != "compaction")
        depths[branch.index] = depth
        found.append(
            Twig(
                index=branch.index,
                kind=branch.kind,
                depth=depth,
                words=_words(data) or branch.start.type,
                messages=sum(row.speaks for row in branch.rows),
                prompts=branch.prompts,
                ended=max((time for row in branch.rows if (time := seconds(row.stamp)) is not None), default=None),
                start=branch.start.uuid,
                tip=branch.tip.uuid,
                off=branch.off.uuid if branch.off else "",
                leaf=any(row.uuid == told.leaf.uuid for row in branch.rows),
            )
        )
    return Outline(tuple(found), find_agents(transcript, tree))


def _words(data: Record) -> str:
    """What a row says, in one line: a prompt, an answer's text, a call's name, a note's content."""
    message = data.get("message")
    blocks = list(blocks_of(message)) if isinstance(message, dict) else []
    said = [*prompt_texts(data), *(text(block.get("text")) or text(block.get("name")) for block in blocks)]
    return next((line for part in (*said, text(data.get("content"))) if (line := one_line(part))), "")


def _first(branch: Branch) -> Entry:
    """The row whose words stand for a branch: its first prompt, or what it begins with."""
    if branch.start.boundary:
        return branch.start
    return next((row for row in branch.rows if row.prompt), branch.start)
