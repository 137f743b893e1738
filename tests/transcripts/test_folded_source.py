"""What a compaction wrote again is found from any state of the file, and folded without anything else getting lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts.file_source import FileSource
from memtui.transcripts.folded_source import FOLD_PART, FoldedSource, RepeatedRange, RepeatFinder
from memtui.transcripts.records import Cursor, RecordSource, RecordView
from memtui.transcripts.search import SearchHit, TextPattern, find_prompt, find_text
from tests.transcripts.rows import Script, again, compacted


def runs_of(path: Path, repeats: RepeatFinder | None = None) -> tuple[RepeatedRange, ...]:
    repeats, source = repeats or RepeatFinder(), FileSource(path)
    assert all(0 <= share <= 1 for share in repeats.scan(source))
    source.close()
    return repeats.ranges


def words(source: RecordSource) -> list[str]:
    """What one comes by, forward: uuids, and how many messages each fold stands for."""
    found = [passage.data.get("uuid") or str(passage.repeated or "") for passage in forward(source)]
    assert found == [passage.data.get("uuid") or str(passage.repeated or "") for passage in backward(source)][::-1]
    return found


def forward(source: RecordSource) -> Iterator[RecordView]:
    passage = source.first()
    while passage is not None:
        yield passage
        passage = source.after(passage.cursor)


def backward(source: RecordSource) -> Iterator[RecordView]:
    passage = source.last()
    while passage is not None:
        yield passage
        passage = source.before(passage.cursor)


def test_rows_that_were_written_again_are_one_line_until_it_is_opened(tmp_path: Path) -> None:
    path = compacted().write(tmp_path)
    source = FoldedSource(path, runs_of(path))
    assert words(source) == ["u0", "a1", "u2", "c3", "r4", "b", "s", "hook", "3", "u5", "a6"]
    (run,) = source.ranges
    spot = Cursor(run.start, FOLD_PART)
    source.set_open(spot, opened=True)
    assert words(source)[7:] == ["hook", "3", "u2-again", "c3-again", "r4-again", "u5", "a6"]
    twin = source.copy()
    source.set_all_open(opened=False)
    assert len(words(twin)) == len(words(source)) + 3
    for offset in range(run.start, run.end + 1, 50):
        assert source.at(offset) == source.get(spot)
    twin.close()
    source.close()


def test_prompts_and_words_count_once(tmp_path: Path) -> None:
    path = compacted().write(tmp_path)
    source = FoldedSource(path, runs_of(path))

    def hits(step: int) -> list[str]:
        found, spot = [], None
        while hit := next((one for one in find_prompt(source, spot, step) if isinstance(one, SearchHit)), None):
            found.append(hit.record.data["uuid"])
            spot = hit.record.cursor
        return found

    assert hits(1) == hits(-1)[::-1] == ["u0", "u2", "u5"]
    told = [one for one in find_text(source, TextPattern("done"), None, -1) if isinstance(one, SearchHit)]
    assert [hit.record.data["uuid"] for hit in told] == ["r4"]
    source.close()


def test_the_old_uuids_count_too(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").boundary("b").summary("s", "b")
    script.lines += script.lines[:2]
    path = script.user("u2", "a1").write(tmp_path)
    assert [run.messages for run in runs_of(path)] == [2]


@pytest.mark.parametrize(
    "changes",
    [
        {"message": {"role": "user", "content": "something else"}},
        {"timestamp": "2026-11-01T09:00:02.000Z"},
        {"timestamp": "2027-11-01T09:00:02.000Z"},
        {"timestamp": None},
        {"type": "system"},
    ],
)
def test_what_did_not_stand_before_is_no_repeat(changes: dict[str, Any], tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").boundary("b").summary("s", "b")
    assert runs_of(again(script, "u0", parent="s", **changes).write(tmp_path)) == ()


def test_without_a_compaction_nothing_repeats(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0")
    assert runs_of(again(script, "u0", "a1", parent="a1").write(tmp_path)) == ()


def test_what_stands_between_repeats_is_shown(tmp_path: Path) -> None:
    script = Script().user("u0", None).answer("a1", "u0").boundary("b").summary("s", "b")
    again(script, "u0", parent="s").note(type="mode", mode="normal")
    path = again(script, "a1", parent="u0-again").write(tmp_path)
    source = FoldedSource(path, runs_of(path))
    assert words(source) == ["u0", "a1", "b", "s", "1", "", "1"]
    source.close()


@given(st.lists(st.integers(1, 900), max_size=6))
def test_a_file_that_grows_has_the_runs_of_the_whole(tmp_path_factory: pytest.TempPathFactory, cuts: list[int]) -> None:
    script = again(compacted().boundary("b7").summary("s7", "b7"), "u5", "a6", parent="s7").user("u8", "a6-again")
    folder = tmp_path_factory.mktemp("grown")
    path = script.write(folder)
    data, whole, repeats = path.read_bytes(), runs_of(path), RepeatFinder()
    assert [run.messages for run in whole] == [3, 2]
    path.write_bytes(b"")
    for cut in [*sorted(cuts), 1000]:
        path.write_bytes(data[: len(data) * cut // 1000])
        runs_of(path, repeats)
    assert repeats.ranges == whole
