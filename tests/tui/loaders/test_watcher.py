"""Following the disk, also where the system doesn't watch for us."""

import asyncio
import errno
import os
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import watchfiles

from memtui.client.environment import Env
from memtui.tui.loaders.watcher import changes, follow_sessions

if TYPE_CHECKING:
    from memtui.tui.app import MemtuiApp


async def told(found: AsyncGenerator[bool, None], change: Callable[[int], object]) -> int:
    """How many changes it took until the next one was told; the first may come before somebody watches."""
    waiting = asyncio.ensure_future(anext(found))
    count = 0
    while not waiting.done():
        count += 1
        change(count)
        await asyncio.sleep(0.02)
    await waiting
    return count


async def test_a_name_that_is_no_text_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.loaders.watcher.FALLBACK_INTERVAL_S", 0.0)
    odd = os.fsencode(tmp_path) + b"/q\xff"
    async with aclosing(changes(tmp_path, recursive=True)) as found:
        try:
            await told(found, lambda number: Path(os.fsdecode(odd)).write_text(str(number)))
        except OSError:
            pytest.skip("this disk takes only names that are text")
        await told(found, lambda number: Path(os.fsdecode(odd)).write_text(str(number)))
        Path(os.fsdecode(odd)).unlink()
        await told(found, lambda number: (tmp_path / "a.md").write_text(str(number)))


async def test_a_folder_whose_name_is_no_text_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.loaders.watcher.FALLBACK_INTERVAL_S", 0.0)
    async with aclosing(changes(tmp_path / "q\udcff", recursive=False)) as found:
        for _ in range(3):
            await anext(found)


async def test_without_a_watch_somebody_looks_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.loaders.watcher.FALLBACK_INTERVAL_S", 0.0)
    tries: list[tuple[Any, ...]] = []

    def refused(*paths: Path, **options: Any) -> Iterator[set[Any]]:
        tries.append(paths)
        raise OSError(errno.ENOSPC, "no watches left")

    monkeypatch.setattr(watchfiles, "watch", refused)
    async with aclosing(changes(tmp_path, recursive=True)) as found:
        for _ in range(3):
            await anext(found)
    assert tries == [(tmp_path,)] * 3


async def test_what_nobody_foresaw_stays_loud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*paths: Path, **options: Any) -> Iterator[set[Any]]:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(watchfiles, "watch", broken)
    with pytest.raises(ZeroDivisionError, match="ours"):
        await anext(changes(tmp_path, recursive=True))


async def test_nobody_watches_once_nobody_listens(tmp_path: Path) -> None:
    async with aclosing(changes(tmp_path, recursive=True)) as found:
        await told(found, lambda number: (tmp_path / "a.md").write_text(str(number)))
        watching = [thread for thread in threading.enumerate() if thread.name == "watch"]
        assert watching
    for thread in watching:
        await asyncio.to_thread(thread.join, 10.0)
    assert not any(thread.is_alive() for thread in watching)


class Heard:
    """What `follow_sessions` needs of an app."""

    def __init__(self, home: Path) -> None:
        self.workspace = SimpleNamespace(env=Env(home=home, environ={}))
        self.told = asyncio.Event()

    def post_message(self, message: object) -> None:
        self.told.set()

    async def hears(self, change: Callable[[int], object]) -> None:
        """Repeat a change until it is heard of."""
        self.told.clear()
        for number in count():
            change(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.told.wait(), 0.05)
                return


async def test_a_project_that_comes_is_watched_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.loaders.watcher.QUIET_INTERVAL_S", 0.1)
    projects = tmp_path / ".claude/projects"
    old, new = projects / "-old", projects / "-new"
    old.mkdir(parents=True)
    app = Heard(tmp_path)
    following = asyncio.ensure_future(follow_sessions(cast("MemtuiApp", app), [], projects))
    try:
        await app.hears(lambda number: (old / "a.jsonl").write_text(str(number)))
        await app.hears(lambda number: (projects / f"-other-{number}").mkdir())
        await app.hears(lambda _: new.mkdir(exist_ok=True))
        await app.hears(lambda number: (new / "b.jsonl").write_text(str(number)))
        await app.hears(lambda number: (old / "a.jsonl").write_text(str(number)))
        assert not following.done()
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def test_a_folder_that_is_to_come_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.tui.loaders.watcher.QUIET_INTERVAL_S", 0.1)
    project = tmp_path / ".claude/projects/-new"
    app = Heard(tmp_path)
    following = asyncio.ensure_future(follow_sessions(cast("MemtuiApp", app), [project], None))
    try:
        await app.hears(lambda number: (tmp_path / "somebody-watches.json").write_text(str(number)))
        await app.hears(lambda _: project.mkdir(parents=True, exist_ok=True))
        await app.hears(lambda number: (project / "a.jsonl").write_text(str(number)))
        assert not following.done()
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def test_no_folders_no_changes() -> None:
    assert [told async for told in changes(recursive=True)] == []
