"""The agent client's settings: the layers, the switches, and changing one in place.

`layers` reads the files, `switches` says what they come to, `jsontext` changes one key and leaves the rest alone;
this is the door to the three.
"""

from memtui.client.json_edit import UNSET, InvalidJson, Unset, edit_setting, read_object
from memtui.client.settings_files import (
    LAYERS,
    EnvVariable,
    SettingsLayer,
    read_layers,
)
from memtui.client.switches import SETTINGS, VARIABLES, Switch, switches

__all__ = [
    "LAYERS",
    "SETTINGS",
    "UNSET",
    "VARIABLES",
    "EnvVariable",
    "InvalidJson",
    "SettingsLayer",
    "Switch",
    "Unset",
    "choose",
    "dream_on",
    "edit_setting",
    "effective",
    "environment",
    "memory_on",
    "read_layers",
    "read_object",
    "switches",
]
