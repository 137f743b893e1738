"""Explanations: what the agent gets of an index, where memory is, what may be written, how a head is read.

People use them to understand, tests and scripts to check; so each gives the whole decision, and one input that can't be
read never stops the others.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, cast

import click

from memtui.base.boundary import check_path
from memtui.base.files import fault
from memtui.base.text import size
from memtui.cli.call import Call
from memtui.cli.context import Group, find_directory, pass_call
from memtui.cli.output import Data, Line, Output, Part
from memtui.cli.table import Column, table

_FOLDER = click.Path(path_type=Path)


@click.group("explain", cls=Group)
def explain() -> None:
    """Show a decision and the rule behind it."""


def _each(
    call: Call, kind: str, files: Sequence[str], look: Callable[[bytes], Data], text: Callable[[Data], Iterable[Line]]
) -> int:
    """Look at every file in turn; the exit code is 1 if one can't be read."""
    found = []
    for word in files:
        try:
            data = sys.stdin.buffer.read() if word == "-" else Path(word).read_bytes()
            found.append({"file": word, **look(data)})
        except OSError as error:
            found.append({"file": word, "error": fault(error, word, outcome="not read").message})

    def lines() -> Iterator[Line]:
        for number, data in enumerate(found):
            if len(found) > 1:
                yield from ["", Part(data["file"], "bold")] if number else [Part(data["file"], "bold")]
            yield from [[Part("error: ", "problem"), data["error"]]] if "error" in data else text(data)

    call.out.answer(kind, found[0] if len(found) == 1 else found, lines(), rows=found)
    return int(any("error" in data for data in found))


@explain.command("index")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@pass_call
def explain_index(call: Call, files: tuple[str, ...]) -> int:
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
        {"line": entry.line, "title": entry.title, "target": entry.target, "hook": entry.hook}
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
        yield [Part("OVER", "problem"), f": the agent gets what fits into {word}"]
        yield f"cut at counted line {data['cut_line']}, line {data['cut_line_in_file']} of the file"
    elif not data["lines"]:
        yield "empty: nothing is loaded"
    else:
        yield [Part("fits", "good"), ": the agent gets all of it"]
    yield f"lines  {data['lines']} of {data['max_lines']}"
    yield f"units  {data['units']} of {data['max_units']} UTF-16 units"
    yield Part("counted without frontmatter and block HTML comments, CRLF as LF, ends stripped", "dim")
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
@pass_call
def explain_place(call: Call, directory: str, settings: str | None, bare: bool) -> None:
    """Which memory folder belongs to a directory, who decided it, and every switch."""
    from memtui.host.place import decide

    if call.asked.project is not None and directory == ".":
        cwd = call.directory
    elif directory != "." and "/" not in directory and not (call.cwd / directory).is_dir():
        cwd = find_directory(call.env, call.cwd, directory)
    else:
        cwd = call.cwd / directory
    place = decide(call.env, cwd, flag=settings, bare=bare)
    data = place_data(place)
    call.out.answer("explain-place", data, _place_text(call.out, data))


def place_data(place: Any) -> Data:
    """A `Place` for scripts."""
    return {
        "cwd": str(place.cwd),
        "root": str(place.root),
        "project_dir": place.project_dir,
        "transcripts": str(place.transcripts),
        "folder": str(place.folder),
        "memory_dir": None if place.memory_dir is None else str(place.memory_dir),
        "exists": place.folder.is_dir(),
        "decided_by": place.decided_by,
        "agent_folder": str(place.agent_folder),
        "enabled": place.enabled,
        "dream": place.dream,
        "config": str(place.config),
        "switches": [switch_data(switch) for switch in place.switches],
        "layers": [
            {"name": layer.name, "source": layer.source, "keys": sorted(layer.data), "problem": layer.problem}
            for layer in place.layers
        ],
        "warnings": list(place.warnings),
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
    yield from table(out, [Column(""), Column("")], [[Part(name, "dim"), value] for name, value in rows])
    for warning in data["warnings"]:
        yield [Part("warning: ", "warn"), warning]
    yield ""
    shown = [switch for switch in data["switches"] if out.verbose or switch["layer"] != "default"]
    yield Part("switches" if shown else "switches: all at their defaults (-v lists them)", "bold")
    yield from switch_table(out, shown)
    if out.verbose:
        yield ""
        yield Part("settings files, strongest first", "bold")
        for layer in data["layers"]:
            keys = layer["problem"] or ", ".join(layer["keys"]) or "nothing"
            yield f"  {layer['name']:<8}{layer['source']}: {keys}"
    else:
        yield Part("order: environment > policy > flag > local > user > default", "dim")


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
@pass_call
def explain_path(
    call: Call, paths: tuple[str, ...], reads: tuple[Path, ...], root: Path | None, op: str, actor: str, casefold: bool
) -> int:
    """May an agent, a dream or a person read or write a path.

    "-" reads one JSON object a line: {"root", "op": "read"|"write", "actor": "agent"|"dream"|"user", "path",
    "casefold"}.
    """
    defaults: Data = {"op": op, "actor": actor, "casefold": casefold}
    if root is not None or "-" not in paths:
        defaults["root"] = str(call.place.folder if root is None else root)
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
            yield [Part(data["verdict"], "good" if allowed else "problem"), f"  {shown}  {data['reason']}"]

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
@pass_call
def explain_frontmatter(call: Call, files: tuple[str, ...]) -> int:
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
    yield [Part(data["verdict"], style), f"  {size(data['size'])} bytes, the body starts in line {data['body_line']}"]
    fields = [[str(field["line"]), field["key"], field["value"] or ""] for field in data["fields"]]
    if fields:
        yield from table(out, [Column("line", right=True), Column("field"), Column("value", rest=1)], fields)
    for note in data["problems"]:
        where = f"line {note['line']}: " if note["line"] is not None else ""
        yield [Part("! ", "warn"), f"{where}{note['message']}"]
