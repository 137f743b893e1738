"""Key, address, model and login for the model service, as set in the environment and the agent client's settings.

The variables are those of the shell and of the `env` blocks of the user's own settings. What a project says neither
picks a program nor spends money.

Source: Claude Code's documentation of settings and model configuration.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memtui.client.environment import Env, parse_switch
from memtui.client.memory_location import MemoryLocation
from memtui.client.settings_files import EnvVariable, effective_variables
from memtui.util.config import Config
from memtui.util.json_object import read_json_object

KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""An API key and a bearer token; the first that is set is used."""
DEFAULT_MODEL = "claude-sonnet-5-5"
MODEL_ALIASES = {
    "sonnet": DEFAULT_MODEL, "opus": "claude-opus-5-5", "haiku": "claude-haiku-5-5", "fable": "claude-fable-5-2",
}  # fmt: skip

_LOGINS = ("CLAUDE_CODE_OAUTH_TOKEN", *KEY_VARIABLES)
_PROVIDERS = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
_CLIENT_DECIDES = ("default", "best", "opusplan")
_CONTEXT_SUFFIX = re.compile(r"\[[^]]*\]\Z")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A credential and, in words, where it was set; a dataclass for `repr=False`, which keeps it out of tracebacks."""

    name: str
    value: str = field(repr=False)
    source: str


def variables(env: Env, location: MemoryLocation) -> dict[str, EnvVariable]:
    """The environment as the agent client sees it in a directory."""
    return effective_variables(env, location.layers)


def find_key(found: Mapping[str, EnvVariable]) -> ApiKey | None:
    for name in KEY_VARIABLES:
        one = found.get(name)
        if one is not None and one.value.strip():
            return ApiKey(name, one.value.strip(), "the environment" if one.layer == "env" else one.source)
    return None


def model_of(config: Config, found: Mapping[str, EnvVariable], location: MemoryLocation) -> str:
    """The model of a dream: named in our settings, else in the client's, else `DEFAULT_MODEL`."""
    return named_model(config, found, location) or DEFAULT_MODEL


def named_model(config: Config, found: Mapping[str, EnvVariable], location: MemoryLocation) -> str | None:
    """The model that is named in a setting, short names resolved; `None` if the choice is left to the client."""
    settings = (layer.data.get("model") for layer in location.layers if _trusted(layer.name))
    variable = found.get("ANTHROPIC_MODEL")
    for word in (config["dream_model"], None if variable is None else variable.value, *settings):
        if not isinstance(word, str) or not word.strip():
            continue
        name = _CONTEXT_SUFFIX.sub("", word.strip())  # "[1m]" asks for a longer context
        if name in MODEL_ALIASES:
            default = found.get(f"ANTHROPIC_DEFAULT_{name.upper()}_MODEL")
            return _CONTEXT_SUFFIX.sub("", default.value) if default and default.value else MODEL_ALIASES[name]
        if name not in _CLIENT_DECIDES:
            return name
    return None


def key_helper(location: MemoryLocation) -> str | None:
    """The command that prints a key for the client, from the user's settings."""
    for layer in location.layers:
        if _trusted(layer.name) and isinstance(layer.data.get("apiKeyHelper"), str):
            return str(layer.data["apiKeyHelper"])
    return None


def _trusted(layer: str) -> bool:
    """Whether a settings layer is the user's own or above."""
    return layer in ("policy", "flag", "user")


def login_of(found: Mapping[str, EnvVariable], env: Env, location: MemoryLocation) -> str | None:
    """A sign that the agent client is logged in, in words; whether the service accepts it is not tested."""
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
        if read_json_object(path).get("oauthAccount"):
            return "it is logged in"
    return None
