"""What memtui needs, and what is wrong with it."""

import os
import re
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shlex import quote
from shutil import which

import click

from memtui import __version__
from memtui.cli.asking import may_write, settle
from memtui.cli.context import CliContext
from memtui.cli.findings import DoctorResult, State, note, ok, print_results, problem, writable_place
from memtui.cli.options import CliCommand, pass_context
from memtui.dream.gates.base import lock_gate
from memtui.dream.lock.lock import effective_lock
from memtui.fs.atomic import is_temp
from memtui.history.export_git import old_histories
from memtui.projects.journal import MoveRecord, unfinished
from memtui.projects.orphans import Gone, Shared, find_orphans
from memtui.util.errors import MemtuiError
from memtui.util.process import ProcessIdentity, is_alive
from memtui.util.text import pluralize

MOST_GONE = 8  # projects whose directory is gone that are known one by one
_PID = re.compile(r"\.memtui-(\d{1,10})-")
_AMBIGUOUS = "─"  # a character that some terminals draw in two cells though one is meant


@click.command("doctor", cls=CliCommand, short_help="Look at the surroundings; clear what crashes left.")
@click.option("--fix", is_flag=True, help="Remove what crashes left behind: temporary files, half-done writes.")
@pass_context
def doctor(context: CliContext, fix: bool) -> int:
    """Look at terminal, encoding, folders, settings, leftovers, projects whose directory moved, and git.

    Ends with 1 if something is wrong.
    """
    fixed: list[str] = []
    if fix and not context.options.dry_run:
        fixed = _leftovers(context)
        context.workspace.read(full=False)
        may_write(context)
        left = set(_leftovers(context))
        fixed = [name for name in fixed if name not in left]
    parts = (_program, _terminal, _settled, _client, _projects, _folders, _history, _memory)
    return print_results(context, "doctor", [one for part in parts for one in _survived(part, context)], fixed)


def _survived(part: Callable[[CliContext], Iterator[DoctorResult]], context: CliContext) -> Iterator[DoctorResult]:
    """What a part finds; a fault of the disk in it is one of the findings and takes no other part down."""
    try:
        yield from part(context)
    except (OSError, MemtuiError) as error:
        name = part.__name__.strip("_").replace("settled", "dreams")
        hint = (error.hint if isinstance(error, MemtuiError) else "") or "check who owns it, and its permissions"
        yield problem(name, str(error), hint)


def _settled(context: CliContext) -> Iterator[DoctorResult]:
    settle(context)
    yield from ()


def _program(context: CliContext) -> Iterator[DoctorResult]:
    try:
        textual = f", textual {version('textual')}"
    except PackageNotFoundError:
        textual = ""
    yield ok("memtui", f"{__version__}, Python {sys.version.split()[0]}{textual}, {sys.platform}")
    git, client = which("git"), which("claude")
    no_git = note("git", "not found", "without it two changes of one file are never merged, they conflict")
    yield ok("git", git) if git else no_git
    no_client = note("Claude Code", "no claude on the PATH", "memtui works without it")
    yield ok("Claude Code", client) if client else no_client


def _terminal(context: CliContext) -> Iterator[DoctorResult]:
    term = os.environ.get("TERM", "")
    draws = term not in ("", "dumb", "unknown")
    if sys.stdin.isatty() and sys.stdout.isatty() and draws:
        yield ok("terminal", f"{term}, {context.out.width} columns")
    else:
        why = f"TERM is {term or 'not set'}" if not draws else "not at both ends"
        yield note("terminal", why, "memtui prints text here instead of opening the screen")
    encoding = sys.stdout.encoding or "unknown"
    is_utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    hint = "marks and lines are drawn in ASCII; LANG=C.UTF-8 has the others"
    yield ok("encoding", encoding) if is_utf8 else note("encoding", encoding, hint)
    colour = os.environ.get("COLORTERM") or "as the terminal says"
    yield ok("colour", "off: NO_COLOR is set" if os.environ.get("NO_COLOR") else colour)
    if context.out.interactive() and sys.stdout.isatty() and draws:
        width = glyph_width(_AMBIGUOUS)
        if width is None:
            yield note("line glyphs", "the terminal doesn't answer where its cursor is")
        elif width == 1:
            yield ok("line glyphs", "one cell wide")
        else:
            hint = "memtui config set glyphs ascii, or let the terminal draw ambiguous characters narrow"
            yield problem("line glyphs", f"{width} cells wide: frames would break", hint)


def glyph_width(glyph: str) -> int | None:
    """The cells that the terminal really takes for a character, asked by a cursor report; `None` without an answer."""
    try:
        stream = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        before = termios.tcgetattr(stream)
        try:
            tty.setraw(stream)
            os.write(stream, b"\r" + glyph.encode() + b"\x1b[6n")
            answer = b""
            while not answer.endswith(b"R") and len(answer) < 64:
                if not select.select([stream], [], [], 0.5)[0]:
                    return None
                answer += os.read(stream, 16)
            match = re.search(rb"\x1b\[\d+;(\d+)R", answer)
            return int(match[1]) - 1 if match else None
        finally:
            os.write(stream, b"\r\x1b[K")
            termios.tcsetattr(stream, termios.TCSANOW, before)
    except (OSError, termios.error):
        return None
    finally:
        os.close(stream)


def _client(context: CliContext) -> Iterator[DoctorResult]:
    place = context.location
    none = note("Claude Code folder", f"{place.config} does not exist", "memtui --demo shows sample data")
    yield ok("Claude Code folder", str(place.config)) if place.config.is_dir() else none
    broken = [layer.problem for layer in place.layers if layer.problem]
    for warning in place.warnings:
        state: State = "problem" if any(problem in warning for problem in broken) else "note"
        yield DoctorResult("settings", state, warning)
    if not place.warnings:
        yield ok("settings", f"memory {'on' if place.enabled else 'off'}, folder by {place.decided_by}")


def _projects(context: CliContext) -> Iterator[DoctorResult]:
    orphans = find_orphans(context.env)
    for shared in orphans.shared:
        yield _shared(shared)
    if not orphans.shared:
        yield ok("projects", "no two directories share a folder")
    for gone in orphans.gone[:MOST_GONE]:
        yield _gone(gone)
    if len(orphans.gone) > MOST_GONE:
        more = f"and {len(orphans.gone) - MOST_GONE} more whose directory is gone"
        yield note("gone project", more, "memtui projects --gone lists them")
    for left in orphans.left:
        words = f"{left.memory} is loaded by no session: {left.reason}"
        new = "NEW" if left.directory is None else quote(str(left.directory))
        hint = f"memtui projects move --memory {quote(str(left.memory.parent))} {new}"
        yield note("left memory", words, hint)
    moves: tuple[MoveRecord, ...] = ()
    with suppress(MemtuiError):  # what is wrong with the history is a finding of its own
        moves = unfinished(context.dirs)
    for past in moves:
        words = f"a move from {past.old} to {past.new} stopped half-way"
        hint = f"memtui projects move {quote(past.old)} {quote(past.new)} ends it"
        yield note("move", words, f"{hint}, memtui projects undo-move {past.id[:8]} takes it back")


def _gone(gone: Gone) -> DoctorResult:
    project = gone.project
    left = [pluralize(project.sessions, "session")] if project.sessions else []
    left += [f"{pluralize(project.topics, 'topic')} of memory"] if project.topics else []
    words = f"{project.cwd} is gone, it left {' and '.join(left) or 'a memory index'}"
    command = f"memtui projects move {quote(str(project.cwd))}"
    if not gone.candidates:
        return note("gone project", words, f"{command} NEW  (if it is elsewhere now)")
    first, *others = gone.candidates
    hint = f"{command} {quote(str(first.directory))}  ({first.reason})"
    more = "".join(f"; or {quote(str(one.directory))}  ({one.reason})" for one in others)
    return note("gone project", words, hint + more)


def _shared(shared: Shared) -> DoctorResult:
    known = [one for one in shared.owners if one.directory is not None]
    counts = ((one, pluralize(len(one.sessions), "session")) for one in known)
    paths = ", ".join(f"{one.directory} ({count}{'' if one.exists else ', gone'})" for one, count in counts)
    hint = "their memory is one and the same"
    gone = next((one for one in known if not one.exists), None)
    if gone is not None:
        hint += f"; memtui projects move {quote(str(gone.directory))} NEW takes the sessions of one away"
    return problem("projects", f"{shared.folder.name} is shared by {paths}", hint)


def _folders(context: CliContext) -> Iterator[DoctorResult]:
    dirs = context.dirs
    for name, folder in (("our settings", dirs.config), ("our state", dirs.state), ("our cache", dirs.cache)):
        there, is_writable = writable_place(folder)
        if is_writable:
            yield ok(name, str(folder) + ("" if folder.is_dir() else " (made when it is needed)"))
        else:
            state: State = "problem" if folder == dirs.state else "note"
            yield DoctorResult(name, state, f"{folder} can't be written", f"check who owns {there}")
    for warning in context.config.warnings:
        yield note("config.toml", warning, "memtui config edit")


def _history(context: CliContext) -> Iterator[DoctorResult]:
    database = context.workspace.history.database
    try:
        wrong = database.check()
    except (MemtuiError, OSError) as error:
        wrong = [str(error)]
    if wrong:
        hint = "move it elsewhere to start a new one; the memory files are not touched"
        yield problem("history", f"{database.path}: {wrong[0]}", hint)
    else:
        made = "" if database.exists else " (made when it is needed)"
        yield ok("history", f"{database.path}{made}")
    scopes = [scope.folder for scope in context.workspace.scopes()]
    for folder, path in old_histories(context.dirs.state, scopes).items():
        hint = f"git --git-dir={quote(str(path))} log -p"
        yield note("old history", f"{folder}, by memtui 0.1", hint)


def _memory(context: CliContext) -> Iterator[DoctorResult]:
    folder = context.location.folder
    if not folder.is_dir():
        yield note("memory", f"{folder} does not exist yet")
    else:
        snapshot = context.read()
        real = sum(problem.severity != "info" for problem in snapshot.problems)
        topics = len(snapshot.auto.topics) if snapshot.auto is not None else 0
        if not os.access(folder, os.W_OK):
            yield problem("memory", f"{folder} can't be written", "check who owns it")
        elif real:
            yield note("memory", f"{topics} topics, {real} problems", "memtui check lists them")
        else:
            yield ok("memory", f"{topics} topics, no problems")
    left = _leftovers(context)
    for name in left:
        yield note("leftover", name, "memtui doctor --fix removes it")
    if not left:
        yield ok("leftovers", "none")
    for draft in context.workspace.drafts.list():
        yield note("draft", f"unsaved text of {draft.path}", f"memtui edit {draft.path.stem} continues with it")
    gate = lock_gate(effective_lock(context.location.folder, context.dirs), context.now())
    yield DoctorResult("dream lock", "ok" if gate.open else "note", gate.reason)


def _leftovers(context: CliContext) -> list[str]:
    found = []
    for folder, names, files in os.walk(context.location.folder):
        names[:] = [name for name in names if not name.startswith(".")]
        for name in files:
            match = _PID.search(name) if is_temp(name) else None
            if match is not None and not is_alive(ProcessIdentity(int(match[1]))):
                found.append(str(Path(folder) / name))
    with suppress(MemtuiError):  # what is wrong with the history is a finding of its own
        found += [f"{one.folder}: {one.why}" for one in context.workspace.history.interrupted()]
    return sorted(found)
