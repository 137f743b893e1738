"""The newest session of a folder, found without reading all of them."""

import os
from pathlib import Path

import pytest

from memtui.sessions.entries import seconds
from memtui.sessions.listing import newest, sessions
from memtui.sessions.scan import Facts, Scanner
from tests.sessions.rows import SESSION, Script


def write(folder: Path, number: int, *, rows: int, modified: float, side: bool = False) -> Path:
    """A session whose last record is `rows` * 7 s after the start, and whose file is that much newer."""
    script = Script()
    for row in range(rows):
        script.user(f"u{row}", f"u{row - 1}" if row else None, isSidechain=side)
    path = script.write(folder).rename(folder / f"{SESSION[:-1]}{number}.jsonl")
    start = seconds("2026-11-01T09:00:00Z")
    assert start is not None
    os.utime(path, (start + modified, start + modified))
    return path


def test_the_last_record_counts_as_in_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert newest(tmp_path) is None
    write(tmp_path, 1, rows=3, modified=1000)  # a rename came later
    last = write(tmp_path, 2, rows=9, modified=63)
    write(tmp_path, 3, rows=2, modified=14)
    write(tmp_path, 4, rows=90, modified=2000, side=True)
    found = newest(tmp_path)
    assert found is not None
    assert found.file.path == last == sessions([tmp_path], [])[0].file.path
    read: list[str] = []
    real = Scanner.file

    def look(self: Scanner, path: Path) -> Facts:
        read.append(path.stem[-1])
        if path.stem.endswith("1"):
            raise PermissionError(13, "Permission denied")
        return real(self, path)

    monkeypatch.setattr(Scanner, "file", look)
    found = newest(tmp_path)
    assert found is not None
    assert found.file.path == last
    assert read == ["4", "1", "2"], "the third can't be newer"
