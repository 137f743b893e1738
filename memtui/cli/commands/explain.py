"""Decisions explained, for people to understand and for scripts to check.

Each gives the whole decision, and one input that can't be read never stops the others.
"""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, cast

import click

from memtui.agent.permissions import decide
from memtui.agent.shell.commands import SECRET_EXCLUDES
from memtui.agent.shell.paths import AllowedFolders
from memtui.cli.commands.config import switch_data, value_words
from memtui.cli.commands.session_context import context_data, context_lines, named_location, read_context
from memtui.cli.context import CliContext, find_directory
from memtui.cli.options import DIRECTORY, CliGroup, pass_context
from memtui.cli.output import Data, Line, Output, StyledText, fields
from memtui.cli.table import columns, table
from memtui.client.memory_location import MemoryLocation, locate_memory
from memtui.client.paths import is_directory
from memtui.fs.atomic import read_stable, to_error
from memtui.fs.boundary import check_path
from memtui.memory.budget import decode_index, measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.index import read_entries
from memtui.memory.surroundings import Surroundings
from memtui.resume.omitted import OMISSION_REASONS
from memtui.resume.report import resume_report, transcript_report
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import Transcript, read_transcript
from memtui.util.errors import MemtuiError
from memtui.util.paths import expand_tilde
from memtui.util.text import clip, size

LONGEST = 160  # characters of a text that are shown; `--json` has all of them
_FILES = click.argument("files", nargs=-1, required=True, metavar="FILE…")
_READ = click.option(
    "--read", "reads", multiple=True, type=DIRECTORY, metavar="DIR", help="One more folder to read in."
)
_CASEFOLD = click.option("--casefold", is_flag=True, help="As on a file system that ignores case.")


@click.group("explain", cls=CliGroup)
def explain() -> None:
    """Show a decision and the rule behind it."""


def _each(
    context: CliContext, kind: str, files: Sequence[str], look: Callable[[str], Data],
    text: Callable[[Output, Data], Iterable[Line]],
) -> int:  # fmt: skip
    """Look at every file in turn; one that can't be read stops no other, and the exit code is 1 then."""
    found: list[Data] = []
    for word in files:
        try:
            found.append({"file": word, **look(word)})
        except OSError as error:
            found.append({"file": word, "error": to_error(error, word, outcome="not read").message})
        except MemtuiError as error:
            found.append({"file": word, "error": error.message})

    def lines() -> Iterator[Line]:
        for number, data in enumerate(found):
            if len(found) > 1:
                yield from [""] * bool(number)
                yield StyledText(data["file"], "bold")
            if "error" in data:
                yield [StyledText("error: ", "problem"), data["error"]]
            else:
                yield from text(context.out, data)

    _tell(context, kind, found, lines())
    return int(any("error" in data for data in found))


def _tell(context: CliContext, kind: str, found: list[Data], lines: Iterable[Line]) -> None:
    context.out.result(f"explain-{kind}", found[0] if len(found) == 1 else found, lines, rows=found)


def _bytes(word: str) -> bytes:
    return sys.stdin.buffer.read() if word == "-" else read_stable(expand_tilde(word))


@explain.command("index")
@_FILES
@pass_context
def explain_index(context: CliContext, files: tuple[str, ...]) -> int:
    """What Claude Code loads of a MEMORY.md at the start of a session."""
    return _each(context, "index", files, lambda word: index_data(_bytes(word)), _index_text)


def index_data(data: bytes) -> Data:
    """The exact part of an index that is loaded, and what is lost; bytes that are no UTF-8 are replaced."""
    text = decode_index(data)
    budget = measure_index(text)
    cut = [one for one in read_entries(text, budget) if one.loaded is False]
    lost = [{**fields(one, "line title target"), "hook": one.description} for one in cut]
    counted = fields(budget, "loaded lines units max_lines max_units cut_line cut_line_in_file limit over")
    return {**counted, "lost": lost, "used": round(budget.used, 4)}


def _index_text(out: Output, data: Data) -> Iterator[Line]:
    if data["over"]:
        word = "200 lines" if data["limit"] == "lines" else "25,000 characters"
        yield [StyledText("OVER", "problem"), f": Claude Code loads what fits into {word}"]
        yield f"cut at counted line {data['cut_line']}, line {data['cut_line_in_file']} of the file"
    elif not data["lines"]:
        yield "empty: nothing is loaded"
    else:
        yield [StyledText("fits", "good"), ": Claude Code loads all of it"]
    yield f"lines  {data['lines']} of {data['max_lines']}"
    yield f"characters  {data['units']} of {data['max_units']}"
    yield StyledText("counted without frontmatter and block HTML comments, CRLF as LF, ends stripped", "dim")
    if data["lost"]:
        yield f"not loaded: {len(data['lost'])} entries"
        for entry in data["lost"]:
            yield f"  {entry['line']}  {entry['title']}  {entry['target']}"
    if out.verbose:
        yield "loaded text:"
        yield from ("  " + line for line in data["loaded"].split("\n"))


@explain.command("place")
@click.argument("directory", default=".", metavar="[DIR]")
@click.option("--settings", metavar="JSON", help="What Claude Code is given as --settings: JSON or a file.")
@click.option("--bare", is_flag=True, help="As if Claude Code ran with --bare.")
@pass_context
def explain_place(context: CliContext, directory: str, settings: str | None, bare: bool) -> None:
    """Which memory folder belongs to a directory, who decided it, and every switch."""
    if context.options.project is not None and directory == ".":
        cwd = context.directory
    elif "/" in directory or is_directory(context.cwd / directory):
        cwd = context.cwd / expand_tilde(directory, context.env.home, users=True)
    else:
        cwd = find_directory(context.env, context.cwd, directory)
    location = locate_memory(context.env, cwd, flag=settings, bare=bare)
    data = _place_data(location)
    data["warnings"] += Surroundings.of(context.env, location).store_notes()
    context.out.result("explain-place", data, _place_text(context.out, data))


def _place_data(location: MemoryLocation) -> Data:
    return {
        **fields(location, "cwd root project_dir transcripts folder memory_dir decided_by agent_folder"),
        **fields(location, "enabled dream config"),
        "exists": location.folder.is_dir(),
        "switches": [switch_data(switch) for switch in location.switches],
        "layers": [{**fields(layer, "name source problem"), "keys": sorted(layer.data)} for layer in location.layers],
        "warnings": list(location.warnings),
    }


def _place_text(out: Output, data: Data) -> Iterator[Line]:
    missing = "" if data["exists"] else " (does not exist)"
    facts = [
        ("directory", data["cwd"]), ("repository", data["root"]), ("memory folder", f"{data['folder']}{missing}"),
        ("decided by", data["decided_by"]),
        ("auto memory", "on" if data["enabled"] else "off: Claude Code loads nothing"),
        ("auto-dream", "on" if data["dream"] else "off"), ("project name", data["project_dir"]),
        ("transcripts", data["transcripts"]), ("settings in", data["config"]),
    ]  # fmt: skip
    if data["agent_folder"] != data["folder"]:
        facts.insert(3, ("Claude Code's own", data["agent_folder"]))
    yield from table(out, columns("", ""), [[StyledText(name, "dim"), str(value)] for name, value in facts])
    for warning in data["warnings"]:
        yield [StyledText("warning: ", "warn"), warning]
    yield ""
    shown = [switch for switch in data["switches"] if out.verbose or switch["layer"] != "default"]
    yield StyledText("switches" if shown else "switches: all at their defaults (-v lists them)", "bold")
    rows = [[one["key"], value_words(one["value"]), one["layer"], one["source"]] for one in shown]
    yield from table(out, columns("switch", "value*", "set by", "source*"), rows)
    if out.verbose:
        yield ""
        yield StyledText("settings files, strongest first", "bold")
        for layer in data["layers"]:
            keys = layer["problem"] or ", ".join(layer["keys"]) or "nothing"
            yield f"  {layer['name']:<8}{layer['source']}: {keys}"
    else:
        yield StyledText("order: environment > policy > flag > local > user > default", "dim")


@explain.command("context")
@click.argument("directories", nargs=-1, metavar="[DIR]…")
@pass_context
def explain_context(context: CliContext, directories: tuple[str, ...]) -> None:
    """What Claude Code loads at the start of a session in a directory: each file with its text, and what it leaves out.

    `memtui context` has sizes and shares.
    """
    locations = [named_location(context, word) for word in directories or (".",)]
    found = [read_context(context.env, location) for location in locations]

    def lines() -> Iterator[Line]:
        for location, one in zip(locations, found, strict=True):
            yield from context_lines(context.out, one, location, context.env.home)
            for file in one.files if context.out.verbose else ():
                yield from ("", StyledText(file.name, "bold"))
                yield from file.content.split("\n")

    _tell(context, "context", [context_data(one) for one in found], lines())


@explain.command("path")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@_READ
@click.option("--root", type=DIRECTORY, metavar="DIR", help="The memory folder; this project's if left out.")
@click.option("--op", type=click.Choice(("read", "write")), default="write", show_default=True)
@click.option("--actor", type=click.Choice(("agent", "dream", "user")), default="user", show_default=True)
@_CASEFOLD
@pass_context
def explain_path(
    context: CliContext, paths: tuple[str, ...], reads: tuple[Path, ...], root: Path | None, op: str, actor: str,
    casefold: bool,
) -> int:  # fmt: skip
    """Say whether an agent, a dream or a person may read or write a path.

    "-" reads one JSON object a line: {"root", "op": "read"|"write", "actor": "agent"|"dream"|"user", "path",
    "casefold"}.
    """
    defaults: Data = {"op": op, "actor": actor, "casefold": casefold}
    if root is not None or "-" not in paths:
        defaults["root"] = str(context.location.folder if root is None else root)
    given: list[Data | str] = []
    for word in paths:
        given += map(_json_object, _stdin_lines()) if word == "-" else [{"path": word}]
    found = [_judge_path(one, defaults, reads) for one in given]
    return _tell_verdicts(context, "path", found, asked="-" not in paths)


def _stdin_lines() -> Iterator[str]:
    return (line.decode("utf-8", "surrogateescape") for line in sys.stdin.buffer.read().split(b"\n") if line.strip())


def _json_object(text: str) -> Data | str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return value if isinstance(value, dict) else "not JSON: not an object"


def _judge_path(given: Data | str, defaults: Data, reads: Sequence[Path]) -> Data:
    if isinstance(given, str):
        return _nonsense("the line is no JSON object", given, path=None)
    question = {**defaults, **given}
    answer = {key: question.get(key) for key in ("path", "root", "op", "actor")}
    path, root, op, actor = answer.values()
    if not isinstance(root, str) or op not in ("read", "write") or actor not in ("agent", "dream", "user"):
        words = "root has to be a folder, op read or write, actor agent, dream or user"
        return _nonsense(words, words, **answer)
    verdict = check_path(
        Path(root), path, op=cast(Literal["read", "write"], op), reads=reads,
        actor=cast(Literal["agent", "dream", "user"], actor), casefold=bool(question.get("casefold")),
    )  # fmt: skip
    word = "allow" if verdict.allowed else "deny"
    return {"verdict": word, **fields(verdict, "reason name base"), **answer}


def _nonsense(reason: str, error: str, **answer: object) -> Data:
    """The verdict about a question that makes no sense."""
    return {"verdict": "deny", "reason": reason, **answer, "error": error}


@explain.command("frontmatter")
@_FILES
@pass_context
def explain_frontmatter(context: CliContext, files: tuple[str, ...]) -> int:
    """How the head of a topic file is read."""
    return _each(context, "frontmatter", files, lambda word: _frontmatter_data(_bytes(word)), _frontmatter_text)


def _frontmatter_data(data: bytes) -> Data:
    front = read_frontmatter(data)
    return {
        **fields(front, "verdict name description type modified body_line"),
        "fields": [fields(field, "key value line") for field in front.fields],
        "problems": [fields(note, "line code message") for note in front.problems],
        "size": len(data),
    }


def _frontmatter_text(out: Output, data: Data) -> Iterator[Line]:
    style = {"ok": "good", "warn": "warn"}.get(data["verdict"], "problem")
    where = f"  {size(data['size'])} bytes, the body starts in line {data['body_line']}"
    yield [StyledText(data["verdict"], style), where]
    rows = [[str(field["line"]), field["key"], field["value"] or ""] for field in data["fields"]]
    yield from table(out, columns(">line", "field", "value*"), rows)
    for note in data["problems"]:
        where = f"line {note['line']}: " if note["line"] is not None else ""
        yield [StyledText("! ", "warn"), f"{where}{note['message']}"]


@explain.command("resume")
@_FILES
@click.option("--at", default="", metavar="UUID", help="Go on from this message instead of Claude Code's own choice.")
@pass_context
def explain_resume(context: CliContext, files: tuple[str, ...], at: str) -> int:
    """What Claude Code sends when it resumes a session, what it leaves out, and why."""
    return _each(context, "resume", files, lambda word: resume_report(plan_resume(_transcript(word), at)), _resume_text)


def _resume_text(out: Output, data: Data) -> Iterator[Line]:
    yield f"continues at {data['leaf'] or 'nothing'}: {data['leaf_reason']}"
    if data["blocks"] is None:
        yield StyledText("Claude Code finds no conversation here", "problem")
    for role, kind, *rest in data["blocks"] or []:
        words = rest[0] if kind == "text" else f"{kind} {rest[1] if len(rest) > 1 else ''}"
        yield [StyledText(f"  {role:<10}", "dim"), clip(" ".join(str(words).split()), LONGEST)]
    if data["left_out"]:
        yield StyledText(f"left out: {len(data['left_out'])}", "bold")
    for item in data["left_out"]:
        yield f"  line {item['line']}  {item['type']}  {item['why']}: {item['detail'] or OMISSION_REASONS[item['why']]}"
    for item in data["defects"]:
        yield [StyledText("  ! ", "problem"), f"line {item['line']}  {item['kind']}  {item['detail']}"]


@explain.command("transcript")
@_FILES
@pass_context
def explain_transcript(context: CliContext, files: tuple[str, ...]) -> int:
    """What is in a transcript file, and what is wrong with it, line by line."""
    return _each(context, "transcript", files, lambda word: transcript_report(_transcript(word)), _transcript_text)


def _transcript(word: str) -> Transcript:
    return read_transcript(Path(expand_tilde(word)))


def _transcript_text(out: Output, data: Data) -> Iterator[Line]:
    yield f"{data['records']} records, {data['bad']} bad lines, {data['salvaged']} salvaged"
    yield f"{data['cycles']} cycles, {data['orphans']} orphans, {data['duplicates']} duplicates"
    if data["pending"]:
        yield "bytes follow the last line end: the writer may not be done"
    for bad in data["lines"]:
        yield [StyledText(f"  line {bad['line']}  ", "dim"), bad["what"]]


@explain.command("permission")
@click.argument("tool", metavar="TOOL")
@click.argument("given", default="", metavar="[JSON]")
@click.option("--root", type=DIRECTORY, metavar="DIR", help="The folder to work in; this project's memory if left out.")
@_READ
@click.option("--actor", type=click.Choice(("agent", "dream")), default="dream", show_default=True)
@_CASEFOLD
@pass_context
def explain_permission(
    context: CliContext, tool: str, given: str, root: Path | None, reads: tuple[Path, ...], actor: str, casefold: bool
) -> int:
    """Say whether a background agent may call a tool with this input.

    "-" in place of TOOL reads one JSON object a line: {"tool", "input"}, and "root", "actor", "casefold" where they
    differ. Without --root the project's transcripts may be read as well.
    """
    if root is None:
        root, reads = context.location.folder, (context.location.transcripts, *reads)
    defaults: Data = {"root": str(root), "actor": actor, "casefold": casefold}
    if tool == "-":
        found = [_judge_tool_use(line, defaults, reads) for line in _stdin_lines()]
    else:
        found = [_judge_tool_use(given, defaults, reads, tool)]
    return _tell_verdicts(context, "permission", found, asked=tool != "-")


def _judge_tool_use(text: str, defaults: Data, reads: Sequence[Path], tool: str | None = None) -> Data:
    """One call as JSON, or the input for a tool; what makes no sense is denied and said."""
    given = _json_object(text)
    if isinstance(given, str):
        return _nonsense("no JSON object", given, tool=tool)
    call = {**defaults, **given} if tool is None else {**defaults, "tool": tool, "input": given}
    if not isinstance(call["root"], str) or call["actor"] not in ("agent", "dream"):
        words = "root has to be a folder, actor agent or dream"
        return _nonsense(words, words, tool=call.get("tool"))
    scope = AllowedFolders(Path(call["root"]), tuple(reads), call["actor"], bool(call["casefold"]))
    decision = decide(call.get("tool"), call.get("input"), scope)
    verdict = "allow" if decision.allowed else "deny"
    answer: Data = {"verdict": verdict, "reason": decision.reason, "tool": call.get("tool"), "root": call["root"]}
    if decision.path is not None:
        answer |= fields(decision.path, "name base")
    if decision.plan is not None:
        answer["cwd"] = str(decision.plan.cwd)
        steps = decision.plan.steps
        answer["runs"] = [{"after": one.after, "pipeline": [list(it.argv) for it in one.stages]} for one in steps]
    return answer


def _tell_verdicts(context: CliContext, kind: str, found: list[Data], *, asked: bool) -> int:
    """Print verdicts; 1 if a question made no sense, or one that was `asked` in the command's own words is denied."""

    def text() -> Iterator[Line]:
        for data in found:
            verdict = StyledText(data["verdict"], "good" if data["verdict"] == "allow" else "problem")
            what = data["tool"] if kind == "permission" else data["path"]
            shown = what if isinstance(what, str) or kind == "permission" else json.dumps(what)
            yield [verdict, f"  {shown}  {data['reason']}"]
            if kind == "permission" and "name" in data:
                yield f"  file  {data['name']}  in {data['base']}"
            for step in data.get("runs", ()):
                pipeline = " | ".join(map(_shown, step["pipeline"]))
                yield [StyledText(f"  {step['after'] or 'runs':<4}  ", "dim"), pipeline]

    _tell(context, kind, found, text())
    denied = asked and any(data["verdict"] == "deny" for data in found)
    return int(denied or any("error" in data for data in found))


def _shown(argv: Sequence[str]) -> str:
    """A program with its arguments; the many that leave secrets out are only counted."""
    words = [word for word in argv if word not in SECRET_EXCLUDES]
    left = len(argv) - len(words)
    return shlex.join(words) + (f"  (and {left} flags that leave out what may hold a secret)" if left else "")
