"""What the surroundings say of the model service: a key, an address, a model, a login of the agent client.

The variables are those of the shell and of the `env` blocks of the client's settings, which count as the client counts
them: a project can't set them.

Source: Claude Code's documentation of settings and model configuration; FORMATS.md 4.1.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.client.environment import Env, parse_switch
from memtui.client.memory_location import MemoryLocation
from memtui.client.settings_files import EnvVariable, effective_variables
from memtui.util.config import Config

KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""An API key, or a bearer token; the first that is set is taken."""
MODEL = "claude-sonnet-5-5"
"""The model of a dream if nobody names one."""
ALIASES = {"sonnet": MODEL, "opus": "claude-opus-5-5", "haiku": "claude-haiku-5-5", "fable": "claude-fable-5-1"}
"""What the client's short names stand for."""

_LOGINS = ("CLAUDE_CODE_OAUTH_TOKEN", *KEYS)
_PROVIDERS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
_CLIENTS_CHOICE = ("default", "best", "opusplan")
_WINDOW = re.compile(r"\[[^]]*\]\Z")


@dataclass(frozen=True, slots=True)
class ApiKey:  # a dataclass, whose repr leaves the value out
    """A credential: the variable that holds it, its value, and where that was set, in words."""

    name: str
    value: str = field(repr=False)
    source: str


def variables(env: Env, location: MemoryLocation) -> dict[str, EnvVariable]:
    """The environment as the agent client sees it in a directory."""
    return effective_variables(env, location.layers)


def find_key(found: Mapping[str, EnvVariable]) -> ApiKey | None:
    """The credential to use, if there is one."""
    for name in KEYS:
        one = found.get(name)
        if one is not None and one.value.strip():
            return ApiKey(name, one.value.strip(), "the environment" if one.layer == "env" else one.source)
    return None


def model_of(config: Config, found: Mapping[str, EnvVariable], location: MemoryLocation) -> str:
    """The model of a dream: ours, else the client's, else `MODEL`. A short name becomes the model it stands for."""
    return named_model(config, found, location) or MODEL


def named_model(config: Config, found: Mapping[str, EnvVariable], location: MemoryLocation) -> str | None:
    """The model that somebody named; `None` if nobody did, or only left the choice to the client."""
    settings = (layer.data.get("model") for layer in location.layers if _trusted(layer.name))
    variable = found.get("ANTHROPIC_MODEL")
    for word in (config["dream_model"], None if variable is None else variable.value, *settings):
        if not isinstance(word, str) or not word.strip():
            continue
        name = _WINDOW.sub("", word.strip())  # "[1m]" asks for a longer context
        if name in ALIASES:
            default = found.get(f"ANTHROPIC_DEFAULT_{name.upper()}_MODEL")
            return ALIASES[name] if default is None or not default.value else _WINDOW.sub("", default.value)
        if name not in _CLIENTS_CHOICE:
            return name
    return None


def key_helper(location: MemoryLocation) -> str | None:
    """The user's program that prints a key for the client."""
    for layer in location.layers:
        if _trusted(layer.name) and isinstance(layer.data.get("apiKeyHelper"), str):
            return str(layer.data["apiKeyHelper"])
    return None


def _trusted(layer: str) -> bool:
    """Whether a layer is the user's own or above: what a project says neither picks programs nor spends money."""
    return layer in ("policy", "flag", "user")


def login_of(found: Mapping[str, EnvVariable], env: Env, location: MemoryLocation) -> str | None:
    """The sign that the agent client can reach a model, in words; `None` if there is none.

    Only signs: whether the service accepts it is known when it is asked.
    """
    for name in _LOGINS:
        if name in found and found[name].value.strip():
            return f"{name} is set"
    for name in _PROVIDERS:
        if name in found and parse_switch(found[name].value):
            return f"{name} is on"
    if key_helper(location) is not None:
        return "its settings name an apiKeyHelper"
    if (location.config / ".credentials.json").is_file():
        return "it is logged in"
    for path in (location.config / ".claude.json", env.home / ".claude.json"):
        try:
            data = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(data, dict) and data.get("oauthAccount"):
            return "it is logged in"
    return None
