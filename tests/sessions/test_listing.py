"""Which session a question means."""

from pathlib import Path

import pytest

from memtui.sessions.catalog import find_session, list_sessions, newest_session
from memtui.util.errors import NotFound, UsageError
from tests.sessions.test_catalog import name, prompt, write


def test_the_newest_by_its_records_not_by_its_file(tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "p"
    assert newest_session(cache, folder) is None
    write(folder / name(1), prompt("early", 1), 9000)  # a rename came later
    write(folder / name(2), prompt("late", 500), 1000)
    found = newest_session(cache, folder)
    assert found is not None
    assert found.title == "late"
    assert [one.title for one in list_sessions(cache, [folder], [])] == ["late", "early"]


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
