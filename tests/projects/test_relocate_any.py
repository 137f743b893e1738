"""Whatever lies in both folders: a move loses nothing and overwrites nothing, and taking it back gives it all again."""

import itertools
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.client.environment import Env
from memtui.projects.relocate import apply_move
from memtui.projects.relocate_undo import undo_move
from memtui.util.app_dirs import Dirs
from tests.fs.faults import FaultFS
from tests.projects.conftest import OLD, Home, files, session_id
from tests.support import RAM

TEXTS = st.sampled_from(["{}\n", '{"a": 1}\n', '{"a": 1}\n{"b": 2}\n', ""])
SESSION = st.dictionaries(
    st.sampled_from([".jsonl", "/subagents/agent-a.jsonl", "/tool-results/t.txt"]), TEXTS, max_size=3
)
SESSIONS = st.dictionaries(st.integers(1, 3), SESSION, max_size=3)
TOPICS = st.dictionaries(
    st.sampled_from(["a.md", "A.md", "b.md", "a.from-shop.md", "deep/a.md", "MEMORY.md"]),
    st.sampled_from(["one\n", "two\n", "- [A](a.md) — one\n", "- [B](b.md)\r\n- [A](a.md)"]),
    max_size=4,
)


def fill(home: Home, folder: Path, sessions: dict[int, dict[str, str]], topics: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, parts in sessions.items():
        for name, text in parts.items():
            home.write(folder / (session_id(number) + name), text)
    for name, text in topics.items():
        home.write(folder / "memory" / name, text)


@given(SESSIONS, TOPICS, SESSIONS, TOPICS)
@settings(max_examples=40)
def test_nothing_is_lost_and_all_comes_back(
    sessions: dict[int, dict[str, str]],
    topics: dict[str, str],
    other_sessions: dict[int, dict[str, str]],
    other_topics: dict[str, str],
) -> None:
    with tempfile.TemporaryDirectory(dir=RAM) as name:
        root = Path(name).resolve()
        home = Home(root, Env(root, {}, (root / "policy.json",)), Dirs(root / "c", root / "s", root / "x"))
        home.new.mkdir(parents=True)
        fill(home, home.source, sessions, topics)
        fill(home, home.target, other_sessions, other_topics)
        source, target = files(home.source), files(home.target)
        fresh = itertools.count(900)
        plan = home.plan(fresh=lambda: session_id(next(fresh)))
        done = apply_move(plan, now=lambda: OLD + 100.0, fs=FaultFS())
        left, after = files(home.source), files(home.target)
        assert not left or plan.stays, left
        for old_name, data in target.items():
            kept = after[old_name]
            assert kept.startswith(data) if old_name == "memory/MEMORY.md" else kept == data
        names = {move.source: move.target for session in done.sessions for move in session.files}
        names |= {f"memory/{f.source}": f"memory/{f.target}" for f in (plan.memory.files if plan.memory else ())}
        for old_name, data in source.items():
            if old_name == "memory/MEMORY.md":
                continue  # its lines: test_memories
            assert (left.get(old_name), after.get(names.get(old_name, ""))).count(data) == 1, old_name
        undone = undo_move(home.dirs, now=lambda: OLD + 200.0, fs=FaultFS())
        assert undone.stays == ()
        assert files(home.source) == source
        assert files(home.target) == target
