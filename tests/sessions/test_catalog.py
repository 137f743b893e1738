"""The catalogue says what the files say, whatever happened to them or to the cache since the last look."""

import json
import os
import sqlite3
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from memtui.client.session_files import listed_files, session_files
from memtui.sessions.catalog import (
    _MANY_FOLDERS,
    FILE_NAME,
    Catalogue,
    find_lineage,
    find_session,
    load_sessions,
    newest_session,
)
from memtui.sessions.listing import Session
from memtui.transcripts.summary import SummaryScanner
from memtui.util.errors import MemtuiError, NotFound, UsageError
from tests.transcripts.rows import Script


def name(number: int) -> str:
    return f"{UUID(int=number)}.jsonl"


def prompt(text: str, number: int = 1) -> bytes:
    script = Script()
    script.seconds = number
    return script.user(f"u{number}", f"p{number}", text).lines[0].encode() + b"\n"


def write(path: Path, data: bytes, at: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at, at))


def fresh(folder: Path) -> list[Session]:
    """What a list has to show: every file read anew."""
    found = []
    for file in session_files(folder):
        facts = SummaryScanner().file(file.path)
        first = "" if facts.first_prompt == facts.title else facts.first_prompt
        line = (facts.when(file.modified), facts.title, facts.messages, facts.bad, facts.branch, facts.cwd, first)
        found += [Session(*astuple(file), *line)] if facts.listed else []
    return sorted(found, key=lambda one: (-one.when, one.file_path))


def listed(cache: Path, folder: Path) -> list[Session]:
    with Catalogue(cache) as catalogue:
        catalogue.refresh([folder])
        return catalogue.cached([folder])


def test_a_second_look_reads_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    for number in range(3):
        write(folder / name(number), prompt(f"ask {number}"), 1000 + number)
    with Catalogue(tmp_path / "cache") as catalogue:
        assert catalogue.refresh([folder]).read == 3
    with Catalogue(tmp_path / "cache") as catalogue:
        assert [one.title for one in catalogue.cached()] == ["ask 0", "ask 1", "ask 2"]  # by id: the same time
        assert not catalogue.refresh([folder]).changed


def test_what_only_grew_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "p" / name(1)
    write(path, prompt("first"), 1000)
    listed(tmp_path / "cache", path.parent)
    with path.open("ab") as file:
        file.write(prompt("second", 2))
    with Catalogue(tmp_path / "cache") as catalogue:
        done = catalogue.refresh([path.parent])
        assert (done.read, done.grown) == (0, 1)
        facts = catalogue.summary(str(path))
        assert facts is not None and facts.prompts == 2
        assert catalogue.summaries([path.parent]) == {str(path): facts}


@pytest.mark.parametrize("change", ["other start", "other end", "shorter", "other file"])
def test_what_did_not_only_grow_is_read_anew(tmp_path: Path, change: str) -> None:
    path = tmp_path / "p" / name(1)
    data = prompt("first") + prompt("second", 2)
    write(path, data, 1000)
    listed(tmp_path / "cache", path.parent)
    more = prompt("third", 3)
    new = {
        "other start": data.replace(b"first", b"FIRST") + more,
        "other end": prompt("first") + prompt("SECOND", 2) + more,
        "shorter": prompt("first"),
        "other file": data + more,
    }[change]
    if change == "other file":
        path.rename(tmp_path / "old")
    write(path, new, 2000)
    with Catalogue(tmp_path / "cache") as catalogue:
        assert catalogue.refresh([path.parent]).read == 1
        assert catalogue.cached() == fresh(path.parent)


def test_every_fact_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "p" / name(1)
    write(path, prompt("first") + b"no record\n" + prompt("second", 2), 1000)
    listed(tmp_path / "cache", path.parent)
    with Catalogue(tmp_path / "cache") as catalogue:
        assert catalogue.summary(str(path)) == SummaryScanner().file(path)
        assert catalogue.summary("elsewhere") is None


@pytest.mark.parametrize("count", [1, _MANY_FOLDERS + 1])
def test_one_look_lists_what_the_files_are_now(tmp_path: Path, count: int) -> None:
    folders = [tmp_path / f"p{number}" for number in range(count)]
    for number, folder in enumerate(folders):
        write(folder / name(number), prompt("first", number + 1), 1000)
    write(tmp_path / "other" / name(99), prompt("elsewhere"), 1000)
    with Catalogue(tmp_path / "cache") as catalogue:
        catalogue.refresh([tmp_path / "other"])
        faults: list[MemtuiError] = []
        assert catalogue.current(folders, faults) == catalogue.cached(folders)
        assert len(catalogue.cached(folders)) == count
        write(folders[0] / name(0), prompt("second"), 2000)
        write(folders[0] / name(50), b"", 2000)
        assert "second" in [one.title for one in catalogue.current(folders, faults)]
        assert catalogue.current(folders, faults, list_files=lambda: listed_files(folders)) == catalogue.cached(folders)
        (folders[0] / name(0)).unlink()
        assert len(catalogue.current(folders, faults)) == count - 1
        assert not faults and len(catalogue.cached()) == count


def test_a_folder_whose_name_is_no_text_is_told_and_the_others_are_listed(tmp_path: Path) -> None:
    folders = [tmp_path / "p", tmp_path / "q\udcff"]
    try:
        for folder in folders:
            write(folder / name(1), prompt("first"), 1000)
    except OSError:
        pytest.skip("this disk takes only names that are text")
    with Catalogue(tmp_path / "cache") as catalogue:
        for _ in range(2):
            faults: list[MemtuiError] = []
            assert [one.file_path for one in catalogue.current(folders, faults)] == [str(folders[0] / name(1))]
            [fault] = faults
            assert "q" in fault.message and "not UTF-8" in fault.message
            [fault] = catalogue.refresh(folders).errors
            assert "not UTF-8" in fault.message


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "p" / name(1)
    write(path, prompt("first"), 1000)
    assert len(listed(tmp_path / "cache", path.parent)) == 1
    path.unlink()
    assert listed(tmp_path / "cache", path.parent) == []


def test_agents_and_empty_files_are_not_listed(tmp_path: Path) -> None:
    side = Script().user("u1", None, "work", isSidechain=True).lines[0]
    write(tmp_path / "p" / name(1), side.encode() + b"\n", 1000)
    write(tmp_path / "p" / name(2), b"", 1000)
    write(tmp_path / "p" / "agent-a1.jsonl", prompt("work"), 1000)
    assert listed(tmp_path / "cache", tmp_path / "p") == []


@pytest.mark.parametrize("damage", ["garbage", "empty", "a folder", "another version", "torn"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "p" / name(1)
    write(path, prompt("first"), 1000)
    listed(tmp_path / "cache", path.parent)
    file = tmp_path / "cache" / FILE_NAME
    if damage == "a folder":
        file.unlink()
        file.mkdir()
    elif damage == "another version":
        with sqlite3.connect(file) as other:
            other.executescript("drop table session; create table session(a); pragma user_version = 7")
        other.close()
    else:
        whole = file.read_bytes()
        file.write_bytes({"garbage": b"not a database" * 99, "empty": b"", "torn": whole[: len(whole) // 2]}[damage])
    assert [one.title for one in listed(tmp_path / "cache", path.parent)] == ["first"]
    assert [one.title for one in listed(tmp_path / "cache", path.parent)] == ["first"]


@pytest.mark.parametrize("column", ["title", "listed", "messages", "modified", "cwd", "prompts"])
def test_a_row_that_was_damaged_is_read_from_its_file_again(tmp_path: Path, column: str) -> None:
    folder, cache = tmp_path / "p", tmp_path / "cache"
    for number in range(3):
        write(folder / name(number), prompt(f"ask {number}"), 1000 + number)
    listed(cache, folder)
    with Catalogue(cache) as catalogue:
        known = catalogue.summaries([folder])
    with sqlite3.connect(cache / FILE_NAME) as database:  # what SQLite itself can't notice
        database.execute(f"update session set {column} = 'x' where path like ?", (f"%{name(1)}",))
        database.execute("delete from session where path like ?", (f"%{name(2)}",))
    database.close()
    for _ in range(2):
        with Catalogue(cache) as catalogue:
            assert catalogue.current([folder], []) == fresh(folder)
            assert catalogue.summaries([folder]) == known


def test_a_cache_that_another_program_holds_costs_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.sessions.catalog.LOCK_TIMEOUT_S", 0.01)
    path = tmp_path / "p" / name(1)
    write(path, prompt("first"), 1000)
    listed(tmp_path / "cache", path.parent)
    write(tmp_path / "p" / name(2), prompt("second"), 2000)
    other = sqlite3.connect(tmp_path / "cache" / FILE_NAME, isolation_level=None)
    other.execute("begin immediate")
    assert {one.title for one in listed(tmp_path / "cache", path.parent)} == {"first", "second"}
    other.close()


def test_a_place_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "p" / name(1)
    write(path, prompt("first"), 1000)
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert [one.title for one in listed(tmp_path / "cache", path.parent)] == ["first"]


def test_it_can_be_stopped_and_goes_on(tmp_path: Path) -> None:
    for number in range(5):
        write(tmp_path / "p" / name(number), prompt(f"ask {number}"), 1000 + number)
    asked = iter([False, False, True])
    with Catalogue(tmp_path / "cache") as catalogue:
        catalogue.refresh([tmp_path / "p"], stopped=lambda: next(asked))
        assert {one.title for one in catalogue.cached()} == {"ask 4", "ask 3"}  # the newest first
        assert catalogue.refresh([tmp_path / "p"]).read == 3


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    good, bad = tmp_path / "p" / name(1), tmp_path / "p" / name(2)
    write(good, prompt("first"), 1000)
    write(bad, prompt("second"), 1000)
    bad.chmod(0)
    if os.access(bad, os.R_OK):
        pytest.skip("root reads everything")
    with Catalogue(tmp_path / "cache") as catalogue:
        done = catalogue.refresh([tmp_path / "p"])
        assert [one.title for one in catalogue.cached()] == ["first"]
        assert len(done.errors) == 1


EVENT = st.tuples(st.sampled_from(["append", "rewrite", "remove", "cut", "half"]), st.integers(0, 2), st.integers(1, 9))


@given(events=st.lists(st.lists(EVENT, max_size=4), max_size=5))
def test_any_history_gives_what_a_fresh_look_gives(
    events: list[list[tuple[str, int, int]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.mktemp("c")
    folder, clock = root / "p", 1000
    folder.mkdir()
    for batch in events:
        for what, number, text in batch:
            clock += 1
            path = folder / name(number)
            before = path.read_bytes() if path.exists() else b""
            line = prompt(f"say {text}", clock)
            after = {
                "append": before + line,
                "rewrite": line,
                "cut": before[: len(before) // 2],
                "half": before + line[: len(line) // 2],
            }.get(what)
            if after is None:
                path.unlink(missing_ok=True)
            else:
                write(path, after, clock)
        assert listed(root / "cache", folder) == fresh(folder)


def test_the_one_to_continue_is_the_newest_file_that_no_program_began(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    assert newest_session(cache, folder) is None
    write(folder / name(1), prompt("early", 1), 9000)  # a rename came later
    write(folder / name(2), prompt("late", 500), 1000)
    found = newest_session(cache, folder)
    assert found is not None
    assert found.title == "early"
    assert [one.title for one in load_sessions(cache, [folder], [])] == ["late", "early"]


@pytest.mark.parametrize(
    ("fields", "marks", "hidden"),
    [
        ({"entrypoint": "sdk-cli"}, "headless", True),
        ({"entrypoint": "sdk-py"}, "SDK", True),
        ({"teamName": "a", "agentName": "w"}, "team worker", True),
        ({"teamName": "a"}, "", False),  # its lead
        ({"sessionKind": "bg", "entrypoint": "cli"}, "background", False),
        ({"entrypoint": "claude-vscode", "forkedFrom": {"sessionId": "x"}}, "fork", False),
        ({"entrypoint": 7, "forkedFrom": [], "teamName": {}}, "", False),
    ],
)
def test_what_began_a_session(fields: dict[str, object], marks: str, hidden: bool, tmp_path: Path) -> None:
    script = Script().user("u", None, "hi", **fields).answer("a", "u").note(type="tag", tag="wip")
    folder = script.write(tmp_path).parent
    one = load_sessions(tmp_path / "cache", [folder], [])[0]
    assert (one.marks, one.by_program) == (f"{marks} #wip".strip(), hidden)
    assert (newest_session(tmp_path / "cache", folder) is None) == hidden


@pytest.mark.parametrize("bad", ["\ud83d", "a\0b", 7, -1e300, None, True, [], ["\ud83d"], {}, "x" * 300_000])
def test_no_bad_field_takes_a_session_out_of_the_list(bad: object, tmp_path: Path) -> None:
    row = json.loads(prompt("hi"))
    for number, key in enumerate([*row, "origin", "entrypoint", "teamName", "forkedFrom", "toolUseResult"], 1):
        write(tmp_path / name(number), prompt("one") + json.dumps({**row, "uuid": "u2", key: bad}).encode() + b"\n", 1)
    found = load_sessions(tmp_path / "cache", [tmp_path], [])
    assert len(found) == number
    assert max(len(one.title + one.branch) for one in found) < 500


def test_where_a_session_came_from_and_goes_on(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    parent, fork, later = (f"{UUID(int=number)}" for number in (1, 2, 3))
    write(
        folder / name(1), prompt("one") + b'{"type":"continued-in","continuedInSessionId":"%b"}\n' % later.encode(), 1
    )
    write(folder / name(2), prompt("two").replace(b"{", b'{"forkedFrom":{"sessionId":"%b"},' % parent.encode(), 1), 1)
    write(folder / name(3), prompt("three").replace(b"{", b'{"forkedFrom":{"sessionId":"gone"},', 1), 1)
    assert find_lineage(cache, folder / name(1)).words == [
        ("forks", "two (00000000)"), ("continued in", "three (00000000)")
    ]  # fmt: skip
    assert (find_lineage(cache, folder / name(2)).forked_from, find_lineage(cache, folder / name(2)).forks) == (
        parent,
        (),
    )
    assert fork in find_lineage(cache, folder / name(1)).forks
    assert find_lineage(cache, folder / name(3)).words == [
        ("fork of", "gone, which is gone"), ("continues", "one (00000000)")
    ]  # fmt: skip


def test_a_word_is_a_path_the_beginning_of_an_id_or_a_title(tmp_path: Path) -> None:
    cache, folder, other = tmp_path / "cache", tmp_path / "p", tmp_path / "q"
    first = folder / "11112222-0000-4000-8000-000000000001.jsonl"
    second = other / "11113333-0000-4000-8000-0000000000ab.jsonl"
    write(first, prompt("Checkout retries"), 1000)
    write(second, prompt("twice"), 1000)
    write(folder / name(7), prompt("twice"), 1000)
    places = [folder, other]
    assert find_session(cache, places, "11112") == first
    assert find_session(cache, places, "checkout RETRIES") == first
    assert find_session(cache, places, str(second)) == second
    assert find_session(cache, places, "11113333-0000-4000-8000-0000000000AB") == second
    for word in ("1111", "twice"):
        with pytest.raises(UsageError, match="2 sessions"):
            find_session(cache, places, word)
    for word in ("111", "nothing", "f" * 8):
        with pytest.raises(NotFound):
            find_session(cache, places, word)
