"""Settings: ours in config.toml, Claude Code's in its own files, each with the layer that decides."""

from collections.abc import Iterator

import click
from msgspec.structs import asdict

from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.options import CliGroup, pass_context
from memtui.cli.output import Data, Line, StyledText, fields
from memtui.cli.table import columns, table
from memtui.client.switches import Switch
from memtui.services import settings
from memtui.services.access import require_writable
from memtui.services.editor import edit_config
from memtui.util.config import SETTINGS, read_config
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound, Unsupported, UsageError


def switch_data(switch: Switch) -> Data:
    return fields(switch, "key value layer source default writable target why_not describe")


def value_words(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value) or "none"
    return str(value)


@click.group("config", cls=CliGroup)
def config() -> None:
    """Settings of memtui and of Claude Code."""


@config.command("path")
@pass_context
def path(context: CliContext) -> None:
    """Print where config.toml is."""
    found = context.config.path
    context.out.result("config-path", {"path": str(found), "exists": found.exists()}, [str(found)])


def _rows(context: CliContext) -> list[Data]:
    ours = context.config
    rows = [{**switch_data(switch), "whose": "client"} for switch in context.location.switches]
    for setting in SETTINGS:
        value, path = ours[setting.key], str(ours.path)
        rows.append({
            **fields(setting, "key default"), "describe": setting.words, "choices": list(setting.choices),
            "value": value, "layer": ours.layer(setting.key), "source": path,
            "writable": True, "target": path, "why_not": "", "whose": "memtui",
        })  # fmt: skip
    return rows


def _row(context: CliContext, key: str) -> Data:
    """The setting of that name; ours come first, and "client.KEY" means Claude Code's."""
    rows = _rows(context)
    whose, _, rest = key.rpartition(".")
    for row in [*(row for row in rows if row["whose"] == "memtui"), *rows]:
        if row["key"] == rest and whose in ("", row["whose"]):
            return row
    raise NotFound(f"no setting {key!r}", hint="memtui config get lists them")


@config.command("get")
@click.argument("key", required=False)
@pass_context
def get(context: CliContext, key: str | None) -> None:
    """Print every setting and who set it, or the value of one."""
    out = context.out
    warnings = [*context.location.warnings, *context.config.warnings]
    if key is not None:
        row = _row(context, key)
        words = [value_words(row["value"])]
        if out.verbose:
            words += [f"set by {row['layer']}: {row['source']}".rstrip(": "), row["describe"]]
        out.result("setting", row, words, warnings=warnings)
        return
    rows = _rows(context)

    def text() -> Iterator[Line]:
        last = "source" if out.verbose else "describe"
        listed = columns("setting", "value*", "set by", "source*" if out.verbose else "what it does*")
        for whose, title in (("client", "Claude Code"), ("memtui", "memtui")):
            yield StyledText(title, "bold")
            own = (row for row in rows if row["whose"] == whose)
            lines = ([row["key"], value_words(row["value"]), row["layer"], row[last]] for row in own)
            yield from table(out, listed, lines)

    out.result("settings", rows, text(), warnings=warnings)


@config.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--layer", type=click.Choice(settings.LAYERS), help="Which of its files; else where it works.")
@click.option("--unset", is_flag=True, help="Take the setting out.")
@pass_context
def set_(context: CliContext, key: str, value: str | None, layer: str | None, unset: bool) -> None:
    """Change a setting; other keys, their order and comments stay.

    \b
    memtui config set theme memtui-light
    memtui config set autoDreamEnabled off --layer local
    """
    if (value is None) != unset:
        raise UsageError("a value, or --unset", hint="memtui config set KEY VALUE, memtui config set KEY --unset")
    if not context.options.dry_run:
        require_writable(context.workspace)
    row = _row(context, key)
    if row["whose"] != "memtui":
        _set_client(context, row["key"], value, layer)
    elif layer is not None:
        raise UsageError(f"{row['key']} is memtui's own: it has no layers")
    else:
        _set_ours(context, row["key"], value)


def _set_ours(context: CliContext, key: str, value: str | None) -> None:
    setting = settings.own_setting(key)
    value = settings.parse_own(setting, value)
    before, dry_run = context.config[key], context.options.dry_run
    if not dry_run:
        settings.set_own(context.workspace, key, value)
    after = (setting.default if value is None else value) if dry_run else read_config(context.dirs.config)[key]
    data = {"key": key, "before": before, "value": after, "target": str(context.config.path), "written": not dry_run}
    words = f"{key}: {value_words(before)} -> {value_words(after)}"
    context.out.result("setting-written", data, [] if context.out.quiet else [words])
    if dry_run:
        context.out.unwritten()


def _set_client(context: CliContext, key: str, value: str | None, layer: str | None) -> None:
    switch = settings.find_switch(context.workspace, key)
    edit = settings.plan_switch(context.workspace, key, settings.UNSET if value is None else value, layer)
    diff = unified_diff(edit.before, edit.after, str(edit.path))
    written = edit.changed and not context.options.dry_run
    now = settings.set_switch(context.workspace, edit) if written else switch
    data = {"key": key, "target": str(edit.path), "written": written, "diff": diff, "in_force": switch_data(now)}

    def text() -> Iterator[Line]:
        if context.out.quiet:
            return
        yield from diff_lines(diff)
        if written:
            yield f"written; in force: {value_words(now.value)}, set by {now.layer}"

    context.out.result("setting-written", data, text())
    if context.options.dry_run:
        context.out.unwritten()
    elif not written:
        context.out.status("nothing to change")


@config.command("edit")
@pass_context
def edit(context: CliContext) -> int:
    """Open config.toml in $VISUAL or $EDITOR."""
    require_writable(context.workspace)
    if not context.out.interactive():
        raise Unsupported("editing needs a terminal", hint=f"the file is {context.config.path}")
    after = edit_config(context.workspace)
    context.out.result("settings-edited", {"path": str(after.path)}, [], warnings=after.warnings)
    return int(bool(after.warnings))


@config.command("keys")
@pass_context
def keys(context: CliContext) -> None:
    """List the screen's keys with the names that [keys] in config.toml rebinds."""
    if context.keys is None:
        raise Unsupported("the screen's keys are not known here", hint="run it as memtui config keys")
    listed, own = context.keys(), context.config.keys
    found = [{**asdict(row), "default": row.keys, "keys": own.get(row.id, row.keys)} for row in listed]

    def text() -> Iterator[Line]:
        rows = [[row["id"], row["keys"], row["place"], row["words"]] for row in found]
        yield from table(context.out, columns("action", "keys", "where", "what it does*"), rows)

    context.out.result("keys", found, text(), warnings=context.config.warnings)
