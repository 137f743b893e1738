"""`sessions` and `export session` over sessions made here."""

import json
from pathlib import Path

import pytest

from memtui.client.paths import project_name
from tests.cli.conftest import Run
from tests.support import digest_tree

FIRST = "11111111-1111-4111-8111-111111111111"
SECOND = "22222222-2222-4222-8222-222222222222"
SIDE = "33333333-3333-4333-8333-333333333333"
KEY = "ghp_" + "R7kQ2mZx9LpW4vTn8YbC3dFgH6jKs1AeU0oI"


def write(folder: Path, name: str, texts: list[str], *, branch: str = "main", side: bool = False, day: int = 1) -> Path:
    """A session of prompts and answers in turn."""
    lines, parent = [], None
    for number, text in enumerate(texts):
        uuid = f"{name[:8]}-0000-4000-8000-{number:012}"
        role = "assistant" if number % 2 else "user"
        content: object = [{"type": "text", "text": text}] if number % 2 else text
        lines.append(
            {
                "parentUuid": parent, "isSidechain": side, "userType": "external", "cwd": "/home/you/shop",
                "sessionId": name, "version": "2.1.332", "gitBranch": branch, "type": role,
                "message": {"role": role, "content": content, **({"id": f"msg_{number}"} if number % 2 else {})},
                "uuid": uuid, "timestamp": f"2026-11-{day:02}T10:{number:02}:00.000Z",
            }
        )  # fmt: skip
        parent = uuid
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def projects(home: Path, shop: Path) -> Path:
    """Two sessions and a sub-agent's file in the shop, and one session elsewhere."""
    folder = home / ".claude" / "projects"
    here = folder / project_name(str(shop))
    write(here, FIRST, ["Move to pnpm", "Done.", "And the lockfile?", "Done too."], day=2)
    write(here, SECOND, ["Why is \x1b[31mCI\x1b[0m red?", f"The token {KEY} ran out."], branch="fix-ci", day=9)
    write(here, SIDE, ["Look for tests", "12 found."], side=True, day=10)
    write(folder / "-elsewhere", "44444444-4444-4444-8444-444444444444", ["Hello", "Hello."], day=5)
    return folder


def test_the_newest_record_comes_first_and_sub_agents_are_no_sessions(run: Run, projects: Path) -> None:
    before = digest_tree(projects)
    assert [row["id"] for row in run("sessions", "ls", "--json").data] == [SECOND, FIRST]
    assert [row["messages"] for row in run("sessions", "ls", "--jsonl", "--all").lines] == [2, 2, 4]
    assert [row["id"] for row in run("sessions", "ls", "--json", "--branch", "main").data] == [FIRST]
    assert digest_tree(projects) == before


def test_the_list_for_people_holds_no_control_byte(run: Run, projects: Path) -> None:
    told = run("sessions", "ls")
    assert told.code == 0
    assert "Move to pnpm" in told.out
    assert "\x1b" not in told.out


def test_no_session_is_said_and_ends_with_1(run: Run, shop: Path) -> None:
    told = run("sessions", "ls")
    assert (told.code, told.out) == (1, "")
    assert "no session here" in told.err


def test_a_file_that_may_not_be_read_is_named(run: Run, projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtui.transcripts.summary import SessionSummary, SummaryScanner

    real = SummaryScanner.file

    def refuse(self: SummaryScanner, path: Path) -> SessionSummary:
        if path.stem == FIRST:
            raise PermissionError(13, "Permission denied")
        return real(self, path)

    monkeypatch.setattr(SummaryScanner, "file", refuse)
    told = run("sessions", "ls", "--jsonl")
    assert [row["id"] for row in told.lines] == [SECOND]
    assert FIRST in told.err


@pytest.mark.parametrize("word", [FIRST, FIRST[:4], "move to PNPM"])
def test_a_session_by_id_or_title(run: Run, projects: Path, word: str) -> None:
    data = run("sessions", "show", "--json", word).data
    assert (data["id"], data["prompts"], data["sent"], data["left_out"]) == (FIRST, 2, 4, {})


def test_a_word_that_fits_none_or_many(run: Run, projects: Path) -> None:
    write(projects / "-elsewhere", FIRST[:-1] + "2", ["Hi", "Hi."])
    assert run("sessions", "show", "nothing like it").code == 3
    assert run("sessions", "show", FIRST[:6]).code == 2
    assert run("sessions", "show", str(next(projects.rglob(f"{FIRST}.jsonl")))).code == 0


def test_export_refuses_a_secret_until_told_to_take_it_out(run: Run, projects: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    told = run("export", "session", SECOND, "-o", target)
    assert told.code != 0
    assert not target.exists()
    assert run("export", "session", SECOND, "--redact", "-o", target).code == 0
    text = target.read_text(encoding="utf-8")
    assert KEY not in text
    assert "ran out" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("form", ["md", "json", "html"])
def test_export_writes_each_form_and_replaces_nothing(run: Run, projects: Path, tmp_path: Path, form: str) -> None:
    target = tmp_path / f"out.{form}"
    assert run("export", "session", FIRST, "-o", target, "--format", form).code == 0
    first = target.read_bytes()
    assert b"lockfile" in first
    assert run("export", "session", FIRST, "-o", target).code != 0
    assert target.read_bytes() == first
    assert "lockfile" in run("export", "session", FIRST, "--format", form).out
