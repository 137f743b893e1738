"""What shape a session is in: its branches drawn, and how much of it a resume still reaches."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from memtui.base.errors import MemtuiError
from memtui.base.text import age, clip
from memtui.cli.call import Call
from memtui.cli.context import pass_call
from memtui.cli.output import ASCII, SHORT, Data, Line, Part
from memtui.cli.session_list import places
from memtui.cli.session_show import sessions
from memtui.cli.table import Column, table

if TYPE_CHECKING:
    from memtui.sessions.chain import Resume
    from memtui.sessions.entries import Entry
    from memtui.sessions.outline import Node
    from memtui.sessions.transcript import Transcript

__all__ = ["sessions"]

WIDEST = 72
"""Cells of a branch's words where no terminal says how wide it is."""
_LINES = {True: ("|-", "`-", "| ", "<"), False: ("├ ", "└ ", "│ ", "◀")}


@sessions.command("tree")
@click.argument("session", metavar="ID")
@click.option("--messages", "every", is_flag=True, help="Every message of every branch.")
@pass_call
def sessions_tree(call: Call, session: str, every: bool) -> None:
    """Draw a session: a line for each branch, with its first words, messages, age, and the message that it ends with.

    Rewinds and retries stand below the branch that they leave, sub-agents below the one that called them. The mark
    shows where the client goes on, and why there. Those agents that the client runs for itself are drawn with -v.
    """
    from memtui.search import shelf
    from memtui.sessions.chain import resume
    from memtui.sessions.outline import outline_of
    from memtui.sessions.transcript import read_transcript

    path = shelf.find(call.dirs.cache, places(call, everywhere=True), session)
    transcript = read_transcript(path)
    told = resume(transcript)
    nodes = outline_of(transcript, told)
    rows = [_node_data(transcript, told, node, every=every) for node in nodes]
    data: Data = {"id": path.stem, "path": path, "leaf": told.leaf.uuid or None, "branches": rows}
    call.out.answer("tree", data, _Drawing(call, transcript, told, every=every).lines(nodes), rows=rows, page=True)


def _node_data(transcript: "Transcript", told: "Resume", node: "Node", *, every: bool) -> Data:
    from memtui.sessions.leaf import REASONS

    agent, branch = node.agent, node.branch
    found: Data = {
        "depth": node.depth,
        "kind": node.kind,
        "first": node.says,
        "messages": node.messages,
        "prompts": branch.prompts if branch else None,
        "time": node.stamp or None,
        "tip": node.uuid or None,
        "leaves": node.off.uuid if node.off else None,
        "leaf": node.leaf_uuid or None,
        "leaf_reason": REASONS[told.leaf.reason] if node.leaf else None,
        "agent": None,
    }
    if agent is not None:
        found["agent"] = {
            "id": agent.id, "kind": agent.kind, "call": agent.call or None, "path": agent.path,
            "internal": agent.internal,
        }  # fmt: skip
    if every and branch is not None:
        found["rows"] = [
            {"uuid": row.uuid, "line": row.line, "type": row.type, "time": row.stamp or None, "says": says}
            for row, says in _said(transcript, node)
        ]
    return found


def _said(transcript: "Transcript", node: "Node") -> Iterator[tuple["Entry", str]]:
    """The messages of a branch with what they say."""
    from memtui.sessions.outline import said_by

    rows = [row for row in (node.branch.rows if node.branch else ()) if row.speaks]
    for row, record in zip(rows, transcript.each(rows), strict=True):
        yield row, said_by(record, 400)


class _Drawing:
    """Nodes as lines of text."""

    def __init__(self, call: Call, transcript: "Transcript", told: "Resume", *, every: bool) -> None:
        self.call, self.transcript, self.told, self.every = call, transcript, told, every
        self.fork, self.end, self.through, self.mark = _LINES[call.out.glyphs is ASCII]
        self.width = WIDEST if not call.out.width else call.out.width
        self.open: list[bool] = []

    def lines(self, nodes: "tuple[Node, ...]") -> Iterator[Line]:
        shown = [node for node in nodes if self.call.out.verbose or not (node.agent and node.agent.internal)]
        if self.call.out.plain:
            columns = [Column(name) for name in ("depth", "kind", "first", "messages", "time", "tip", "leaf")]
            yield from table(self.call.out, columns, [cell for node in shown for cell in self._plain(node)])
            return
        columns = [Column("", rest=1), Column("", right=True), Column("", right=True), Column("")]
        yield from table(self.call.out, columns, [line for node in shown for line in self._rows(node)])
        if not self.told.leaf.uuid:
            yield Part(f"a resume finds no conversation: {self._reason()}", "problem")
        if len(shown) < len(nodes):
            yield Part(f"{len(nodes) - len(shown)} agents of the client itself are not drawn; -v draws them", "dim")

    def _rows(self, node: "Node") -> Iterator[list[str | Part]]:
        from memtui.host.titles import NAMELESS
        from memtui.sessions.outline import KINDS

        self.open[node.depth :] = [not node.last]
        lead = "".join(self.through if more else "  " for more in self.open[1 : node.depth])
        edge = (self.end if node.last else self.fork) if node.depth else ""
        below = lead + ("" if not node.depth else "  " if node.last else self.through)
        kind = node.agent.kind if node.agent and node.agent.kind else KINDS[node.kind]
        words = f"{kind}: {node.says}" if kind else node.says or NAMELESS
        problem = "problem" if node.kind == "orphan" else "bold" if node.leaf else ""
        yield [
            Part(self._clip(lead + edge + words), problem),
            f"{node.messages} msg",
            self._age(node.stamp),
            Part(node.uuid[:SHORT], "dim"),
        ]
        if self.every:
            for row, says in _said(self.transcript, node):
                role = "> " if row.type == "user" else "  "
                here = row.uuid == node.leaf_uuid
                yield [
                    Part(self._clip(f"{below}  {role}{says}"), "bold" if here else ""),
                    self.mark if here else "",
                    self._age(row.stamp),
                    Part(row.uuid[:SHORT], "dim"),
                ]
        if node.leaf:
            place = "here" if node.leaf_uuid == node.uuid else f"at {node.leaf_uuid[:SHORT]}"
            yield [Part(f"{below}{self.mark} a resume goes on {place}: {self._reason()}", "good"), "", "", ""]

    def _plain(self, node: "Node") -> Iterator[list[str | Part]]:
        leaf = f"leaf {node.leaf_uuid}: {self._reason()}" if node.leaf else ""
        yield [str(node.depth), node.kind, node.says, str(node.messages), node.stamp, node.uuid, leaf]
        if self.every:
            for row, says in _said(self.transcript, node):
                yield [str(node.depth + 1), row.type, says, "1", row.stamp, row.uuid, ""]

    def _reason(self) -> str:
        from memtui.sessions.leaf import REASONS

        return REASONS[self.told.leaf.reason]

    def _clip(self, text: str) -> str:
        from memtui.base.text import visible

        return clip(visible(text, keep=""), self.width, ellipsis=self.call.out.glyphs.ellipsis)

    def _age(self, stamp: str) -> str:
        from memtui.sessions.entries import seconds

        when = seconds(stamp)
        return "" if when is None else age(self.call.now() - when)


@sessions.command("health")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@pass_call
def sessions_health(call: Call, session: str | None, everywhere: bool) -> int:
    """How much of a session a resume still reaches; without ID: of every session of the project.

    What a compaction summarised and what somebody left by a rewind doesn't count. Ends with 1 if one isn't healthy.
    """
    from memtui.search import shelf

    faults: list[MemtuiError] = []
    if session is not None:
        paths = [shelf.find(call.dirs.cache, places(call, everywhere=True), session)]
    else:
        found = shelf.sessions(call.dirs.cache, places(call, everywhere=everywhere), faults)
        paths = [one.path for one in found]
    rows: list[Data] = []
    for path in paths:
        try:
            rows.append(_health_data(path))
        except MemtuiError as error:
            faults.append(error)

    def text() -> Iterator[Line]:
        glyphs = call.out.glyphs
        columns = [Column(""), Column(""), Column("", rest=1)]
        lines: list[list[str | Part]] = []
        for row in rows:
            mark = Part("ok" if call.out.plain else glyphs.open, "good")
            if not row["ok"]:
                mark = Part("problem" if call.out.plain else glyphs.problem, "problem")
            lines.append([mark, Part(row["id"][:SHORT], "dim"), row["words"]])
        yield from table(call.out, columns, lines)

    call.out.answer("health", rows if session is None else rows[0] if rows else None, text(), rows=rows,
                    warnings=[fault.message for fault in faults], page=True)  # fmt: skip
    if session is None and not rows:
        call.out.note("no session here")
    return int(bool(faults) or not all(row["ok"] for row in rows))


def _health_data(path: Path) -> Data:
    from memtui.sessions.chain import resume
    from memtui.sessions.health import health_of
    from memtui.sessions.transcript import read_transcript

    transcript = read_transcript(path)
    health = health_of(transcript, resume(transcript))
    told = {"ok": health.ok, "percent": health.percent, "behind": health.behind, "words": health.words}
    return {"id": path.stem, "path": path, **asdict(health), **told}
