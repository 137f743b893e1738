"""The border between the packages: what a fresh interpreter has loaded, and import-linter's contracts."""

import json
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import memtui
from memtui.demo import DemoHome, build_demo
from tests.support import REPO, run_python

PACKAGES = sorted(module.name for module in pkgutil.iter_modules(memtui.__path__) if module.ispkg)
BELOW_CLI = [name for name in PACKAGES if name not in ("cli", "tui")]

HEAVY = ("anthropic", "pydantic", "httpx", "yaml", "watchfiles", "markdown_it", "textual")
"""What a plain list must not pay for: each costs from 20 ms to two seconds at import."""

BEFORE_FIRST_FRAME = ("anthropic", "pydantic", "httpx", "httpcore", "yaml", "watchfiles")

IMPORT_ALL = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""

RUN_MAIN = """
import json, sys
from memtui.__main__ import main
try:
    code = main(sys.argv[2:])
except SystemExit as stop:
    code = stop.code
loaded = sorted({name.partition(".")[0] for name in sys.modules})
with open(sys.argv[1], "w", encoding="utf-8") as report:
    json.dump({"code": code or 0, "loaded": loaded}, report)
"""


def loaded_by(package: str) -> set[str]:
    """Top-level names that are loaded once every module of the package is."""
    done = run_python(IMPORT_ALL, package)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoHome:
    return build_demo(tmp_path_factory.mktemp("layers") / "home", 1_796_000_000.0)


def run_main(report: Path, demo: DemoHome, *args: str) -> tuple[set[str], str]:
    """What is loaded after a command on a home that is full of memory, and what it printed."""
    env = {**demo.environ, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPO), "LANG": "C.UTF-8"}
    done = run_python(RUN_MAIN, str(report), *args, cwd=demo.cwd, env=env)
    assert report.exists(), done.stderr
    answer = json.loads(report.read_text(encoding="utf-8"))
    assert answer["code"] in (0, 1), done.stderr
    return set(answer["loaded"]), done.stdout


@pytest.mark.parametrize("package", BELOW_CLI)
def test_nothing_below_the_screens_loads_textual_or_click(package: str) -> None:
    assert loaded_by(f"memtui.{package}").isdisjoint({"textual", "click"})


@pytest.mark.skipif("cli" not in PACKAGES, reason="no command line yet")
def test_the_command_line_loads_no_textual() -> None:
    assert "textual" not in loaded_by("memtui.cli")


@pytest.mark.skipif("tui" not in PACKAGES, reason="no screen yet")
def test_the_screen_loads_no_click_and_nothing_slow() -> None:
    loaded = loaded_by("memtui.tui")
    assert loaded.isdisjoint({"click", "anthropic", "pydantic"})


@pytest.mark.parametrize(
    "package",
    [
        name
        for name in ("util", "fs", "secrets", "client", "history", "memory", "transcripts", "resume", "sessions")
        if name in PACKAGES
    ],
)
def test_the_engine_loads_no_model_library(package: str) -> None:
    assert loaded_by(f"memtui.{package}").isdisjoint({"anthropic", "pydantic", "httpx"})


@pytest.mark.skipif("cli" not in PACKAGES, reason="no command line yet")
@pytest.mark.parametrize("args", [["ls"], ["projects"], ["budget"], ["--version"]], ids=lambda args: args[0])
def test_a_plain_list_loads_only_what_it_needs(args: list[str], tmp_path: Path, demo: DemoHome) -> None:
    loaded, printed = run_main(tmp_path / "report", demo, *args)
    assert loaded.isdisjoint(HEAVY)
    assert printed


@pytest.mark.skipif("cli" not in PACKAGES, reason="no command line yet")
def test_the_piped_dashboard_loads_only_what_it_needs(tmp_path: Path, demo: DemoHome) -> None:
    loaded, printed = run_main(tmp_path / "report", demo)
    assert loaded.isdisjoint(HEAVY)
    assert "MEMORY.md" in printed


@pytest.mark.skipif("tui" not in PACKAGES, reason="no screen yet")
def test_importing_the_app_loads_nothing_that_can_wait() -> None:
    code = "import json, sys, memtui.tui.app; print(json.dumps(sorted({n.partition('.')[0] for n in sys.modules})))"
    done = run_python(code)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)).isdisjoint(BEFORE_FIRST_FRAME)


def test_import_contracts_hold() -> None:
    tool = shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or shutil.which("lint-imports")
    if tool is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run([tool, "--no-cache"], cwd=REPO, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
