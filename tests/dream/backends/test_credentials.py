"""What the surroundings say of the model service."""

import json
from pathlib import Path
from types import MappingProxyType

import pytest

from memtui.dream.backends.credentials import DEFAULT_MODEL, find_key, model_of, named_model, variables
from memtui.util.config import Config, read_config
from tests.dream.scene import make_scene


def settle(tmp_path: Path, user: dict[str, object], ours: str = "", **environ: str) -> tuple[str, str | None]:
    """The model, and the one that was named."""
    home = tmp_path / "home" / ".claude"
    home.mkdir(parents=True)
    (home / "settings.json").write_text(json.dumps(user), encoding="utf-8")
    workspace = make_scene(tmp_path, 2, environ).workspace
    config = read_config(tmp_path / "none")
    config = Config(config.path, MappingProxyType({**config.values, "dream_model": ours}), config.keys)
    found = variables(workspace.env, workspace.location)
    return model_of(config, found, workspace.location), named_model(config, found, workspace.location)


@pytest.mark.parametrize(
    ("user", "ours", "environ", "model"),
    [
        ({}, "", {}, None),
        ({"model": "opus[1m]"}, "", {}, "claude-opus-5-5"),
        ({"model": "default"}, "", {}, None),
        ({"model": "opusplan"}, "", {}, None),
        ({"model": "opus"}, "", {"ANTHROPIC_MODEL": "claude-haiku-4-5"}, "claude-haiku-4-5"),
        ({"model": "opus"}, "local-model", {"ANTHROPIC_MODEL": "haiku"}, "local-model"),
        ({"env": {"ANTHROPIC_DEFAULT_HAIKU_MODEL": "small[x]"}}, "haiku", {}, "small"),
    ],
)
def test_the_model(
    user: dict[str, object], ours: str, environ: dict[str, str], model: str | None, tmp_path: Path
) -> None:
    assert settle(tmp_path, user, ours, **environ) == (model or DEFAULT_MODEL, model)


def test_a_key_of_the_users_settings_counts_and_is_not_shown(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".claude"
    home.mkdir(parents=True)
    (home / "settings.json").write_text('{"env": {"ANTHROPIC_AUTH_TOKEN": " tok3n "}}', encoding="utf-8")
    workspace = make_scene(tmp_path, 2, {"ANTHROPIC_API_KEY": "  "}).workspace
    key = find_key(variables(workspace.env, workspace.location))
    assert key is not None and (key.name, key.value) == ("ANTHROPIC_AUTH_TOKEN", "tok3n")
    assert key.source == str(home / "settings.json") and "tok3n" not in repr(key)
