"""Other tools that list sessions, installed by name into a folder of their own, and a home that they may write into."""

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

LOGBOOK = "claude-logbook==1.7.0"
CCUSAGE = "ccusage@20.0.24"
ORJSON = "orjson==3.13.0"


def python(prefix: Path, requirement: str) -> Path:
    """The `bin` folder of a virtual environment below the prefix that has a package."""
    venv = prefix / "venv"
    if not venv.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    name, _, version = requirement.partition("==")
    there = list(venv.glob(f"lib/python*/site-packages/{name.replace('-', '_')}-{version}.dist-info"))
    if not there:
        subprocess.run([str(venv / "bin/python"), "-m", "pip", "install", "-q", requirement], check=True)
    return venv / "bin"


def node(prefix: Path, package: str) -> Path | None:
    """The folder of an npm package's programs below the prefix; None without npm."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    programs = prefix / "node_modules/.bin"
    if not (programs / package.partition("@")[0]).exists():
        subprocess.run([npm, "install", "--silent", "--prefix", str(prefix), package], check=True)
    return programs


def make_home(prefix: Path, data: Path) -> dict[str, str]:
    """A home below the prefix with a copy of a set as its `.claude`; the environment that leads there."""
    home = prefix / "home"
    copy = home / ".claude"
    if not copy.exists() or not filecmp.cmp(data / "manifest.json", copy / "manifest.json", shallow=False):
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(data, copy)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    return kept | {"HOME": str(home), "PYTHONUTF8": "1", "XDG_CACHE_HOME": str(home / ".cache")}
