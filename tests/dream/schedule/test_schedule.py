"""Cron expressions: drawn, kept, in words, as times, and as systemd says them."""

from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.schedule.cron import (
    Schedule,
    describe_cron,
    draw_cron,
    next_start,
    next_starts,
    parse_cron,
    read_schedule,
    save_schedule,
)
from memtui.dream.schedule.units import Job, make_job, systemd_calendar, systemd_units
from memtui.util.errors import UsageError
from tests.dream.scene import NOW, Scene


@given(st.integers())
def test_a_default_is_drawn_at_night(seed: int) -> None:
    cron = draw_cron(Random(seed))
    for at in next_starts(cron, NOW):
        moment = datetime.fromtimestamp(at)
        assert 0 <= moment.hour <= 5 and at > NOW
    assert "every day" in describe_cron(cron, NOW)


def test_draws_differ() -> None:
    random = Random(1)
    assert len({draw_cron(random) for _ in range(50)}) > 25


@pytest.mark.parametrize(
    "cron",
    [
        "", "3 * * *", "* * * * * *", "61 3 * * *", "0 24 * * *", "x", "@daily", "0 3 L * *", "0 3 LW * *",
        "0 3 * * 5L", "0 3 * * 1#2", "5/15 3 * * *", "0 3 * * MON/2", "0 3 31 2,4 *", "0 3 30 2 *",
        "0 3 * * 1\n* * * * *",
    ],
)  # fmt: skip
def test_what_cron_would_not_understand_is_refused(cron: str) -> None:
    with pytest.raises(UsageError):
        parse_cron(cron, NOW)


def test_it_is_kept_for_its_memory_folder(scene: Scene) -> None:
    place = scene.workspace.location
    assert read_schedule(scene.dirs, place) is None
    kept = Schedule("30 3 * * 1-5", drawn=False, installed="")
    save_schedule(scene.dirs, place, kept)
    assert read_schedule(scene.dirs, place) == kept
    assert next_start(scene.dirs, place, NOW) is None
    save_schedule(scene.dirs, place, Schedule("0 1 * * *", installed="30 3 * * 1-5"))
    assert next_start(scene.dirs, place, NOW) == next_starts("30 3 * * 1-5", NOW)[0]
    for broken in ("", "[]", '{"cron": "x", "drawn": true, "installed": ""}'):
        next((scene.dirs.state / "schedules").iterdir()).write_text(broken, encoding="utf-8")
        assert read_schedule(scene.dirs, place) is None


@pytest.mark.parametrize(
    ("cron", "times"),
    [
        ("17 3 * * *", ("*-*-* 03:17:00",)),
        ("0 3 * * 1-5", ("Mon,Tue,Wed,Thu,Fri *-*-* 03:00:00",)),
        ("0 3 * * sun", ("Sun *-*-* 03:00:00",)),
        ("0 3 * * 7", ("Sun *-*-* 03:00:00",)),
        ("*/20 0,12 1 1 *", ("*-01-01 00,12:00,20,40:00",)),
        ("0 3 1 * 1", ("*-*-01 03:00:00", "Mon *-*-* 03:00:00")),
        ("0 3 */10 * 1", ("Mon *-*-01,11,21,31 03:00:00",)),
        ("0 3 1-31 * 1", ("*-*-* 03:00:00",)),
        ("0 3 1 * 0-6", ("*-*-* 03:00:00",)),
    ],
)
def test_systemd_is_told_the_same_times(cron: str, times: tuple[str, ...]) -> None:
    assert systemd_calendar(cron) == times


def test_a_job_has_what_a_scheduler_lacks(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "claude").write_text("#!/bin/sh\n", encoding="ascii")
    (tools / "claude").chmod(0o755)
    environ = {
        "PATH": f"/nowhere:{tools}", "XDG_STATE_HOME": "/s t", "ANTHROPIC_API_KEY": "sk-canary",
        "CLAUDE_CONFIG_DIR": "",
    }  # fmt: skip
    job = make_job(tmp_path / "it's", environ, tmp_path, program=("memtui",))
    assert job.variables == {
        "PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": "/s t",
    }
    assert job.words == ("memtui", "dream", "now", "--trigger", "schedule")
    assert "sk-canary" not in job.command + "".join(systemd_units("1", "0 3 * * *", job).values())
    assert job.command.startswith(f"cd '{tmp_path}/it'\"'\"'s' && /usr/bin/env ")


def test_units_survive_odd_names() -> None:
    job = Job(("/a b/py", "$HOME", '"q"', "back\\slash"), Path("/x y%z"), {"PATH": "/p q"})
    files = systemd_units("1", "0 3 * * *", job)
    service, timer = files["memtui-dream-1.service"], files["memtui-dream-1.timer"]
    assert 'ExecStart="/a b/py" "$$HOME" "\\"q\\"" "back\\\\slash" "--wait"\n' in service
    assert "WorkingDirectory=/x y%%z\n" in service and 'Environment="PATH=/p q"\n' in service
    assert "OnCalendar=*-*-* 03:00:00\n" in timer and "Persistent=true" in timer
    with pytest.raises(UsageError):
        systemd_units("1", "0 3 * * *", Job(("a",), Path("/x\ny"), {}))


def test_in_assistant_mode_the_gate_opens_when_the_schedule_comes(scene: Scene) -> None:
    scene.dirs.config.mkdir(parents=True, exist_ok=True)
    (scene.dirs.config / "config.toml").write_text("assistant_mode = true\n", encoding="utf-8")
    assert evaluate_gates(scene.workspace, scene.dirs, NOW)[0].opens_at is None
    save_schedule(scene.dirs, scene.workspace.location, Schedule("0 3 * * *", installed="0 3 * * *"))
    assert evaluate_gates(scene.workspace, scene.dirs, NOW)[0].opens_at == next_starts("0 3 * * *", NOW)[0]
