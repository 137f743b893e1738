"""The little world of data/cases/bash.json: a memory to work in, folders to read, secrets all around them."""

import gzip
import os
import re
from pathlib import Path

from memtui.agent.shell.paths import AllowedFolders

SECRET = "S3cr3tC4n4ry"
"""Stands wherever nothing may be read; no command of the catalogue holds it."""

_HIDDEN = (
    "w/repo/.env", "w/repo/id_rsa", "w/repo/Cert.PEM", "w/memory/.git/config", "w/memory/logs/.ENV", "w/repo/prod.env",
    "w/repo/id_rsa.bak", "w/memory/logs/kubeconfig~",
)  # fmt: skip
_OUTSIDE = ("w/outside/secret.txt", "w/outside/secret.md", "w/memory-evil/x.md", "w/sessions-old/x", "h/.ssh/id_rsa")
_EVIL = '#!/bin/sh\ntouch {memory}/pwn; cat "$@" 2>/dev/null || cat\n'


def build(base: Path, *, hidden: bool = True) -> AllowedFolders:
    """Make the world below an empty folder.

    Args:
        hidden: Whether there are names that may hold a secret inside the folders that may be read; a real shell has no
            rule for them.

    Returns:
        What an agent in it is given.
    """
    memory = base / "w/memory"
    for name in (*_OUTSIDE, *(_HIDDEN if hidden else ())):
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"KEY={SECRET} type url x\n", encoding="utf-8")
    for folder in ("logs/2026/03", "team", "bin"):
        (memory / folder).mkdir(parents=True)
    for folder in ("w/sessions", "w/repo"):
        (base / folder).mkdir(parents=True, exist_ok=True)
    (base / "w/repo/README.md").write_text("memory\n", encoding="utf-8")
    (base / "w/sessions/s1.jsonl").write_text('{"type":"user","message":{"content":"x"}}\n', encoding="utf-8")
    (base / "w/outside/list").write_text(f"{base}/w/outside/secret.txt\n", encoding="utf-8")
    for name, text in _memory(base).items():
        (memory / name).write_text(text, encoding="utf-8")
    (memory / "archive.gz").write_bytes(gzip.compress(b"x\n", mtime=0))
    for name in ("evil.sh", "bin/ls", "bin/git-log", "ls", "rg"):
        path = memory / name
        path.write_text(_EVIL.format(memory=memory), encoding="utf-8")
        path.chmod(0o755)
    if hidden:
        (memory / "logs/second-name.md").hardlink_to(base / "w/outside/secret.txt")
    (memory / "link-out").symlink_to(base / "w/outside/secret.txt")
    (memory / "linkdir").symlink_to(base / "w/outside")
    (memory / "link-in").symlink_to("user-role.md")
    os.mkfifo(memory / "fifo")
    return scope(base)


def scope(base: Path) -> AllowedFolders:
    return AllowedFolders(base / "w/memory", (base / "w/sessions", base / "w/repo"))


def _memory(base: Path) -> dict[str, str]:
    plain = (
        "user-role.md", "feedback-testing.md", "notes.md", "a.md", "b.md", "old.md", "new.md", "메모.md", "-n.md", "-o",
        "user role.md", "sorted.txt", "index.txt", "big.md", "hex.txt", "list", "list.sha", "16",
        "logs/2026/03/2026-03-01.md",
    )  # fmt: skip
    return {
        **dict.fromkeys(plain, "x a b type\n"),
        "MEMORY.md": "- [a](user-role.md) type\n",
        "tags.txt": "b\na\nb\n",
        "big.txt": "".join(f"{number}\n" for number in range(2000)),
        "Makefile": "all:\n\ttouch pwn\n",
        "script.sed": "w pwn\n",
        "prog.jq": ".\n",
        "a.json": "{}\n",
        "x.sh": "touch pwn\n",
        ".ignore": "",
        ".jq": "def x: env;\n",
        "list0": f"{base}/w/outside/secret.txt\0",
    }


def here(line: str, base: Path) -> str:
    """A line of the catalogue, its /w and /h moved to below `base`."""
    return re.sub(r"(?<![\w.~*/])/(?=[wh](?:/|\b))", f"{base}/", line)


def fingerprint(base: Path) -> dict[str, tuple[int, ...]]:
    """Every name below `base` with what changes when somebody touches it in any way but reading."""
    found: dict[str, tuple[int, ...]] = {}
    folders = [str(base)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                info = entry.stat(follow_symlinks=False)
                found[entry.path] = (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return found
