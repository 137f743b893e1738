"""Looking at memory files: the list, and one of them.

Changing memory files: new, edit, set, mv, rm.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.apply_plan import carry_out, check_secrets, keep_draft, save_text
from memtui.cli.context import CliContext
from memtui.cli.names import NamedFile, all_named, find, find_all, instruction_name, shown_name, topic
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.cli.output import Data, Line, Output, StyledText, iso
from memtui.cli.table import Column, table
from memtui.fs.atomic import read_stable
from memtui.presentation.problem_text import SEVERITY_TONES, problem_place
from memtui.util.errors import MemtuiError, NotFound, Refused, Unsupported, UsageError
from memtui.util.text import age, pluralize, size, visible

if TYPE_CHECKING:
    from memtui.memory.checks.base import Problem
    from memtui.memory.pins import Pins
    from memtui.memory.snapshot import Snapshot


TYPES = ("user", "feedback", "project", "reference")
_TYPE = click.Choice((*TYPES, "none"))


def problems_by_path(snapshot: "Snapshot") -> "dict[object, list[Problem]]":
    """The problems of each file; hints that change nothing are left out."""
    found: dict[object, list[Problem]] = {}
    for problem in snapshot.problems:
        if problem.severity != "info":
            found.setdefault(problem.path, []).append(problem)
    return found


def file_rows(pins: "Pins", snapshot: "Snapshot") -> list[tuple[NamedFile, Data]]:
    """Every file of a world, for scripts; problems are known after a full reading only."""
    from memtui.memory.index import same_name

    problems = problems_by_path(snapshot)
    pinned = pins.paths(snapshot.location.folder)
    rows = []
    for named in all_named(snapshot):
        file, scope, instruction = named.file, named.scope, named.instruction
        row: Data = {"name": named.name, "path": str(named.path)}
        if file is not None and scope is not None:
            entry = next((one for one in scope.entries if same_name(one.target, file.name)), None)
            listed = None if scope.budget is None or file.kind != "topic" else entry is not None
            row |= {
                "scope": scope.id,
                "kind": file.kind,
                "type": file.type,
                "title": file.title,
                "description": file.description,
                "size": file.size,
                "modified": iso(file.modified),
                "in_index": listed,
                "index_line": None if entry is None else entry.line,
                "loaded": None if entry is None else entry.loaded,
                "scanned": file.scanned if file.kind == "topic" else None,
                "readonly": file.readonly,
            }
        elif instruction is not None:
            row |= {
                "scope": "instructions",
                "kind": "instruction",
                "type": None,
                "title": instruction.layer,
                "description": instruction.skipped,
                "size": instruction.size,
                "modified": iso(instruction.mtime_ns / 1e9),
                "in_index": None,
                "index_line": None,
                "loaded": instruction.loaded,
                "scanned": None,
                "readonly": None,
                "globs": list(instruction.globs),
                "loaded_lines": instruction.loaded_lines,
                "loaded_units": instruction.loaded_chars,
            }
        count = len(problems.get(named.path, ())) if snapshot.full else None
        row |= {"pinned": named.path in pinned, "problems": count}
        rows.append((named, row))
    return rows


@click.command("ls", cls=CliCommand, short_help="List the memory files.")
@click.argument("words", nargs=-1, metavar="[WORD]…")
@click.option("--type", "type_", type=_TYPE, help="Only topics of this type.")
@click.option("--scope", metavar="S", help="Only this scope: auto, team, logs, agent:…, instructions.")
@click.option("--problems", "troubled", is_flag=True, help="Only files with problems.")
@click.option("--orphans", is_flag=True, help="Only topics that MEMORY.md doesn't list.")
@click.option("--sort", type=click.Choice(("name", "age", "size")), default="name", show_default=True)
@pass_context
def ls(
    call: CliContext,
    words: Sequence[str],
    type_: str | None,
    scope: str | None,
    troubled: bool,
    orphans: bool,
    sort: str,
) -> int:
    """List the memory files; words filter as on the screen: 'exact ^start end$ !not.

    Only the heads of the files are read; --problems and -v read all and mark those with problems. Ends with 1 if
    nothing fits.
    """
    from memtui.util.filter_query import matches_query, parse_query

    snapshot = call.snapshot(full=troubled or call.out.verbose)
    terms = parse_query(" ".join(words))
    found = [
        (named, row)
        for named, row in file_rows(call.pins, snapshot)
        if (type_ is None or (row["kind"] == "topic" and (row["type"] or "none") == type_))
        and (scope is None or row["scope"] == scope or row["scope"].startswith(scope + ":"))
        and (not troubled or row["problems"])
        and (not orphans or row["in_index"] is False)
        and matches_query(terms, named.name, *_words_of(row))
    ]
    orders = {"size": lambda pair: -pair[1]["size"], "age": lambda pair: pair[1]["modified"] or ""}
    if sort in orders:
        found.sort(key=orders[sort], reverse=sort == "age")
    rows = [row for _, row in found]
    warnings = [*call.location.warnings, *snapshot.notices]
    text = _list_text(call, snapshot, found, by_scope=sort == "name")
    call.out.answer("files", rows, text, rows=rows, warnings=warnings)
    if not rows:
        call.out.note("nothing fits")
    return int(not rows)


def _words_of(row: Data) -> tuple[str, str]:
    """What a filter finds a file by beside its name."""
    return ("", "") if row["kind"] == "instruction" else (row["title"] or "", row["description"] or "")


def _list_text(
    call: CliContext, snapshot: "Snapshot", found: list[tuple[NamedFile, Data]], *, by_scope: bool
) -> Iterator[Line]:
    out = call.out
    if out.plain or not by_scope:
        yield from file_table(out, [row for _, row in found], call.now())
        return
    labels = {scope.id: scope.label for scope in snapshot.scopes} | {"instructions": "instructions"}
    scopes = list(dict.fromkeys(row["scope"] for _, row in found))
    for number, scope in enumerate(scopes):
        rows = [row for _, row in found if row["scope"] == scope]
        if len(scopes) > 1:
            yield from (
                ["", *_heading(labels.get(scope, scope), len(rows))]
                if number
                else _heading(labels.get(scope, scope), len(rows))
            )
        yield from file_table(out, rows, call.now())


def _heading(label: str, count: int) -> list[Line]:
    return [[StyledText(label, "bold"), StyledText(f"  {count}", "dim")]]


def file_table(out: Output, rows: Sequence[Data], now: float) -> Iterator[Line]:
    """Files as a table: marks, name, type, size, age, what it says."""
    if out.plain:
        for row in rows:
            fields = [row["name"], row["type"] or row["kind"], str(row["size"]), row["modified"] or ""]
            yield "\t".join(_one_line(field) for field in [*fields, ", ".join(_states(row)), row["description"] or ""])
        return
    columns = [Column(""), Column("", rest=1), Column(""), Column("", right=True), Column("", right=True)]
    columns += [Column("", right=True), Column("", rest=1)]
    lines = []
    for row in rows:
        mark, style = _mark(out, row)
        line = f"L{row['index_line']}" if row["index_line"] else ""
        kind = row["type"] or (row["kind"] if row["kind"] != "topic" else "")
        says = row["readonly"] or row["description"] or (row["title"] if row["kind"] == "instruction" else "")
        lines.append(
            [
                StyledText(mark, style), row["name"], kind, size(row["size"]), _age(now, row),
                StyledText(line, "warn" if row["loaded"] is False else "dim"), StyledText(says, "dim"),
            ]
        )  # fmt: skip
    yield from table(out, columns, lines)


def _age(now: float, row: Data) -> str:
    from datetime import datetime

    return age(now - datetime.fromisoformat(row["modified"]).timestamp()) if row["modified"] else ""


def _one_line(text: str) -> str:
    return visible(text, keep="").replace("\t", " ")


def _mark(out: Output, row: Data) -> tuple[str, str]:
    if row["problems"]:
        return out.glyphs.problem, "problem"
    return (out.glyphs.unlisted, "warn") if row["in_index"] is False else ("", "")


def _states(row: Data) -> list[str]:
    """The marks of a row as words."""
    words = [pluralize(row["problems"], "problem")] if row["problems"] else []
    words += ["not in MEMORY.md"] if row["in_index"] is False else []
    words += ["index line not loaded"] if row["loaded"] is False and row["kind"] == "topic" else []
    words += ["not loaded"] if row["loaded"] is False and row["kind"] == "instruction" else []
    words += ["pinned"] if row["pinned"] else []
    words += [f"read only: {row['readonly']}"] if row["readonly"] else []
    return words


@click.command("show", cls=CliCommand)
@click.argument("name", shell_complete=complete_names)
@click.option("--meta", is_flag=True, help="Properties, links and problems instead of the text.")
@click.option("--raw", is_flag=True, help="The file's exact bytes; on a terminal made visible.")
@click.option("--history", "past", is_flag=True, help="What happened to the file.")
@click.pass_context
def show(context: click.Context, name: str, meta: bool, raw: bool, past: bool) -> int:
    """Print a memory or instruction file."""
    call = context.ensure_object(CliContext)
    if past:
        from memtui.cli.commands.history import history

        return int(context.invoke(history, name=name, patch=False, limit=50) or 0)
    snapshot = call.snapshot(full=meta or call.out.structured)
    named = find(snapshot, name, call.cwd)
    content = read_stable(named.path)
    text = content.decode("utf-8", "replace")
    if raw and not call.out.structured:
        call.out.raw(content)
        return 0
    if not meta and not call.out.structured:
        call.out.answer("file", {}, _body_lines(text), page=True)
        return 0
    row = next(row for one, row in file_rows(call.pins, snapshot) if (one.path, one.name) == (named.path, named.name))
    details = details_of(snapshot, named)
    data = {**row, **details, **({} if meta else {"text": text})}
    call.out.answer("file", data, meta_text(call, row, details))
    return 0


def _body_lines(text: str) -> Iterator[Line]:
    """The lines of a file, CRLF like LF."""
    return (line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")) if text else iter(())


def details_of(snapshot: "Snapshot", named: NamedFile) -> Data:
    """Fields, links both ways and problems of a file, for scripts."""
    data: Data = {"problems": [problem_data(snapshot, problem) for problem in snapshot.problems_of(named.path)]}
    file = named.file
    if file is None or named.scope is None:
        return data
    graph = snapshot.graph.of(named.scope.id)
    data["fields"] = [{"key": field.key, "value": field.value, "line": field.line} for field in file.front.fields]
    data["links"] = [
        {
            "kind": one.link.kind,
            "target": one.link.target,
            "label": one.link.label,
            "line": one.link.line,
            "column": one.link.column,
            "state": one.target.state,
            "file": one.target.name,
        }
        for one in graph.out(file)
    ]
    for key, found in (
        ("backlinks", graph.backlinks(file, index=True)),
        ("mentions", snapshot.unlinked_mentions(file)),
    ):
        data[key] = [{"name": one.name, "line": one.line, "text": one.text} for one in found]
    return data


def problem_data(snapshot: "Snapshot", problem: "Problem") -> Data:
    """A problem for scripts; `name` is what the file is called everywhere, `file` its name in the scope."""
    scope = snapshot.scope(problem.scope)
    if scope is None:
        name = instruction_name(problem.path, snapshot)
    else:
        name = shown_name(scope.root, scope.id, snapshot.location.folder, problem.file)
    return {
        "name": name,
        "scope": problem.scope,
        "file": problem.file,
        "path": str(problem.path),
        "line": problem.line,
        "column": problem.column,
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "fix": problem.fix,
        "subject": problem.subject,
    }


def meta_text(call: CliContext, row: Data, details: Data) -> Iterator[Line]:
    """Properties of a file for people."""
    yield StyledText(row["name"], "bold")
    facts = [
        ("path", row["path"]),
        ("kind", row["kind"]),
        ("type", row["type"] or ""),
        ("title", row["title"] or ""),
        ("description", row["description"] or ""),
        ("size", f"{row['size']} bytes"),
        ("modified", f"{row['modified']} ({_age(call.now(), row)})"),
        ("index", f"line {row['index_line']}" if row["index_line"] else ""),
        ("state", ", ".join(_states({**row, "problems": len(details["problems"])}))),
    ]
    rows: list[list[str | StyledText]] = [[StyledText(key, "dim"), value] for key, value in facts if value]
    yield from table(call.out, [Column(""), Column("")], rows)
    fields = [field for field in details.get("fields", ()) if field["key"] not in ("name", "description", "type")]
    for field in fields:
        yield [StyledText(f"{field['key']}  ", "dim"), field["value"] or ""]
    for link in details.get("links", ()):
        state = StyledText("  missing", "problem") if link["state"] == "missing" else StyledText("")
        yield [StyledText("links to  ", "dim"), f"{link['target']}  line {link['line']}", state]
    for key, words in (("backlinks", "linked from"), ("mentions", "named without a link in")):
        for one in details.get(key, ()):
            yield [StyledText(f"{words}  ", "dim"), f"{one['name']}:{one['line']}  {one['text'].strip()}"]
    for problem in details["problems"]:
        yield from [problem_line(call.out, problem)]


def problem_line(out: Output, problem: Data) -> Line:
    """A problem as one line: place, severity, what it is, what mends it."""
    where = problem_place(problem["name"], problem["line"], problem["column"])
    fix = f"  (fix: {problem['fix']})" if problem["fix"] else ""
    if out.plain:
        return "\t".join(_one_line(word) for word in (where, problem["severity"], problem["code"], problem["message"]))
    return [
        StyledText(where, "bold"),
        "  ",
        StyledText(problem["severity"], SEVERITY_TONES[problem["severity"]]),
        f"  {problem['message']}",
        StyledText(fix, "dim"),
    ]


@click.command("new", cls=CliCommand)
@click.argument("name")
@click.option("--type", "type_", type=click.Choice(TYPES), help="What it is about; told by a name such as feedback_x.")
@click.option("--description", default="", metavar="S", help="One line: when is it of use.")
@click.option("--from", "source", metavar="FILE", help="The body: a file, or - for standard input.")
@pass_context
def new(call: CliContext, name: str, type_: str | None, description: str, source: str | None) -> int:
    """Write a new topic file and list it in MEMORY.md.

    \b
    memtui new testing --type feedback --description "Integration tests hit a real database"
    git log -1 --format=%B | memtui new project_release --from -
    """
    from memtui.memory import plans
    from memtui.memory.index import INDEX_NAME

    call.may_write()
    word = type_ or next((one for one in TYPES if name.startswith((f"{one}_", f"{one}-"))), None)
    if word is None:
        raise UsageError("of which type?", hint="--type user, feedback, project or reference")
    body = _body(source)
    plan = plans.plan_new(call.read(full=False), name.removesuffix(".md"), word, description, body)
    file = next(change for change in plan.changes if change.name != INDEX_NAME)
    if call.asked.dry_run or file.data is None:
        return carry_out(call, "new", plan)
    try:
        check_secrets(call, file.name, None, file.data)
        return carry_out(call, "new", plan)
    except MemtuiError as error:
        if source is not None and not call.asked.read_only:
            keep_draft(call, plan.root / file.name, file.data.decode("utf-8", "surrogateescape"), None)
            error.hint = f"the text is kept: memtui edit {file.name} goes on with it"
        raise


def _body(source: str | None) -> str:
    if source is None:
        return ""
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{source} is not UTF-8 (byte {error.start})") from error
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {source}") from error


@click.command("edit", cls=CliCommand, short_help="Edit a file in $VISUAL or $EDITOR.")
@click.argument("name", shell_complete=complete_names)
@click.option("--line", type=click.IntRange(1), help="Where to start.")
@click.option("--discard", is_flag=True, help="Forget a draft of this file first.")
@pass_context
def edit(call: CliContext, name: str, line: int | None, discard: bool) -> int:
    """Edit a file in $VISUAL or $EDITOR, on a copy; what comes back is saved, merged with what others did meanwhile."""
    call.may_write()
    named = _find_or_draft(call, name)
    drafts = call.workspace.drafts
    if discard:
        drafts.drop(named.path)
    before: bytes | None
    base: str | None
    try:
        before, base = call.workspace.text(named.path)
    except NotFound:
        before, base = None, None
    start = before or b""
    if not call.asked.dry_run:
        # What the typing starts from has to be in the history, or what others do meanwhile couldn't be merged with it.
        call.workspace.home_of(named.path)[0].note_outside()
    draft = drafts.load(named.path)
    if draft is not None:
        base, start = draft.base, draft.text.encode("utf-8", "surrogateescape")
        call.out.note(f"going on with the draft of {named.name}; --discard forgets it")
    after = _edited(call, named, start, base, line)
    if after == start and draft is None:
        call.out.note("nothing changed")
        return 0
    code = save_text(call, "edit", named, before, after, base=base, why=f"edit {named.name}")
    if before is None and not call.asked.dry_run:
        call.out.note(f"{named.name} is new: memtui index --add {named.name} lists it in MEMORY.md")
    return code


def _find_or_draft(call: CliContext, name: str) -> NamedFile:
    """The file, or one that exists only as a draft."""
    try:
        return find(call.snapshot(full=False), name, call.cwd)
    except NotFound:
        for draft in call.workspace.drafts.list():
            if draft.path.is_relative_to(call.location.folder):
                own = draft.path.relative_to(call.location.folder).as_posix()
                if name in (own, own.removesuffix(".md")):
                    return NamedFile(own, draft.path)
        raise


def _edited(call: CliContext, named: NamedFile, start: bytes, base: str | None, line: int | None) -> bytes:
    """What the person's editor makes of a text; kept as a draft if the editor ends with a fault."""
    from memtui.cli.editor import editor_words, run_editor

    if not call.out.interactive():
        raise Unsupported("editing needs a terminal", hint="memtui set and memtui new --from - need none")
    words = editor_words(call.config["editor"], call.env.environ)
    with tempfile.TemporaryDirectory(prefix="memtui-edit-") as folder:
        copy = Path(folder) / named.path.name
        copy.write_bytes(start)
        try:
            run_editor(words, copy, line)
        except BaseException as error:  # a signal too: what was typed must not go away with the copy
            typed = _read(copy)
            if typed is not None and typed != start:
                keep_draft(call, named.path, typed.decode("utf-8", "surrogateescape"), base)
                if isinstance(error, MemtuiError):
                    error.hint = f"what was typed is kept: memtui edit {named.name} goes on with it"
            raise
        after = _read(copy)
    if after is None:
        raise NotFound(f"the editor left no {named.path.name} behind", hint="nothing was saved")
    return after


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


@click.command("set", cls=CliCommand, short_help="Set fields of a topic.")
@click.argument("name", shell_complete=complete_names)
@click.argument("pairs", nargs=-1, required=True, metavar="KEY=VALUE…")
@pass_context
def set_fields(call: CliContext, name: str, pairs: tuple[str, ...]) -> int:
    """Set fields of a topic's front matter; KEY= takes one out. Every other byte stays.

    \b
    memtui set testing type=feedback description="Integration tests hit a real database"
    """
    from memtui.memory.frontmatter import TYPES as KNOWN
    from memtui.memory.frontmatter import remove_field, set_field

    call.may_write()
    named = find(call.snapshot(full=False), name, call.cwd)
    if named.file is not None and named.file.readonly:
        raise Refused(f"{named.name} opens read only: {named.file.readonly}")
    before, base = call.workspace.text(named.path)
    try:
        text = before.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{named.name} is not UTF-8 (byte {error.start})") from error
    keys = []
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"{pair!r} is not KEY=VALUE", hint="KEY= takes the field out")
        if key == "type" and value and value not in KNOWN:
            raise UsageError(f"type is {', '.join(KNOWN)}, not {value!r}")
        text = set_field(text, key, value) if value else remove_field(text, key)
        keys.append(key)
    after = text.encode("utf-8")
    why = f"set {', '.join(keys)} of {named.name}"
    return save_text(call, "set", named, before, after, base=base, why=why)


@click.command("mv", cls=CliCommand, short_help="Rename a topic, links and index included.")
@click.argument("old", shell_complete=complete_names)
@click.argument("new_name", metavar="NEW")
@pass_context
def mv(call: CliContext, old: str, new_name: str) -> int:
    """Rename a topic; MEMORY.md and every link to it follow. -n shows what would change."""
    from memtui.memory import plans

    call.may_write()
    snapshot = call.snapshot()
    file = topic(find(snapshot, old, call.cwd))
    target = new_name if new_name.endswith(".md") else f"{new_name}.md"
    return carry_out(call, "mv", plans.plan_rename(snapshot, file, target))


@click.command("rm", cls=CliCommand, short_help="Delete topics; history and trash keep them.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_names, metavar="NAME…")
@pass_context
def rm(call: CliContext, names: Sequence[str]) -> int:
    """Delete topics, from MEMORY.md too; they stay in the history and go to the trash."""
    from memtui.memory import plans

    call.may_write()
    snapshot = call.snapshot()
    files = [topic(named) for named in find_all(snapshot, names, call.cwd)]
    plan = plans.plan_delete(snapshot, files)
    question = f"Delete {files[0].name}?" if len(files) == 1 else f"Delete {len(files)} files?"
    if not call.asked.dry_run and not call.asked.yes and call.out.interactive() and len(files) > 1:
        call.out.note(*(f"  {file.name}" for file in files))
    return carry_out(call, "rm", plan, question=question)


@click.command("pin", cls=CliCommand)
@click.argument("names", nargs=-1, shell_complete=complete_names, metavar="[NAME…]")
@click.option("--off", is_flag=True, help="Unpin them.")
@pass_context
def pin(call: CliContext, names: Sequence[str], off: bool) -> None:
    """Pin topics, so that no background run may touch them; without a name, list what is pinned."""
    folder = call.location.folder
    if names:
        call.may_write()
        chosen = [topic(named) for named in find_all(call.snapshot(full=False), names, call.cwd)]
        for file in chosen:
            if not file.path.is_relative_to(folder):
                raise Refused(f"{file.name} is not in the memory folder: only that has pins")
        if not call.asked.dry_run:
            call.workspace.pins.pin(folder, [file.path.relative_to(folder).as_posix() for file in chosen], not off)
    pinned = sorted(call.pins.names(folder))
    call.out.answer("pins", {"folder": str(folder), "pinned": pinned}, pinned, rows=pinned)
