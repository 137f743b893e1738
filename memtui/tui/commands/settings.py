"""Commands about settings: toggle, change, back to the default; the client's in its own files, ours in config.toml."""

import json

from memtui.client.switches import Switch
from memtui.services import settings as services
from memtui.tui import dialogs
from memtui.tui.app_base import CommandContext
from memtui.tui.commands import editor, registry
from memtui.tui.commands.registry import Command, declare
from memtui.util.config import SETTINGS, Setting, read_config
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound, Refused

LAYERS = {
    "user": "user: all projects of yours",
    "local": "local: this project, only you",
    "project": "project: this project, everybody (checked in)",
}


async def toggle(context: CommandContext) -> None:
    """On to off and back, where the value was set; a default is overridden in the user's settings."""
    if context.selection.ours:
        setting = _ours(context)
        if not setting.choices:
            return await change(context)
        at = setting.choices.index(context.app.config[setting.key])
        return await _write_ours(context, setting.key, setting.choices[(at + 1) % len(setting.choices)])
    switch = _switch(context)
    other = services.toggled(switch)
    if other is None:
        return await change(context)
    return await _write_client(context, switch, *other)


async def change(context: CommandContext) -> None:
    if context.selection.ours:
        setting = _ours(context)
        now = context.app.config[setting.key]
        if setting.choices:
            options = [dialogs.Option(choice, choice) for choice in setting.choices]
            value = await context.ask(dialogs.Choose(setting.key, options, explain=setting.words, start=now))
        else:
            value = await context.ask(dialogs.Ask(setting.key, now, explain=setting.words, does="set it"))
        return await _write_ours(context, setting.key, value) if value is not None else None
    switch = _switch(context)
    layers = [dialogs.Option(name, words) for name, words in LAYERS.items()]
    layer = await context.ask(dialogs.Choose(f"Which settings file gets {switch.key}?", layers, start=switch.layer))
    if layer is None:
        return None
    if switch.kind == "bool":
        both = [dialogs.Option("true", "on"), dialogs.Option("false", "off")]
        words = await context.ask(dialogs.Choose(switch.key, both, start=json.dumps(switch.value)))
    else:
        words = await context.ask(
            dialogs.Ask(switch.key, str(switch.value or ""), explain=switch.describe, does="show the change")
        )
    if words is None:
        return None
    return await _write_client(context, switch, services.parse_value(switch, words), layer)


async def back_to_default(context: CommandContext) -> None:
    if context.selection.ours:
        return await _write_ours(context, context.selection.setting, None)
    switch = _switch(context)
    if switch.layer not in LAYERS:
        raise NotFound(f"{switch.key} is not set in a file of yours")
    return await _write_client(context, switch, services.UNSET, switch.layer)


def _ours(context: CommandContext) -> Setting:
    return next(setting for setting in SETTINGS if setting.key == context.selection.setting)


def _switch(context: CommandContext) -> Switch:
    key = context.selection.setting
    switch = next((one for one in context.workspace.location.switches if one.key == key), None)
    if switch is None:
        raise NotFound("no setting is under the cursor")
    if not switch.writable:
        raise Refused(f"{key} is set by {switch.layer}: it cannot be changed here", hint=switch.why_not)
    return switch


async def _write_client(context: CommandContext, switch: Switch, value: object, layer: str) -> None:
    workspace = context.workspace
    edit = await context.in_thread(services.plan_switch, workspace, switch.key, value, layer)
    shown = unified_diff(edit.before, edit.after, str(edit.path))
    if await context.ask(dialogs.ShowDiff(f"{switch.key} in the {layer} settings", shown, yes="write this file")):
        await context.in_thread(services.set_switch, workspace, edit)
        context.app.take_location(workspace.location)
        context.done(f"{switch.key} written to the {layer} settings")


async def _write_ours(context: CommandContext, key: str, value: str | None) -> None:
    await context.in_thread(services.set_own, context.workspace, key, value)
    context.app.take_config(await context.in_thread(read_config, context.workspace.dirs.config))


COMMANDS = declare(
    registry.SETTINGS,
    Command("settings.toggle", "On or off", "space", toggle, "Space on/off", registry.read_only),
    Command("settings.change", "Change the value", "enter", change, "⏎ change", registry.read_only),
    Command("settings.default", "Back to the default", "u", back_to_default, "u default", registry.read_only),
    Command("settings.open", "Open config.toml in $EDITOR", "e", editor.open_config, "e config.toml"),
)
