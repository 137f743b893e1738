"""Changing memory files: new, edit, set, mv, rm."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from memtui.base.errors import MemtuiError, NotFound, Refused, Unsupported, Usage
from memtui.cli.call import Call
from memtui.cli.context import Command, complete_names, pass_call
from memtui.cli.doing import carry_out, check_secrets, keep_draft, save_text
from memtui.cli.files import TYPES
from memtui.cli.names import Named, find, find_all, topic


@click.command("new", cls=Command)
@click.argument("name")
@click.option("--type", "type_", type=click.Choice(TYPES), help="What it is about; told by a name such as feedback_x.")
@click.option("--description", default="", metavar="S", help="One line: when is it of use.")
@click.option("--from", "source", metavar="FILE", help="The body: a file, or - for standard input.")
@pass_call
def new(call: Call, name: str, type_: str | None, description: str, source: str | None) -> int:
    """Write a new topic file and list it in MEMORY.md.

    \b
    memtui new testing --type feedback --description "Integration tests hit a real database"
    git log -1 --format=%B | memtui new project_release --from -
    """
    from memtui.memory import changes
    from memtui.memory.index import INDEX_NAME

    call.may_write()
    word = type_ or next((one for one in TYPES if name.startswith((f"{one}_", f"{one}-"))), None)
    if word is None:
        raise Usage("of which type?", hint="--type user, feedback, project or reference")
    body = _body(source)
    plan = changes.plan_new(call.read(full=False), name.removesuffix(".md"), word, description, body)
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


@click.command("edit", cls=Command, short_help="Edit a file in $VISUAL or $EDITOR.")
@click.argument("name", shell_complete=complete_names)
@click.option("--line", type=click.IntRange(1), help="Where to start.")
@click.option("--discard", is_flag=True, help="Forget a draft of this file first.")
@pass_call
def edit(call: Call, name: str, line: int | None, discard: bool) -> int:
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


def _find_or_draft(call: Call, name: str) -> Named:
    """The file, or one that exists only as a draft."""
    try:
        return find(call.world(full=False), name, call.cwd)
    except NotFound:
        for draft in call.workspace.drafts.list():
            if draft.path.is_relative_to(call.place.folder):
                own = draft.path.relative_to(call.place.folder).as_posix()
                if name in (own, own.removesuffix(".md")):
                    return Named(own, draft.path)
        raise


def _edited(call: Call, named: Named, start: bytes, base: str | None, line: int | None) -> bytes:
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


@click.command("set", cls=Command, short_help="Set fields of a topic.")
@click.argument("name", shell_complete=complete_names)
@click.argument("pairs", nargs=-1, required=True, metavar="KEY=VALUE…")
@pass_call
def set_fields(call: Call, name: str, pairs: tuple[str, ...]) -> int:
    """Set fields of a topic's front matter; KEY= takes one out. Every other byte stays.

    \b
    memtui set testing type=feedback description="Integration tests hit a real database"
    """
    from memtui.memory.fields import TYPES as KNOWN
    from memtui.memory.frontmatter import remove_field, set_field

    call.may_write()
    named = find(call.world(full=False), name, call.cwd)
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
            raise Usage(f"{pair!r} is not KEY=VALUE", hint="KEY= takes the field out")
        if key == "type" and value and value not in KNOWN:
            raise Usage(f"type is {', '.join(KNOWN)}, not {value!r}")
        text = set_field(text, key, value) if value else remove_field(text, key)
        keys.append(key)
    after = text.encode("utf-8")
    why = f"set {', '.join(keys)} of {named.name}"
    return save_text(call, "set", named, before, after, base=base, why=why)


@click.command("mv", cls=Command, short_help="Rename a topic, links and index included.")
@click.argument("old", shell_complete=complete_names)
@click.argument("new_name", metavar="NEW")
@pass_call
def mv(call: Call, old: str, new_name: str) -> int:
    """Rename a topic; MEMORY.md and every link to it follow. -n shows what would change."""
    from memtui.memory import changes

    call.may_write()
    world = call.world()
    file = topic(find(world, old, call.cwd))
    target = new_name if new_name.endswith(".md") else f"{new_name}.md"
    return carry_out(call, "mv", changes.plan_rename(world, file, target))


@click.command("rm", cls=Command, short_help="Delete topics; history and trash keep them.")
@click.argument("names", nargs=-1, required=True, shell_complete=complete_names, metavar="NAME…")
@pass_call
def rm(call: Call, names: Sequence[str]) -> int:
    """Delete topics, from MEMORY.md too; they stay in the history and go to the trash."""
    from memtui.memory import changes

    call.may_write()
    world = call.world()
    files = [topic(named) for named in find_all(world, names, call.cwd)]
    plan = changes.plan_delete(world, files)
    question = f"Delete {files[0].name}?" if len(files) == 1 else f"Delete {len(files)} files?"
    if not call.asked.dry_run and not call.asked.yes and call.out.interactive() and len(files) > 1:
        call.out.note(*(f"  {file.name}" for file in files))
    return carry_out(call, "rm", plan, question=question)


@click.command("pin", cls=Command)
@click.argument("names", nargs=-1, shell_complete=complete_names, metavar="[NAME…]")
@click.option("--off", is_flag=True, help="Unpin them.")
@pass_call
def pin(call: Call, names: Sequence[str], off: bool) -> None:
    """Pin topics, so that no background run may touch them; without a name, list what is pinned."""
    pins, folder = call.pins, call.place.folder
    if names:
        call.may_write()
        chosen = [topic(named) for named in find_all(call.world(full=False), names, call.cwd)]
        for file in chosen:
            if not file.path.is_relative_to(folder):
                raise Refused(f"{file.name} is not in the memory folder: only that has pins")
        if not call.asked.dry_run:
            pins.set(folder, [file.path.relative_to(folder).as_posix() for file in chosen], not off)
    pinned = sorted(pins.names(folder))
    call.out.answer("pins", {"folder": str(folder), "pinned": pinned}, pinned, rows=pinned)
