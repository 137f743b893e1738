"""Looking at memory files: the list, and one of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import click

from memtui.cli.context import CliContext
from memtui.cli.names import NamedFile, all_named, find, instruction_name, shown_name
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import Data, Line, Output, StyledText, fields, iso
from memtui.cli.table import columns, table
from memtui.fs.atomic import read_stable
from memtui.fs.links import hard_links
from memtui.memory.budget import units
from memtui.memory.checks.base import Problem
from memtui.memory.frontmatter import TYPES
from memtui.memory.index import same_name
from memtui.memory.instructions import line_count, walk_imports
from memtui.memory.pins import Pins
from memtui.memory.snapshot import Snapshot
from memtui.presentation.context_text import import_words, loaded_words
from memtui.presentation.problem_text import SEVERITY_TONES, problem_place
from memtui.util.filter_query import matches_query, parse_query
from memtui.util.text import age, pluralize, size, visible

_INSTRUCTIONS = ("instruction", "import")


def file_rows(pins: Pins, snapshot: Snapshot) -> list[tuple[NamedFile, Data]]:
    """Every file of a snapshot, for scripts; problems are known after a full reading only, hints left out."""
    problems = Counter(problem.path for problem in snapshot.problems if problem.severity != "info")
    pinned = pins.paths(snapshot.location.folder)
    rows = []
    for named in all_named(snapshot):
        row: Data = {"name": named.name, "path": str(named.path)}
        file, scope, instruction = named.file, named.scope, named.instruction
        if file is not None and scope is not None:
            entry = next((one for one in scope.entries if same_name(one.target, file.name)), None)
            listed = None if scope.budget is None or file.kind != "topic" else entry is not None
            row |= {
                "scope": scope.id, **fields(file, "kind type title description size"),
                "modified": iso(file.modified), "in_index": listed,
                "index_line": entry and entry.line, "loaded": entry and entry.loaded,
                "scanned": file.scanned if file.kind == "topic" else None, "readonly": file.readonly,
            }  # fmt: skip
            row["lies_at"] = file.lies_at and str(file.lies_at)
        elif instruction is not None and (each := named.imported) is not None:
            row |= {
                "scope": "instructions", "kind": "import", "type": None, "title": import_words(each),
                "description": each.reason or None, "size": each.size,
                "modified": iso(each.mtime_ns / 1e9 or None), "in_index": None, "index_line": None,
                "loaded": each.state == "loaded", "scanned": None, "readonly": None,
                "loaded_lines": line_count(each.text), "loaded_units": units(each.text), "state": each.state,
                "imported_by": instruction_name(instruction.path, snapshot), "line": each.line,
            }  # fmt: skip
        elif instruction is not None:
            row |= {
                "scope": "instructions", "kind": "instruction", "type": None, "title": instruction.layer,
                "description": instruction.why_not or None, "size": instruction.size,
                "modified": iso(instruction.mtime_ns / 1e9), "in_index": None, "index_line": None,
                "loaded": instruction.loaded, "scanned": None, "readonly": instruction.readonly,
                "globs": list(instruction.globs), "lies_at": instruction.lies_at and str(instruction.lies_at),
                "loaded_lines": instruction.loaded_lines, "loaded_units": instruction.loaded_chars,
            }  # fmt: skip
        row |= {"pinned": named.path in pinned, "problems": problems[named.path] if snapshot.full else None}
        rows.append((named, row))
    return rows


@click.command("ls", cls=CliCommand, short_help="List the memory files.")
@click.argument("words", nargs=-1, metavar="[WORD]…")
@click.option("--type", "type_", type=click.Choice((*TYPES, "none")), help="Only topics of this type.")
@click.option("--scope", metavar="S", help="Only this scope: auto, team, logs, agent:…, instructions.")
@click.option("--problems", "troubled", is_flag=True, help="Only files with problems.")
@click.option("--orphans", is_flag=True, help="Only topics that MEMORY.md doesn't list.")
@click.option("--sort", type=click.Choice(("name", "age", "size")), default="name", show_default=True)
@pass_context
def ls(
    context: CliContext, words: Sequence[str], type_: str | None, scope: str | None, troubled: bool, orphans: bool,
    sort: str,
) -> int:  # fmt: skip
    """List the memory files; words filter as on the screen: 'exact ^start end$ !not.

    Only the heads of the files are read; --problems and -v read all and mark those with problems. Ends with 1 if
    nothing fits.
    """
    snapshot = context.snapshot(full=troubled or context.out.verbose)
    terms = parse_query(" ".join(words))
    found = [
        (named, row)
        for named, row in file_rows(Pins(context.dirs), snapshot)
        if (type_ is None or (row["kind"] == "topic" and (row["type"] or "none") == type_))
        and (scope is None or row["scope"] == scope or row["scope"].startswith(scope + ":"))
        and (not troubled or row["problems"])
        and (not orphans or row["in_index"] is False)
        and matches_query(
            terms, named.name, *(row[key] or "" for key in ("title", "description") if row["kind"] not in _INSTRUCTIONS)
        )
    ]
    orders = {"size": lambda pair: pair[1]["size"], "age": lambda pair: pair[1]["modified"] or ""}
    if sort in orders:
        found.sort(key=orders[sort], reverse=True)
    rows = [row for _, row in found]
    warnings = [*context.location.warnings, *snapshot.notices, *snapshot.around.store_notes()]
    text = _list_text(context, snapshot, found, by_scope=sort == "name")
    return context.out.listing("files", rows, text, empty="nothing fits", warnings=warnings)


def _list_text(
    context: CliContext, snapshot: Snapshot, found: list[tuple[NamedFile, Data]], *, by_scope: bool
) -> Iterator[Line]:
    out = context.out
    if out.plain or not by_scope:
        yield from file_table(out, [row for _, row in found], context.now())
        return
    labels = {scope.id: scope.label for scope in snapshot.scopes} | {"instructions": "instructions"}
    scopes = list(dict.fromkeys(row["scope"] for _, row in found))
    for number, scope in enumerate(scopes):
        rows = [row for _, row in found if row["scope"] == scope]
        if len(scopes) > 1:
            yield from [""] * bool(number)
            yield [StyledText(labels.get(scope, scope), "bold"), StyledText(f"  {len(rows)}", "dim")]
        yield from file_table(out, rows, context.now())


def file_table(out: Output, rows: Sequence[Data], now: float) -> Iterator[Line]:
    if out.plain:
        for row in rows:
            fields = [row["name"], row["type"] or row["kind"], str(row["size"]), row["modified"] or ""]
            yield "\t".join(_one_line(field) for field in [*fields, ", ".join(_states(row)), row["description"] or ""])
        return
    lines = []
    for row in rows:
        mark = StyledText(out.glyphs.unlisted, "warn") if row["in_index"] is False else StyledText("")
        if row["problems"]:
            mark = StyledText(out.glyphs.problem, "problem")
        place = f"line {row['index_line']}" if row["index_line"] else ""
        kind = row["type"] or (row["kind"] if row["kind"] != "topic" else "")
        says = row["readonly"] or row["description"] or (row["title"] if row["kind"] in _INSTRUCTIONS else "")
        says = f"lies at {row['lies_at']}" if row.get("lies_at") and not row["readonly"] else says
        line = StyledText(place, "warn" if row["loaded"] is False else "dim")
        name = f"  {row['name']}" if row["kind"] == "import" else row["name"]
        lines.append([mark, name, kind, size(row["size"]), _age(now, row), line, StyledText(says, "dim")])
    yield from table(out, columns("", "*", "", ">", ">", ">", "*"), lines)


def _age(now: float, row: Data) -> str:
    return age(now - datetime.fromisoformat(row["modified"]).timestamp()) if row["modified"] else ""


def _one_line(text: str) -> str:
    return visible(text, keep="").replace("\t", " ")


def _states(row: Data) -> list[str]:
    unloaded = {"topic": "index line not loaded", "instruction": "not loaded", "import": "not loaded"}
    words = (
        row["problems"] and pluralize(row["problems"], "problem"),
        row["in_index"] is False and "not in MEMORY.md",
        row["loaded"] is False and unloaded.get(row["kind"]),
        row["pinned"] and "pinned",
        row["readonly"] and f"read only: {row['readonly']}",
    )
    return [word for word in words if word]


@click.command("show", cls=CliCommand)
@click.argument("name", shell_complete=complete_names)
@click.option("--meta", is_flag=True, help="Properties, links and problems instead of the text.")
@click.option("--raw", is_flag=True, help="The file's exact bytes; on a terminal made visible.")
@click.option("--history", "past", is_flag=True, help="What happened to the file.")
@click.pass_context
def show(ctx: click.Context, name: str, meta: bool, raw: bool, past: bool) -> int:
    """Print a memory or instruction file."""
    context = ctx.ensure_object(CliContext)
    if past:
        from memtui.cli.commands.history import history  # 40 ms that a list and a file don't need

        return int(ctx.invoke(history, name=name, patch=False, limit=50) or 0)
    structured = context.out.structured
    snapshot = context.snapshot(full=meta or structured)
    named = find(snapshot, name, context.cwd)
    content = read_stable(named.path)
    text = content.decode("utf-8", "replace")
    if raw and not structured:
        context.out.raw(content)
        return 0
    if not meta and not structured:
        lines = text.removesuffix("\n").split("\n") if text else []
        context.out.result("file", {}, (line.removesuffix("\r") for line in lines), page=True, exact=True)
        return 0
    rows = file_rows(Pins(context.dirs), snapshot)
    row = next(row for one, row in rows if (one.path, one.name) == (named.path, named.name))
    details = details_of(snapshot, named)
    if meta and "fields" in details:
        details["fields"] = [{**one, "value": _masked_value(context.out, one)} for one in details["fields"]]
    data = {**row, **details, **({} if meta else {"text": text})}
    context.out.result("file", data, meta_text(context, row, details), exact=not meta)
    return 0


def details_of(snapshot: Snapshot, named: NamedFile) -> Data:
    data: Data = {"problems": [problem_data(snapshot, problem) for problem in snapshot.problems_of(named.path)]}
    file = named.file
    if named.instruction is not None and named.imported is None:
        data["imports"] = [
            {**fields(one, "written line hops state reason"), "path": str(one.path), "says": import_words(one)}
            for one in walk_imports(named.instruction.imports)
            if one.is_meant
        ]
        data["loads"] = loaded_words(named.instruction) if named.instruction.loaded else ""
    if file is None or named.scope is None:
        return data
    graph = snapshot.graphs[named.scope.id]
    data["fields"] = [fields(field, "key value line") for field in file.front.fields]
    data["links"] = [
        {**fields(one.link, "kind target label line column"), "state": one.target.state, "file": one.target.name}
        for one in graph.out(file)
    ]
    data["backlinks"] = [fields(one, "name line text") for one in graph.backlinks(file, index=True)]
    data["mentions"] = [fields(one, "name line text") for one in snapshot.unlinked_mentions(file)]
    return data


def problem_data(snapshot: Snapshot, problem: Problem) -> Data:
    """A problem for scripts; `name` is what the file is called everywhere, `file` its name in the scope."""
    scope = snapshot.scope(problem.scope)
    if scope is None:
        name = instruction_name(problem.path, snapshot)
    else:
        name = shown_name(scope.root, scope.id, snapshot.location.folder, problem.file)
    named = {"name": name, "scope": problem.scope, "file": problem.file, "path": str(problem.path)}
    return named | fields(problem, "line column code severity message fix subject")


def meta_text(context: CliContext, row: Data, details: Data) -> Iterator[Line]:
    yield StyledText(row["name"], "bold")
    count = hard_links(Path(row["path"]))
    facts = [
        *((key, row[key]) for key in ("path", "kind", "type", "title", "description")),
        ("size", f"{row['size']:,} bytes"),
        ("modified", f"{row['modified']} ({_age(context.now(), row)})" if row["modified"] else ""),
        ("lies at", row.get("lies_at")),
        ("hard links", f"{pluralize(count, 'other name')}, which a save leaves as they are" if count else ""),
        ("loaded", details.get("loads")),
        ("imported by", f"{row['imported_by']} line {row['line']}" if "imported_by" in row else ""),
        ("index", f"line {row['index_line']}" if row["index_line"] else ""),
        ("state", ", ".join(_states({**row, "problems": len(details["problems"])}))),
    ]
    yield from table(context.out, columns("", ""), ([StyledText(key, "dim"), value] for key, value in facts if value))
    for field in details.get("fields", ()):
        if field["key"] not in ("name", "description", "type"):
            yield [StyledText(f"{field['key']}  ", "dim"), _masked_value(context.out, field) or ""]
    for one in details.get("imports", ()):
        says = StyledText(f"  {one['says']}", "dim" if one["state"] in ("loaded", "repeated") else "warn")
        yield [StyledText("imports  ", "dim"), f"{'  ' * (one['hops'] - 1)}{one['written']}  line {one['line']}", says]
    for link in details.get("links", ()):
        state = StyledText("  missing", "problem") if link["state"] == "missing" else StyledText("")
        yield [StyledText("links to  ", "dim"), f"{link['target']}  line {link['line']}", state]
    for key, words in (("backlinks", "linked from"), ("mentions", "named without a link in")):
        for one in details.get(key, ()):
            yield [StyledText(f"{words}  ", "dim"), f"{one['name']}:{one['line']}  {one['text'].strip()}"]
    for problem in details["problems"]:
        yield problem_line(context.out, problem)


def _masked_value(out: Output, field: Data) -> str | None:
    """The value of a field; its key may tell that it is a secret."""
    if not field["value"]:
        return None
    lead = f"{field['key']}: "
    [shown] = out.masked([f"{lead}{field['value']}"])
    return shown.removeprefix(lead)


def problem_line(out: Output, problem: Data) -> Line:
    """A problem as one line: place, severity, what it is, what fixes it."""
    where = problem_place(problem["name"], problem["line"], problem["column"])
    fix = f"  (fix: {problem['fix']})" if problem["fix"] else ""
    if out.plain:
        return "\t".join(_one_line(word) for word in (where, problem["severity"], problem["code"], problem["message"]))
    severity = StyledText(problem["severity"], SEVERITY_TONES[problem["severity"]])
    return [StyledText(where, "bold"), "  ", severity, f"  {problem['message']}", StyledText(fix, "dim")]
