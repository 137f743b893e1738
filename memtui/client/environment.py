"""Everything outside that a decision about Claude Code depends on, as one value that a test can choose."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


def managed_folder() -> Path:
    """The folder of an administrator's settings and instructions for Claude Code."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode")
    if sys.platform == "win32":
        return Path("C:/Program Files/ClaudeCode")
    return Path("/etc/claude-code")


class Env(Struct, frozen=True):
    """The home folder, environment variables and policy files that count."""

    home: Path
    environ: Mapping[str, str]
    policy_files: tuple[Path, ...] = ()  # beside each, the files of `<stem>.d/*.json` are read as well, by name

    @classmethod
    def real(cls, environ: Mapping[str, str] | None = None) -> "Env":
        """That of this process; `HOME` decides the home folder where it is set."""
        taken = dict(os.environ if environ is None else environ)
        home = taken.get("HOME", "")
        policy = managed_folder() / "managed-settings.json"
        return cls(Path(home) if home.startswith("/") else Path.home(), taken, (policy,))

    def get(self, name: str) -> str:
        return self.environ.get(name, "")


def parse_switch(value: str | None) -> bool | None:
    """1, true, yes and on are true; 0, false, no and off are false, whatever their case; anything else gives `None`.

    Source: Claude Code 2.1.332, recorded with CLAUDE_CODE_DISABLE_AUTO_MEMORY: "2", "n" and "foo" leave it to the
    settings.
    """
    word = (value or "").strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    return False if word in ("0", "false", "no", "off") else None
