"""`memtui dream schedule`, with a crontab of the test's own, and a line that a shell really runs."""

import os
import subprocess
from pathlib import Path

import pytest

from memtui.dream.run.runs import list_runs
from memtui.util.app_dirs import Dirs
from tests.cli.conftest import Run
from tests.support import REPO, digest_tree

MINE = b"*/5 * * * * true\n"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The crontab behind a program that is first on the PATH."""
    table, program = tmp_path / "table", tmp_path / "bin" / "crontab"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\nif [ \"$1\" = -l ]; then cat '{table}' 2>/dev/null || {{ echo no crontab >&2; exit 1; }}\n"
        f"else cat > '{table}'; fi\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    table.write_bytes(MINE)
    return table


def test_a_time_is_drawn_once_and_kept(run: Run, memory: Path, table: Path) -> None:
    before = digest_tree(memory)
    first, second = run("dream", "schedule", "--json").data, run("dream", "schedule", "--json").data
    assert first == second and first["drawn"] and 0 <= int(first["cron"].split()[1]) <= 5
    assert len(first["next"]) == 3 and first["installed"] is None
    text = run("dream", "schedule").out
    assert "every day  chosen at random, once" in text and "not in your crontab" in text
    assert digest_tree(memory) == before and table.read_bytes() == MINE


def test_looking_with_nothing_to_be_written_keeps_nothing(run: Run, memory: Path, home: Path, table: Path) -> None:
    for word in ("-n", "--read-only"):
        assert "not kept" in run("dream", "schedule", word).out
        assert not (home / ".local" / "state" / "memtui" / "schedules").exists()
    assert run("dream", "schedule", "0 3 * * *", "--read-only").code == 5
    assert run("dream", "schedule", "--install", "--read-only", "-y").code == 5
    assert run("dream", "schedule", "0 3 * * *", "--install", "-n").code == 0
    assert table.read_bytes() == MINE


def test_it_comes_into_the_crontab_and_goes(run: Run, memory: Path, table: Path) -> None:
    assert run("dream", "schedule", "--install").code == 5  # nobody is there to be asked
    assert table.read_bytes() == MINE
    ran = run("dream", "schedule", "30 3 * * 1-5", "--install", "-y")
    assert ran.code == 0 and "At 03:30 on Monday through Friday" in ran.out and "in your crontab" in ran.out
    assert "# memtui-dream:" in ran.err
    lines = table.read_bytes().splitlines(keepends=True)
    assert lines[0] == MINE and len(lines) == 2
    assert b"30 3 * * 1-5 cd " in lines[1] and b"dream now --trigger schedule" in lines[1]
    assert "still has 30 3 * * 1-5" in run("dream", "schedule", "0 4 * * *").out
    assert run("dream", "schedule", "--install", "-y", "--json").data["installed"] == "0 4 * * *"
    assert len(table.read_bytes().splitlines()) == 2
    assert "would take out" in run("dream", "schedule", "--remove", "-n").out
    assert run("dream", "schedule", "--remove", "-y", "--json").data["removed"] is True
    assert table.read_bytes() == MINE
    assert "no line" in run("dream", "schedule", "--remove").out


def test_wrong_words(run: Run, memory: Path, table: Path) -> None:
    for words in (["x"], ["--install", "--remove"], ["0 3 * * *", "--remove"], ["5/15 * * * *"]):
        assert run("dream", "schedule", *words).code == 2, words


def test_a_crontab_that_cannot_be_read_is_not_written(run: Run, memory: Path, table: Path) -> None:
    program = table.parent / "bin" / "crontab"
    program.write_text(f"#!/bin/sh\n[ \"$1\" = -l ] && {{ echo not allowed >&2; exit 1; }}\ncat > '{table}'\n")
    for word in ("--install", "--remove"):
        ran = run("dream", "schedule", word, "-y")
        assert ran.code == 1 and "not allowed" in ran.err
    assert "not allowed" in run("dream", "schedule").out
    assert table.read_bytes() == MINE


def test_a_key_of_the_shell_is_not_written_down(
    run: Run, memory: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-canary-0123456789")
    ran = run("dream", "schedule", "--install", "-y")
    timer = run("dream", "schedule", "--print-timer")
    assert "ANTHROPIC_API_KEY of this shell is not written down" in ran.err
    assert "canary" not in table.read_text(encoding="utf-8") + ran.out + ran.err + timer.out


def test_the_line_really_dreams(run: Run, memory: Path, shop: Path, home: Path, table: Path) -> None:
    sessions = memory.parent
    for number in range(5):
        (sessions / f"{number:08x}-0000-4000-8000-000000000000.jsonl").write_text("{}\n", encoding="utf-8")
    run("dream", "schedule", "--install", "-y")
    command = table.read_text(encoding="utf-8").splitlines()[1].split(maxsplit=5)[5].replace("\\%", "%")
    # As cron does it: a poor environment, another directory.
    done = subprocess.run(
        ["/bin/sh", "-c", command], env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPO)}, cwd="/", check=False,
        capture_output=True, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    dirs = Dirs.from_env({}, home)
    watched = run("dream", "watch")
    while watched.code == 3:  # it has no folder before its gates are open
        watched = run("dream", "watch")
    assert "started by schedule  reflect, tidy by rules, no model" in watched.out
    found = list_runs(dirs)[0]
    assert (found.trigger, found.cwd) == ("schedule", shop)
    assert "started by schedule" in run("dream", "status").out
    assert "schedule" in run("dream", "log").out


def test_a_timer_for_systemd(run: Run, memory: Path, table: Path) -> None:
    ran = run("dream", "schedule", "15 2 * * *", "--print-timer")
    assert "OnCalendar=*-*-* 02:15:00" in ran.out and "systemctl --user enable" in ran.out
    files = run("dream", "schedule", "--print-timer", "--json").data["files"]
    assert sorted(name.rpartition(".")[2] for name in files) == ["service", "timer"]
    assert table.read_bytes() == MINE
