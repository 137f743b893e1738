"""Recorded layouts of instruction files, laid out below a folder, and what Claude Code 2.1.332 loaded of them."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui.client.paths import project_name
from tests.support import REPO

HOME = "/home/ida"
_FIXED = re.compile(r"/(CLAUDE|CLAUDE\.local|AGENTS|MEMORY)\.md\Z")


def recorded(name: str) -> list[dict[str, Any]]:
    """The cases of `tests/data/oracle/NAME.jsonl`."""
    path = REPO / "tests" / "data" / "oracle" / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


class Layout:
    """A case laid out below `root`, a real path: the home is `root/home/ida`."""

    def __init__(self, case: dict[str, Any], root: Path) -> None:
        self.root, self.case = root, case
        self.home, self.cwd = self.path(HOME), self.path(case["cwd"])
        self.environ = {name: self._text(value) for name, value in case["env"].items()}
        self.home.mkdir(parents=True, exist_ok=True)
        self.cwd.mkdir(parents=True, exist_ok=True)
        files = dict(case["files"])
        folders = {"user": HOME, "project": case["cwd"], "local": case["cwd"]}
        for layer, settings in case["settings"].items():
            name = "settings.local.json" if layer == "local" else "settings.json"
            files[f"{folders[layer]}/.claude/{name}"] = json.dumps(settings)
        for name, text in files.items():
            path = self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._text(text).encode())
        for name, target in case["links"].items():
            path = self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(self.path(target))
        for folder in case["git"]:
            self.path(folder).mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "init", "-q", self.path(folder)], check=True)

    def path(self, name: str) -> Path:
        """Where a recorded path lies; the folder of a project is called after its directory."""
        lead = project_name(str(self.root))
        return Path(f"{self.root}{name.replace('/projects/-home-ida', f'/projects/{lead}-home-ida')}")

    def as_recorded(self, files: list[dict[str, str]]) -> list[dict[str, str]]:
        """Loaded files with their paths and texts as they were recorded."""
        lead = project_name(str(self.root))
        return [
            {
                **file,
                "path": file["path"].replace(f"/projects/{lead}-home", "/projects/-home").removeprefix(str(self.root)),
                "content": file["content"].replace(f"{self.root}{HOME}", HOME),
            }
            for file in files
        ]

    def _text(self, text: str) -> str:
        return text.replace(HOME, f"{self.root}{HOME}")


def in_any_order_of_rules(case: dict[str, Any], files: list[dict[str, str]]) -> list[Any]:
    """The files, those between two with a fixed name sorted where a rules folder holds several entries.

    Claude Code reads rules in the order in which the disk lists them, and another disk has another.
    """
    names = [*case["files"], *case["links"]]
    folders = [name.partition("/rules/")[0] for name in names if "/rules/" in name and not name.endswith(".json")]
    if len(folders) == len(set(folders)):
        return list(files)
    return [sorted(part, key=lambda file: file["path"]) for part in _parts(files)]


def _parts(files: list[dict[str, str]]) -> Iterator[list[dict[str, str]]]:
    part: list[dict[str, str]] = []
    for file in files:
        if _FIXED.search(file["path"]):
            yield part
            yield [file]
            part = []
        else:
            part.append(file)
    yield part
