"""A saved frame is found again only by the same start, as long as nothing that it shows has changed."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.workspace import Workspace
from memtui.tui.startup.frame_cache import MAX_FRAME_SIZE, MAX_FRAMES, FrameCache, is_harmless, stamp
from memtui.tui.startup.stamps import stamps_of

FRAME = "\x1b[1;1H\x1b[1;38;2;1;2;3m memtui 한글 ─\x1b[0m"


def cache_of(folder: Path, size: tuple[int, int] = (80, 24), key: str = "key") -> FrameCache:
    return FrameCache(str(folder / "frames"), size, key)


def only(folder: Path) -> Path:
    (file,) = (folder / "frames").iterdir()
    return file


@pytest.fixture
def saved(workspace: Workspace, tmp_path: Path) -> FrameCache:
    """A frame of the workspace as it is now."""
    cache = cache_of(tmp_path)
    cache.write(FRAME, b"state", stamps_of(workspace, workspace.read(full=True)))
    assert cache.read() == FRAME
    assert cache.state == b"state"
    return cache


def same_length(memory: Path) -> None:
    file = memory / "user_role.md"
    file.write_bytes(file.read_bytes()[::-1])


def replaced(memory: Path) -> None:
    """By another file with the same text, size and times."""
    file, info = memory / "user_role.md", (memory / "user_role.md").stat()
    (memory / "new").write_bytes(file.read_bytes())
    folder = memory.stat()
    (memory / "new").rename(file)
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
    os.utime(memory, ns=(folder.st_atime_ns, folder.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda memory: (memory / "user_role.md").write_text("other text"),
    "edited to the same length": same_length,
    "replaced": replaced,
    "touched": lambda memory: os.utime(memory / "user_role.md"),
    "added": lambda memory: (memory / "new.md").write_text("x"),
    "added to the team": lambda memory: ((memory / "team").mkdir(), (memory / "team/x.md").write_text("x")),
    "removed": lambda memory: (memory / "user_role.md").unlink(),
    "renamed": lambda memory: (memory / "user_role.md").rename(memory / "user_roles.md"),
    "a dream": lambda memory: (memory / ".consolidate-lock").write_text("x"),
    "gone": lambda memory: memory.rename(memory.with_name("elsewhere")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_after_any_change_there_is_no_frame(saved: FrameCache, memory: Path, change: str) -> None:
    CHANGES[change](memory)
    assert saved.read() is None


def test_instructions_drafts_pins_and_settings_count_too(
    saved: FrameCache, workspace: Workspace, home: Path, tmp_path: Path
) -> None:
    def save() -> None:
        saved.write(FRAME, b"state", stamps_of(workspace, workspace.read(full=True)))
        assert saved.read() == FRAME

    topic = workspace.location.folder / "user_role.md"
    for change in (
        lambda: (home / "shop/CLAUDE.md").write_text("rules"),
        lambda: workspace.drafts.save(topic, "draft", None),
        lambda: workspace.pins.pin(workspace.location.folder, [topic.name], True),
        lambda: (home / ".claude/settings.json").write_text("{}"),
        lambda: (home / "shop/.git").mkdir(),
    ):
        change()
        assert saved.read() is None
        save()


def test_a_file_that_changed_behind_the_reading_is_never_shown(workspace: Workspace, tmp_path: Path) -> None:
    snapshot = workspace.read(full=True)
    (workspace.location.folder / "user_role.md").write_text("later")
    cache = cache_of(tmp_path)
    cache.write(FRAME, b"state", stamps_of(workspace, snapshot))
    assert cache.read() is None


def test_it_is_of_one_size_and_one_start(tmp_path: Path) -> None:
    cache_of(tmp_path).write(FRAME, b"", [])
    assert cache_of(tmp_path).read() == FRAME
    assert cache_of(tmp_path, (81, 24)).read() is None
    assert cache_of(tmp_path, key="other").read() is None


OTHER_STARTS = {
    "NO_COLOR": "1",
    "COLORTERM": "",
    "TERM": "xterm-kitty",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "LANG": "C",
}


def test_what_decides_how_a_start_looks_is_in_its_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.chdir(tmp_path)

    def cache(*, config_dir: str | None = None, ascii: bool = False, read_only: bool = False) -> FrameCache:
        found = FrameCache.of_start((80, 24), config_dir=config_dir, ascii=ascii, read_only=read_only)
        assert found is not None
        return found

    cache().write(FRAME, b"", [])
    assert cache().read() == FRAME
    assert cache(config_dir="x").read() is None
    assert cache(ascii=True).read() is None
    assert cache(read_only=True).read() is None
    for name, value in OTHER_STARTS.items():
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            assert cache().read() is None, name
    monkeypatch.setenv("TEXTUAL_DRIVER", "other")
    assert FrameCache.of_start((80, 24), config_dir=None, ascii=False, read_only=False) is None


def test_no_secret_of_the_environment_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "geheim")
    cache = FrameCache.of_start((80, 24), config_dir=None, ascii=False, read_only=False)
    assert cache is not None
    cache.write(FRAME, b"", [])
    (file,) = (tmp_path / "memtui/frames").iterdir()
    assert b"geheim" not in file.read_bytes()


def test_only_its_owner_reads_it(saved: FrameCache, tmp_path: Path) -> None:
    file = only(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o622)
    assert saved.read() is None


def test_a_damaged_file_is_no_frame(saved: FrameCache, tmp_path: Path) -> None:
    file = only(tmp_path)
    whole = file.read_bytes()
    for at in range(0, len(whole), 7):
        file.write_bytes(whole[:at])
        assert saved.read() is None
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert saved.read() is None
    for other in (b"", b"\0", b"\0" * 99, b"\xff" * 99):
        file.write_bytes(other)
        assert saved.read() is None
    file.write_bytes(whole)
    assert saved.read() == FRAME


HARMFUL = [
    "\x1b]52;c;RVZJTA==\x07",
    "\x1b[2J",
    "\x1b[6n",
    "\x1b",
    "\x07",
    "\r",
    "\x9b31m",
    "\x7f",
    "\x1bc",
    "\x1b[?25h",
]


@pytest.mark.parametrize("text", HARMFUL)
def test_what_a_terminal_would_obey_is_neither_saved_nor_drawn(tmp_path: Path, text: str) -> None:
    cache = cache_of(tmp_path)
    cache.write(FRAME + text, b"", [])
    assert cache.read() is None
    assert not is_harmless((FRAME + text).encode())


def test_somebody_who_knows_the_format_sends_no_escapes_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cache_of(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("memtui.tui.startup.frame_cache.is_harmless", lambda data: True)
        cache.write(FRAME + HARMFUL[0], b"", [])
        assert cache.read() is not None
    assert cache.read() is None


@given(st.text())
def test_nothing_harmless_has_control_characters(text: str) -> None:
    if is_harmless(text.encode("utf-8", "replace")):
        assert not any((char < " " and char != "\x1b") or "\x7f" <= char <= "\x9f" for char in text)


def test_there_are_never_more_than_some_and_none_too_large(tmp_path: Path) -> None:
    for number in range(MAX_FRAMES + 5):
        cache_of(tmp_path, key=str(number)).write(FRAME, b"", [])
        os.utime(max((tmp_path / "frames").iterdir(), key=lambda file: file.stat().st_mtime_ns), (number, number))
    assert len(list((tmp_path / "frames").iterdir())) == MAX_FRAMES
    assert cache_of(tmp_path, key=str(MAX_FRAMES + 4)).read() == FRAME
    cache_of(tmp_path, key="large").write(FRAME, b"x" * MAX_FRAME_SIZE, [])
    assert cache_of(tmp_path, key="large").read() is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "frames").write_text("a file")
    cache_of(tmp_path).write(FRAME, b"", [])
    assert cache_of(tmp_path).read() is None


def test_paths_of_any_bytes(tmp_path: Path) -> None:
    names = ["a b  c", "tab\tnew\nline", "한글", os.fsdecode(b"not utf-8 \xff")]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
    cache = cache_of(tmp_path)
    cache.write(FRAME, b"", [stamp(str(tmp_path / name)) for name in [*names, "not there"]])
    assert cache.read() == FRAME
    for name in names:
        (tmp_path / name).write_bytes(b"longer")
        assert cache.read() is None
        (tmp_path / name).unlink()
        cache.write(FRAME, b"", [stamp(str(tmp_path / name)) for name in names])
