"""Keys come in the order in which they were typed, however the loop mixes those that waited with those that come."""

from collections import deque
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from textual import events

from memtui.tui.keyboard import MAX_HOLD_S, KeyQueue


class Queue:
    """The app's queue of messages; what handles a key answers at once, or never."""

    def __init__(self, *, answers: bool = True) -> None:
        self.queue: deque[events.Key] = deque()
        self.handled: list[str] = []
        self.clock = 100.0
        self.answers = answers
        self.ahead = KeyQueue(cast(Any, self), clock=lambda: self.clock)

    def post_message(self, message: events.Key) -> bool:
        self.queue.append(message)
        return True

    def type(self, keys: str) -> None:
        for key in keys:
            self.post_message(events.Key(key, key))

    def step(self) -> None:
        """One message."""
        key = self.queue.popleft()
        if not self.ahead.hold(key):
            self.handled.append(key.key)
            if self.answers:
                self.ahead.handled()


@given(st.lists(st.one_of(st.sampled_from(["", "a", "bc", "def"]), st.just("open")), max_size=20))
def test_no_key_overtakes_another(operations: list[str]) -> None:
    app = Queue()
    typed = ""
    opening = False
    for operation in operations:
        if operation == "open":
            app.ahead.opened() if opening else app.ahead.opening()
            opening = not opening
        else:
            app.type(operation)
            typed += operation
        if app.queue:
            app.step()
    if opening:
        app.ahead.opened()
    while app.queue:
        app.step()
    assert "".join(app.handled) == typed


def test_a_key_that_comes_while_one_is_let_go_stays_behind_it() -> None:
    app = Queue(answers=False)
    app.type("/i")
    app.step()
    app.step()
    app.type("\r")  # in the queue before "i" is
    app.ahead.handled()
    while app.queue:
        app.step()
        app.ahead.handled()
    assert app.handled == ["/", "i", "\r"]


def test_a_lost_answer_does_not_lock_the_keyboard() -> None:
    app = Queue(answers=False)
    app.type("ab")
    app.step()
    app.step()
    assert app.handled == ["a"]
    app.clock += MAX_HOLD_S
    app.type("c")
    app.step()
    app.answers = True
    while app.queue:
        app.step()
    assert app.handled == ["a", "b", "c"]
