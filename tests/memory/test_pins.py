"""Pins are kept in our own folder, one file a memory folder."""

import json
import unicodedata
from pathlib import Path

import pytest

from memtui.memory.pins import Pins
from memtui.util.app_dirs import Dirs
from tests.support import digest_tree


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    return Pins(Dirs(tmp_path / "config", tmp_path / "state", tmp_path / "cache"))


def test_pin_and_unpin(pins: Pins, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    before = digest_tree(folder)
    assert pins.names(folder) == frozenset()
    assert pins.set(folder, ["a.md", "sub/b.md"], True) == {"a.md", "sub/b.md"}
    assert pins.paths(folder) == {folder / "a.md", folder / "sub/b.md"}
    assert pins.set(folder, ["a.md"], False) == {"sub/b.md"}
    assert digest_tree(folder) == before


def test_folders_are_told_apart_and_a_link_is_the_same_folder(pins: Pins, tmp_path: Path) -> None:
    one, other, link = tmp_path / "one", tmp_path / "other", tmp_path / "link"
    one.mkdir()
    link.symlink_to(one)
    pins.set(one, ["a.md"], True)
    assert pins.names(other) == frozenset()
    assert pins.names(link) == {"a.md"}


def test_a_pin_follows_its_file(pins: Pins, tmp_path: Path) -> None:
    pins.set(tmp_path, ["a.md", "c.md"], True)
    pins.rename(tmp_path, "a.md", "b.md")
    pins.rename(tmp_path, "unpinned.md", "x.md")
    assert pins.names(tmp_path) == {"b.md", "c.md"}


def test_both_spellings_of_a_name_are_one(pins: Pins, tmp_path: Path) -> None:
    name = unicodedata.normalize("NFD", "한글.md")
    pins.set(tmp_path, [name], True)
    assert pins.names(tmp_path) == {unicodedata.normalize("NFC", name)}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"names": 3}', b'{"names": [1, "a.md"]}', b"\xff"])
def test_a_broken_pin_file_pins_what_can_be_read(tmp_path: Path, pins: Pins, content: bytes) -> None:
    pins.set(tmp_path, ["x.md"], True)
    (file,) = (tmp_path / "state/pins").glob("*.json")
    file.write_bytes(content)
    assert pins.names(tmp_path) <= {"a.md"}
    pins.set(tmp_path, ["b.md"], True)
    assert "b.md" in json.loads(file.read_bytes())["names"]
