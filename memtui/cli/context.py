"""One call of the program: its options, its surroundings, and the workspace that they lead to.

The screen starts from here too, so click is not known here.
"""

# ruff: noqa: PTH110
# What may not be looked at counts as not there; pathlib raises PermissionError.

import os
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from memtui.cli import COMMANDS, GlobalOptions
from memtui.client.environment import Env
from memtui.client.paths import is_directory, store_of
from memtui.util.app_dirs import Dirs
from memtui.util.config import Config, read_config
from memtui.util.errors import NotFound
from memtui.util.paths import expand_tilde
from memtui.util.text import visible

if TYPE_CHECKING:
    from memtui.cli.output import Output
    from memtui.client.memory_location import MemoryLocation
    from memtui.memory.snapshot import Snapshot
    from memtui.memory.workspace import Workspace


class KeyRow(Struct, frozen=True):
    """One key of the screen: the action that config.toml names, where it works, its keys, what it does."""

    id: str
    place: str
    keys: str
    words: str


def here() -> Path:
    """The working directory; its last name where it was removed under our feet."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.environ.get("PWD") or "/")


class CliContext:
    """What a command is given. What a call doesn't use is never made.

    `cwd` is the process's working directory, `now` the clock. `keys` gives the screen's keys: the command line doesn't
    know the screen, so whoever started it may hand them over.
    """

    now: Callable[[], float] = staticmethod(time.time)

    def __init__(self, keys: Callable[[], Sequence["KeyRow"]] | None = None) -> None:
        self.options = GlobalOptions()
        self.keys = keys
        self.cwd = here()
        self._last: Snapshot | None = None

    @cached_property
    def env(self) -> Env:
        """The surroundings; `--config-dir` counts as CLAUDE_CONFIG_DIR."""
        environ = dict(os.environ)
        if self.options.config_dir is not None:
            environ["CLAUDE_CONFIG_DIR"] = str(self.cwd / expand_tilde(self.options.config_dir, users=True))
        return Env.real(environ)

    @cached_property
    def dirs(self) -> Dirs:
        return Dirs.from_env(self.env.environ, self.env.home)

    @cached_property
    def out(self) -> "Output":
        """The printer; the screen needs none unless it fails."""
        from memtui.cli.output import Output  # 3 ms, which the screen's start does without

        ours = os.path.exists(self.dirs.config / "config.toml")
        return Output(self.options, os.environ, ascii=ours and self.config["glyphs"] == "ascii")

    @cached_property
    def config(self) -> Config:
        return read_config(self.dirs.config)

    @cached_property
    def directory(self) -> Path:
        """The working directory, or what `--project` names; errors as `find_directory`."""
        word = self.options.project
        if word is None:
            return self.cwd if store_of(self.env, self.cwd) is None else find_directory(self.env, self.cwd, ".")
        return find_directory(self.env, self.cwd, word)

    def lone_word(self) -> None:
        """Judge a project named where a command could stand (`memtui shop`).

        `NotFound` says what else it may have meant.
        """
        word = self.options.project or ""
        try:
            _ = self.directory
        except NotFound as error:
            words = f"{visible(word, keep='')!r} is neither a command nor a directory nor a project"
            raise NotFound(words, hint=near_commands(word) or error.hint) from error

    @cached_property
    def location(self) -> "MemoryLocation":
        from memtui.client.memory_location import locate_memory  # 7 ms that `sessions ls --all` does without

        return locate_memory(self.env, self.directory)

    @cached_property
    def workspace(self) -> "Workspace":
        from memtui.memory.workspace import Workspace  # 80 ms, which no command that only reads needs

        trash, read_only = self.config["trash"] == "true", self.options.read_only
        workspace = Workspace(self.env, self.dirs, self.location, read_only=read_only, trash=trash, now=self.now)
        if self._last is not None:
            workspace.read(full=False, known=self._last)  # it has to know the folders
        return workspace

    def read(self, *, full: bool = True) -> "Snapshot":
        """The snapshot, read now; `full` also reads bodies: links and problems."""
        from memtui.memory.snapshot import load_snapshot  # 80 ms that `sessions` does without

        if "workspace" in self.__dict__:
            return self.workspace.read(full=full, known=self._last)
        self._last = load_snapshot(self.location, self.env, full=full, known=self._last, now=self.now())
        return self._last

    def snapshot(self, *, full: bool = True) -> "Snapshot":
        """The snapshot, where there is anything in it; `NotFound` without memory and instructions."""
        snapshot = self.read(full=full)
        instructions = any(instruction.exists for instruction in snapshot.instructions)
        if not instructions and not any(scope.files for scope in snapshot.scopes):
            raise NotFound(
                f"no memory for this project yet: {self.location.folder} does not exist",
                hint="memtui new NAME writes the first, memtui projects lists other projects",
            )
        return snapshot


def near_commands(word: str) -> str:
    """What to say to somebody who mistyped a command; "" if nothing is near."""
    from difflib import get_close_matches  # 2 ms, needed after a mistake only

    near = get_close_matches(word, COMMANDS, 2)
    return f"did you mean {' or '.join(near)}?" if near else ""


def find_directory(env: Env, cwd: Path, word: str) -> Path:
    """The directory that a word for a project means: a directory as it is, else a project by its name.

    It is the project's folder below projects/ where nobody knows the directory, or other memory is loaded there:
    `locate_memory` opens that. `NotFound` if there is neither, `UsageError` if several projects fit.
    """
    path = Path(os.path.normpath(cwd / expand_tilde(word, env.home, users=True)))
    there = is_directory(path)
    store = store_of(env, path)
    if there and store is None and ("/" in word or word in (".", "..", "~") or word.startswith("~/")):
        return path
    from memtui.client.projects import find_project, is_path  # 8 ms, needed with --project only

    try:
        project = find_project(env, word)
    except NotFound:
        if there:
            return path
        raise
    if project.cwd is None:
        return path if is_path(word) and store is None else project.folder
    if store is not None:
        from memtui.client.memory_location import locate_memory  # as in `location`

        if locate_memory(env, project.cwd).folder != project.folder / "memory":
            return project.folder
    return project.cwd
