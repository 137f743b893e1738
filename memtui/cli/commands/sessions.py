"""Past sessions: listed, looked at, drawn, judged, given away; `session_ops` has what is done to them as a whole."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import asdict

from memtui.cli.commands.session_ops import COMMANDS, list_kept
from memtui.cli.context import CliContext
from memtui.cli.options import CliGroup, pass_context
from memtui.cli.output import ASCII, SHORT, Data, Line, StyledText
from memtui.cli.session_list import list_sessions, places
from memtui.cli.table import columns, table
from memtui.client.paths import config_dir
from memtui.client.session_files import UNTITLED
from memtui.presentation import LabeledText
from memtui.presentation.session_text import omitted_details, resume_details, summary_details, work_details
from memtui.resume.conversation import RESUME_POINT_REASONS
from memtui.resume.export import ExportFormat
from memtui.resume.health import check_health
from memtui.resume.outline import NODE_LABELS, OutlineNode, outline_of, record_line
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.services import sessions as services
from memtui.services.questions import Allow, SecretFound
from memtui.sessions import catalog
from memtui.transcripts.entries import Entry, parse_timestamp
from memtui.transcripts.stats import BackedUpFile, SessionStats, collect_stats, compare_file
from memtui.transcripts.summary import SessionSummary, SummaryScanner
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import MemtuiError, Refused
from memtui.util.text import age, clip, pluralize, visible

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
def sessions_ls(context: CliContext, everywhere: bool, branch: str | None, place: str | None) -> int:
    """List the sessions of the project, newest first: age, messages, size, id, title.

    "live" marks a session that is open in Claude Code, "goes in 2d" one that its own clean-up takes soon,
    "due" one that it takes at its next start.
    Ends with 1 if there is none.
    """
    if place is not None:
        return list_kept(context, place, everywhere=everywhere, branch=branch)
    return list_sessions(context, everywhere=everywhere, branch=branch)


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
@click.option("--at", default="", metavar="UUID", help="Up to this message instead of Claude Code's own choice.")
@click.option("--redact", is_flag=True, help="Take out what looks like a secret, and say how much that was.")
@pass_context
def export_session(context: CliContext, session: str, output: Path | None, form: str, at: str, redact: bool) -> None:
    """The conversation as a resume would send it, as Markdown, JSON or one HTML page.

    Where something in it looks like a secret nothing is written, unless --redact takes it out.
    """
    path = catalog.find_session(context.dirs.cache, places(context, everywhere=True), session)
    title = SummaryScanner().file(path).title or path.stem
    forms: dict[str, ExportFormat] = {ending: form for form, ending in services.FORMATS.items()}
    plan = plan_resume(read_transcript(path), at)
    made = services.export_session(plan, title, forms[form], Allow(secret="redact" if redact else ""))
    if isinstance(made, SecretFound):
        kinds = services.removed_words(Counter(one.rule for one in made.secrets))
        raise Refused(f"looks like secrets: {kinds}; nothing was written", hint="--redact takes them out")
    if output is None:
        context.out.raw(made.text.encode("utf-8", "replace"))
    elif context.options.dry_run:
        context.out.status(f"would write {len(made.text.encode())} bytes to {output}; -n: nothing was written")
    else:
        services.write_export(context.workspace, made, output)
        context.out.status(f"written to {output}")
    if made.removed:
        context.out.status(f"taken out: {services.removed_words(made.removed)}")


@sessions.command("show")
@click.argument("session", metavar="ID")
@pass_context
def sessions_show(context: CliContext, session: str) -> None:
    """What is known of one session: what it did, and how much of it a resume would still send.

    ID is the beginning of an id, a title, or a transcript's path. Files that it changed are listed with the number of
    their kept versions, and how they are now against the newest of these.
    """
    path = catalog.find_session(context.dirs.cache, places(context, everywhere=True), session)
    transcript = read_transcript(path)
    plan, summary = plan_resume(transcript), SummaryScanner().file(path)
    done = collect_stats(transcript.each(transcript.entries))
    data = _transcript_data(context, transcript, plan, summary, done)
    details = [
        *summary_details(summary),
        *work_details(done.tools, done.tokens),
        *resume_details(plan, check_health(transcript, plan)),
        *omitted_details(plan),
    ]
    context.out.result("session", data, _text(context, data, details, plan))


def _transcript_data(
    context: CliContext, transcript: Transcript, plan: ResumePlan, summary: SessionSummary, done: SessionStats
) -> Data:
    return {
        "id": transcript.path.stem,
        "path": str(transcript.path),
        **asdict(summary),
        "tools": asdict(done.tools),
        "tokens": asdict(done.tokens),
        "files": _files(context, transcript.path.stem, done.changed_files, summary.cwd),
        "sent": None if plan.messages is None else len(plan.messages),
        "leaf": plan.leaf.uuid or None,
        "leaf_reason": RESUME_POINT_REASONS[plan.leaf.reason],
        "left_out": dict(Counter(item.why for item in plan.omitted)),
        "defects": len(plan.defects),
    }


def _text(context: CliContext, data: Data, details: list[LabeledText], plan: ResumePlan) -> Iterator[Line]:
    branch = f"  on {data['branch']}" if data["branch"] else ""
    yield StyledText(data["title"] or UNTITLED, "bold")
    yield f"{data['id']}  in {data['cwd'] or 'an unknown directory'}{branch}"
    for one in details:
        yield [StyledText(f"{one.label:<14}", "dim"), StyledText(one.text, one.tone)]
    if plan.omitted or plan.defects:
        yield StyledText(f"each of them: memtui explain resume {data['path']}", "dim")
    if data["files"]:
        yield StyledText("files changed", "bold")
        rows = [[file["path"], pluralize(file["versions"], "version"), file["now"]] for file in data["files"]]
        yield from table(context.out, columns("*", ">", ""), rows)


def _files(context: CliContext, session: str, files: tuple[BackedUpFile, ...], cwd: str) -> list[Data]:
    kept = config_dir(context.env) / "file-history" / session
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
def sessions_tree(context: CliContext, session: str, every: bool) -> None:
    """Draw a session: a line for each branch, with its first words, messages, age, and the message that it ends with.

    Rewinds and retries stand below the branch that they leave, sub-agents below the one that called them. The mark
    shows where Claude Code continues, and why there. Those agents that it runs for itself are drawn with -v.
    """
    path = catalog.find_session(context.dirs.cache, places(context, everywhere=True), session)
    transcript = read_transcript(path)
    plan = plan_resume(transcript)
    nodes = outline_of(transcript, plan)
    rows = [_node_data(transcript, plan, node, every=every) for node in nodes]
    data: Data = {"id": path.stem, "path": path, "leaf": plan.leaf.uuid or None, "branches": rows}
    context.out.result(
        "tree", data, _Drawing(context, transcript, plan, every=every).lines(nodes), rows=rows, page=True
    )


def _node_data(transcript: Transcript, plan: ResumePlan, node: OutlineNode, *, every: bool) -> Data:
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
        "leaf_reason": RESUME_POINT_REASONS[plan.leaf.reason] if node.leaf else None,
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


def _said(transcript: Transcript, node: OutlineNode) -> Iterator[tuple[Entry, str]]:
    """The messages of a branch with what they say."""
    rows = [row for row in (node.branch.rows if node.branch else ()) if row.has_content]
    for row, record in zip(rows, transcript.each(rows), strict=True):
        yield row, record_line(record, 400)


class _Drawing:
    """Nodes as lines of text."""

    def __init__(self, context: CliContext, transcript: Transcript, plan: ResumePlan, *, every: bool) -> None:
        self.context, self.transcript, self.plan, self.every = context, transcript, plan, every
        self.fork, self.end, self.through, self.mark = _LINES[context.out.glyphs is ASCII]
        self.width = WIDEST if not context.out.width else context.out.width
        self.open: list[bool] = []

    def lines(self, nodes: tuple[OutlineNode, ...]) -> Iterator[Line]:
        shown = [node for node in nodes if self.context.out.verbose or not (node.agent and node.agent.internal)]
        if self.context.out.plain:
            titles = columns("depth", "kind", "first", "messages", "time", "tip", "leaf")
            yield from table(self.context.out, titles, [cell for node in shown for cell in self._plain(node)])
            return
        yield from table(
            self.context.out, columns("*", ">", ">", ""), [line for node in shown for line in self._rows(node)]
        )
        if not self.plan.leaf.uuid:
            yield StyledText(f"a resume finds no conversation: {self._reason()}", "problem")
        if len(shown) < len(nodes):
            yield StyledText(
                f"{len(nodes) - len(shown)} agents of Claude Code itself are not drawn; -v draws them", "dim"
            )

    def _rows(self, node: OutlineNode) -> Iterator[list[str | StyledText]]:
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
            yield [StyledText(f"{below}{self.mark} a resume continues {place}: {self._reason()}", "good"), "", "", ""]

    def _plain(self, node: OutlineNode) -> Iterator[list[str | StyledText]]:
        leaf = f"leaf {node.leaf_uuid}: {self._reason()}" if node.leaf else ""
        yield [str(node.depth), node.kind, node.first_text, str(node.messages), node.stamp, node.uuid, leaf]
        if self.every:
            for row, says in _said(self.transcript, node):
                yield [str(node.depth + 1), row.type, says, "1", row.stamp, row.uuid, ""]

    def _reason(self) -> str:
        return RESUME_POINT_REASONS[self.plan.leaf.reason]

    def _clip(self, text: str) -> str:
        return clip(visible(text, keep=""), self.width, ellipsis=self.context.out.glyphs.ellipsis)

    def _age(self, stamp: str) -> str:
        when = parse_timestamp(stamp)
        return "" if when is None else age(self.context.now() - when)


@sessions.command("health")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@pass_context
def sessions_health(context: CliContext, session: str | None, everywhere: bool) -> int:
    """How much of a session a resume still reaches; without ID: of every session of the project.

    What a compaction summarised and what somebody left by a rewind doesn't count. Ends with 1 if one isn't healthy.
    """
    errors: list[MemtuiError] = []
    if session is not None:
        paths = [catalog.find_session(context.dirs.cache, places(context, everywhere=True), session)]
    else:
        found = catalog.load_sessions(context.dirs.cache, places(context, everywhere=everywhere), errors)
        paths = [one.path for one in found]
    rows: list[Data] = []
    for path in paths:
        try:
            rows.append(_health_data(path))
        except MemtuiError as error:
            errors.append(error)

    def text() -> Iterator[Line]:
        glyphs = context.out.glyphs
        lines: list[list[str | StyledText]] = []
        for row in rows:
            mark = StyledText("ok" if context.out.plain else glyphs.open, "good")
            if not row["ok"]:
                mark = StyledText("problem" if context.out.plain else glyphs.problem, "problem")
            lines.append([mark, StyledText(row["id"][:SHORT], "dim"), row["words"]])
        yield from table(context.out, columns("", "", "*"), lines)

    context.out.result("health", rows if session is None else rows[0] if rows else None, text(), rows=rows,
                    warnings=[error.message for error in errors], page=True)  # fmt: skip
    if session is None and not rows:
        context.out.status("no session here")
    return int(bool(errors) or not all(row["ok"] for row in rows))


def _health_data(path: Path) -> Data:
    transcript = read_transcript(path)
    health = check_health(transcript, plan_resume(transcript))
    plan = {"ok": health.ok, "percent": health.percent, "behind": health.behind, "words": health.words}
    return {"id": path.stem, "path": path, **asdict(health), **plan}
