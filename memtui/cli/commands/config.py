"""Settings: ours in config.toml, the agent client's in its own files, each with the layer that decides."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec.structs import asdict

from memtui.cli.commands.explain import switch_data, value_words
from memtui.cli.context import CliContext
from memtui.cli.diffs import diff_lines
from memtui.cli.options import CliGroup, pass_context
from memtui.cli.output import Data, Line, StyledText
from memtui.cli.table import Column, table
from memtui.util.diff import unified_diff
from memtui.util.errors import MemtuiError, NotFound, Refused, Unsupported, UsageError

_LAYERS = ("user", "local", "project")


@click.group("config", cls=CliGroup)
def config() -> None:
    """Settings of memtui and of the agent client."""


@config.command("path")
@pass_context
def path(call: CliContext) -> None:
    """Print where config.toml is."""
    found = call.config.path
    call.out.answer("config-path", {"path": str(found), "exists": found.exists()}, [str(found)])


def _rows(call: CliContext) -> list[Data]:
    from memtui.util.config import SETTINGS

    rows = [{**switch_data(switch), "whose": "client"} for switch in call.location.switches]
    ours = call.config
    for setting in SETTINGS:
        value = ours[setting.key]
        rows.append(
            {
                "key": setting.key,
                "value": value,
                "layer": "default" if value == setting.default else "config.toml",
                "source": str(ours.path),
                "default": setting.default,
                "writable": True,
                "target": str(ours.path),
                "why_not": "",
                "describe": setting.words,
                "choices": list(setting.choices),
                "whose": "memtui",
            }
        )
    return rows


def _row(call: CliContext, key: str) -> Data:
    """The setting of that name; ours come first, and "client.KEY" means the client's.

    Raises:
        NotFound: If there is none.
    """
    rows = _rows(call)
    whose, _, rest = key.rpartition(".")
    for row in [*(row for row in rows if row["whose"] == "memtui"), *rows]:
        if row["key"] == rest and whose in ("", row["whose"]):
            return row
    raise NotFound(f"no setting {key!r}", hint="memtui config get lists them")


@config.command("get")
@click.argument("key", required=False)
@pass_context
def get(call: CliContext, key: str | None) -> None:
    """Print every setting and who set it, or the value of one."""
    out = call.out
    warnings = [*call.location.warnings, *call.config.warnings]
    if key is not None:
        row = _row(call, key)
        words = [value_words(row["value"])]
        if out.verbose:
            words += [f"set by {row['layer']}: {row['source']}".rstrip(": "), row["describe"]]
        out.answer("setting", row, words, warnings=warnings)
        return
    rows = _rows(call)

    def text() -> Iterator[Line]:
        columns = [Column("setting"), Column("value", rest=1), Column("set by")]
        columns.append(Column("source" if out.verbose else "what it does", rest=1))
        for whose, title in (("client", "the agent client"), ("memtui", "memtui")):
            yield StyledText(title, "bold")
            yield from table(
                out,
                columns,
                [
                    [row["key"], value_words(row["value"]), row["layer"], row["source" if out.verbose else "describe"]]
                    for row in rows
                    if row["whose"] == whose
                ],
            )

    out.answer("settings", rows, text(), rows=rows, warnings=warnings)


@config.command("set")
@click.argument("key")
@click.argument("value", required=False)
@click.option("--layer", type=click.Choice(_LAYERS), help="Which of the client's files; else where it takes effect.")
@click.option("--unset", is_flag=True, help="Take the setting out.")
@pass_context
def set_(call: CliContext, key: str, value: str | None, layer: str | None, unset: bool) -> None:
    """Change a setting; other keys, their order and comments stay.

    \b
    memtui config set theme memtui-light
    memtui config set autoDreamEnabled off --layer local
    """
    if (value is None) != unset:
        raise UsageError("a value, or --unset", hint="memtui config set KEY VALUE, memtui config set KEY --unset")
    if call.asked.read_only and not call.asked.dry_run:
        raise Refused("memtui was started with --read-only", hint="start it without --read-only to write")
    row = _row(call, key)
    if row["whose"] == "memtui":
        if layer is not None:
            raise UsageError(f"{row['key']} is memtui's own: it has no layers")
        _set_ours(call, row["key"], value)
    else:
        _set_client(call, row, value, layer)


def _set_ours(call: CliContext, key: str, value: str | None) -> None:
    from memtui.services.settings import write_setting
    from memtui.util.config import SETTINGS, read_config

    setting = next(one for one in SETTINGS if one.key == key)
    if value is not None and setting.choices == ("true", "false"):
        value = {"on": "true", "off": "false"}.get(value.lower(), value.lower())
    if value is not None and setting.choices and value not in setting.choices:
        raise UsageError(f"{key} can be {', '.join(setting.choices)}, not {value!r}")
    before = call.config[key]
    if not call.asked.dry_run:
        write_setting(call.dirs.config, key, value)
    after = (setting.default if value is None else value) if call.asked.dry_run else read_config(call.dirs.config)[key]
    written = not call.asked.dry_run
    data = {"key": key, "before": before, "value": after, "target": str(call.config.path), "written": written}
    words = f"{key}: {value_words(before)} -> {value_words(after)}"
    call.out.answer("setting-written", data, [] if call.out.quiet else [words])
    if call.asked.dry_run:
        call.out.note("-n: nothing was written")


def _set_client(call: CliContext, row: Data, value: str | None, layer: str | None) -> None:
    from memtui.client.json_edit import UNSET, edit_setting

    switch = call.location.switch(row["key"])
    target = _target(call, row, layer)
    new: object = UNSET if value is None else _parsed(switch.kind, row["key"], value)
    try:
        before: bytes | None = call.workspace.text(target)[0]
    except NotFound:
        before = None
    try:
        after = edit_setting((before or b"").decode("utf-8"), row["key"], new).encode("utf-8")
    except UnicodeDecodeError as error:
        raise MemtuiError(f"{target} is not UTF-8", hint="mend it by hand; it was left as it is") from error
    diff = unified_diff(before, after, str(target))
    written = after != (before or b"") and not call.asked.dry_run
    if written:
        call.workspace.write_switch(target, before, after, f"{row['key']}: {target.name}")
    now = call.workspace.decide_again().switch(row["key"])
    data = {"key": row["key"], "target": str(target), "written": written, "diff": diff, "in_force": switch_data(now)}

    def text() -> Iterator[Line]:
        if call.out.quiet:
            return
        yield from diff_lines(diff)
        if written:
            yield f"written; in force: {value_words(now.value)}, set by {now.layer}"

    call.out.answer("setting-written", data, text())
    if call.asked.dry_run:
        call.out.note("-n: nothing was written")
    elif not written:
        call.out.note("nothing to change")


def _target(call: CliContext, row: Data, layer: str | None) -> Path:
    """The file to write: of a layer, or where the change takes effect."""
    if layer is not None:
        paths = [one.path for one in call.location.layers if one.name == layer and one.path is not None]
        if not paths:
            raise Refused(f"there is no {layer} settings file in this directory")
        if _is_variable(row):
            raise Refused(f"{row['key']} is an environment variable", hint=row["why_not"])
        return paths[0]
    if row["target"] is None:
        raise Refused(f"{row['key']} can't be changed here: {row['why_not']}", hint="--layer names a file all the same")
    return Path(row["target"])


def _is_variable(row: Data) -> bool:
    """Whether a switch is an environment variable, which no settings key stands for."""
    from memtui.client.switches import VARIABLES

    return any(variable.key == row["key"] for variable in VARIABLES)


def _parsed(kind: str, key: str, value: str) -> object:
    """A value of the type that the client wants."""
    if kind == "bool":
        word = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}.get(value.lower())
        if word is None:
            raise UsageError(f"{key} is on or off, not {value!r}")
        return word
    if kind == "number":
        if not value.isascii() or not value.isdigit():
            raise UsageError(f"{key} is a whole number, not {value!r}")
        return int(value)
    if kind == "list":
        if not value.startswith("["):
            return [item.strip() for item in value.split(",") if item.strip()]
        try:
            items = json.loads(value)
        except ValueError as error:
            raise UsageError(f"{key} is a list: a JSON list, or texts with commas between them") from error
        return items
    return value


@config.command("edit")
@pass_context
def edit(call: CliContext) -> int:
    """Open config.toml in $VISUAL or $EDITOR."""
    from memtui.cli.editor import editor_words, run_editor
    from memtui.util.config import read_config

    if call.asked.read_only:
        raise Refused("memtui was started with --read-only")
    if not call.out.interactive():
        raise Unsupported("editing needs a terminal", hint=f"the file is {call.config.path}")
    call.dirs.config.mkdir(parents=True, exist_ok=True)
    run_editor(editor_words(call.config["editor"], call.env.environ), call.config.path)
    after = read_config(call.dirs.config)
    call.out.answer("settings-edited", {"path": str(after.path)}, [], warnings=after.warnings)
    return int(bool(after.warnings))


@config.command("keys")
@pass_context
def keys(call: CliContext) -> None:
    """List the screen's keys with the names that [keys] in config.toml rebinds."""
    if call.keys is None:
        raise Unsupported("the screen's keys are not known here", hint="run it as memtui config keys")
    listed, own = call.keys(), call.config.keys
    found = [{**asdict(row), "default": row.keys, "keys": own.get(row.id, row.keys)} for row in listed]

    def text() -> Iterator[Line]:
        columns = [Column("action"), Column("keys"), Column("where"), Column("what it does", rest=1)]
        rows = [[row["id"], row["keys"], row["place"], row["words"]] for row in found]
        yield from table(call.out, columns, rows)

    call.out.answer("keys", found, text(), rows=found, warnings=call.config.warnings)
