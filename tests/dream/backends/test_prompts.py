"""The words of a dream, and how a model tells where it is."""

import os
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.backends.prompts import (
    MAX_LISTED,
    STAGES,
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
from memtui.memory.budget import measure_index
from tests.dream.scene import HOUR, NOW, Scene, put_session


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
    words = task_prompt(
        brief(index=index, sessions=(Path("/t/a\x1b]8.jsonl"),), more=3, pinned=("x\ny.md",), since=date(2026, 11, 28))
    )
    assert "201 lines" in words and "it is over" in words
    assert "\x1b" not in words and "- x␊y.md\n" in words
    assert "since the last dream, on 2026-11-28" in words and "and 3 older ones" in words


def test_daily_logs_are_a_source(scene: Scene) -> None:
    scene.write("logs/2025/11/2025-11-23.md", "said: DONE\n")
    words = task_prompt(
        make_prompt_context(make_stage(scene.dirs, "one", scene.folder, NOW), scene.workspace, "reflect")
    )
    assert "below logs/" in words and "search the daily logs" in words
    assert "daily logs" not in task_prompt(brief())


def test_in_assistant_mode_the_new_daily_logs_are_the_source(scene: Scene) -> None:
    put_session(scene, 1)
    scene.put_lock(b"", 30 * HOUR)
    for day, age in ((22, 40), (23, 20), (24, 2)):
        name = f"logs/2025/11/2025-11-{day}.md"
        scene.write(name, "said: DONE\n")
        os.utime(scene.folder / name, (NOW - age * HOUR,) * 2)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    assert make_prompt_context(stage, scene.workspace, "reflect").new_logs == ()
    scene.dirs.config.mkdir(parents=True, exist_ok=True)
    (scene.dirs.config / "config.toml").write_text("assistant_mode = true\n", encoding="utf-8")
    made = make_prompt_context(stage, scene.workspace, "reflect")
    assert made.new_logs == ("logs/2025/11/2025-11-24.md", "logs/2025/11/2025-11-23.md")
    words = task_prompt(made)
    assert "They are the source of this dream" in words and "2025-11-22" not in words
    assert "read the daily logs listed above" in words and "search the sessions" not in words


def test_the_rules_are_the_same_each_time() -> None:
    assert system_prompt() == system_prompt() and "{" not in system_prompt()


def test_the_brief_of_a_run_that_has_the_lock_already(scene: Scene) -> None:
    scene.put_lock(b"", 30 * HOUR)
    paths = [put_session(scene, number, age=number * 60) for number in range(1, MAX_LISTED + 3)]
    put_session(scene, 999, age=31 * HOUR)
    stage = make_stage(scene.dirs, "one", scene.folder, NOW)
    lock = DreamLock(scene.folder, scene.dirs, run="one", now=lambda: NOW)
    lock.take()
    made = make_prompt_context(stage, scene.workspace, "prune")
    assert made.since == date.fromtimestamp(NOW - 30 * HOUR)
    assert (made.sessions, made.more) == (tuple(paths[:MAX_LISTED]), 2)
    assert made.reads == (scene.workspace.location.transcripts,)
    assert made.index is not None and made.index.lines == 39
    lock.release()
    assert lock_before_run(scene.folder, scene.dirs).at == NOW


def test_a_first_dream_sees_every_session(scene: Scene) -> None:
    path = put_session(scene, 1, age=1000 * HOUR)
    lock = DreamLock(scene.folder, scene.dirs, run="one", now=lambda: NOW)
    lock.take()
    made = make_prompt_context(make_stage(scene.dirs, "one", scene.folder, NOW), scene.workspace, "reflect")
    assert (made.since, made.sessions) == (None, (path,))
    lock.roll_back()
    assert lock_before_run(scene.folder, scene.dirs).at is None
