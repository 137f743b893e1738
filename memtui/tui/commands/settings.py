"""Wishes about settings: toggle, change, back to the default; the client's in its own files, ours in config.toml."""

import json

from memtui.client.json_edit import UNSET
from memtui.client.switches import Switch
from memtui.services.settings import write_setting
from memtui.tui.commands.base import CommandHandler
from memtui.tui.dialogs.ask import Ask
from memtui.tui.dialogs.choose import Choose, Option
from memtui.tui.dialogs.show_diff import ShowDiff
from memtui.tui.messages import CommandDone, CommandRequested
from memtui.util.config import SETTINGS, read_config
from memtui.util.diff import unified_diff
from memtui.util.errors import NotFound, Refused, UsageError

LAYERS = {
    "user": "user: all projects of yours",
    "local": "local: this project, only you",
    "project": "project: this project, everybody (checked in)",
}


class SettingsCommands(CommandHandler):
    """What the Settings view does."""

    async def wish_toggle(self, wish: CommandRequested, whose: str, key: str) -> None:
        """On to off and back, where the value was set; a default is overridden in the user's settings."""
        if whose == "ours":
            setting = next(s for s in SETTINGS if s.key == key)
            if not setting.choices:
                return await self.wish_change(wish, whose, key)
            now = setting.choices.index(self.app.config[key])
            return await self._write_ours(key, setting.choices[(now + 1) % len(setting.choices)])
        switch = self._switch(key)
        if not isinstance(switch.value, bool):
            return await self.wish_change(wish, whose, key)
        layer = switch.layer if switch.layer in LAYERS else "user"
        return await self._write_client(switch, not switch.value, layer)

    async def wish_change(self, wish: CommandRequested, whose: str, key: str) -> None:
        """Choose a value, and for the client's settings the layer that it is written to."""
        if whose == "ours":
            setting = next(s for s in SETTINGS if s.key == key)
            if setting.choices:
                options = [Option(choice, choice) for choice in setting.choices]
                value = await self.app.push_screen_wait(Choose(setting.words, options, start=self.app.config[key]))
            else:
                value = await self.app.push_screen_wait(Ask(key, self.app.config[key], explain=setting.words))
            return await self._write_ours(key, value) if value is not None else None
        switch = self._switch(key)
        layer = await self.app.push_screen_wait(
            Choose("Write it to", [Option(name, words) for name, words in LAYERS.items()], start=switch.layer)
        )
        if layer is None:
            return None
        if switch.kind == "bool":
            words = await self.app.push_screen_wait(
                Choose(key, [Option("true", "on"), Option("false", "off")], start=json.dumps(switch.value))
            )
        else:
            words = await self.app.push_screen_wait(Ask(key, str(switch.value or ""), explain=switch.describe))
        if words is None:
            return None
        value_ = _typed(switch, words)
        return await self._write_client(switch, value_, layer)

    async def wish_unset(self, wish: CommandRequested, whose: str, key: str) -> None:
        """Take the key out of the layer that set it."""
        if whose == "ours":
            return await self._write_ours(key, None)
        switch = self._switch(key)
        if switch.layer not in LAYERS:
            raise NotFound(f"{key} is not set in a file of yours")
        return await self._write_client(switch, UNSET, switch.layer)

    def _switch(self, key: str) -> Switch:
        switch = next(s for s in self.workspace.location.switches if s.key == key)
        if not switch.writable:
            raise Refused(f"{key} is set by {switch.layer}: it cannot be changed here", hint=switch.why_not)
        return switch

    async def _write_client(self, switch: Switch, value: object, layer: str) -> None:
        path, before, after = await self.off(self.workspace.switch_edit, switch.key, value, layer)
        shown = unified_diff(before, after, str(path))
        title = f"{switch.key} in the {layer} settings"
        if await self.app.push_screen_wait(ShowDiff(title, shown, yes="write it")):
            await self.off(self.workspace.write_switch, path, before, after, f"{switch.key}: {layer} settings")
            self.app.take_location(await self.off(self.workspace.decide_again))
            self.app.post_message(CommandDone(f"{switch.key} written to the {layer} settings"))

    async def _write_ours(self, key: str, value: str | None) -> None:
        if self.workspace.read_only:
            raise Refused("memtui was started with --read-only")
        folder = self.workspace.dirs.config
        await self.off(write_setting, folder, key, value)
        self.app.take_config(await self.off(read_config, folder))


def _typed(switch: Switch, words: str) -> object:
    """What a person typed as the JSON value that the client expects there.

    Raises:
        Usage: If it is no such value.
    """
    if switch.kind == "text":
        return words
    if switch.kind == "list":
        return [word.strip() for word in words.split(",") if word.strip()]
    try:
        value: object = json.loads(words)
    except ValueError as error:
        raise UsageError(f"{words!r} is not a {switch.kind}") from error
    return value
