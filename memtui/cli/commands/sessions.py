"""Past sessions: listed, looked at, drawn, judged, exported; renamed, archived, deleted, put back."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import click
from msgspec.structs import asdict

from memtui.cli.asking import answered, may_write
from memtui.cli.context import CliContext
from memtui.cli.options import FILE, CliGroup, pass_context
from memtui.cli.output import ASCII, SHORT, Cell, Data, Line, StyledText, fields, iso
from memtui.cli.session_list import list_sessions, places
from memtui.cli.table import columns, table
from memtui.client.paths import config_dir
from memtui.client.session_files import UNTITLED, title_line
from memtui.presentation import LabeledText
from memtui.presentation.session_text import omitted_details, resume_details, summary_details, work_details
from memtui.projects.activity import archive_for, live_sessions
from memtui.resume.conversation import RESUME_POINT_REASONS
from memtui.resume.export import ExportFormat
from memtui.resume.health import check_health, find_lost_end
from memtui.resume.outline import NODE_LABELS, OutlineNode, outline_of, record_line
from memtui.resume.resume import ResumePlan, plan_resume
from memtui.services import sessions as services
from memtui.services.questions import Allow, SecretFound
from memtui.sessions import catalog
from memtui.sessions.archive import DELETED, ArchivedSession, ArchiveResult
from memtui.sessions.rename import check_title, title_before
from memtui.transcripts.entries import Entry, parse_timestamp
from memtui.transcripts.stats import BackedUpFile, collect_stats, compare_file
from memtui.transcripts.subagents import add_agents
from memtui.transcripts.summary import SessionSummary, SummaryScanner
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import MemtuiError, NotFound, Refused, UsageError
from memtui.util.resolve import matches_prefix, resolve_one
from memtui.util.text import age, clip, pluralize, size, visible


@click.group("sessions", cls=CliGroup, short_help="List past sessions, look at one, rename, archive, delete.")
def sessions() -> None:
    """List past sessions, look at one, or do something to one as a whole. No record in a transcript is ever changed."""


@sessions.command("ls")
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@click.option("--programs", is_flag=True, help="Also those that programs began: headless, SDK, team workers.")
@click.option("--branch", metavar="B", help="Only those whose last prompt was typed on this branch.")
@click.option("--archived", "place", flag_value="archive", help="Those that were archived.")
@click.option("--deleted", "place", flag_value="deleted", help="Those that were deleted and can still be restored.")
@pass_context
def sessions_ls(context: CliContext, everywhere: bool, programs: bool, branch: str | None, place: str | None) -> int:
    """List the sessions of the project, newest first: age, messages, size, id, title.

    "live" marks a session that is open in Claude Code, "goes in 2d" one that Claude Code deletes soon,
    "due" one that it deletes at its next start; "fork", "continued", "headless" and the like say what else one is.
    Those that programs began are hidden, as in Claude Code's picker. Ends with 1 if there is none.
    """
    if place is not None:
        return _list_kept(context, place, everywhere=everywhere, branch=branch)
    return list_sessions(context, everywhere=everywhere, branch=branch, programs=programs)


@click.group("export", cls=CliGroup, short_help="Export a session.")
def export() -> None:
    """Export a session as Markdown, JSON or a page for a browser."""


@export.command("session")
@click.argument("session", metavar="ID")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Into a file that isn't there yet.")
@click.option("--format", "form", type=click.Choice(["md", "json", "html"]), default="md", show_default=True)
@click.option("--at", default="", metavar="UUID", help="Up to this message instead of Claude Code's own choice.")
@click.option("--whole", is_flag=True, help="All branches and agents, what came before a compaction, times, models.")
@click.option("--redact", is_flag=True, help="Take out what looks like a secret, and say how much that was.")
@pass_context
def export_session(
    context: CliContext, session: str, output: Path | None, form: str, at: str, whole: bool, redact: bool
) -> None:
    """The conversation as a resume would send it, or the whole session, as Markdown, JSON or one HTML page.

    Where something in it looks like a secret nothing is written, unless --redact takes it out.
    """
    if whole and at:
        raise UsageError("--whole has every message; it doesn't go with --at")
    path = _find(context, session)
    title = SummaryScanner().file(path).title or path.stem
    forms: dict[str, ExportFormat] = {ending: form for form, ending in services.FORMATS.items()}
    transcript = read_transcript(path)
    plan, allow = plan_resume(transcript, at), Allow(secret="redact" if redact else "")
    made = services.export_session(plan, title, forms[form], allow, transcript if whole else None)
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
    """Show one session: what it did, and how much of it a resume would still send.

    ID is the beginning of an id, a title, or a transcript's path. Files that it changed are listed with the number of
    their kept versions, and how they are now against the newest of these.
    """
    path = _find(context, session)
    transcript = read_transcript(path)
    plan, summary = plan_resume(transcript), SummaryScanner().file(path)
    done, family = collect_stats(transcript.each(transcript.entries)), catalog.find_lineage(context.dirs.cache, path)
    agents = add_agents(done, path)
    data: Data = {
        "id": path.stem, "path": str(path), **asdict(summary), **asdict(family), "tools": asdict(done.tools),
        "tokens": asdict(done.tokens), "agent_tokens": asdict(agents), "copied_tokens": asdict(done.copied),
        "files": _files(context, path.stem, done.changed_files, summary.cwd),
        "sent": None if plan.messages is None else len(plan.messages), "leaf": plan.leaf.uuid or None,
        "leaf_reason": RESUME_POINT_REASONS[plan.leaf.reason],
        "left_out": dict(Counter(item.why for item in plan.omitted)), "defects": len(plan.defects),
    }  # fmt: skip
    details = [
        *(LabeledText(*words) for words in family.words),
        *summary_details(summary),
        *work_details(done, agents),
        *resume_details(plan, check_health(transcript, plan)),
        *omitted_details(plan),
    ]
    context.out.result("session", data, _text(context, data, details, plan))


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
    kept, where = config_dir(context.env) / "file-history" / session, Path(cwd or "/")
    return [
        {
            "path": one.path.removeprefix(f"{where}/"),
            "versions": len(one.versions),
            "now": compare_file(one, one.versions[-1], kept, where) if one.versions else "",
        }
        for one in files
    ]


WIDEST = 72  # cells of a branch's words where no terminal says how wide it is
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
    path = _find(context, session)
    transcript = read_transcript(path)
    plan = plan_resume(transcript)
    nodes = outline_of(transcript, plan)
    rows = [_node_data(transcript, plan, node, every=every) for node in nodes]
    family = catalog.find_lineage(context.dirs.cache, path)
    data: Data = {
        "id": path.stem, "path": path, "leaf": plan.leaf.uuid or None, **asdict(family), "branches": rows,
    }  # fmt: skip
    related = [] if context.out.plain else [StyledText(" ".join(words), "dim") for words in family.words]
    text = _Drawing(context, transcript, plan, every=every).lines(nodes)
    context.out.result("tree", data, chain(related, text), rows=rows, page=True)


def _node_data(transcript: Transcript, plan: ResumePlan, node: OutlineNode, *, every: bool) -> Data:
    agent, branch = node.agent, node.branch
    found: Data = {
        **fields(node, "depth kind messages"), "first": node.first_text, "prompts": branch.prompts if branch else None,
        "time": node.stamp or None, "tip": node.uuid or None, "leaves": node.off.uuid if node.off else None,
        "leaf": node.leaf_uuid or None, "agent": None,
        "leaf_reason": RESUME_POINT_REASONS[plan.leaf.reason] if node.leaf else None,
    }  # fmt: skip
    if agent is not None:
        found["agent"] = {**fields(agent, "id kind path internal"), "call": agent.call or None}
    if every and branch is not None:
        found["rows"] = [
            {
                "uuid": row.uuid,
                "line": row.line,
                "type": row.type,
                "time": row.stamp or None,
                "says": says,
                "kept": row.uuid in node.kept,
            }
            for row, says in _said(transcript, node)
        ]
    return found


def _said(transcript: Transcript, node: OutlineNode) -> Iterator[tuple[Entry, str]]:
    rows = [row for row in (node.branch.rows if node.branch else ()) if row.has_content or row.prompt]
    for row, record in zip(rows, transcript.each(rows), strict=True):
        yield row, record_line(record, 400)


class _Drawing:
    def __init__(self, context: CliContext, transcript: Transcript, plan: ResumePlan, *, every: bool) -> None:
        self.context, self.transcript, self.plan, self.every = context, transcript, plan, every
        self.fork, self.end, self.through, self.mark = _LINES[context.out.glyphs is ASCII]
        self.width = context.out.width or WIDEST
        self.open: list[bool] = []

    def lines(self, nodes: tuple[OutlineNode, ...]) -> Iterator[Line]:
        shown = [node for node in nodes if self.context.out.verbose or not (node.agent and node.agent.internal)]
        if self.context.out.plain:
            titles = columns("depth", "kind", "first", "messages", "time", "tip", "leaf")
            yield from table(self.context.out, titles, [cell for node in shown for cell in self._plain(node)])
            return
        rows = [line for node in shown for line in self._rows(node)]
        yield from table(self.context.out, columns("*", ">", ">", ""), rows)
        if not self.plan.leaf.uuid:
            yield StyledText(f"a resume finds no conversation: {self._reason()}", "problem")
        if left := len(nodes) - len(shown):
            yield StyledText(f"{left} agents of Claude Code itself are not drawn; -v draws them", "dim")

    def _rows(self, node: OutlineNode) -> Iterator[list[Cell]]:
        self.open[node.depth :] = [not node.last]
        lead = "".join(self.through if more else "  " for more in self.open[1 : node.depth])
        edge = (self.end if node.last else self.fork) if node.depth else ""
        below = lead + ("" if not node.depth else "  " if node.last else self.through)
        kind = node.agent.kind if node.agent and node.agent.kind else NODE_LABELS[node.kind]
        words = f"{kind}: {node.first_text}" if kind else node.first_text or UNTITLED
        problem = "problem" if node.kind == "orphan" else "bold" if node.leaf else ""
        kept = f", {len(node.kept)} kept" if node.kept else ""
        yield self._row(lead + edge + words, problem, f"{node.messages} msg{kept}", node)
        if self.every:
            for row, says in _said(self.transcript, node):
                role = "> " if row.type == "user" else "  "
                style, mark = (
                    ("bold", self.mark) if row.uuid == node.leaf_uuid else ("", "kept" if row.uuid in node.kept else "")
                )
                yield self._row(f"{below}  {role}{says}", style, mark, row)
        if node.leaf:
            place = "here" if node.leaf_uuid == node.uuid else f"at {node.leaf_uuid[:SHORT]}"
            yield [StyledText(f"{below}{self.mark} a resume continues {place}: {self._reason()}", "good"), "", "", ""]

    def _plain(self, node: OutlineNode) -> Iterator[list[Cell]]:
        leaf = f"leaf {node.leaf_uuid}: {self._reason()}" if node.leaf else ""
        yield [str(node.depth), node.kind, node.first_text, str(node.messages), node.stamp, node.uuid, leaf]
        if self.every:
            for row, says in _said(self.transcript, node):
                yield [str(node.depth + 1), row.type, says, "1", row.stamp, row.uuid, ""]

    def _reason(self) -> str:
        return RESUME_POINT_REASONS[self.plan.leaf.reason]

    def _row(self, text: str, style: str, note: str, of: OutlineNode | Entry) -> list[Cell]:
        text = clip(visible(text, keep=""), self.width, ellipsis=self.context.out.glyphs.ellipsis)
        when = parse_timestamp(of.stamp)
        ago = "" if when is None else age(self.context.now() - when)
        return [StyledText(text, style), note, ago, StyledText(of.uuid[:SHORT], "dim")]


@sessions.command("health")
@click.argument("session", metavar="[ID]", required=False)
@click.option("--all", "everywhere", is_flag=True, help="Of all projects.")
@pass_context
def sessions_health(context: CliContext, session: str | None, everywhere: bool) -> int:
    """Show how much of a session a resume still sends; without ID: of every session of the project.

    What a compaction summarised and what you left by a rewind doesn't count. Ends with 1 if one isn't healthy.
    """
    errors: list[MemtuiError] = []
    if session is not None:
        paths = [_find(context, session)]
    else:
        found = catalog.load_sessions(context.dirs.cache, places(context, everywhere=everywhere), errors)
        paths = [one.path for one in found]
    rows: list[Data] = []
    for path in paths:
        try:
            transcript = read_transcript(path)
            plan = plan_resume(transcript)
            health, lost = check_health(transcript, plan), find_lost_end(transcript, plan)
            fork = {"at": lost.uuid, **fields(lost, "more less words")} if lost else None
            told = {**asdict(health), **fields(health, "ok percent behind words"), "fork": fork}
            rows.append({"id": path.stem, "path": path, **told})
        except MemtuiError as error:
            errors.append(error)

    def text() -> Iterator[Line]:
        good, bad = context.out.glyphs.open, context.out.glyphs.problem
        if context.out.plain:
            good, bad = "ok", "problem"
        marks = {True: StyledText(good, "good"), False: StyledText(bad, "problem")}
        lines = [
            line for row in rows for line in (
                [marks[row["ok"]], StyledText(row["id"][:SHORT], "dim"), row["words"]],
                *([["", "", _fork_words(row)]] if row["fork"] and not context.out.plain else []),
            )
        ]  # fmt: skip
        yield from table(context.out, columns("", "", "*"), lines)

    context.out.result("health", rows if session is None else rows[0] if rows else None, text(), rows=rows,
                    warnings=[error.message for error in errors], page=True)  # fmt: skip
    if session is None and not rows:
        context.out.status("no session here")
    return int(bool(errors) or not all(row["ok"] for row in rows))


def _fork_words(row: Data) -> str:
    return f"memtui resume {row['id'][:SHORT]} --at {row['fork']['at'][:SHORT]}: {row['fork']['words']}"


_SPAN = re.compile(r"(\d{1,6})(h|d|w|mo|y)")
_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


def _span(ctx: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    if value is None:
        return None
    match = _SPAN.fullmatch(value)
    if match is None:
        raise click.BadParameter(f"{value!r} is no length of time: 12h, 30d, 6w, 3mo, 1y", ctx, parameter)
    return int(match[1]) * _SECONDS[match[2]]


@sessions.command("rename", short_help="Give a session another title.")
@click.argument("session", metavar="ID")
@click.argument("title")
@pass_context
def sessions_rename(context: CliContext, session: str, title: str) -> None:
    """Give a session another title, as Claude Code's /rename does: one record more at the end of its file."""
    may_write(context)
    path = _find(context, session)
    if not context.options.dry_run:
        _tell(context, "rename", services.rename_session(context.workspace, path, title))
        return
    called = title_line(title_before(path)) or path.stem[:SHORT]
    _tell(context, "rename", None, [f"would rename session {called!r} to {check_title(title)!r}"])


@sessions.command("archive", short_help="Move sessions out of reach of Claude Code's clean-up.")
@click.argument("sessions", nargs=-1, required=True, metavar="ID…")
@pass_context
def sessions_archive(context: CliContext, sessions: Sequence[str]) -> None:
    """Move sessions to where Claude Code's clean-up doesn't find them; restore brings them back."""
    may_write(context)
    paths = [_find(context, word, move=True) for word in sessions]
    if context.options.dry_run:
        _would(context, "archive", paths)
    else:
        _tell(context, "archive", services.archive_sessions(context.workspace, paths))


@sessions.command("rm", short_help="Delete sessions; undo brings them back.")
@click.argument("sessions", nargs=-1, metavar="[ID…]")
@click.option("--older-than", callback=_span, metavar="30d", help="Those whose newest record is older: h, d, w, mo, y.")
@click.option("--all", "everywhere", is_flag=True, help="With --older-than: of all projects.")
@pass_context
def sessions_rm(context: CliContext, sessions: Sequence[str], older_than: int | None, everywhere: bool) -> int:
    """Delete sessions, sub-agents and large results included.

    They are kept for 30 days: undo and restore bring back every byte. -n shows what would go. Ends with 1 if none is
    old enough.
    """
    if bool(sessions) == (older_than is not None):
        raise UsageError("which sessions?", hint="memtui sessions rm ID… or --older-than 30d, not both")
    may_write(context)
    if older_than is None:
        paths = [_find(context, word, move=True) for word in sessions]
    else:
        paths = _older(context, older_than, everywhere)
        if not paths:
            context.out.result("rm", {"done": False, "deed": None, "sessions": [], "bytes": 0, "notes": []}, [])
            context.out.status("no session is that old")
            return 1
    if context.options.dry_run:
        _would(context, "rm", paths)
        return 0
    done = answered(context, lambda allow: services.delete_sessions(context.workspace, paths, allow))
    if done is None:
        context.out.status("nothing was deleted")
        return 1
    _tell(context, "rm", done)
    return 0


@sessions.command("restore", short_help="Put archived or deleted sessions back.")
@click.argument("sessions", nargs=-1, required=True, metavar="ID…")
@pass_context
def sessions_restore(context: CliContext, sessions: Sequence[str]) -> None:
    """Put archived or deleted sessions back into their projects; ls --archived and --deleted list them.

    What Claude Code's clean-up would take at once gets the present time.
    """
    may_write(context)
    kept = archive_for(context.workspace).kept()
    chosen = [_find_kept(kept, word) for word in sessions]
    if context.options.dry_run:
        _tell(context, "restore", None, [f"would put back session {one.note.title or one.note.id!r}" for one in chosen])
    else:
        _tell(context, "restore", services.put_back(context.workspace, chosen))


@sessions.command("save", short_help="Copy a transcript into a new file.")
@click.argument("session", metavar="ID")
@click.option("-o", "--output", type=FILE, required=True, metavar="FILE", help="The new file.")
@pass_context
def sessions_save(context: CliContext, session: str, output: Path) -> None:
    """Copy a session's transcript, byte by byte, into a file that isn't there yet."""
    may_write(context)
    path = _find(context, session)
    dry_run = context.options.dry_run
    bytes_ = path.stat().st_size if dry_run else services.save_copy(context.workspace, path, output)
    data = {"done": not dry_run, "id": path.stem, "path": str(output), "size": bytes_}
    words = f"{'would write' if dry_run else 'written'} {bytes_} bytes to {output}"
    context.out.result("save", data, [] if context.out.quiet else [words])


def _list_kept(context: CliContext, place: str, *, everywhere: bool, branch: str | None) -> int:
    here = os.path.realpath(context.location.transcripts)
    found: list[tuple[ArchivedSession, SessionSummary]] = []
    warnings = []
    for kept in archive_for(context.workspace).kept(place):
        if not everywhere and str(kept.project) != here:
            continue
        try:
            summary = SummaryScanner().file(kept.file.path)
        except OSError as error:
            warnings.append(f"{kept.file.id}: {error.strerror}, not listed")
            continue
        if branch in (None, summary.branch):
            found.append((kept, summary))
    rows: list[Data] = [
        {
            "id": kept.file.id, "path": kept.file.file_path, "modified": iso(kept.file.modified),
            "size": kept.note.size, "place": kept.place, "put_away": iso(kept.at), "project": str(kept.project),
            **asdict(summary),
        } for kept, summary in found
    ]  # fmt: skip

    def text() -> Iterator[Line]:
        lines: list[list[Cell]] = []
        for kept, summary in found:
            ago, id = age(context.now() - kept.at), StyledText(kept.file.id[:SHORT], "dim")
            title = summary.title or StyledText("no title", "dim")
            name = Path(summary.cwd).name or kept.project.name
            lines.append([ago, str(summary.messages), size(kept.note.size), title, name, id])
        when = ">deleted" if place == DELETED else ">archived"
        yield from table(context.out, columns(when, ">messages", ">size", "title*", "project*", "id"), lines)

    empty = "no session here was deleted" if place == DELETED else "no session here is archived"
    return context.out.listing("sessions", rows, text(), empty=empty, warnings=warnings, page=True)


def _find(context: CliContext, word: str, *, move: bool = False) -> Path:
    """The file of a session, of any project; one that shall be moved has to be in a project folder."""
    try:
        path = catalog.find_session(context.dirs.cache, places(context, everywhere=True), word)
    except NotFound as error:
        if any(one.note.id.startswith(word.lower()) for one in archive_for(context.workspace).kept()):
            error.hint = f"it is archived or deleted: memtui sessions restore {word}"
        raise
    if move:
        services.require_project_sessions(context.workspace, [path])
    return path


def _find_kept(kept: list[ArchivedSession], word: str) -> ArchivedSession:
    """A kept session by the beginning of its id or by its title; of several of one id the one put away last."""
    fits = [one for one in kept if matches_prefix(one.note.id, word)]
    fits = fits or [one for one in kept if one.note.title.casefold() == word.casefold()]
    last = list({one.note.id: one for one in reversed(fits)}.values())
    lists = "memtui sessions ls --archived lists them"
    return resolve_one(last, word, "archived or deleted session", lists=lists, name=lambda one: one.note.id)


def _older(context: CliContext, seconds: int, everywhere: bool) -> list[Path]:
    """The sessions whose newest record is older; those that are open in Claude Code are left out."""
    live = live_sessions(context.workspace)
    errors: list[MemtuiError] = []
    listed = catalog.load_sessions(context.dirs.cache, places(context, everywhere=everywhere), errors)
    found = [one for one in listed if context.now() - one.when > seconds]
    context.out.warn(error.message for error in errors)
    for one in found:
        if one.id in live:
            context.out.status(f"session {one.id[:SHORT]} is open in Claude Code: left where it is")
    return [one.path for one in found if one.id not in live]


def _would(context: CliContext, kind: str, paths: Sequence[Path]) -> None:
    found = services.session_files(context.workspace, paths)
    total = sum(one.size for one in found)
    sessions = [
        {"id": one.path.stem, "project": str(one.path.parent), "files": list(one.files), "size": one.size}
        for one in found
    ]

    def text() -> Iterator[Line]:
        rows: list[list[Cell]] = []
        for one in found:
            title = one.title or StyledText(UNTITLED, "dim")
            rows.append([size(one.size), pluralize(len(one.files), "file"), title, one.path.stem[:SHORT]])
        yield from table(context.out, columns(">", ">", "*", ""), rows)
        yield f"{pluralize(len(paths), 'session')}, {total} bytes"

    context.out.result(kind, {"done": False, "deed": None, "sessions": sessions, "bytes": total, "notes": []}, text())
    context.out.unwritten("moved")


def _tell(context: CliContext, kind: str, done: ArchiveResult | None, would: Sequence[str] = ()) -> None:
    if done is None:
        context.out.result(kind, {"done": False, "deed": None, "would": list(would), "notes": []}, would)
        context.out.unwritten()
        return
    operation = done.operation
    data = {
        "done": True,
        "deed": {"id": operation.id, "when": iso(operation.time), "what": operation.what, "words": operation.words},
        "sessions": [fields(one, "id project title before after") for one in operation.sessions],
        "notes": list(done.notes),
    }
    context.out.result(kind, data, [] if context.out.quiet else [operation.told])
    context.out.status(*done.notes, StyledText(f"memtui undo {operation.id} takes it back", "dim"))
