"""A small git repository written by hand: one commit, no git binary, the same bytes each time."""

import hashlib
import struct
import zlib
from pathlib import Path

_AUTHOR = "Jiwoo Han <jiwoo@moru.example>"


def make_repository(folder: Path, names: tuple[str, ...], when: float, *, branches: tuple[str, ...] = ()) -> None:
    """Make `folder` a repository whose `main` (and more `branches`) holds the named files in one commit."""
    git = folder / ".git"
    for name in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info"):
        (git / name).mkdir(parents=True)
    files = {name: (folder / name).read_bytes() for name in names}
    tree = _tree(git, files)
    (git / "index").write_bytes(_index(files))
    stamp = f"{_AUTHOR} {int(when)} +0900"
    commit = _object(git, "commit", f"tree {tree}\nauthor {stamp}\ncommitter {stamp}\n\nStart\n".encode())
    for branch in ("main", *branches):
        reference = git / "refs/heads" / branch
        reference.parent.mkdir(parents=True, exist_ok=True)
        reference.write_text(commit + "\n", encoding="ascii")
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
    core = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    (git / "config").write_text(core, encoding="ascii")
    (git / "info/exclude").write_text("CLAUDE.local.md\n.claude/settings.local.json\n", encoding="ascii")


def _tree(git: Path, files: dict[str, bytes]) -> str:
    """Write the tree of these files and of the folders below."""
    rows: list[tuple[str, bytes]] = []
    folders: dict[str, dict[str, bytes]] = {}
    for name, data in files.items():
        first, slash, rest = name.partition("/")
        if slash:
            folders.setdefault(first, {})[rest] = data
        else:
            rows.append((name, b"100644 " + name.encode() + b"\0" + bytes.fromhex(_object(git, "blob", data))))
    for name, below in folders.items():
        rows.append((name + "/", b"40000 " + name.encode() + b"\0" + bytes.fromhex(_tree(git, below))))
    return _object(git, "tree", b"".join(row for _, row in sorted(rows)))


def _index(files: dict[str, bytes]) -> bytes:
    """The staging area, as after a checkout; git looks at the files themselves, as no times are in it."""
    rows = b""
    for path, data in sorted((name.encode(), data) for name, data in files.items()):
        name = bytes.fromhex(_name("blob", data))
        row = struct.pack(">10I20sH", *[0] * 6, 0o100644, 0, 0, len(data), name, len(path))
        rows += row + path + b"\0" * (8 - (len(row) + len(path)) % 8)
    whole = b"DIRC" + struct.pack(">2I", 2, len(files)) + rows
    return whole + hashlib.sha1(whole, usedforsecurity=False).digest()


def _name(kind: str, data: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


def _object(git: Path, kind: str, data: bytes) -> str:
    """Write a loose object and return its name."""
    name = _name(kind, data)
    path = git / "objects" / name[:2] / name[2:]
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(zlib.compress(f"{kind} {len(data)}\0".encode() + data, 1))
    return name
