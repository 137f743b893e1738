"""`sessions rename|archive|restore|rm|save`, and how `undo` and `history` see them."""

import json
import os
from pathlib import Path

import pytest

from memtui.client.paths import project_name
from tests.cli.conftest import Run, Talk
from tests.cli.test_sessions import FIRST, SECOND, write
from tests.support import digest_tree

ELSEWHERE = "44444444-4444-4444-8444-444444444444"


@pytest.fixture
def folder(home: Path, shop: Path) -> Path:
    """The project folder of the shop with two sessions, one of them old and with a sub-agent; one session elsewhere."""
    projects = home / ".claude" / "projects"
    here = projects / project_name(str(shop))
    old = write(here, FIRST, ["Move to pnpm", "Done."], day=2)
    old.write_text(old.read_text(encoding="utf-8").replace("2026-11", "2019-11"), encoding="utf-8")
    agents = here / FIRST / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a.jsonl").write_text("{}\n", encoding="utf-8")
    recent = write(here, SECOND, ["Why is \x1b[31mCI\x1b[0m red?", "No idea."], day=9)
    recent.write_text(recent.read_text(encoding="utf-8").replace("2026-11", "2999-11"), encoding="utf-8")
    third = write(projects / "-elsewhere", ELSEWHERE, ["Hello", "Hello."], day=5)
    third.write_text(third.read_text(encoding="utf-8").replace("2026-11", "2019-11"), encoding="utf-8")
    return here


def tree(folder: Path) -> dict[str, tuple[str, bytes, int]]:
    found = digest_tree(folder)
    found.pop(".")
    return found


def ids(run: Run, *words: str) -> list[str]:
    return [row["id"] for row in run("sessions", "ls", "--json", *words).data]


def test_rename_and_undo(run: Run, folder: Path) -> None:
    before = (folder / f"{FIRST}.jsonl").read_bytes()
    told = run("sessions", "rename", FIRST[:8], "The  lockfile")
    assert (told.code, told.out) == (0, "renamed session 'Move to pnpm' to 'The lockfile'\n")
    assert run("sessions", "show", "the lockfile", "--json").data["title"] == "The lockfile"
    assert (folder / f"{FIRST}.jsonl").read_bytes().startswith(before)
    assert "undone: rename session" in run("undo").out
    assert run("sessions", "show", FIRST, "--json").data["title"] == "Move to pnpm"
    assert run("undo").code == 3


@pytest.mark.parametrize("title", ["", " ", "a\x1b[31mb", "x" * 201])
def test_what_is_no_title(run: Run, folder: Path, title: str) -> None:
    before = tree(folder)
    assert run("sessions", "rename", FIRST, title).code == 2
    assert tree(folder) == before


def test_archive_list_and_restore(run: Run, folder: Path) -> None:
    before = tree(folder)
    told = run("sessions", "archive", FIRST, "--json")
    assert told.data["done"]
    assert [one["id"] for one in told.data["sessions"]] == [FIRST]
    assert ids(run) == [SECOND]
    [row] = run("sessions", "ls", "--archived", "--json").data
    assert (row["id"], row["project"], row["messages"], row["place"]) == (FIRST, str(folder.resolve()), 2, "archive")
    assert "Move to pnpm" in run("sessions", "ls", "--archived").out
    assert run("sessions", "ls", "--deleted").code == 1
    assert f"memtui sessions restore {FIRST}" in run("sessions", "archive", FIRST).err
    assert run("sessions", "restore", FIRST[:6]).out == "put back session 'Move to pnpm'\n"
    assert tree(folder) == before
    assert run("sessions", "restore", FIRST).code == 3


def test_rm_asks_and_undo_brings_everything_back(run: Run, folder: Path, talk: Talk) -> None:
    before = tree(folder)
    assert run("sessions", "rm", FIRST).code == 5
    assert tree(folder) == before
    told = talk("sessions", "rm", FIRST, answers=["n"])
    assert told.code == 1
    assert "Move to pnpm" in told.screen
    assert tree(folder) == before
    assert talk("sessions", "rm", FIRST, answers=["y"]).code == 0
    assert ids(run) == [SECOND]
    assert ids(run, "--deleted") == [FIRST]
    assert "undone: delete session" in run("undo").out
    assert tree(folder) == before


def test_rm_of_what_is_old(run: Run, folder: Path) -> None:
    before = tree(folder)
    plan = run("sessions", "rm", "--older-than", "30d", "-n", "--json").data
    total = sum(path.stat().st_size for path in (folder / f"{FIRST}.jsonl", *folder.joinpath(FIRST).rglob("*.jsonl")))
    assert [(one["id"], len(one["files"])) for one in plan["sessions"]] == [(FIRST, 2)]
    assert (plan["done"], plan["bytes"]) == (False, total)
    everywhere = run("sessions", "rm", "--older-than", "30d", "--all", "-n", "--json").data["sessions"]
    assert sorted(one["id"] for one in everywhere) == [FIRST, ELSEWHERE]
    assert tree(folder) == before
    assert run("sessions", "rm", "--older-than", "900y", "-y").code == 1
    assert run("sessions", "rm", "--older-than", "30d").code == 5
    assert run("sessions", "rm", "--older-than", "30d", "-y").code == 0
    assert (ids(run), ids(run, "--deleted")) == ([SECOND], [FIRST])
    assert run("sessions", "rm", "--older-than", "soon").code == 2
    assert run("sessions", "rm").code == 2
    assert run("sessions", "rm", SECOND, "--older-than", "1d").code == 2


def test_nothing_is_written_for_a_dry_run_or_in_read_only_mode(run: Run, folder: Path, tmp_path: Path) -> None:
    run("sessions", "archive", ELSEWHERE)
    state = Path.home() / ".local" / "state" / "memtui" / "sessions"
    before = (digest_tree(folder.parent), digest_tree(state))
    calls = [["rename", FIRST, "x"], ["archive", FIRST], ["rm", FIRST, "-y"], ["restore", ELSEWHERE]]
    calls.append(["save", FIRST, "-o", str(tmp_path / "x")])
    for words in calls:
        told = run("sessions", *words, "-n")
        assert told.code == 0, words
        assert told.out
        assert run("sessions", *words, "--read-only").code == 5, words
        assert run("sessions", *words, "-n", "--json").data["done"] is False
    assert (digest_tree(folder.parent), digest_tree(state)) == before
    assert not (tmp_path / "x").exists()


def test_a_live_session_stays_and_may_be_renamed(run: Run, folder: Path, home: Path) -> None:
    live = home / ".claude" / "sessions"
    live.mkdir()
    entry = {"pid": os.getpid(), "sessionId": FIRST}
    (live / f"{os.getpid()}.json").write_text(json.dumps(entry), encoding="utf-8")
    (live / "1.json").write_text("[]", encoding="utf-8")
    before = tree(folder)
    for words in (["archive", FIRST], ["rm", "-y", FIRST]):
        told = run("sessions", *words)
        assert told.code == 5
        assert "open in the agent client" in told.err
    assert tree(folder) == before
    assert run("sessions", "rename", FIRST, "Still here").code == 0
    entry["procStart"] = "1"  # another process has the number by now
    (live / f"{os.getpid()}.json").write_text(json.dumps(entry), encoding="utf-8")
    assert run("sessions", "archive", FIRST).code == 0


def test_undo_takes_what_is_newest_of_memory_and_sessions(run: Run, folder: Path, memory: Path) -> None:
    run("sessions", "archive", FIRST)
    run("set", "project_oncall", "description=New")
    run("sessions", "rename", SECOND, "CI")
    kinds = [row["kind"] for row in run("history", "--json").data]
    assert [kinds[0], kinds[-1]] == ["session-rename", "session-archive"]
    assert "rename session" in run("undo", "-n").out
    assert "rename session" in run("undo").out
    assert "set description" in run("undo").out
    told = run("undo", "--json").data
    assert (told["version"]["kind"], told["made"]["kind"], told["done"]) == ("session-archive", "undo", True)
    assert ids(run) == [SECOND, FIRST]
    whys = [row["why"] for row in run("history", "--json").data]
    assert whys[0] == "undo: archive session 'Move to pnpm'"
    assert "archive session 'Move to pnpm' (undone)" in run("history").out


def test_redo_takes_what_was_undone_last_of_memory_and_sessions(run: Run, folder: Path, memory: Path) -> None:
    assert run("redo").code == 3
    run("sessions", "archive", FIRST)
    run("set", "project_oncall", "description=New")
    run("sessions", "rename", SECOND, "CI")
    for _ in range(3):
        run("undo")
    assert ids(run) == [SECOND, FIRST]
    assert "archive session" in run("redo", "-n").out
    assert run("redo").out == "done again: archive session 'Move to pnpm'\n"
    assert ids(run) == [SECOND]
    assert "set description" in run("redo").out
    assert run("redo").out.startswith("done again: rename session")
    assert run("redo").code == 3
    whys = [row["why"] for row in run("history", "--json").data]
    assert whys[0].startswith("redo: rename session")
    assert "rename session" in run("undo").out
    run("set", "project_oncall", "description=Newer")
    assert run("redo").code == 3, "something was done since"


def test_deeds_of_other_projects_are_undone_by_their_id(run: Run, folder: Path) -> None:
    before = tree(folder.parent / "-elsewhere")
    operation = run("sessions", "archive", ELSEWHERE, "--json").data["deed"]["id"]
    assert run("undo").code == 3
    assert run("undo", "s000000").code == 3
    assert run("undo", operation).code == 0
    assert tree(folder.parent / "-elsewhere") == before
    assert run("undo", operation).code == 4


def test_a_name_that_is_taken_again_is_a_conflict(run: Run, folder: Path) -> None:
    run("sessions", "rm", FIRST, "-y")
    write(folder, FIRST, ["Another"])
    before = tree(folder)
    assert run("sessions", "restore", FIRST).code == 4
    assert run("undo").code == 4
    assert tree(folder) == before
    assert ids(run, "--deleted") == [FIRST]


def test_a_file_outside_the_projects_is_not_moved(run: Run, folder: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "a" / "b", FIRST.replace("1", "7"), ["x"])
    assert run("sessions", "archive", path).code == 5
    assert run("sessions", "rm", "-y", path).code == 5
    assert path.exists()


def test_save_copies_and_replaces_nothing(run: Run, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.jsonl"
    assert run("sessions", "save", FIRST, "-o", target).code == 0
    assert target.read_bytes() == (folder / f"{FIRST}.jsonl").read_bytes()
    assert run("sessions", "save", FIRST, "-o", target).code == 5
    assert run("sessions", "save", FIRST, "-o", tmp_path / "none" / "x").code == 3


def test_no_control_byte_of_a_title_gets_out(run: Run, folder: Path) -> None:
    for words in (["archive", SECOND], ["ls", "--archived"], ["restore", SECOND], ["rm", "-n", SECOND]):
        told = run("sessions", *words)
        assert told.code == 0
        assert "\x1b" not in told.out + told.err


def test_a_deleted_transcript_goes_to_the_trash_too(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[tuple[str, bytes]] = []
    monkeypatch.setattr("memtui.projects.activity.put_in_trash", lambda name, data, folder: got.append((name, data)))
    wanted = [(f"{FIRST}.jsonl", (folder / f"{FIRST}.jsonl").read_bytes())]
    run("sessions", "rm", FIRST, "-y")
    assert got == wanted
    run("undo")
    run("config", "set", "trash", "false")
    run("sessions", "rm", FIRST, "-y")
    assert got == wanted
