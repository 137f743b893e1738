"""The SDK is slow to load: only the module of its own backend does."""

import json
import pkgutil

import memtui.agent
from tests.support import run_python

CODE = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
SDK = {"anthropic", "httpx2", "pydantic"}


def test_nothing_but_the_backend_loads_the_sdk() -> None:
    names = [module.name for module in pkgutil.walk_packages(memtui.agent.__path__, "memtui.agent.")]
    backend = "memtui.agent.anthropic"
    assert backend in names and "memtui.agent.loop" in names
    done = run_python(CODE, json.dumps([name for name in names if name != backend]))
    assert done.returncode == 0, done.stderr
    assert SDK.isdisjoint(json.loads(done.stdout))
    assert set(json.loads(run_python(CODE, json.dumps([backend])).stdout)) >= SDK
