"""One file, whatever it is: listed, never an exception, read only with a reason where it can't be edited safely."""

import errno
import hashlib
import os
import socket
from pathlib import Path

import pytest

from memtui.memory.frontmatter import MAX_BLOCK_BYTES
from memtui.memory.topic import MAX_FILE_BYTES, MemoryFile, read_file
from tests.support import digest_tree


def read(path: Path, *, full: bool = True, own: tuple[Path, ...] = ()) -> MemoryFile:
    return read_file("auto", path, path.name, "topic", path.lstat(), full=full, own=own)[0]


def test_a_topic(tmp_path: Path) -> None:
    data = b"---\nname: n\ndescription: d\ntype: user\n---\n\nSee [[other]] and [B](b.md).\n"
    path = tmp_path / "a.md"
    path.write_bytes(data)
    file = read(path)
    assert (file.title, file.description, file.type, file.readonly) == ("n", "d", "user", None)
    assert (file.size, file.digest) == (len(data), hashlib.sha256(data).hexdigest())
    assert [link.target for link in file.links or ()] == ["other", "b.md"]
    assert file.mtime_ns == path.stat().st_mtime_ns
    short = read(path, full=False)
    assert (short.digest, short.links, short.front) == (None, None, file.front)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\nname: slug\n---\n# Heading\n", "slug"),
        ("---\ntype: user\n---\n# Heading #\n", "Heading"),
        ("# 제목\n", "제목"),
        ("```\n# comment\n```\n# Title\n", "Title"),
        ("```\n# comment\n```\n", "topic"),
        ("## Not a title\n", "topic"),
        ("---\nname: never closed\n# H\n", "topic"),
        ("", "topic"),
    ],
)
def test_title(tmp_path: Path, text: str, title: str) -> None:
    path = tmp_path / "topic.md"
    path.write_text(text, encoding="utf-8")
    assert read(path).title == title


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\xff", "not UTF-8 (byte 1)"),
        (b"a\0b", "binary: holds NUL bytes"),
        ("a\n".encode("utf-16"), "binary: holds NUL bytes"),
        (b"a\r\nb\n", "mixed line ends"),
        (b"a\rb\n", "mixed line ends"),
        (b"a\rb", "mixed line ends"),
        (b"x" * (MAX_FILE_BYTES + 1), "1.0 MB, more than 1 MB"),
        (b"a\r\nb\r\n", None),
        (b"\xef\xbb\xbfa\n", None),
        (b"", None),
        (b"x" * MAX_FILE_BYTES, None),
    ],
)
@pytest.mark.parametrize("full", [True, False])
def test_bytes_that_open_read_only(tmp_path: Path, data: bytes, reason: str | None, full: bool) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(data)
    file = read(path, full=full)
    assert file.readonly == reason
    assert (file.digest is None) == (not full or len(data) > MAX_FILE_BYTES)


@pytest.mark.parametrize(
    ("head", "reason"),
    [("가".encode()[:2], "not UTF-8 (byte 16382)"), (b"\r\nb\r", "mixed line ends")],
)
def test_the_head_of_a_file_may_end_in_a_character_or_a_line_end(tmp_path: Path, head: bytes, reason: str) -> None:
    path = tmp_path / "a.md"
    data = head.rjust(MAX_BLOCK_BYTES, b"a")
    path.write_bytes(data)
    assert read(path, full=False).readonly == reason
    path.write_bytes(data + (b"\n" if data.endswith(b"\r") else "가".encode()[2:]))
    assert read(path, full=False).readonly is None


def test_a_long_front_matter_is_read_in_full(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("---\nname: n\nx: " + "y" * 20_000 + "\n---\n", encoding="utf-8")
    assert read(path).front.verdict == "invalid"
    assert read(path, full=False).front.verdict == "invalid"


def test_links_and_odd_files(tmp_path: Path) -> None:
    root, outside = tmp_path / "memory", tmp_path / "outside.md"
    root.mkdir()
    outside.write_text("---\nname: secret\n---\n")
    (root / "real.md").write_text("---\nname: real\n---\n")
    (root / "in.md").symlink_to("real.md")
    (root / "out.md").symlink_to("../outside.md")
    (root / "dead.md").symlink_to("nowhere.md")
    (root / "loop.md").symlink_to("loop.md")
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket.md"))
        seen = {path.name: read(path, own=(root,)) for path in sorted(root.iterdir())}
    reasons = {name: file.readonly for name, file in seen.items()}
    assert reasons == {
        "real.md": None,
        "in.md": None,
        "out.md": f"its file {outside.resolve()} lies outside the home and the project",
        "dead.md": f"a link to {root.resolve()}/nowhere.md, which isn't there",
        "loop.md": "a link that leads back to itself",
        "folder.md": "a folder, not a file",
        "pipe.md": "not a regular file",
        "socket.md": "not a regular file",
    }
    assert seen["in.md"].title == "real"
    assert (seen["out.md"].title, seen["out.md"].lies_at) == ("secret", outside.resolve())
    assert all(file.links is None for file in seen.values() if file.readonly and file.lies_at is None)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    path.chmod(0)
    assert (read(path).readonly or "").startswith("can't be read: ")


def test_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("memtui.memory.topic.os.open", refuse)
    file = read(path)
    assert (file.readonly, file.title, file.digest) == ("can't be read: Permission denied", "a", None)


def test_a_file_that_goes_away_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("x")
    status = path.lstat()
    path.unlink()
    file, data = read_file("auto", path, "a.md", "topic", status, full=True)
    assert (data, file.digest) == (b"", None)
    assert (file.readonly or "").startswith("can't be read: ")


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# T\n")
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    before = digest_tree(tmp_path)
    os.utime(path, ns=(1_000_000_000, 2_000_000_000))
    read(path)
    if hasattr(os, "O_NOATIME"):
        assert path.stat().st_atime_ns == 1_000_000_000
    assert digest_tree(tmp_path) == before
