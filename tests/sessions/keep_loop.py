"""Every fault at every call of putting a session away and bringing it back (SAFETY.md F1 to F6).

    python -m tests.sessions.keep_loop [FIRST]

Before and after each call the world stops; each call fails with each error; and after a crash at every FIRST-th call
(7 if left out) the world stops again at each call of what ends it. Prints the figures of each, and ends with an error
at the first state in which the session isn't whole.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.sessions.keeping import Scene, away, back, fail_everywhere, stop_everywhere, stop_twice
from tests.sessions.test_keep_crashes import CODES
from tests.support import RAM


def fresh(run: Callable[[Scene], int]) -> int:
    """Do something with a session of its own."""
    with tempfile.TemporaryDirectory(dir=RAM) as name:
        return run(Scene(Path(name).resolve(), lean=True))


def main(first: int) -> None:
    for act in (away, back):
        for after in (False, True):
            points = fresh(lambda scene, act=act, after=after: stop_everywhere(scene, act, after=after))  # type: ignore[misc]
            print(f"{act.__name__} {'after' if after else 'before'}: points={points} lost=0", flush=True)
        for code in CODES:
            failed = fresh(lambda scene, act=act, code=code: fail_everywhere(scene, act, lambda _: code))  # type: ignore[misc]
            print(f"{act.__name__} error {code}: failed={failed} lost=0", flush=True)
        pairs = fresh(lambda scene, act=act: stop_twice(scene, act, first=first, then=1))  # type: ignore[misc]
        print(f"{act.__name__} twice: pairs={pairs} lost=0", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
