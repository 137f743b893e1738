"""A memory store whose directory nobody knows opens all the same; words that begin with a dash or a tilde."""

import json
from pathlib import Path

import pytest

from memtui.client.paths import project_name
from tests.cli.conftest import Run
from tests.support import digest_tree

TOPIC = "---\nname: Pet\ndescription: a cat\ntype: user\n---\n\nA cat.\n"


@pytest.fixture
def store(home: Path, shop: Path) -> Path:
    """The memory that /srv/old/app left; no session tells of it."""
    folder = home.resolve() / ".claude/projects/-srv-old-app/memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("- [Pet](user_pet.md) — a cat\n", encoding="utf-8")
    (folder / "user_pet.md").write_text(TOPIC, encoding="utf-8")
    return folder


def test_it_opens_by_every_word(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_tree(store.parent)
    link = Path.cwd() / "link"
    link.symlink_to(store)
    words = ("-srv-old-app", "old-app", store.parent, store, "~/.claude/projects/-srv-old-app/memory", link)
    for word in words:
        ran = run("--project", word, "ls", "--json")
        assert [row["name"] for row in ran.data] == ["MEMORY.md", "user_pet.md"], word
        assert "directory unknown" in ran.out
    assert run("--project=-srv-old-app", "check").code == 0
    assert "-srv-old-app" in run("-srv-old-app").out
    ran = run("--project", "/srv/old/app", "ls")
    assert "user_pet.md" in ran.out and "unknown" not in ran.err
    for folder in (store, store.parent):
        monkeypatch.chdir(folder)
        assert "user_pet.md" in run("ls").out
    assert digest_tree(store.parent) == before


def test_writes_go_there_and_nowhere_else(run: Run, store: Path, home: Path) -> None:
    assert run("--project", "-srv-old-app", "new", "food", "--type", "user", "--description", "fish").code == 0
    assert (store / "user_food.md").exists()
    assert {path.name for path in (home / ".claude/projects").iterdir()} == {"-srv-old-app"}
    assert run("--project", "-srv-old-app", "undo").code == 0
    assert not (store / "user_food.md").exists()


def test_it_moves_by_its_name(run: Run, store: Path, shop: Path) -> None:
    assert run("projects", "move", "-srv-old-app", shop, "-y").code == 0
    assert "user_pet.md" in run("ls").out


def test_the_store_of_a_directory_that_is_known_opens_that(run: Run, memory: Path, shop: Path) -> None:
    (memory.parent / "11111111-1111-4111-8111-111111111111.jsonl").write_text(
        json.dumps({"type": "user", "uuid": "u", "cwd": str(shop), "message": {"role": "user", "content": "x"}}) + "\n"
    )
    ran = run("--project", memory, "ls")
    assert "CLAUDE.md" in ran.out and "unknown" not in ran.err


@pytest.mark.parametrize("record", [{"type": "summary", "summary": "x", "leafUuid": "a"}, {"cwd": "C:\\git\\app"}])
def test_sessions_that_tell_no_directory_here(run: Run, store: Path, record: dict[str, str]) -> None:
    folder = store.parent.rename(store.parent.with_name(project_name("C:\\git\\app")))
    (folder / "11111111-1111-4111-8111-111111111111.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    for word in ("C--git-app", "C:\\git\\app", "C:/git/app"):
        ran = run("--project", word, "ls")
        assert "user_pet.md" in ran.out and "directory unknown" in ran.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "~nope"], 3), (["rm", "~nope", "-y"], 3), (["edit", "~x/y"], 3), (["--project", "~x", "ls"], 3),
        (["--project", "-srv-nope", "ls"], 3), (["--project", "~x/y", "ls"], 3), (["explain", "place", "~x"], 3),
        (["~x"], 3), (["--config-dir", "~x", "ls"], 0), (["projects", "move", "~x", "~y"], 3),
        (["projects", "move", "/gone", "~y"], 3), (["new", "a", "--type", "user", "--from", "~x/y"], 3),
        (["show", "~draft.md"], 0), (["check", "~draft.md"], 0), (["pin", "~draft.md"], 0),
    ],
)  # fmt: skip
def test_a_tilde_that_names_no_home(run: Run, memory: Path, words: list[str], code: int) -> None:
    (memory / "~draft.md").write_text(TOPIC, encoding="utf-8")
    (memory / "MEMORY.md").write_text("- [Draft](~draft.md) — a cat\n", encoding="utf-8")
    assert run(*words).code == code


def test_a_circle_of_links_in_the_memory_folder_stops_no_write(run: Run, memory: Path) -> None:
    (memory / "loop.md").symlink_to("loop.md")
    assert run("new", "food", "--type", "user", "--description", "fish").code == 0
    assert run("check", "--fix").code in (0, 1)
    assert any(row["kind"] == "found" for row in run("history", "-v", "--json").data)


def test_half_a_surrogate_pair_takes_no_session_away(run: Run, memory: Path) -> None:
    for number, text in enumerate(("half \ud83d", "whole")):
        record = {"type": "user", "uuid": "u", "cwd": f"/{text}", "message": {"role": "user", "content": text}}
        path = memory.parent / f"{number}1111111-1111-4111-8111-111111111111.jsonl"
        path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    assert {row["title"] for row in run("sessions", "ls", "--json").data} == {"half \ufffd", "whole"}


@pytest.mark.parametrize("words", [["history", "--git", ""], ["projects", "move", "-srv-old-app", ""]])
def test_an_empty_path_is_no_path(run: Run, store: Path, words: list[str]) -> None:
    assert run(*words).code == 2


def test_nothing_moves_into_a_folder_of_claude_code(run: Run, store: Path, memory: Path) -> None:
    assert run("projects", "move", memory.parent, store.parent, "-y").code == 5
