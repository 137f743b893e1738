"""Who works, by name or by what there is to work with."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType, ModuleType

import pytest

from memtui.dream.backends.registry import choose_backend
from memtui.dream.run.events import Event, Note, Phase
from memtui.dream.run.stage import make_stage
from memtui.util.config import Config, read_config
from memtui.util.errors import Unsupported, UsageError
from tests.dream.scene import NOW, Scene, make_scene
from tests.support import REPO

OFFLINE = "memtui.dream.backends.offline"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return read_config(tmp_path / "no config")


def with_settings(config: Config, **values: str) -> Config:
    return Config(config.path, MappingProxyType({**config.values, **values}), config.keys)


def put_client(tmp_path: Path) -> dict[str, str]:
    """An executable of the client's name, and the PATH that finds it."""
    path = tmp_path / "bin" / "claude"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    path.chmod(0o755)
    return {"PATH": str(path.parent)}


def test_offline_is_given_the_stage_the_clock_the_mode_and_the_pins(
    scene: Scene, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, object] = {}

    def consolidate(root: Path, **options: object) -> list[object]:
        given.update(options, root=root)
        options["emit"]("a deed")  # type: ignore[operator]
        return []

    spec = importlib.util.spec_from_loader(OFFLINE, loader=None)
    assert spec is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    module.consolidate = consolidate  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, OFFLINE, module)
    scene.workspace.pins.set(scene.folder, ["MEMORY.md"], True)
    heard: list[Event] = []
    backend = choose_backend(None, "prune", scene.workspace, config)
    named = choose_backend("offline", "prune", scene.workspace, config)
    assert (backend.name, named.why) == ("offline", "as requested")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    backend.work(stage, heard.append)
    assert (given["root"], given["now"], given["mode"], given["pinned"]) == (stage.root, NOW, "prune", {"MEMORY.md"})
    assert heard == [Phase(stage="consolidate"), Note("a deed")]


def test_without_anything_there_are_rules(scene: Scene, config: Config) -> None:
    backend = choose_backend(None, "reflect", scene.workspace, config)
    assert (backend.name, backend.why) == (
        "offline", "no key is set, and Claude Code isn't installed",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_key_is_taken_first(name: str, tmp_path: Path, config: Config) -> None:
    scene = make_scene(tmp_path, 2, {**put_client(tmp_path), name: "k"})
    backend = choose_backend(None, "reflect", scene.workspace, config)
    assert (backend.name, backend.why) == ("anthropic", f"{name} is set in the environment")
    assert "k" not in repr(backend).split()


def test_a_client_without_a_login_is_left_alone(tmp_path: Path, config: Config) -> None:
    scene = make_scene(tmp_path, 2, put_client(tmp_path))
    backend = choose_backend(None, "reflect", scene.workspace, config)
    assert (backend.name, backend.why) == (
        "offline", "no key is set, and Claude Code shows no login",
    )  # fmt: skip


@pytest.mark.parametrize("sign", ["account", "credentials", "token", "helper", "bedrock"])
def test_a_client_with_a_login(sign: str, tmp_path: Path, config: Config) -> None:
    environ, home = put_client(tmp_path), tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    if sign == "account":
        (home / ".claude.json").write_text(json.dumps({"oauthAccount": {"x": 1}}), encoding="utf-8")
    elif sign == "credentials":
        (home / ".claude" / ".credentials.json").write_text("{}", encoding="utf-8")
    elif sign == "helper":
        (home / ".claude" / "settings.json").write_text('{"apiKeyHelper": "pass"}', encoding="utf-8")
    else:
        environ |= {"token": {"CLAUDE_CODE_OAUTH_TOKEN": "t"}, "bedrock": {"CLAUDE_CODE_USE_BEDROCK": "1"}}[sign]
    scene = make_scene(tmp_path, 2, environ)
    backend = choose_backend(None, "reflect", scene.workspace, config)
    assert backend.name == "client"
    assert backend.why.startswith("no key is set; the agent client is installed and ")


def test_a_project_can_not_bring_a_key(tmp_path: Path, config: Config) -> None:
    settings = tmp_path / "shop" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"env": {"ANTHROPIC_API_KEY": "k"}, "apiKeyHelper": "evil"}', encoding="utf-8")
    scene = make_scene(tmp_path, 2, put_client(tmp_path))
    assert choose_backend(None, "reflect", scene.workspace, config).name == "offline"


def test_the_setting_names_it_unless_the_command_does(tmp_path: Path, config: Config) -> None:
    scene = make_scene(tmp_path, 2, {"ANTHROPIC_API_KEY": "k"})
    config = with_settings(config, dream_backend="offline")
    backend = choose_backend(None, "reflect", scene.workspace, config)
    assert (backend.name, backend.why) == ("offline", "set by dream_backend")
    assert choose_backend("anthropic", "reflect", scene.workspace, config).why == "as requested"


def test_what_can_not_work_says_so(scene: Scene, config: Config) -> None:
    for name, words in (("anthropic", "there is no key"), ("client", "isn't installed here")):
        with pytest.raises(Unsupported, match=words) as caught:
            choose_backend(name, "reflect", scene.workspace, config)
        assert "--backend offline" in caught.value.hint
    with pytest.raises(UsageError, match="no backend"):
        choose_backend("sheep", "reflect", scene.workspace, config)
    with pytest.raises(UsageError, match="no mode"):
        choose_backend(None, "sleep", scene.workspace, config)


def test_choosing_loads_no_sdk(tmp_path: Path) -> None:
    """What starts a run chooses as well, and doesn't pay for what only the run uses."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom memtui.util.config import read_config\n"
        "from memtui.dream.backends.registry import choose_backend\nfrom tests.dream.scene import make_scene\n"
        "scene = make_scene(Path(sys.argv[1]), 2, {'ANTHROPIC_API_KEY': 'k'})\n"
        "backend = choose_backend(None, 'reflect', scene.workspace, read_config(scene.dirs.config))\n"
        "print(backend.name, 'anthropic' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=REPO, capture_output=True, text=True, check=True
    )
    assert done.stdout == "anthropic False\n"
