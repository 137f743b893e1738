"""The history as a git repository, for those who want one; and the history that memtui 0.1.0 kept in one.

git is a program that is asked to, found on the PATH. It sees no configuration of the user's or the system's, so that
no hook and no filter runs.
"""

import os
import subprocess
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from shutil import rmtree, which

from memtui.fs.atomic import digest
from memtui.history.merge import git_environment
from memtui.history.versions import KEPT, FileChange, FolderScope, Operation, Versions
from memtui.util.errors import MemtuiError, Refused, Unsupported

_BRANCH = b"refs/heads/main"


def write_git(versions: Versions, target: Path, scopes: Collection[FolderScope] | None = None) -> int:
    """Write operations as commits, oldest first, into a new git repository, check out the newest state and count them.

    `target` is a folder that is empty, or not there yet; only operations on folders in `scopes` are written, where
    given. A file is called there as it is below the folder that all of them are in. A text that was kept without being
    written to its file is on a branch of its own, `kept/ID`.

    Raises `Refused` if the folder isn't empty, `Unsupported` if there is no git, `MemtuiError` if git fails; nothing is
    left of the repository then.
    """
    git = which("git")
    if git is None:
        raise Unsupported("git was not found", hint="install git, then try again")
    if target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir()))):
        raise Refused(f"{target} is not an empty folder", hint="name one that is empty or not there yet")
    operations = list(versions.walk(scopes))[::-1]
    folders = {one.folder for one in operations if one.folder}
    above = os.path.commonpath(folders) if folders else "/"
    made = not target.exists()
    try:
        target.mkdir(parents=True, exist_ok=True)
        _run([git, "init", "-q", "--template=", "."], target)
        head = target / ".git" / "HEAD"
        head.write_bytes(b"ref: " + _BRANCH + b"\n")  # whatever this git calls its first branch
        _run([git, "fast-import", "--quiet"], target, _stream(versions, operations, above))
        if operations:
            _run([git, "reset", "-q", "--hard"], target)
    except BaseException:
        rmtree(target if made else target / ".git", ignore_errors=True)
        raise
    return len(operations)


def old_histories(state: Path, folders: Collection[str]) -> dict[str, Path]:
    """The git repositories in which memtui 0.1.0 kept the history of folders, by real path; they stay as they are."""
    found = {folder: state / "history" / digest(os.fsencode(folder))[:16] for folder in folders}
    return {folder: path for folder, path in found.items() if (path / "HEAD").is_file()}


def _run(command: list[str], folder: Path, stream: Iterable[bytes] = ()) -> None:
    with subprocess.Popen(
        command, cwd=folder, env=git_environment(folder.absolute()),
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for part in stream:
                process.stdin.write(part)
            process.stdin.close()
        except BrokenPipeError:
            pass  # what git says about it follows
        words = process.stderr.read().decode("utf-8", "replace").strip()
    if process.returncode != 0:
        said = words.splitlines()[0] if words else f"exit {process.returncode}"
        raise MemtuiError(f"git failed: {said}", hint="nothing was changed in the history")


def _stream(versions: Versions, operations: Collection[Operation], above: str) -> Iterator[bytes]:
    last: bytes = b""
    for number, operation in enumerate(operations, start=1):
        mark = b":%d" % number
        kept = operation.kind == KEPT
        branch = b"refs/heads/kept/" + operation.id.encode() if kept else _BRANCH
        yield b"commit " + branch + b"\nmark " + mark + b"\n"
        who = "".join(char for char in operation.who if char not in "<>\0\n").encode("utf-8", "backslashreplace")
        when = min(max(int(operation.when), 0), 2**40)
        yield b"committer " + who + b" <memtui@localhost> %d +0000\n" % when
        yield _data(_message(operation))
        if last:
            yield b"from " + last + b"\n"
        lead = os.fsencode(os.path.relpath(operation.folder, above)) if operation.folder else b"."
        for change in sorted(operation.files, key=lambda change: change.after is not None):  # removals first
            yield from _file(versions, operation, change, lead)
        yield b"\n"
        if not kept:
            last = mark


def _file(versions: Versions, operation: Operation, change: FileChange, lead: bytes) -> Iterator[bytes]:
    name = os.fsencode(change.name)
    path = _quoted(name if lead == b"." else lead + b"/" + name)
    data = versions.read(operation.id, change.name)
    if data is None:
        yield b"D " + path + b"\n"
        return
    yield b"M 100644 inline " + path + b"\n"
    yield _data(data)


def _message(operation: Operation) -> bytes:
    lines = [operation.why or operation.kind, "", f"Memtui-Id: {operation.id}", f"Memtui-Kind: {operation.kind}"]
    lines += [f"Memtui-Undoes: {operation.undoes}"] if operation.undoes else []
    lines += [f"Memtui-Subject: {operation.subject}"] if operation.items else []
    lines += [f"Memtui-Item: {item.key} in {item.folder}" for item in operation.items]
    return "\n".join(lines).encode("utf-8", "backslashreplace") + b"\n"


def _data(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data + b"\n"


def _quoted(path: bytes) -> bytes:
    """A path as git quotes it: any byte can stand in it."""
    return b'"' + b"".join(
        bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte for byte in path
    ) + b'"'  # fmt: skip
