"""Secrets are masked on every view; one key shows them, and masks them again."""

import json
from pathlib import Path

from memtui.memory.workspace import Workspace
from tests.services.conftest import TOKEN
from tests.tui.conftest import NOW, Maker
from tests.tui.driving import go_to, press, screen_text, settle

SIZE = (160, 40)


def _put_secret(memory: Path) -> Path:
    index = memory / "MEMORY.md"
    text = index.read_text(encoding="utf-8")
    index.write_text(f"- [Key](user_role.md) {TOKEN}\n{text}", encoding="utf-8")
    topic = memory / "user_role.md"
    front = f"---\nname: role\ndescription: {TOKEN}\ntype: user\n---\n\n"
    topic.write_text(f"{front}{TOKEN}\n\nSee [it](https://x.example/{TOKEN}).\n", encoding="utf-8")
    return topic


def _shown(text: str) -> bool:
    return TOKEN[:12] in text.replace("\n", "")


async def test_every_mode_of_the_preview(make_app: Maker, memory: Path) -> None:
    topic = _put_secret(memory)
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await go_to(pilot, topic)
        for key in ("", "right_square_bracket", "right_square_bracket"):
            await press(pilot, *filter(None, [key]))
            assert not _shown(screen_text(app)), key
        await press(pilot, "right_square_bracket", "asterisk")
        assert _shown(screen_text(app)) and "[secrets shown]" in screen_text(app)
        await press(pilot, "asterisk")
        assert not _shown(screen_text(app)) and "••••••" in screen_text(app)
        await press(pilot, "at", "enter")
        assert not _shown(screen_text(app)) and "••••••" in screen_text(app)
        assert "+++" in screen_text(app)


async def test_sessions(make_app: Maker, workspace: Workspace) -> None:
    folder = workspace.location.transcripts
    folder.mkdir(parents=True, exist_ok=True)
    message = {"role": "user", "content": f"use {TOKEN} now"}
    record = {"type": "user", "uuid": "u", "cwd": str(workspace.location.cwd), "message": message}
    record |= {"timestamp": "2026-11-30T10:00:00Z", "sessionId": "11111111-1111-4111-8111-111111111111"}
    (folder / "11111111-1111-4111-8111-111111111111.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await press(pilot, "3")
        assert not _shown(screen_text(app)) and "use ghp_" in screen_text(app)
        await press(pilot, "asterisk")
        assert _shown(screen_text(app))
        await press(pilot, "p")
        assert _shown(screen_text(app))
        await press(pilot, "escape", "asterisk", "p")
        assert not _shown(screen_text(app)) and "use ghp_" in screen_text(app)


async def test_a_folder_that_goes_away_and_comes_back(make_app: Maker, memory: Path, workspace: Workspace) -> None:
    async with make_app().run_test(size=(120, 30)) as pilot:
        app = await settle(pilot)
        away = memory.rename(memory.with_name("away"))
        app.memory_loader.look()
        app = await settle(pilot)
        text = screen_text(app)
        assert "the folder is gone" in text and "user_role.md" in text and "No memory" not in text
        away.rename(memory)
        app.memory_loader.look()
        app = await settle(pilot)
        assert "the folder is gone" not in screen_text(app) and "user_role.md" in screen_text(app)


async def test_the_first_page_goes_away_once_there_is_memory(make_app: Maker, memory: Path) -> None:
    away = memory.rename(memory.with_name("away"))
    async with make_app().run_test(size=(120, 30)) as pilot:
        app = await settle(pilot)
        assert "No memory for this project yet" in screen_text(app)
        away.rename(memory)
        app.memory_loader.look()
        app = await settle(pilot)
        assert len(app.screen_stack) == 1 and "user_role.md" in screen_text(app)


async def test_a_store_without_a_directory_is_among_the_projects(
    make_app: Maker, memory: Path, workspace: Workspace
) -> None:
    store = workspace.location.transcripts.with_name("-srv-old-app") / "memory"
    store.mkdir(parents=True)
    (store / "user_pet.md").write_text("---\nname: pet\ntype: user\n---\nA cat.\n", encoding="utf-8")
    async with make_app().run_test(size=(120, 30)) as pilot:
        app = await settle(pilot)
        await press(pilot, "ctrl+r")
        assert "directory unknown" in screen_text(app)
        await press(pilot, *"old-app", "enter")
        app = await settle(pilot)
        assert "[directory unknown]" in screen_text(app) and "user_pet.md" in screen_text(app)
        assert app.workspace.location.folder == store and app.start.now() == NOW


async def test_names_of_files(make_app: Maker, memory: Path) -> None:
    topic = memory / f"{TOKEN}.md"
    topic.write_text("---\nname: key\ndescription: a key\ntype: feedback\n---\n\nBody.\n", encoding="utf-8")
    async with make_app().run_test(size=SIZE) as pilot:
        app = await settle(pilot)
        await go_to(pilot, topic)
        await settle(pilot)
        assert not _shown(screen_text(app)) and "••••••" in screen_text(app)
        for key in ("d", "r", "c", "colon"):
            await press(pilot, key)
            assert key == "r" or not _shown(screen_text(app)), key  # a name that is edited is shown
            await press(pilot, "escape")
        await press(pilot, "asterisk")
        assert _shown(screen_text(app))
