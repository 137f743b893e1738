"""Explanations: what the agent gets of an index, where memory is, what may be written, how a head is read.

People use them to understand, tests and scripts to check; so each gives the whole decision, and one input that can't be
read never stops the others.

Explanations of what an agent may do: a tool call, let through or denied, and what would run in place of a line.

Explanations of transcripts: what a resume sends and why, and what is wrong with a file.
"""

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from memtui.cli.context import CliContext
from memtui.cli.options import CliGroup, find_directory, pass_context
from memtui.cli.output import Data, Line, Output, StyledText
from memtui.cli.table import Column, table
from memtui.fs.atomic import to_error
from memtui.fs.boundary import check_path
from memtui.util.errors import MemtuiError
from memtui.util.text import clip, size

if TYPE_CHECKING:
    from memtui.transcripts.transcript import Transcript

__all__ = ["explain", "explain_permission", "explain_resume", "explain_transcript"]


_FOLDER = click.Path(path_type=Path)


@click.group("explain", cls=CliGroup)
def explain() -> None:
    """Show a decision and the rule behind it."""


def _each(
    call: CliContext,
    kind: str,
    files: Sequence[str],
    look: Callable[[bytes], Data],
    text: Callable[[Data], Iterable[Line]],
) -> int:
    """Look at every file in turn; the exit code is 1 if one can't be read."""
    found = []
    for word in files:
        try:
            data = sys.stdin.buffer.read() if word == "-" else Path(word).read_bytes()
            found.append({"file": word, **look(data)})
        except OSError as error:
            found.append({"file": word, "error": to_error(error, word, outcome="not read").message})

    def lines() -> Iterator[Line]:
        for number, data in enumerate(found):
            if len(found) > 1:
                if number:
                    yield ""
                yield StyledText(data["file"], "bold")
            yield from [[StyledText("error: ", "problem"), data["error"]]] if "error" in data else text(data)

    call.out.answer(kind, found[0] if len(found) == 1 else found, lines(), rows=found)
    return int(any("error" in data for data in found))


@explain.command("index")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@pass_context
def explain_index(call: CliContext, files: tuple[str, ...]) -> int:
    """What the agent gets of a MEMORY.md at the start of a session."""
    return _each(call, "explain-index", files, index_data, lambda data: _index_text(call.out, data))


def index_data(data: bytes) -> Data:
    """The exact part of an index that is loaded, and what is lost.

    Args:
        data: The file; bytes that are no UTF-8 are replaced, as the client does.
    """
    from memtui.memory.budget import decode_index, measure_index
    from memtui.memory.index import read_entries

    text = decode_index(data)
    budget = measure_index(text)
    lost = [
        {"line": entry.line, "title": entry.title, "target": entry.target, "hook": entry.description}
        for entry in read_entries(text, budget)
        if entry.loaded is False
    ]
    return {
        "loaded": budget.loaded,
        "lines": budget.lines,
        "units": budget.units,
        "max_lines": budget.max_lines,
        "max_units": budget.max_units,
        "cut_line": budget.cut_line,
        "cut_line_in_file": budget.cut_line_in_file,
        "limit": budget.limit,
        "lost": lost,
        "over": budget.over,
        "used": round(budget.used, 4),
    }


def _index_text(out: Output, data: Data) -> Iterator[Line]:
    if data["over"]:
        word = "200 lines" if data["limit"] == "lines" else "25,000 UTF-16 units"
        yield [StyledText("OVER", "problem"), f": the agent gets what fits into {word}"]
        yield f"cut at counted line {data['cut_line']}, line {data['cut_line_in_file']} of the file"
    elif not data["lines"]:
        yield "empty: nothing is loaded"
    else:
        yield [StyledText("fits", "good"), ": the agent gets all of it"]
    yield f"lines  {data['lines']} of {data['max_lines']}"
    yield f"units  {data['units']} of {data['max_units']} UTF-16 units"
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
@click.option("--settings", metavar="JSON", help="What the client is given as --settings: JSON or a file.")
@click.option("--bare", is_flag=True, help="As if the client ran with --bare.")
@pass_context
def explain_place(call: CliContext, directory: str, settings: str | None, bare: bool) -> None:
    """Which memory folder belongs to a directory, who decided it, and every switch."""
    from memtui.client.memory_location import locate_memory

    if call.asked.project is not None and directory == ".":
        cwd = call.directory
    elif directory != "." and "/" not in directory and not (call.cwd / directory).is_dir():
        cwd = find_directory(call.env, call.cwd, directory)
    else:
        cwd = call.cwd / directory
    location = locate_memory(call.env, cwd, flag=settings, bare=bare)
    data = place_data(location)
    call.out.answer("explain-place", data, _place_text(call.out, data))


def place_data(location: Any) -> Data:
    """A `Place` for scripts."""
    return {
        "cwd": str(location.cwd),
        "root": str(location.root),
        "project_dir": location.project_dir,
        "transcripts": str(location.transcripts),
        "folder": str(location.folder),
        "memory_dir": None if location.memory_dir is None else str(location.memory_dir),
        "exists": location.folder.is_dir(),
        "decided_by": location.decided_by,
        "agent_folder": str(location.agent_folder),
        "enabled": location.enabled,
        "dream": location.dream,
        "config": str(location.config),
        "switches": [switch_data(switch) for switch in location.switches],
        "layers": [
            {"name": layer.name, "source": layer.source, "keys": sorted(layer.data), "problem": layer.problem}
            for layer in location.layers
        ],
        "warnings": list(location.warnings),
    }


def switch_data(switch: Any) -> Data:
    """A `Switch` for scripts."""
    return {
        "key": switch.key,
        "value": switch.value,
        "layer": switch.layer,
        "source": switch.source,
        "default": switch.default,
        "writable": switch.writable,
        "target": None if switch.target is None else str(switch.target),
        "why_not": switch.why_not,
        "describe": switch.describe,
    }


def _place_text(out: Output, data: Data) -> Iterator[Line]:
    missing = "" if data["exists"] else " (does not exist)"
    rows = [
        ("directory", data["cwd"]),
        ("repository", data["root"]),
        ("memory folder", data["folder"] + missing),
        ("decided by", data["decided_by"]),
        ("auto memory", "on" if data["enabled"] else "off: the agent loads nothing"),
        ("auto-dream", "on" if data["dream"] else "off"),
        ("project name", data["project_dir"]),
        ("transcripts", data["transcripts"]),
        ("settings in", data["config"]),
    ]
    if data["agent_folder"] != data["folder"]:
        rows.insert(3, ("the client's own", data["agent_folder"]))
    yield from table(out, [Column(""), Column("")], [[StyledText(name, "dim"), value] for name, value in rows])
    for warning in data["warnings"]:
        yield [StyledText("warning: ", "warn"), warning]
    yield ""
    shown = [switch for switch in data["switches"] if out.verbose or switch["layer"] != "default"]
    yield StyledText("switches" if shown else "switches: all at their defaults (-v lists them)", "bold")
    yield from switch_table(out, shown)
    if out.verbose:
        yield ""
        yield StyledText("settings files, strongest first", "bold")
        for layer in data["layers"]:
            keys = layer["problem"] or ", ".join(layer["keys"]) or "nothing"
            yield f"  {layer['name']:<8}{layer['source']}: {keys}"
    else:
        yield StyledText("order: environment > policy > flag > local > user > default", "dim")


def switch_table(out: Output, switches: Iterable[Data]) -> Iterator[Line]:
    """Switches with who set them."""
    columns = [Column("switch"), Column("value", rest=1), Column("set by"), Column("source", rest=1)]
    rows = [[s["key"], value_words(s["value"]), s["layer"], s["source"]] for s in switches]
    if rows:
        yield from table(out, columns, rows)


def value_words(value: object) -> str:
    """A setting's value for people."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value) or "none"
    return str(value)


@explain.command("path")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--read", "reads", multiple=True, type=_FOLDER, metavar="DIR", help="One more folder to read in.")
@click.option("--root", type=_FOLDER, metavar="DIR", help="The memory folder; this project's if left out.")
@click.option("--op", type=click.Choice(("read", "write")), default="write", show_default=True)
@click.option("--actor", type=click.Choice(("agent", "dream", "user")), default="user", show_default=True)
@click.option("--casefold", is_flag=True, help="As on a file system that ignores case.")
@pass_context
def explain_path(
    call: CliContext,
    paths: tuple[str, ...],
    reads: tuple[Path, ...],
    root: Path | None,
    op: str,
    actor: str,
    casefold: bool,
) -> int:
    """May an agent, a dream or a person read or write a path.

    "-" reads one JSON object a line: {"root", "op": "read"|"write", "actor": "agent"|"dream"|"user", "path",
    "casefold"}.
    """
    defaults: Data = {"op": op, "actor": actor, "casefold": casefold}
    if root is not None or "-" not in paths:
        defaults["root"] = str(call.location.folder if root is None else root)
    found: list[Data] = []
    for word in paths:
        if word == "-":
            lines = sys.stdin.buffer.read().split(b"\n")
            found += [_judge_line(line, defaults, reads) for line in lines if line.strip()]
        else:
            found.append(_judge_path({**defaults, "path": word}, reads))

    def text() -> Iterator[Line]:
        for data in found:
            allowed = data["verdict"] == "allow"
            shown = data["path"] if isinstance(data.get("path"), str) else json.dumps(data.get("path"))
            yield [StyledText(data["verdict"], "good" if allowed else "problem"), f"  {shown}  {data['reason']}"]

    call.out.answer("explain-path", found[0] if len(found) == 1 else found, text(), rows=found)
    if any("error" in data for data in found):
        return 1
    return int("-" not in paths and any(data["verdict"] == "deny" for data in found))


def _judge_line(line: bytes, defaults: Data, reads: Sequence[Path]) -> Data:
    """One line of standard input; a line that makes no sense is denied and said."""
    try:
        entry = json.loads(line.decode("utf-8", "surrogateescape"))
        if not isinstance(entry, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as error:
        return {"verdict": "deny", "reason": "the line is no JSON object", "path": None, "error": f"not JSON: {error}"}
    return _judge_path({**defaults, **entry}, reads)


def _judge_path(wish: Data, reads: Sequence[Path]) -> Data:
    root, op, actor = wish.get("root"), wish.get("op"), wish.get("actor")
    answer: Data = {"path": wish.get("path"), "root": root, "op": op, "actor": actor}
    if not isinstance(root, str) or op not in ("read", "write") or actor not in ("agent", "dream", "user"):
        words = "root has to be a folder, op read or write, actor agent, dream or user"
        return {"verdict": "deny", "reason": words, **answer, "error": words}
    verdict = check_path(
        Path(root),
        wish.get("path"),
        op=cast(Literal["read", "write"], op),
        actor=cast(Literal["agent", "dream", "user"], actor),
        reads=reads,
        casefold=bool(wish.get("casefold")),
    )
    base = None if verdict.base is None else str(verdict.base)
    word = "allow" if verdict.allowed else "deny"
    return {"verdict": word, "reason": verdict.reason, "name": verdict.name, "base": base, **answer}


@explain.command("frontmatter")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@pass_context
def explain_frontmatter(call: CliContext, files: tuple[str, ...]) -> int:
    """How the head of a topic file is read."""
    return _each(call, "explain-frontmatter", files, frontmatter_data, lambda data: _frontmatter_text(call.out, data))


def frontmatter_data(data: bytes) -> Data:
    """The verdict on a block, its fields and what is odd about it."""
    from memtui.memory.frontmatter import read_frontmatter

    front = read_frontmatter(data)
    return {
        "verdict": front.verdict,
        "name": front.name,
        "description": front.description,
        "type": front.type,
        "modified": front.modified,
        "fields": [{"key": field.key, "value": field.value, "line": field.line} for field in front.fields],
        "problems": [{"line": note.line, "code": note.code, "message": note.message} for note in front.problems],
        "body_line": front.body_line,
        "size": len(data),
    }


def _frontmatter_text(out: Output, data: Data) -> Iterator[Line]:
    style = {"ok": "good", "warn": "warn"}.get(data["verdict"], "problem")
    yield [
        StyledText(data["verdict"], style),
        f"  {size(data['size'])} bytes, the body starts in line {data['body_line']}",
    ]
    fields = [[str(field["line"]), field["key"], field["value"] or ""] for field in data["fields"]]
    if fields:
        yield from table(out, [Column("line", right=True), Column("field"), Column("value", rest=1)], fields)
    for note in data["problems"]:
        where = f"line {note['line']}: " if note["line"] is not None else ""
        yield [StyledText("! ", "warn"), f"{where}{note['message']}"]


LONGEST = 160
"""Characters of a text that are shown; `--json` has all of them."""


def _each_transcript(
    call: CliContext,
    kind: str,
    files: tuple[str, ...],
    look: "Callable[[Transcript], Data]",
    text: Callable[[Data], Iterable[Line]],
) -> int:
    """Look at every transcript in turn; one that can't be read stops no other, and the exit code is 1 then."""
    from memtui.transcripts.transcript import read_transcript

    found: list[Data] = []
    for word in files:
        try:
            found.append({"file": word, **look(read_transcript(Path(word)))})
        except MemtuiError as error:
            found.append({"file": word, "error": error.message})

    def lines() -> Iterator[Line]:
        for data in found:
            if len(found) > 1:
                yield StyledText(data["file"], "bold")
            yield from [[StyledText("error: ", "problem"), data["error"]]] if "error" in data else text(data)

    call.out.answer(kind, found[0] if len(found) == 1 else found, lines(), rows=found)
    return int(any("error" in data for data in found))


@explain.command("resume")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--at", default="", metavar="UUID", help="Go on from this message instead of the client's own choice.")
@pass_context
def explain_resume(call: CliContext, files: tuple[str, ...], at: str) -> int:
    """What the agent client sends when it resumes a session, what it leaves out, and why."""
    from memtui.resume.report import resume_report
    from memtui.resume.resume import plan_resume

    return _each_transcript(
        call, "explain-resume", files, lambda transcript: resume_report(plan_resume(transcript, at)), _resume_text
    )


def _resume_text(data: Data) -> Iterator[Line]:
    from memtui.resume.omitted import OMISSION_REASONS

    yield f"goes on from {data['leaf'] or 'nothing'}: {data['leaf_reason']}"
    if data["blocks"] is None:
        yield StyledText("the client finds no conversation here", "problem")
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
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@pass_context
def explain_transcript(call: CliContext, files: tuple[str, ...]) -> int:
    """What is in a transcript file, and what is wrong with it, line by line."""
    from memtui.resume.report import transcript_report

    return _each_transcript(call, "explain-transcript", files, transcript_report, _transcript_text)


def _transcript_text(data: Data) -> Iterator[Line]:
    yield f"{data['records']} records, {data['bad']} bad lines, {data['salvaged']} salvaged"
    yield f"{data['cycles']} cycles, {data['orphans']} orphans, {data['duplicates']} duplicates"
    if data["pending"]:
        yield "bytes follow the last line end: the writer may not be done"
    for bad in data["lines"]:
        yield [StyledText(f"  line {bad['line']}  ", "dim"), bad["what"]]


_DIRECTORY = click.Path(path_type=Path)


@explain.command("permission")
@click.argument("tool", metavar="TOOL")
@click.argument("given", default="", metavar="[JSON]")
@click.option(
    "--root",
    type=_DIRECTORY,
    metavar="DIR",
    help="The folder to work in; this project's memory if left out.",
)
@click.option("--read", "reads", multiple=True, type=_DIRECTORY, metavar="DIR", help="One more folder to read in.")
@click.option("--actor", type=click.Choice(("agent", "dream")), default="dream", show_default=True)
@click.option("--casefold", is_flag=True, help="As on a file system that ignores case.")
@pass_context
def explain_permission(
    call: CliContext, tool: str, given: str, root: Path | None, reads: tuple[Path, ...], actor: str, casefold: bool
) -> int:
    """May a background agent call a tool with this input.

    "-" in place of TOOL reads one JSON object a line: {"tool", "input"}, and "root", "actor", "casefold" where they
    differ. Without --root the project's transcripts may be read as well.
    """
    if root is None:
        root, reads = call.location.folder, (call.location.transcripts, *reads)
    defaults: Data = {"root": str(root), "actor": actor, "casefold": casefold}
    if tool == "-":
        found = [
            _judge_tool_use(line.decode("utf-8", "surrogateescape"), defaults, reads)
            for line in sys.stdin.buffer.read().split(b"\n")
            if line.strip()
        ]
    else:
        found = [_judge_tool_use(given, defaults, reads, tool)]
    call.out.answer("explain-permission", found[0] if len(found) == 1 else found, _text(found), rows=found)
    if any("error" in data for data in found):
        return 1
    return int(tool != "-" and found[0]["verdict"] == "deny")


def _judge_tool_use(text: str, defaults: Data, reads: Sequence[Path], tool: str | None = None) -> Data:
    """One call as JSON, or the input for a tool; what makes no sense is denied and said."""
    from memtui.agent.permissions import decide
    from memtui.agent.shell.paths import AllowedFolders

    try:
        wish = json.loads(text)
        if not isinstance(wish, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as error:
        return {"verdict": "deny", "reason": "no JSON object", "tool": tool, "error": f"not JSON: {error}"}
    wish = {**defaults, **wish} if tool is None else {**defaults, "tool": tool, "input": wish}
    if not isinstance(wish["root"], str) or wish["actor"] not in ("agent", "dream"):
        words = "root has to be a folder, actor agent or dream"
        return {"verdict": "deny", "reason": words, "tool": wish.get("tool"), "error": words}
    scope = AllowedFolders(Path(wish["root"]), tuple(reads), wish["actor"], bool(wish["casefold"]))
    decision = decide(wish.get("tool"), wish.get("input"), scope)
    answer: Data = {
        "verdict": "allow" if decision.allowed else "deny",
        "reason": decision.reason,
        "tool": wish.get("tool"),
        "root": wish["root"],
    }
    if decision.path is not None:
        answer |= {"name": decision.path.name, "base": str(decision.path.base)}
    if decision.plan is not None:
        answer["cwd"] = str(decision.plan.cwd)
        answer["runs"] = [
            {"after": step.after, "pipeline": [list(stage.argv) for stage in step.stages]}
            for step in decision.plan.steps
        ]
    return answer


def _text(found: Sequence[Data]) -> Iterator[Line]:
    for data in found:
        allowed = data["verdict"] == "allow"
        yield [StyledText(data["verdict"], "good" if allowed else "problem"), f"  {data['tool']}  {data['reason']}"]
        if "name" in data:
            yield f"  file  {data['name']}  in {data['base']}"
        for step in data.get("runs", ()):
            yield [StyledText(f"  {step['after'] or 'runs':<4}  ", "dim"), " | ".join(map(_shown, step["pipeline"]))]


def _shown(argv: Sequence[str]) -> str:
    """A program with its arguments; the many that leave secrets out are only counted."""
    from memtui.agent.shell.commands import SECRET_EXCLUDES

    words = [word for word in argv if word not in SECRET_EXCLUDES]
    left = len(argv) - len(words)
    return shlex.join(words) + (f"  (and {left} flags that leave out what may hold a secret)" if left else "")
