"""The `claude` program: where it is, where and by which command a session is resumed.

Source:
    Claude Code 2.1.332, recorded: `claude --resume ID` goes on in the session's file and works in the directory that it
    was started in; `--fork-session` goes on in a new file. Given the path of a transcript outside its folder it shows
    that, but writes what follows into `<id in the records>.jsonl` beside it.
"""

# ruff: noqa: PTH112
# What may not be looked at counts as not there; pathlib raises PermissionError.

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from memtui.client.environment import Env
from memtui.client.git import canonical_root, worktrees
from memtui.client.paths import config_dir, matches_project_name, transcripts_dir
from memtui.client.projects import directories_for_project_name, session_directories
from memtui.client.session_files import SessionFile
from memtui.util.errors import Unsupported
from memtui.util.text import visible

CLIENT_NAME = "claude"

_INSTALL_PATHS = (".local/bin/claude", ".claude/local/claude")  # below the home folder


def find_client(env: Env) -> str:
    """The path of the executable: on the PATH, else where its installers put it. May raise `Unsupported`."""
    installed = (shutil.which(str(env.home / name)) for name in _INSTALL_PATHS)
    found = shutil.which(CLIENT_NAME, path=env.get("PATH") or os.defpath) or next(filter(None, installed), None)
    if found is not None:
        return str(Path(found).absolute())
    raise Unsupported(
        f"Claude Code isn't installed here: no {CLIENT_NAME} on the PATH",
        hint="install Claude Code; --print shows the command, --context the conversation",
    )


def resume_command(client: str, session: str, *, fork: bool = False) -> list[str]:
    """The command that resumes a session; `fork`: into a new file, the old one stays as it is."""
    return [client, "--resume", session, *(["--fork-session"] if fork else [])]


def resume_environment(env: Env) -> dict[str, str]:
    """The environment to resume in: a relative configuration folder would mean another one in another directory."""
    given = {"CLAUDE_CONFIG_DIR": str(config_dir(env))} if "CLAUDE_CONFIG_DIR" in env.environ else {}
    return {**env.environ, **given}


class ResumeDirectory(Struct, frozen=True):
    """Where a session has to be resumed, so that Claude Code works where it did."""

    directory: Path | None  # the one that it began in
    there: bool  # it exists
    others: tuple[Path, ...] = ()  # other existing directories that it worked in


def resumable_folders(env: Env, directory: Path) -> tuple[Path, ...]:
    """The folders in which `claude --resume ID` looks when it is started in a directory: its own, and those of the
    roots of its repository's working trees. A session of a subfolder is found from that subfolder alone.
    """
    trees = worktrees(canonical_root(directory))
    return tuple(dict.fromkeys(transcripts_dir(env, tree) for tree in (directory, *trees)))


def resume_directory(file: SessionFile, home: Path) -> ResumeDirectory:
    """Where a session began: the first directory in its records that its folder is named after, else the first.

    If that is gone it is the only one on the disk that has the folder's name, as after a move of the project.
    """
    named = session_directories(file)
    own = [path for path in named if matches_project_name(file.path.parent.name, path)]
    first = next(iter((*own, *named)), None)
    others = tuple(Path(path) for path in named if path != first and os.path.isdir(Path(path)))
    directory = None if first is None else Path(first)
    if directory is None or not os.path.isdir(directory):
        moved = directories_for_project_name(file.path.parent.name, home)
        directory = moved[0] if len(moved) == 1 else directory
    return ResumeDirectory(directory, directory is not None and os.path.isdir(directory), others)


def shell_command(
    directory: Path | None, session: str, *, fork: bool = False, environ: Mapping[str, str] | None = None
) -> str:
    """The command that resumes a session, to be pasted into a shell: one line.

    `directory` is where it has to run, `environ` are variables to set for it. Control characters are written as escapes
    that bash and zsh turn back.
    """
    words = [shell_quote(word) for word in resume_command(CLIENT_NAME, session, fork=fork)]
    words[:0] = [f"{name}={shell_quote(value)}" for name, value in (environ or {}).items()]
    command = " ".join(words)
    return command if directory is None else f"cd {shell_quote(str(directory))} && {command}"


def shell_quote(word: str) -> str:
    """Quote a word for a shell, on one line and without control characters."""
    if visible(word, keep="") == word:
        return shlex.quote(word)
    try:
        data = os.fsencode(word)
    except UnicodeEncodeError:  # a lone surrogate, which no name on the disk can hold
        data = word.encode("utf-8", "surrogatepass")
    return "$'" + "".join(map(_escaped, data)) + "'"


def _escaped(byte: int) -> str:
    if chr(byte) in "\\'":
        return "\\" + chr(byte)
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"
