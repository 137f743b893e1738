"""Who works, by name."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from memtui.base.errors import Unsupported, Usage
from memtui.dream.backends import choose
from memtui.dream.events import Event, Note, Phase
from memtui.dream.stage import make_stage
from tests.dream.scene import NOW, Scene

OFFLINE = "memtui.dream.offline"


def test_offline_is_given_the_stage_the_clock_the_mode_and_the_pins(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
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
    heard: list[Event] = []
    backend = choose(None, "prune", lambda: NOW, frozenset({"a.md"}))
    assert (backend.name, choose("offline", "prune", lambda: NOW).why) == ("offline", "named")
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    backend.work(stage, heard.append)
    assert (given["root"], given["now"], given["mode"], given["pinned"]) == (stage.root, NOW, "prune", {"a.md"})
    assert heard == [Phase(stage="consolidate"), Note("a deed")]


def test_what_is_not_there_says_so() -> None:
    for name in ("anthropic", "client"):
        with pytest.raises(Unsupported, match="not here yet"):
            choose(name, "reflect", lambda: NOW)
    with pytest.raises(Usage, match="no backend"):
        choose("sheep", "reflect", lambda: NOW)
    with pytest.raises(Usage, match="no mode"):
        choose(None, "sleep", lambda: NOW)
