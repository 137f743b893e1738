"""Changing memory files: new, edit, set, mv, rm, pin."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from memtui.cli.asking import answered, carry_out, may_write, saved_data, tell_saved
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.names import NamedFile, find, find_all, memory_file
from memtui.cli.options import CliCommand, complete_names, pass_context
from memtui.memory.frontmatter import TYPES
from memtui.memory.pins import Pins
from memtui.memory.snapshot import Snapshot
from memtui.services import memory
from memtui.services.access import require_writable_file
from memtui.services.editor import run_editor, save_returned, starting_text
from memtui.services.memory import SavedFile
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound, Refused, Unsupported, UsageError
from memtui.util.paths import expand_tilde


@click.command("new", cls=CliCommand)
@click.argument("name")
@click.option("--type", "type_", type=click.Choice(TYPES), help="Its type; a name such as feedback_x says it, too.")
@click.option("--description", default="", metavar="S", help="One line: when it is useful.")
@click.option("--from", "source", metavar="FILE", help="The body: a file, or - for standard input.")
@pass_context
def new(context: CliContext, name: str, type_: str | None, description: str, source: str | None) -> int:
    """Write a new topic file and list it in MEMORY.md.

    \b
    memtui new testing --type feedback --description "Integration tests hit a real database"
    git log -1 --format=%B | memtui new project_release --from -
    """
    may_write(context)
    body = _body(source)
    return carry_out(context, "new", memory.new_topic(context.read(full=False), name, type_, description, body))


def _body(source: str | None) -> str:
    if source is None:
        return ""
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(expand_tilde(source)).read_bytes()
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{source} is not UTF-8 (byte {error.start})") from error
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {source}") from error


@click.command("edit", cls=CliCommand, short_help="Edit a file in $VISUAL or $EDITOR.")
@click.argument("name", shell_complete=complete_names)
@click.option("--line", type=click.IntRange(1), help="Where to start.")
@click.option("--discard", is_flag=True, help="Discard a draft of this file first.")
@pass_context
def edit(context: CliContext, name: str, line: int | None, discard: bool) -> int:
    """Edit a file in $VISUAL or $EDITOR, on a copy; what comes back is saved, merged with what others did meanwhile."""
    may_write(context)
    workspace, out, dry_run = context.workspace, context.out, context.options.dry_run
    named = _find_or_draft(context, name)
    require_writable_file(workspace, named.path)
    if not out.interactive():
        raise Unsupported("editing needs a terminal", hint="memtui set and memtui new --from - need none")
    if discard and not dry_run:
        workspace.drafts.drop(named.path)
    draft = workspace.drafts.load(named.path)
    if draft is not None:
        out.status(f"continuing the draft of {named.name}; --discard deletes it")
    before = named.path.read_bytes() if named.path.exists() else None
    if not dry_run:
        # What the typing starts from has to be in the history, or what others do meanwhile couldn't be merged with it.
        workspace.home_of(named.path)[0].note_outside()
    returned = run_editor(workspace, named.path, *starting_text(workspace, named.path), line=line)
    if dry_run:
        diff = unified_diff(before, returned.data, named.name)
        data = {"name": named.name, "path": str(named.path), **saved_data(None), "diff": diff}
        out.result("edit", data, diff_lines(diff))
        out.unwritten()
        return 0
    if not returned.changed and draft is None:
        again = f"; what you save in {returned.copy} later is kept as a draft" if returned.at_once else ""
        out.status(f"nothing changed{again}")
        return 0
    done = answered(context, lambda allow: save_returned(workspace, named.path, returned, allow))
    if done is None:
        return 1
    tell_saved(context, "edit", before, done, named.name)
    if before is None:
        out.status(f"{named.name} is new: memtui index --add {named.name} lists it in MEMORY.md")
    return 0


def _find_or_draft(context: CliContext, name: str) -> NamedFile:
    try:
        return find(context.snapshot(full=False), name, context.cwd)
    except NotFound:
        folder = context.location.folder
        for path in (draft.path for draft in context.workspace.drafts.list()):
            if path.is_relative_to(folder) and path in (folder / name, folder / f"{name}.md"):
                return NamedFile(path.relative_to(folder).as_posix(), path)
        raise


@click.command("set", cls=CliCommand, short_help="Set fields of a topic.")
@click.argument("name", shell_complete=complete_names)
@click.argument("pairs", nargs=-1, required=True, metavar="KEY=VALUE…")
@click.option("--index/--no-index", default=None, help="Give the entry in MEMORY.md a new description too, or don't.")
@pass_context
def set_fields(context: CliContext, name: str, pairs: tuple[str, ...], index: bool | None) -> int:
    """Set fields of a topic's front matter; KEY= takes one out. Every other byte stays.

    \b
    memtui set testing type=feedback description="Integration tests hit a real database" --index
    memtui set project_freeze valid_until=2026-12-31
    """
    may_write(context)
    named = find(context.snapshot(full=False), name, context.cwd)
    wanted: dict[str, str | None] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"{pair!r} is not KEY=VALUE", hint="KEY= takes the field out")
        wanted[key] = value
    snapshot = context.read(full=False)
    if index is None:
        index = _index_follows(context, snapshot, named, wanted)
    change = memory.set_fields(snapshot, [named.file or named.path], wanted, index=index)
    before = next(iter(change.plan.before.values()), None)
    if not change.plan.changes or context.options.dry_run:
        return carry_out(context, "set", change)
    done = answered(context, lambda allow: memory.apply(context.workspace, change, allow))
    if done is None:
        return 1
    after = next(one.data for one in done.plan.changes) or b""
    tell_saved(context, "set", before, SavedFile(named.path, named.name, done.saved, after), named.name)
    return 0


def _index_follows(context: CliContext, snapshot: Snapshot, named: NamedFile, fields: Mapping[str, str | None]) -> bool:
    """Ask whether the entry in the index gets a new description too; without a terminal, say that it doesn't."""
    description, out = fields.get("description"), context.out
    if description is None or named.file is None:
        return False
    if not memory.is_described_in_index(snapshot, named.file, description):
        return False
    if context.options.yes or (out.interactive() and not context.options.dry_run):
        return out.ask("Give the entry in MEMORY.md this description too?")
    out.status("MEMORY.md keeps its own description of it: --index changes that too")
    return False


@click.command("merge", cls=CliCommand, short_help="Merge two topics into one, links and index included.")
@click.argument("kept", shell_complete=complete_names)
@click.argument("gone", shell_complete=complete_names)
@pass_context
def merge(context: CliContext, kept: str, gone: str) -> int:
    """Merge the topic GONE into KEPT, which keeps its name and front matter; the result is shown first.

    Every line that only GONE has goes into KEPT; links and the entry in MEMORY.md lead there.
    """
    may_write(context)
    snapshot = context.snapshot()
    files = [memory_file(find(snapshot, name, context.cwd)) for name in (kept, gone)]
    return carry_out(context, "merge", memory.merge_topics(snapshot, *files))


@click.command("promote", cls=CliCommand, short_help="Move a topic to another scope: an agent's or the team's memory.")
@click.argument("name", shell_complete=complete_names)
@click.argument("scope", required=False, default="")
@pass_context
def promote(context: CliContext, name: str, scope: str) -> int:
    """Move a topic to another scope and list it there; without SCOPE, list the scopes that there are.

    \b
    memtui promote feedback_testing team
    memtui promote feedback_testing agent:user:reviewer
    """
    if scope:
        may_write(context)
    snapshot = context.snapshot()
    file = memory_file(find(snapshot, name, context.cwd))
    if scope:
        return carry_out(context, "promote", memory.promote_topic(snapshot, file, scope))
    offered = memory.promotion_scopes(snapshot, file)
    rows = [{"scope": one.id, "label": one.label, "root": str(one.root)} for one in offered]
    lines = [f"{row['scope']}  {row['root']}" for row in rows]
    return context.out.listing("scopes", rows, lines, empty="there is no other scope")


@click.command("mv", cls=CliCommand, short_help="Rename a topic, links and index included.")
@click.argument("old", shell_complete=complete_names)
@click.argument("new_name", metavar="NEW")
@pass_context
def mv(context: CliContext, old: str, new_name: str) -> int:
    """Rename a topic; MEMORY.md and every link to it are updated too. -n shows what would change."""
    may_write(context)
    snapshot = context.snapshot()
    file = memory_file(find(snapshot, old, context.cwd))
    return carry_out(context, "mv", memory.rename_topic(snapshot, file, new_name))


@click.command("rm", cls=CliCommand, short_help="Delete topics; history and trash keep them.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_names, metavar="NAME…")
@pass_context
def rm(context: CliContext, names: Sequence[str]) -> int:
    """Delete topics, from MEMORY.md too; they stay in the history and go to the trash."""
    may_write(context)
    snapshot = context.snapshot()
    files = [memory_file(named) for named in find_all(snapshot, names, context.cwd)]
    return carry_out(context, "rm", memory.delete_files(snapshot, files))


@click.command("pin", cls=CliCommand)
@click.argument("names", nargs=-1, shell_complete=complete_names, metavar="[NAME…]")
@click.option("--off", is_flag=True, help="Unpin them.")
@pass_context
def pin(context: CliContext, names: Sequence[str], off: bool) -> None:
    """Pin topics, so that no dream may touch them; without a name, list what is pinned."""
    if names:
        may_write(context)
        chosen = [memory_file(named) for named in find_all(context.snapshot(full=False), names, context.cwd)]
        if not context.options.dry_run:
            memory.pin_files(context.workspace, [file.path for file in chosen], not off)
    folder = context.location.folder
    pinned = sorted(Pins(context.dirs).names(folder))
    context.out.result("pins", {"folder": str(folder), "pinned": pinned}, pinned, rows=pinned)
