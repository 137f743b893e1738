"""The decision for a directory, against recordings of the client and our own catalogue of bad settings."""

import json
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui.host.env import Env
from memtui.host.paths import project_name
from memtui.host.place import decide
from tests.support import REPO, digest_tree

PLACES = [
    json.loads(line)
    for line in (REPO / "tests/data/oracle/places.jsonl").read_text(encoding="utf-8").splitlines()
]
SETTINGS = json.loads((REPO / "tests/data/cases/settings.json").read_text(encoding="utf-8"))
FILES = {"user": ".claude/settings.json"}


def at_home(word: str, ana: Path) -> str:
    return word.replace("/home/ana", str(ana))


@pytest.mark.parametrize("case", PLACES, ids=[f"{at:02} {case['name']}" for at, case in enumerate(PLACES)])
def test_the_client_was_recorded(case: dict[str, Any], ana: Path, make_env: Callable[..., Env]) -> None:
    cwd = Path(at_home(case["cwd"], ana))
    cwd.mkdir(parents=True)
    for command in case["setup"]:
        subprocess.run(["bash", "-ec", command], cwd=ana, check=True, capture_output=True)
    for layer, data in case["settings"].items():
        name = {"user": ".claude/settings.json"}.get(layer)
        path = ana / name if name else cwd / ".claude" / {"local": "settings.local.json"}.get(layer, "settings.json")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(at_home(data if isinstance(data, str) else json.dumps(data), ana), encoding="utf-8")
    env = make_env(**{key: at_home(value, ana) for key, value in case["env"].items()})
    args = case["args"]
    flag = at_home(args[args.index("--settings") + 1], ana) if "--settings" in args else None

    place = decide(env, cwd, flag=flag, bare="--bare" in args)

    memory, project = case["memory_dir"], case["project_dir"]
    if case["name"] == "directory in project settings":  # the client takes it; we don't, and say so
        memory = f"/home/ana/.claude/projects/{project}/memory/"
        assert "fromrepo" in place.warnings[0]
        assert str(place.agent_folder) == str(ana / "fromrepo")
    assert place.project_dir == _moved(project, case["cwd"], ana)
    assert place.memory_dir == (None if memory is None else Path(_moved(at_home(memory, ana), case["cwd"], ana)))


def _moved(name: str, cwd: str, ana: Path) -> str:
    """The recorded name for the place to which the test moved the home; a hash is made anew."""
    if len(project_name(cwd)) > 200:
        return name.replace(project_name(cwd), project_name(at_home(cwd, ana)))
    return name.replace("-home-ana", project_name(str(ana)))


def mapped(text: str, root: Path) -> str:
    """The fictional roots /w and /h moved into a temporary folder."""
    return re.sub(r"(?<![A-Za-z0-9_.])/([wh])(?=[/\"]|$)", lambda match: f"{root}/{match[1]}", text)


@pytest.mark.parametrize("case", SETTINGS, ids=[f"{case['id']} {case['why']}" for case in SETTINGS])
def test_the_catalogue_of_settings(case: dict[str, Any], tmp_path: Path) -> None:
    root = tmp_path.resolve()
    given, expect = case["input"], case["expect"]
    home, cwd = Path(mapped(given["home"], root)), Path(mapped(given["cwd"], root))
    cwd.mkdir(parents=True)
    files = {
        "policy": root / "policy" / "managed-settings.json",
        "user": home / ".claude" / "settings.json",
        "project": cwd / ".claude" / "settings.json",
        "local": cwd / ".claude" / "settings.local.json",
    }
    for layer, path in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if layer in given:
            path.write_text(mapped(given[layer], root), encoding="utf-8")
    environ = {key: mapped(value, root) for key, value in given.get("env", {}).items()}
    before = digest_tree(root)

    place = decide(Env(home, environ, (files["policy"],)), cwd)

    folder = mapped(expect["dir"], root).replace("-w-repo", project_name(str(root / "w" / "repo")))
    assert (str(place.folder), place.decided_by) == (folder, expect["source"])
    assert (place.enabled, place.dream) == (expect["enabled"], expect["dream"])
    assert len(place.warnings) == expect["warnings"], place.warnings
    assert digest_tree(root) == before
