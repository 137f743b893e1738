"""Claude Code's folders and its names of projects.

Recorded on Claude Code 2.1.332. A project name is made from a path and cannot be turned back into one.
"""

import os
import re
import stat
from pathlib import Path

from memtui.client.environment import Env
from memtui.util.text import nfc

LOCK_NAME = ".consolidate-lock"  # holds the PID of who consolidates or did last; its mtime is the last success
MAX_PROJECT_NAME_UNITS = 200  # UTF-16 units of a project name before it is cut and gets a hash
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_NOT_ALPHANUMERIC = re.compile("[^A-Za-z0-9]")
_CONFIGURED_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEVICE_NAME = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])", re.IGNORECASE)


def project_name(path: str) -> str:
    """Return the folder name under `projects/` for a directory, given its real path as the system spells it.

    Every UTF-16 unit outside A-Z, a-z, 0-9 becomes "-"; above 200 units the name is cut, with "-" and a hash of the
    whole path. The client doesn't compose the path first: an "e" with a combining accent gives "e-".

    Source: Claude Code 2.1.332, recorded: the hash is |h| in base 36, where h = h·31 + unit in signed 32 bits.
    """
    name = _NOT_ALPHANUMERIC.sub("-", _ASTRAL.sub("--", path))
    return name if len(name) <= MAX_PROJECT_NAME_UNITS else f"{name[:MAX_PROJECT_NAME_UNITS]}-{_hash(path)}"


def _hash(path: str) -> str:
    units = path.encode("utf-16-le", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (value * 31 + units[at] + (units[at + 1] << 8)) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >> 31 else value)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def matches_project_name(name: str, path: str) -> bool:
    """Whether some version of the client could have given this folder name to the directory.

    Another program of the same family hashes long paths in another way, and takes a character outside the basic
    plane for one dash: a long name counts by its first 200 characters, an astral character either way.
    """
    own = project_name(path)
    if name == own:
        return True
    if len(own) > MAX_PROJECT_NAME_UNITS:
        return name[:MAX_PROJECT_NAME_UNITS] == own[:MAX_PROJECT_NAME_UNITS]
    return name == _NOT_ALPHANUMERIC.sub("-", nfc(path))


def real_path(path: Path) -> Path:
    """Resolve links, whether the path exists or not; a circle of links stays as it is written."""
    return Path(os.path.realpath(path))


def config_dir(env: Env, cwd: Path | None = None) -> Path:
    """The client's configuration folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`, composed (NFC).

    The client takes a relative value, "" and one with "~" included, relative to its working directory; so do we.
    """
    value = env.environ.get("CLAUDE_CONFIG_DIR")
    if value is None:
        return Path(nfc(str(env.home / ".claude")))
    return Path(nfc(os.path.normpath((cwd or Path.cwd()) / value)))


def configured_project_name(env: Env) -> str | None:
    """The name in `CLAUDE_CODE_PROJECT_DIR_NAME`, beside a `CLAUDE_CONFIG_DIR` and if it is no Windows device."""
    name = env.get("CLAUDE_CODE_PROJECT_DIR_NAME")
    if not env.get("CLAUDE_CONFIG_DIR") or not _CONFIGURED_NAME.fullmatch(name) or _DEVICE_NAME.fullmatch(name):
        return None
    return name


def projects_dir(env: Env, cwd: Path | None = None) -> Path:
    return config_dir(env, cwd) / "projects"


def store_of(env: Env, path: Path) -> Path | None:
    """The project's folder below `projects/` that a path lies in, or is; a link counts by where it is linked from."""
    there = projects_dir(env, path)
    for base, place in ((there, path), (real_path(there), real_path(path))):
        if place != base and place.is_relative_to(base):
            return base / place.relative_to(base).parts[0]
    return None


def is_directory(path: Path) -> bool:
    """Whether it is a directory; false also for what can't be looked at, such as a circle of links."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def transcripts_dir(env: Env, cwd: Path) -> Path:
    """Where a session that starts in `cwd` leaves its transcript: unlike memory, each directory has its own."""
    return projects_dir(env, cwd) / (configured_project_name(env) or project_name(str(real_path(cwd))))


def read_small_file(path: Path, limit: int = 1 << 16) -> bytes | None:
    """Read a regular file of at most `limit` bytes without waiting for a pipe in its place; `None` where that fails."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = os.read(descriptor, limit + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if len(data) <= limit else None


def tilde_path(path: Path, home: Path) -> str:
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
