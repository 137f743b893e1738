"""Past sessions: listed, looked at, given away; what is done to them as a whole is in `session_deeds`.

The list of past sessions, of one project or of all.

click is not known here: where there are thousands of sessions its import would be a third of the answer (`shortcut`).

What is known of one session.

What shape a session is in: its branches drawn, and how much of it a resume still reaches.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

from memtui.cli.commands.session_ops import COMMANDS, kept_ls
from memtui.cli.context import CliContext
from memtui.cli.options import CliGroup, pass_context
from memtui.cli.output import ASCII, SHORT, Data, Line, StyledText
from memtui.cli.session_list import list_sessions, places
from memtui.cli.table import Column, table
from memtui.util.errors import MemtuiError, Refused
from memtui.util.text import age, clip, pluralize

if TYPE_CHECKING:
    from memtui.resume.outline import OutlineNode
    from memtui.resume.resume import ResumePlan
    from memtui.transcripts.entries import Entry
    from memtui.transcripts.stats import BackedUpFile
    from memtui.transcripts.transcript import Transcript

__all__ = ["sessions"]


@click.group("sessions", cls=CliGroup, short_help="List past sessions, look at one, rename, archive, delete.")
def sessions() -> None:
    """List past sessions, look at one, or do something to one as a whole. No record in a transcript is ever changed."""


@sessions.command("ls")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@click.option("--branch", metavar="B", help="Only those whose last prompt was typed on this branch.")
@click.option("--archived", "place", flag_value="archive", help="Those that were archived.")
@click.option("--deleted", "place", flag_value="deleted", help="Those that were deleted and can still be had back.")
@pass_context
def sessions_ls(call: CliContext, everywhere: bool, branch: str | None, place: str | None) -> int:
    """List the sessions of the project, newest first: age, messages, size, id, title.

    "live" marks a session that is open in a client now, "goes in 2d" one that the client's own clean-up takes soon,
    "due" one that it takes at its next start.
    Ends with 1 if there is none.
    """
    if place is not None:
        return kept_ls(call, place, everywhere=everywhere, branch=branch)
    return list_sessions(call, everywhere=everywhere, branch=branch)


for _command in COMMANDS:
    sessions.add_command(_command)


@click.group("export", cls=CliGroup, short_help="Write a session down for others.")
def export() -> None:
    """Write a session down for others, as text or for a browser."""


@export.command("session")
@click.argument("session", metavar="ID")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Into a file that isn't there yet."
)
@click.option("--format", "form", type=click.Choice(["md", "json", "html"]), default="md", show_default=True)
@click.option("--at", default="", metavar="UUID", help="Up to this message instead of the client's own choice.")
@click.option("--redact", is_flag=True, help="Take out what looks like a secret, and say how much that was.")
@pass_context
def export_session(call: CliContext, session: str, output: Path | None, form: str, at: str, redact: bool) -> None:
    """The conversation as a resume would send it, as Markdown, JSON or one HTML page.

    Where something in it looks like a secret nothing is written, unless --redact takes it out.
    """
    from memtui.fs.atomic import create_file
    from memtui.resume.export import export_transcript as write_down
    from memtui.resume.resume import plan_resume
    from memtui.sessions import catalog
    from memtui.transcripts.summary import SummaryScanner
    from memtui.transcripts.transcript import read_transcript

    path = catalog.find_session(call.dirs.cache, places(call, everywhere=True), session)
    title = SummaryScanner().file(path).title or path.stem
    forms = {"md": "markdown", "json": "json", "html": "html"}
    made = write_down(plan_resume(read_transcript(path), at), title, forms[form])  # type: ignore[arg-type]
    secrets = ", ".join(f"{count} × {name}" for name, count in sorted(made.removed.items()))
    if secrets and not redact:
        raise Refused(f"looks like secrets: {secrets}; nothing was written", hint="--redact takes them out")
    if output is None:
        call.out.raw(made.text.encode("utf-8", "replace"))
    elif call.asked.dry_run:
        call.out.note(f"would write {len(made.text.encode())} bytes to {output}; -n: nothing was written")
    else:
        create_file(output, made.text.encode("utf-8", "replace"))
        call.out.note(f"written to {output}")
    if secrets:
        call.out.note(f"taken out: {secrets}")


@sessions.command("show")
@click.argument("session", metavar="ID")
@pass_context
def sessions_show(call: CliContext, session: str) -> None:
    """What is known of one session: what it did, and how much of it a resume would still send.

    ID is the beginning of an id, a title, or a transcript's path. Files that it changed are told with the number of
    their kept versions, and how they are now against the newest of these.
    """
    from memtui.client.session_files import UNTITLED
    from memtui.presentation.session_text import omitted_details, resume_details, summary_details, work_details
    from memtui.resume.conversation import RESUME_POINT_REASONS
    from memtui.resume.health import check_health
    from memtui.resume.resume import plan_resume
    from memtui.sessions import catalog
    from memtui.transcripts.stats import collect_stats
    from memtui.transcripts.summary import SummaryScanner
    from memtui.transcripts.transcript import read_transcript

    path = catalog.find_session(call.dirs.cache, places(call, everywhere=True), session)
    transcript = read_transcript(path)
    told, facts = plan_resume(transcript), SummaryScanner().file(path)
    done = collect_stats(transcript.each(transcript.entries))
    data: Data = {
        "id": transcript.path.stem,
        "path": str(transcript.path),
        **asdict(facts),
        "tools": asdict(done.tools),
        "tokens": asdict(done.tokens),
        "files": _files(call, transcript.path.stem, done.changed_files, facts.cwd),
        "sent": None if told.messages is None else len(told.messages),
        "leaf": told.leaf.uuid or None,
        "leaf_reason": RESUME_POINT_REASONS[told.leaf.reason],
        "left_out": dict(Counter(item.why for item in told.omitted)),
        "defects": len(told.defects),
    }
    omitted = omitted_details(told)
    details = [
        *summary_details(facts),
        *work_details(done.tools, done.tokens),
        *resume_details(told, check_health(transcript, told)),
        *omitted,
    ]

    def text() -> Iterator[Line]:
        yield StyledText(facts.title or UNTITLED, "bold")
        yield f"{data['id']}  in {facts.cwd or 'an unknown directory'}{f'  on {facts.branch}' if facts.branch else ''}"
        for one in details:
            yield [StyledText(f"{one.label:<14}", "dim"), StyledText(one.text, one.tone)]
        if omitted or told.defects:
            yield StyledText(f"each of them: memtui explain resume {data['path']}", "dim")
        if data["files"]:
            yield StyledText("files changed", "bold")
            rows = [[file["path"], pluralize(file["versions"], "version"), file["now"]] for file in data["files"]]
            yield from table(call.out, [Column("", rest=1), Column("", right=True), Column("")], rows)

    call.out.answer("session", data, text())


def _files(call: CliContext, session: str, files: "tuple[BackedUpFile, ...]", cwd: str) -> list[Data]:
    from memtui.client.paths import config_dir
    from memtui.transcripts.stats import compare_file

    kept = config_dir(call.env) / "file-history" / session
    return [
        {
            "path": file.path,
            "versions": len(file.versions),
            "now": compare_file(file, file.versions[-1], kept, Path(cwd or "/")),
        }
        for file in files
        if file.versions
    ]


WIDEST = 72
"""Cells of a branch's words where no terminal says how wide it is."""
_LINES = {True: ("|-", "`-", "| ", "<"), False: ("├ ", "└ ", "│ ", "◀")}


@sessions.command("tree")
@click.argument("session", metavar="ID")
@click.option("--messages", "every", is_flag=True, help="Every message of every branch.")
@pass_context
def sessions_tree(call: CliContext, session: str, every: bool) -> None:
    """Draw a session: a line for each branch, with its first words, messages, age, and the message that it ends with.

    Rewinds and retries stand below the branch that they leave, sub-agents below the one that called them. The mark
    shows where the client goes on, and why there. Those agents that the client runs for itself are drawn with -v.
    """
    from memtui.resume.outline import outline_of
    from memtui.resume.resume import plan_resume
    from memtui.sessions import catalog
    from memtui.transcripts.transcript import read_transcript

    path = catalog.find_session(call.dirs.cache, places(call, everywhere=True), session)
    transcript = read_transcript(path)
    told = plan_resume(transcript)
    nodes = outline_of(transcript, told)
    rows = [_node_data(transcript, told, node, every=every) for node in nodes]
    data: Data = {"id": path.stem, "path": path, "leaf": told.leaf.uuid or None, "branches": rows}
    call.out.answer("tree", data, _Drawing(call, transcript, told, every=every).lines(nodes), rows=rows, page=True)


def _node_data(transcript: "Transcript", told: "ResumePlan", node: "OutlineNode", *, every: bool) -> Data:
    from memtui.resume.conversation import RESUME_POINT_REASONS

    agent, branch = node.agent, node.branch
    found: Data = {
        "depth": node.depth,
        "kind": node.kind,
        "first": node.first_text,
        "messages": node.messages,
        "prompts": branch.prompts if branch else None,
        "time": node.stamp or None,
        "tip": node.uuid or None,
        "leaves": node.off.uuid if node.off else None,
        "leaf": node.leaf_uuid or None,
        "leaf_reason": RESUME_POINT_REASONS[told.leaf.reason] if node.leaf else None,
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


def _said(transcript: "Transcript", node: "OutlineNode") -> Iterator[tuple["Entry", str]]:
    """The messages of a branch with what they say."""
    from memtui.resume.outline import record_line

    rows = [row for row in (node.branch.rows if node.branch else ()) if row.has_content]
    for row, record in zip(rows, transcript.each(rows), strict=True):
        yield row, record_line(record, 400)


class _Drawing:
    """Nodes as lines of text."""

    def __init__(self, call: CliContext, transcript: "Transcript", told: "ResumePlan", *, every: bool) -> None:
        self.call, self.transcript, self.told, self.every = call, transcript, told, every
        self.fork, self.end, self.through, self.mark = _LINES[call.out.glyphs is ASCII]
        self.width = WIDEST if not call.out.width else call.out.width
        self.open: list[bool] = []

    def lines(self, nodes: "tuple[OutlineNode, ...]") -> Iterator[Line]:
        shown = [node for node in nodes if self.call.out.verbose or not (node.agent and node.agent.internal)]
        if self.call.out.plain:
            columns = [Column(name) for name in ("depth", "kind", "first", "messages", "time", "tip", "leaf")]
            yield from table(self.call.out, columns, [cell for node in shown for cell in self._plain(node)])
            return
        columns = [Column("", rest=1), Column("", right=True), Column("", right=True), Column("")]
        yield from table(self.call.out, columns, [line for node in shown for line in self._rows(node)])
        if not self.told.leaf.uuid:
            yield StyledText(f"a resume finds no conversation: {self._reason()}", "problem")
        if len(shown) < len(nodes):
            yield StyledText(
                f"{len(nodes) - len(shown)} agents of the client itself are not drawn; -v draws them", "dim"
            )

    def _rows(self, node: "OutlineNode") -> Iterator[list[str | StyledText]]:
        from memtui.client.session_files import UNTITLED
        from memtui.resume.outline import NODE_LABELS

        self.open[node.depth :] = [not node.last]
        lead = "".join(self.through if more else "  " for more in self.open[1 : node.depth])
        edge = (self.end if node.last else self.fork) if node.depth else ""
        below = lead + ("" if not node.depth else "  " if node.last else self.through)
        kind = node.agent.kind if node.agent and node.agent.kind else NODE_LABELS[node.kind]
        words = f"{kind}: {node.first_text}" if kind else node.first_text or UNTITLED
        problem = "problem" if node.kind == "orphan" else "bold" if node.leaf else ""
        yield [
            StyledText(self._clip(lead + edge + words), problem),
            f"{node.messages} msg",
            self._age(node.stamp),
            StyledText(node.uuid[:SHORT], "dim"),
        ]
        if self.every:
            for row, says in _said(self.transcript, node):
                role = "> " if row.type == "user" else "  "
                here = row.uuid == node.leaf_uuid
                yield [
                    StyledText(self._clip(f"{below}  {role}{says}"), "bold" if here else ""),
                    self.mark if here else "",
                    self._age(row.stamp),
                    StyledText(row.uuid[:SHORT], "dim"),
                ]
        if node.leaf:
            place = "here" if node.leaf_uuid == node.uuid else f"at {node.leaf_uuid[:SHORT]}"
            yield [StyledText(f"{below}{self.mark} a resume goes on {place}: {self._reason()}", "good"), "", "", ""]

    def _plain(self, node: "OutlineNode") -> Iterator[list[str | StyledText]]:
        leaf = f"leaf {node.leaf_uuid}: {self._reason()}" if node.leaf else ""
        yield [str(node.depth), node.kind, node.first_text, str(node.messages), node.stamp, node.uuid, leaf]
        if self.every:
            for row, says in _said(self.transcript, node):
                yield [str(node.depth + 1), row.type, says, "1", row.stamp, row.uuid, ""]

    def _reason(self) -> str:
        from memtui.resume.conversation import RESUME_POINT_REASONS

        return RESUME_POINT_REASONS[self.told.leaf.reason]

    def _clip(self, text: str) -> str:
        from memtui.util.text import visible

        return clip(visible(text, keep=""), self.width, ellipsis=self.call.out.glyphs.ellipsis)

    def _age(self, stamp: str) -> str:
        from memtui.transcripts.entries import parse_timestamp

        when = parse_timestamp(stamp)
        return "" if when is None else age(self.call.now() - when)


@sessions.command("health")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@pass_context
def sessions_health(call: CliContext, session: str | None, everywhere: bool) -> int:
    """How much of a session a resume still reaches; without ID: of every session of the project.

    What a compaction summarised and what somebody left by a rewind doesn't count. Ends with 1 if one isn't healthy.
    """
    from memtui.sessions import catalog

    faults: list[MemtuiError] = []
    if session is not None:
        paths = [catalog.find_session(call.dirs.cache, places(call, everywhere=True), session)]
    else:
        found = catalog.load_sessions(call.dirs.cache, places(call, everywhere=everywhere), faults)
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
        lines: list[list[str | StyledText]] = []
        for row in rows:
            mark = StyledText("ok" if call.out.plain else glyphs.open, "good")
            if not row["ok"]:
                mark = StyledText("problem" if call.out.plain else glyphs.problem, "problem")
            lines.append([mark, StyledText(row["id"][:SHORT], "dim"), row["words"]])
        yield from table(call.out, columns, lines)

    call.out.answer("health", rows if session is None else rows[0] if rows else None, text(), rows=rows,
                    warnings=[fault.message for fault in faults], page=True)  # fmt: skip
    if session is None and not rows:
        call.out.note("no session here")
    return int(bool(faults) or not all(row["ok"] for row in rows))


def _health_data(path: Path) -> Data:
    from memtui.resume.health import check_health
    from memtui.resume.resume import plan_resume
    from memtui.transcripts.transcript import read_transcript

    transcript = read_transcript(path)
    health = check_health(transcript, plan_resume(transcript))
    told = {"ok": health.ok, "percent": health.percent, "behind": health.behind, "words": health.words}
    return {"id": path.stem, "path": path, **asdict(health), **told}
