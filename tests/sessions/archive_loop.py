"""Every fault at every call of putting a session away and bringing it back.

    python -m tests.sessions.archive_loop [FIRST]

Before and after each call the world stops; each call fails with each error; and after a crash at every FIRST-th call
(7 if left out) the world stops again at each call of what ends it. Prints the figures of each, and ends with an error
at the first state in which the session isn't whole.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.sessions.archiving import Scene, away, back, fail_everywhere, stop_everywhere, stop_twice
from tests.sessions.test_archive_crashes import CODES
from tests.support import RAM


@contextmanager
def scene() -> Iterator[Scene]:
    """A session of its own."""
    with tempfile.TemporaryDirectory(dir=RAM) as name:
        yield Scene(Path(name).resolve(), lean=True)


def main(first: int) -> None:
    for act in (away, back):
        for after in (False, True):
            with scene() as one:
                points = stop_everywhere(one, act, after=after)
            print(f"{act.__name__} {'after' if after else 'before'}: points={points} lost=0", flush=True)
        for code in CODES:
            with scene() as one:
                failed = fail_everywhere(one, act, [code])
            print(f"{act.__name__} error {code}: failed={failed} lost=0", flush=True)
        with scene() as one:
            pairs = stop_twice(one, act, first=first, then=1)
        print(f"{act.__name__} twice: pairs={pairs} lost=0", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
