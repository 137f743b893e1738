"""The words of a dream, and how a model tells where it is."""

import json
import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.agent.task import Budget
from memtui.dream.backends.digests import MAX_ALL_DIGESTS_CHARS, ListedSession, write_digests
from memtui.dream.backends.names import STAGES
from memtui.dream.backends.prompts import (
    MAX_LISTED,
    PromptContext,
    make_prompt_context,
    stages_in,
    system_prompt,
    task_prompt,
    without_stages,
)
from memtui.dream.backends.registry import MODES
from memtui.dream.lock.lock import DreamLock, lock_before_run
from memtui.dream.run.stage import make_stage
from memtui.dream.run.stage_changes import read_stage_changes
from memtui.memory.budget import measure_index
from tests.dream.scene import HOUR, NOW, Scene, put_session
from tests.support import digest_tree


def brief(**more: object) -> PromptContext:
    given: dict[str, object] = {
        "mode": "reflect", "day": date(2026, 11, 30), "root": Path("/stage"), "since": None, "sessions": (), "more": 0,
        "reads": (), "logs": False, "pinned": (), "index": None, **more,
    }  # fmt: skip
    return PromptContext(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "stages", "rest"),
    [
        ("STAGE: gather", ("gather",), ""),
        ("**STAGE: Orient**\nI look.", ("orient",), "I look."),
        ("Done.\n## stage: prune\nAnd STAGE: gather", ("prune",), "Done.\nAnd STAGE: gather"),
        ("STAGE: orient\nx\nSTAGE: gather.\ny", ("orient", "gather"), "x\ny"),
        ("STAGE: sleep", (), ""),
        ("STAGE: gather what is new", ("gather",), "STAGE: gather what is new"),
        ("", (), ""),
    ],
)
def test_a_stage_is_a_line_of_its_own(text: str, stages: tuple[str, ...], rest: str) -> None:
    assert (stages_in(text), without_stages(text)) == (stages, rest)


@given(st.text())
def test_any_text_has_only_stages_that_there_are(text: str) -> None:
    assert set(stages_in(text)) <= set(STAGES)


@pytest.mark.parametrize("mode", MODES)
def test_the_four_stages_are_asked_for_as_they_are_read(mode: str) -> None:
    words = task_prompt(brief(mode=mode))
    asked = [stage for stage in STAGES if f"STAGE: {stage}" in words]
    assert tuple(asked) == STAGES
    assert "Monday, 2026-11-30" in words and "no MEMORY.md yet" in words and "No session was recorded." in words


def test_names_and_sizes_are_told() -> None:
    index = measure_index("- [A](a.md) — x\n" * 201)
    unread = (ListedSession(Path("/t/a\x1b]8.jsonl")),)
    words = task_prompt(brief(index=index, sessions=unread, more=3, pinned=("x\ny.md",), since=date(2026, 11, 28)))
    assert "201 lines" in words and "it is over" in words
    assert "\x1b" not in words and "- x␊y.md\n" in words
    assert "since the last dream, on 2026-11-28" in words and "and 3 older ones" in words


def test_daily_logs_are_a_source(scene: Scene) -> None:
    scene.write("logs/2025/11/2025-11-23.md", "said: DONE\n")
    words = task_prompt(
        make_prompt_context(make_stage(scene.dirs, "one", scene.folder, NOW), scene.workspace, "reflect", Budget())
    )
    assert "below logs/" in words and "read the daily logs" in words
    assert "daily logs" not in task_prompt(brief())


def test_in_assistant_mode_the_new_daily_logs_are_the_source(scene: Scene) -> None:
    put_session(scene, 1)
    scene.put_lock(b"", 30 * HOUR)
    for day, age in ((22, 40), (23, 20), (24, 2)):
        name = f"logs/2025/11/2025-11-{day}.md"
        scene.write(name, "said: DONE\n")
        os.utime(scene.folder / name, (NOW - age * HOUR,) * 2)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    assert make_prompt_context(stage, scene.workspace, "reflect", Budget()).new_logs == ()
    scene.dirs.config.mkdir(parents=True, exist_ok=True)
    (scene.dirs.config / "config.toml").write_text("assistant_mode = true\n", encoding="utf-8")
    made = make_prompt_context(stage, scene.workspace, "reflect", Budget())
    assert made.new_logs == ("logs/2025/11/2025-11-24.md", "logs/2025/11/2025-11-23.md")
    words = task_prompt(made)
    assert "They are the source of this dream" in words and "2025-11-22" not in words
    assert "read the daily logs listed above" in words and "read the digests" not in words


def test_the_rules_are_the_same_each_time() -> None:
    assert system_prompt() == system_prompt() and "{" not in system_prompt()


def test_the_brief_of_a_run_that_has_the_lock_already(scene: Scene) -> None:
    scene.put_lock(b"", 30 * HOUR)
    paths = [put_session(scene, number, age=number * 60) for number in range(1, MAX_LISTED + 3)]
    put_session(scene, 999, age=31 * HOUR)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    lock = DreamLock(scene.folder, scene.dirs, run="one", now=lambda: NOW)
    lock.take()
    made = make_prompt_context(stage, scene.workspace, "prune", Budget())
    assert made.since == date.fromtimestamp(NOW - 30 * HOUR)
    assert ([one.path for one in made.sessions], made.more) == (paths[:MAX_LISTED], 2)
    assert made.reads == (stage.path.resolve() / "sessions", scene.workspace.location.transcripts)
    assert made.index is not None and made.index.lines == 39
    lock.release()
    assert lock_before_run(scene.folder, scene.dirs).at == NOW


def test_a_session_is_told_by_its_title_and_counts_and_its_digest_is_beside_the_stage(scene: Scene) -> None:
    rows = [prompt(1, "old wish", 40 * HOUR), prompt(2, 'use "port"\n5433', HOUR), answered(3, HOUR)]
    scene.put_lock(b"", 30 * HOUR)
    path = put_session(scene, 1, "".join(json.dumps(row) + "\n" for row in rows))
    before = digest_tree(scene.folder)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    lock = DreamLock(scene.folder, scene.dirs, run="one", now=lambda: NOW)
    lock.take()
    words = task_prompt(make_prompt_context(stage, scene.workspace, "reflect", Budget(money=1.5)))
    digest = stage.path.resolve() / "sessions" / f"01-{path.stem}.md"
    text = digest.read_text(encoding="utf-8")
    assert '- "old wish", 2025-11-23 00:00 to 2025-11-24 15:00 UTC; 2 prompts, 1 answer; tools: Bash 1\n' in words
    assert f"  digest ({len(text)} characters): {digest}\n  transcript: {path}\n" in words
    assert "30 turns; 45 minutes; 4,000,000 tokens read" in words and "$1.50" in words
    assert '> use "port"\n> 5433\n### Line 3, answer\n> Done.\n' in text and "> old wish" not in text
    assert read_stage_changes(stage).touched == ()
    lock.roll_back()
    assert digest_tree(scene.folder) == before


def test_many_sessions_share_the_room(scene: Scene, tmp_path: Path) -> None:
    row = json.dumps(prompt(1, "word " * 20_000, HOUR)) + "\n"
    paths = [put_session(scene, number, row) for number in range(MAX_LISTED)]
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    listed = write_digests(stage, [*paths, tmp_path / "gone.jsonl"], 0.0)
    assert 0 < sum(one.size for one in listed) <= MAX_ALL_DIGESTS_CHARS
    assert listed[-1] == ListedSession(tmp_path / "gone.jsonl")


def prompt(number: int, words: str, age: float) -> dict[str, object]:
    stamp = datetime.fromtimestamp(NOW - age, UTC).isoformat()
    return {"type": "user", "uuid": str(number), "timestamp": stamp, "message": {"role": "user", "content": words}}


def answered(number: int, age: float) -> dict[str, object]:
    blocks = [{"type": "text", "text": "Done."}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    return {**prompt(number, "", age), "type": "assistant", "message": {"role": "assistant", "content": blocks}}


def test_a_first_dream_sees_every_session(scene: Scene) -> None:
    path = put_session(scene, 1, age=1000 * HOUR)
    lock = DreamLock(scene.folder, scene.dirs, run="one", now=lambda: NOW)
    lock.take()
    made = make_prompt_context(make_stage(scene.dirs, "one", scene.folder, NOW), scene.workspace, "reflect", Budget())
    assert made.since is None and [one.path for one in made.sessions] == [path]
    lock.roll_back()
    assert lock_before_run(scene.folder, scene.dirs).at is None


def test_what_a_tidy_left_open_is_told() -> None:
    words = "a.md and b.md say nearly the same"
    assert f"- {words}\n" in task_prompt(brief(proposals=(words,)))
    assert "tidy by rules" not in task_prompt(brief())
