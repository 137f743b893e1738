"""The run's file: round trips, torn lines, following."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.run.events import (
    Decided,
    Ended,
    Event,
    EventLog,
    File,
    GateClosed,
    Held,
    Money,
    Note,
    Other,
    Phase,
    Retry,
    Started,
    Tokens,
    Turn,
    event_data,
    follow_events,
    read_event,
    read_events,
)

TEXT = st.text(max_size=20)
COUNT = st.integers(0, 10**9)
SECONDS = st.floats(0.001, 1e10)
EVENTS = st.one_of(
    st.builds(Started, TEXT, TEXT, TEXT, TEXT, COUNT, COUNT, at=SECONDS),
    st.builds(Phase, TEXT, TEXT, at=SECONDS),
    st.builds(Turn, COUNT, TEXT, st.dictionaries(TEXT, COUNT, max_size=3), at=SECONDS),
    st.builds(File, TEXT, TEXT, COUNT, COUNT, TEXT, st.booleans(), at=SECONDS),
    st.builds(Tokens, COUNT, COUNT, COUNT, COUNT, at=SECONDS),
    st.builds(Money, st.floats(0, 1e6), at=SECONDS),
    st.builds(Retry, COUNT, st.floats(0, 300), TEXT, at=SECONDS),
    st.builds(Note, TEXT, at=SECONDS),
    st.builds(GateClosed, TEXT, TEXT, TEXT, TEXT, at=SECONDS),
    st.builds(Held, TEXT, TEXT, st.tuples(TEXT, TEXT), at=SECONDS),
    st.builds(Decided, TEXT, st.tuples(TEXT), TEXT, at=SECONDS),
    st.builds(Ended, TEXT, TEXT, TEXT, st.tuples(TEXT), COUNT, TEXT, COUNT, at=SECONDS),
)


@given(EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    line = json.dumps(event_data(event)).encode()
    assert b"\n" not in line
    assert read_event(line) == event


@given(st.binary(max_size=60))
def test_no_line_is_too_odd(line: bytes) -> None:
    read_event(line)


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT, st.lists(st.integers()), st.just({}))


FIELDS = st.sampled_from(["at", "number", "text", "tools", "name", "usd", "names", "adopted", "emptied", "x"])


@given(st.sampled_from(["turn", "file", "ended", "money", "held"]), st.dictionaries(FIELDS, VALUES))
def test_a_field_of_the_wrong_shape_has_its_default(word: str, data: dict[str, object]) -> None:
    event = read_event(json.dumps({"event": word, **data}).encode())
    assert event is not None
    again = read_event(json.dumps(event_data(event)).encode())
    assert again == event


def test_an_event_of_a_later_version_is_kept() -> None:
    event = read_event(b'{"event": "dreamt", "at": 5, "of": "sheep"}')
    assert event == Other("dreamt", {"of": "sheep"}, at=5.0)
    assert event_data(event) == {"event": "dreamt", "at": 5.0, "of": "sheep"}


def test_a_torn_line_costs_nothing_but_itself(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, now=lambda: 7.0)
    assert log.add(Note("one")) == Note("one", at=7.0)
    with path.open("ab") as file:
        file.write(b'{"event": "note", "wor')
    assert read_events(path) == (Note("one", at=7.0),)
    log.add(Note("two"))
    assert read_events(path) == (Note("one", at=7.0), Note("two", at=7.0))
    assert read_events(tmp_path / "none") == ()


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_following_waits_for_the_file_for_the_rest_of_a_line_and_for_the_end(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, now=lambda: 7.0)
    steps = iter(
        [
            lambda: log.add(Note("one")),
            lambda: append(path, b'{"event": "note", "at": 7, '),
            lambda: append(path, b'"words": "two"}\n'),
            lambda: log.add(Ended("done")),
        ]
    )
    found = list(follow_events(path, lambda: False, pause=lambda seconds: next(steps)()))
    assert found == [Note("one", at=7.0), Note("two", at=7.0), Ended("done", at=7.0)]


def test_what_comes_just_before_the_stop_is_still_told(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"

    def stopped() -> bool:
        EventLog(path, now=lambda: 7.0).add(Note("last"))
        return True

    assert list(follow_events(path, stopped, pause=lambda seconds: None)) == [Note("last", at=7.0)]


def test_a_reader_in_a_thread_loses_nothing_of_a_busy_writer(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    found: list[Event] = []

    def read() -> Iterator[Event]:
        yield from follow_events(path, lambda: False, pause=lambda seconds: time.sleep(0))

    thread = threading.Thread(target=lambda: found.extend(read()))
    thread.start()
    log = EventLog(path, now=lambda: 7.0)
    for number in range(300):
        log.add(Turn(number, "x" * 200))
    log.add(Ended("done"))
    thread.join()
    assert [event.number for event in found[:-1] if isinstance(event, Turn)] == list(range(300))
