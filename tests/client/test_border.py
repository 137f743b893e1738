"""client imports only util, fs and secrets."""

import ast
import json
from pathlib import Path

import memtui.client
from tests.support import run_python

FOLDER = Path(memtui.client.__file__).parent
ALLOWED = ("memtui.util", "memtui.fs", "memtui.secrets", "memtui.client")

LOADED = """
import importlib, json, pkgutil, sys
import memtui.client
for module in pkgutil.iter_modules(memtui.client.__path__, "memtui.client."):
    importlib.import_module(module.name)
print(json.dumps(sorted(name for name in sys.modules)))
"""


def test_client_names_nothing_above_it() -> None:
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path.name
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            ours = [name for name in names if name.split(".")[0] == "memtui"]
            assert all(name.startswith(ALLOWED) for name in ours), (path.name, ours)


def test_client_loads_nothing_above_it_but_the_standard_library() -> None:
    done = run_python(LOADED)
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    assert [name for name in loaded if name.startswith("memtui.") and not name.startswith(ALLOWED)] == []
    heavy = {"psutil", "rich", "yaml", "textual", "click", "anthropic", "watchfiles", "subprocess"}
    assert heavy.isdisjoint(name.partition(".")[0] for name in loaded)
