"""The commands of dreams, with a backend of the test's own."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import memtui.cli.commands.dream  # noqa: F401 - what takes PROGRAM over is loaded before a test replaces it
from memtui.client.paths import LOCK_NAME
from memtui.dream.lock.lock_file import read_lock
from memtui.dream.run import spawn as start
from memtui.dream.run.events import Phase, follow_events
from memtui.dream.run.runs import list_runs
from memtui.util.app_dirs import Dirs
from tests.cli.conftest import Ran, Run
from tests.support import adopt_unasked, digest_tree

OFFLINE = "memtui.dream.backends.offline"

SCRIPT = """
def consolidate(root, *, now, emit, mode, **options):
    import os, time
    from pathlib import Path
    for deed in os.environ.get("DEEDS", "edit").split():
        if deed == "edit":
            path = Path(root, "project_checkout.md")
            path.write_text(path.read_text().replace("Live.", "Live since then."))
        elif deed == "delete":
            for name in ("project_oncall.md", "feedback_testing.md"):
                Path(root, name).unlink()
        elif deed == "twice":
            path = Path(root, "project_checkout.md")
            path.write_text(path.read_text().replace("old one", "new one"))
        elif deed == "team":
            Path(root, "team", "build.md").unlink()
        elif deed == "nothing":
            pass
        elif deed == "hostile":
            Path(root, "new.md").write_text("\\x1b[31mred\\n")
            emit("\\x1b[31mred\\u202e")
        elif deed == "hang":
            emit("hanging")
            time.sleep(60)
        elif deed == "fail":
            from memtui.util.errors import MemtuiError
            raise MemtuiError("no more")
    emit("mode " + mode)
    return []
"""

PROGRAM = f"""
import sys, importlib.util
spec = importlib.util.spec_from_loader({OFFLINE!r}, loader=None)
module = importlib.util.module_from_spec(spec)
exec({SCRIPT!r}, module.__dict__)
sys.modules[{OFFLINE!r}] = module
from memtui.__main__ import main
sys.exit(main())
"""


@pytest.fixture(autouse=True)
def backend(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scripted `offline`, in this process and in those that are started."""
    spec = importlib.util.spec_from_loader(OFFLINE, loader=None)
    assert spec is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    exec(SCRIPT, module.__dict__)
    monkeypatch.setitem(sys.modules, OFFLINE, module)
    monkeypatch.setattr(start, "PROGRAM", (sys.executable, "-P", "-c", PROGRAM))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    adopt_unasked(Dirs.from_env(os.environ, home))


@pytest.fixture
def dirs(home: Path) -> Dirs:
    return Dirs.from_env(os.environ, home)


@pytest.fixture
def dreamt(run: Run, memory: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Lets a run go through in this process: `dreamt("edit", "--review")`."""
    number = iter(range(100))

    def call(operations: str, *words: str) -> Ran:
        monkeypatch.setenv("DEEDS", operations)
        id = f"2026-11-30-{next(number):04}"
        folder = memory.parents[3] / ".local" / "state" / "memtui" / "runs" / id
        folder.mkdir(parents=True)
        return run("dream", "run", "--run", id, "--force", *words)

    return call


def test_nothing_has_run_yet(run: Run, memory: Path) -> None:
    before = digest_tree(memory)
    assert "no dream is running; last dream never" in run("dream", "status").out
    data = run("dream", "status", "--json").data
    assert data.pop("review")["setting"] == "auto"
    assert data == {
        "running": None, "foreign": None, "waiting": None, "died": None, "backs_off_until": None, "last": None,
        "newest": None,
    }  # fmt: skip
    assert run("dream", "log").code == 1
    for words in (["diff"], ["watch"], ["adopt"], ["discard"], ["restore"]):
        ran = run("dream", *words)
        assert ran.code == 3, words
        assert "no dream" in ran.err
    assert run("kill").code == 3
    assert digest_tree(memory) == before


def test_why_names_every_gate(run: Run, memory: Path) -> None:
    ran = run("dream", "why")
    assert ran.code == 1 and "no, 1 of 8 checks waiting" in ran.out and "0 of 5" in ran.out
    data = run("dream", "why", "--json").data
    assert data["would_start"] is False and data["next"] is None
    assert [gate["name"] for gate in data["gates"]] == [
        "auto-dream", "memory", "time", "sessions", "failures", "review", "lock", "folder",
    ]  # fmt: skip


def test_a_dream_in_a_process_of_its_own(run: Run, memory: Path) -> None:
    refused = run("dream", "now", "--json")
    assert refused.code == 1 and refused.data["how"] == "gate" and refused.data["reason"] == "sessions: 0 of 5"
    ran = run("dream", "now", "--force", "--wait")
    assert ran.code == 0
    for word in (
        "started  reflect, tidy by rules, no model",
        "updating",
        "project_checkout.md  +1 -1",
        "ended  done: 1 file adopted",
    ):
        assert word in ran.out
    assert "Live since then." in (memory / "project_checkout.md").read_text(encoding="utf-8")
    status = run("dream", "status", "--json").data
    assert status["last"] is not None and status["newest"]["how"] == "done"
    assert status["newest"]["pid"] != os.getpid()
    assert run("dream", "watch").out.endswith("ended  done: 1 file adopted\n")
    lines = run("dream", "watch", "--jsonl").lines
    assert lines[0]["event"] == "started" and lines[-1]["event"] == "ended"
    whole = run("dream", "watch", "--json").data
    assert whole["events"] == lines and whole["run"]["how"] == "done"
    assert run("undo").code == 0
    assert "Live since then." not in (memory / "project_checkout.md").read_text(encoding="utf-8")


def test_a_dream_that_goes_on_is_seen_and_ended(
    run: Run, memory: Path, dirs: Dirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest_tree(memory)
    monkeypatch.setenv("DEEDS", "edit hang")
    ran = run("dream", "now", "--force", "--json")
    assert ran.code == 0 and ran.data["state"] == "running"
    found = list_runs(dirs, memory)[0]
    next(event for event in follow_events(found.events, lambda: False, pause=time.sleep) if isinstance(event, Phase))
    status = run("dream", "status")
    assert "running for" in status.out and "memtui kill ends it" in status.out
    again = run("dream", "now", "--force")
    assert again.code == 1 and f"lock: held by process {found.process.pid}" in again.out
    assert run("dream", "discard", found.id, "-y").code == 4
    assert "would end the dream" in run("kill", "-n").out
    killed = run("kill", "--json")
    assert killed.code == 0 and killed.data["by"] == "SIGTERM"
    assert killed.data["run"]["how"] == "killed" and killed.data["run"]["kept"] is True
    assert digest_tree(memory) == before
    assert run("kill", found.id).code == 4
    assert "drafts kept" in run("dream", "log").out


def test_what_a_killed_dream_drafted_can_be_adopted_or_thrown_away(dreamt: Callable[..., Ran], run: Run) -> None:
    assert dreamt("edit delete fail").code == 1
    data = run("dream", "diff", "--json").data
    assert {file["name"]: file["state"] for file in data["files"]} == {
        "feedback_testing.md": "clean", "project_checkout.md": "clean", "project_oncall.md": "clean",
    }  # fmt: skip
    assert "+Live since then." in data["diff"]
    only = run("dream", "diff", "checkout", "--json")
    assert only.code == 3, "names begin with their type"
    assert "oncall" not in run("dream", "diff", "project_checkout", "--json").data["diff"]
    assert "would adopt project_checkout.md: clean" in run("dream", "adopt", "project_checkout", "-n").out
    done = run("dream", "adopt", "project_checkout", "--json")
    assert done.code == 0 and done.data["adopted"] == ["project_checkout.md"] and len(done.data["left"]) == 2
    refused = run("dream", "discard", "--json")
    assert refused.code == 5, "nobody is here to be asked"
    assert run("dream", "discard", "-y").code == 0
    assert run("dream", "adopt").code == 3
    assert run("dream", "diff", "--json").data["adopted"] is True


def test_a_held_dream_waits_and_counts_once_it_is_adopted(dreamt: Callable[..., Ran], run: Run, memory: Path) -> None:
    before = digest_tree(memory)
    assert dreamt("delete").code == 7
    assert digest_tree(memory) == before
    status = run("dream", "status")
    assert "held for review" in status.out and "project_oncall.md is gone with" in status.out
    assert [gate["open"] for gate in run("dream", "why", "--json").data["gates"] if gate["name"] == "review"] == [False]
    waits = run("dream", "diff").out.split("\n")[1]
    assert waits.startswith("waits for you: it loses what stands nowhere afterwards: ") and "of its terms" in waits
    assert run("dream", "adopt").code == 0
    assert not (memory / "project_oncall.md").exists()
    assert read_lock(memory).kind == "none", "without a model no session was read"
    assert run("dream", "status", "--json").data["last"] is not None
    assert run("dream", "adopt").code == 3
    assert run("dream", "restore", "-n").code == 0
    assert run("dream", "restore", "project_oncall").code == 0
    assert (memory / "project_oncall.md").exists() and not (memory / "feedback_testing.md").exists()
    assert run("dream", "restore").code == 0
    assert (memory / "feedback_testing.md").exists()
    assert "nothing to do" in run("dream", "restore").out


def test_what_becomes_of_the_next_dream_is_told_by_the_setting_in_force(
    dreamt: Callable[..., Ran], run: Run, memory: Path
) -> None:
    def words() -> str:
        data = run("dream", "why", "--json").data["review"]
        assert data["words"] in run("dream", "why").out and data["words"] in run("dream", "status").out
        return str(data["words"])

    assert words() == "clean changes are adopted, others wait for review (dream_review is auto in config.toml)"
    run("config", "set", "dream_review", "always")
    assert words() == "every dream waits for review (dream_review is always in config.toml)"
    run("config", "set", "dream_review", "learning")
    assert words() == "a project's first 3 dreams wait for review, 0 of 3 judged (dream_review is learning by default)"
    assert dreamt("edit").code == 7 and run("dream", "watch").code == 7
    assert run("dream", "adopt").code == 0
    assert words() == "a project's first 3 dreams wait for review, 1 of 3 judged (dream_review is learning by default)"
    for _ in range(2):
        dreamt("delete")
        run("dream", "discard", "-y")
    learnt = "clean changes are adopted, others wait for review: 3 of the first 3 dreams are judged"
    assert words() == f"{learnt} (dream_review is learning by default)"


def test_a_dream_by_hand_takes_the_place_of_one_that_waits_if_asked(
    dreamt: Callable[..., Ran], run: Run, memory: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        session = memory.parent / f"{number:08x}-0000-4000-8000-000000000000.jsonl"
        session.write_text("{}\n", encoding="utf-8")
    dreamt("delete")
    first = list_runs(Dirs.from_env(os.environ, home))[0]
    (home / ".claude" / "settings.json").write_text('{"autoDreamEnabled": false}', encoding="utf-8")
    asked = run("dream", "now", "--wait")
    assert asked.code == 5 and f"The dream {first.id} waits for review" in asked.err
    dry = run("dream", "now", "--wait", "-n")
    assert dry.code == 0 and run("dream", "status", "--json").data["waiting"] == first.id
    monkeypatch.setenv("DEEDS", "edit")
    done = run("dream", "now", "--wait", "-y")
    assert done.code == 0 and "1 file adopted" in done.out, "by hand it needs no switch"
    assert run("dream", "status", "--json").data["waiting"] is None
    assert run("dream", "diff", first.id).code == 0, "what it drafted is kept"


def test_a_conflict_is_said_and_can_be_overridden(dreamt: Callable[..., Ran], run: Run, memory: Path) -> None:
    dreamt("edit", "--review")
    path = memory / "project_checkout.md"
    path.write_text(path.read_text(encoding="utf-8").replace("Live.", "Dead."), encoding="utf-8")
    assert "conflict: somebody changed the same lines" in run("dream", "diff").out
    assert run("dream", "adopt", "project_checkout").code == 4
    left = run("dream", "adopt")
    assert left.code == 1 and "left: project_checkout.md" in left.out
    assert run("dream", "adopt", "project_checkout", "--over").code == 0
    assert "Live since then." in path.read_text(encoding="utf-8")
    run("undo")
    assert "Dead." in path.read_text(encoding="utf-8")


def test_claims_hunks_and_what_became_of_a_run(dreamt: Callable[..., Ran], run: Run, memory: Path) -> None:
    def decision() -> str | None:
        found: str | None = run("dream", "status", "--json").data["newest"]["decision"]
        assert (found or "held for review") in run("dream", "log").out
        return found

    path = memory / "project_checkout.md"
    path.write_text("old one\n\n\n\n\nLive.\n\n\n\n\nlast one\n", encoding="utf-8")
    assert dreamt("edit delete twice").code == 7
    told = run("dream", "diff", "--claims").out
    assert told.index("waits for you: ") < told.index("\nlost (") < told.index("\nchanged (")
    data = run("dream", "diff", "project_checkout", "--claims", "--json").data
    assert [(one["kind"], one["line"], one["old"], one["new"]) for one in data["claims"]] == [
        ("changed", 1, "old one", "new one"), ("changed", 6, "Live.", "Live since then."),
    ]  # fmt: skip
    assert decision() is None
    assert "hunk 2" in run("dream", "diff", "project_checkout").out
    for wrong in (["--hunk", "1"], ["project_checkout", "--hunk", "x"], ["project_checkout", "--hunk", "3"]):
        assert run("dream", "adopt", *wrong).code == 2
    done = run("dream", "adopt", "project_checkout", "--hunk", "2", "--json")
    assert done.code == 0 and done.data["partly"] == ["project_checkout.md"] and done.data["adopted"] == []
    assert path.read_text(encoding="utf-8").startswith("old one\n") and decision() == "partly adopted"
    assert run("dream", "adopt").code == 0 and decision() == "adopted"
    assert path.read_text(encoding="utf-8").startswith("new one\n")
    assert "lost (" in run("dream", "diff", "--claims").out
    assert run("dream", "restore").code == 0 and decision() == "restored"
    assert run("undo").code == 0 and decision() == "adopted"
    assert run("redo").code == 0 and decision() == "restored"
    dreamt("delete")
    assert run("dream", "discard", "-y").code == 0 and decision() == "discarded"


def test_what_later_edits_overlap_is_listed_and_comes_back_when_asked(
    dreamt: Callable[..., Ran], run: Run, memory: Path
) -> None:
    checkout, before = memory / "project_checkout.md", digest_tree(memory)
    dreamt("edit delete")
    assert run("dream", "adopt").code == 0
    made = checkout.read_text(encoding="utf-8")
    checkout.write_text(made.replace("Live since then.", "Dead since then."), encoding="utf-8")
    some = run("dream", "restore")
    assert some.code == 1 and "left as it is: project_checkout.md: it was edited since" in some.out
    assert "project_checkout.md --over takes these back" in some.out
    assert "restored project_oncall.md" in some.out and (memory / "feedback_testing.md").exists()
    none = run("dream", "restore", "project_checkout", "--json")
    assert none.code == 4 and none.data["done"] is False and none.data["left"][0]["name"] == "project_checkout.md"
    assert run("dream", "restore", "--over").code == 0
    files = {name: entry for name, entry in digest_tree(memory).items() if entry[0] == "file"}
    assert files == {name: entry for name, entry in before.items() if entry[0] == "file"}, "bytes and times"
    assert run("undo").code == 0 and "Dead since then." in checkout.read_text(encoding="utf-8")
    checkout.write_text(made.replace("# Checkout", "# The checkout"), encoding="utf-8")
    merged = run("dream", "restore", "project_checkout")
    assert merged.code == 0 and "(what was written since stays)" in merged.out
    assert checkout.read_text(encoding="utf-8").endswith("# The checkout\n\nLive.\n")


def test_what_the_team_shares_stays(dreamt: Callable[..., Ran], run: Run, memory: Path) -> None:
    dreamt("team")
    assert "never adopted" in run("dream", "diff").out
    assert run("dream", "adopt", "team/build.md", "--over").code == 5
    assert (memory / "team" / "build.md").exists()


def test_a_dry_run_adopts_nothing_and_is_no_failure(run: Run, memory: Path) -> None:
    before = digest_tree(memory)
    ran = run("dream", "now", "--force", "--wait", "-n", "--mode", "prune")
    assert ran.code == 0 and "mode prune" in ran.out and "a dry run adopts nothing" in ran.out
    assert digest_tree(memory) == before


def test_wrong_words_are_said_before_anything_starts(run: Run, memory: Path, dirs: Dirs) -> None:
    assert run("dream", "now", "--backend", "anthropic").code == 6
    assert run("dream", "now", "--backend", "sheep").code == 2
    assert run("dream", "now", "--mode", "sheep").code == 2
    assert run("dream", "now", "--read-only").code == 5
    assert run("kill", "--read-only").code == 5
    assert list_runs(dirs) == ()


def test_a_lock_that_nobody_holds_is_cleared_when_asked(run: Run, memory: Path) -> None:
    assert run("kill", "--clear-stale-lock").code == 3
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    (memory / LOCK_NAME).write_text(str(child.pid), encoding="ascii")
    held = run("kill", "--clear-stale-lock", "-y")
    assert held.code == 4 and f"held by process {child.pid}" in held.err
    assert "another program's dream is running" in run("dream", "status").out
    child.communicate()
    assert run("kill", "--clear-stale-lock").code == 5
    assert run("kill", "--clear-stale-lock", "-n").code == 0 and (memory / LOCK_NAME).exists()
    assert run("kill", "--clear-stale-lock", "-y", "--json").data["pid"] == child.pid
    assert not (memory / LOCK_NAME).exists()


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"x" * 2_000_000], ids=["empty", "binary", "huge"])
def test_a_lock_that_names_no_process_is_cleared_when_asked(run: Run, memory: Path, content: bytes) -> None:
    (memory / LOCK_NAME).write_bytes(content)
    assert "memtui kill --clear-stale-lock removes it" in run("dream", "why").out
    assert run("kill", "--clear-stale-lock").code == 5 and (memory / LOCK_NAME).exists()
    assert run("kill", "--clear-stale-lock", "-y").code == 0
    assert not (memory / LOCK_NAME).exists()


def test_a_dream_that_nobody_reviewed_expires_and_is_told_once(
    dreamt: Callable[..., Ran], run: Run, memory: Path, dirs: Dirs
) -> None:
    def review() -> bool:
        return next(bool(one["open"]) for one in run("dream", "why", "--json").data["gates"] if one["name"] == "review")

    dreamt("delete")
    held = list_runs(dirs)[0]
    assert not review()
    shutil.rmtree(dirs.state / "stages" / held.id)  # as after 14 days
    assert run("dream", "why", "--read-only", "--json").data["gates"][5]["open"], "it counts as decided at once"
    told = run("dream", "status")
    assert f"nobody reviewed the dream {held.id} for 14 days" in told.err and "expired" in told.out
    assert review() and run("dream", "status").err == run("dream", "log").err == ""
    gone = run("dream", "adopt", held.id)
    assert gone.code == 3 and "expired: nobody reviewed it for 14 days" in gone.err
    assert run("dream", "discard", held.id).code == 0, "nothing is left to be asked about"
    assert run("dream", "discard", held.id).code == 3 and "was discarded already" in run("dream", "adopt", held.id).err


def test_a_dream_that_died_is_told_and_mended_by_the_next_look(
    run: Run, memory: Path, dirs: Dirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEDS", "edit hang")
    run("dream", "now", "--force")
    found = list_runs(dirs, memory)[0]
    os.kill(found.process.pid, signal.SIGKILL)
    while "died" not in run("dream", "status", "--read-only").out:
        pass
    assert "restores its lock" in run("dream", "status", "-n").out
    assert run("dream", "status", "--json", "-n").data["last"] is None, "a dream that died was none"
    gates = {gate["name"]: gate["open"] for gate in run("dream", "why", "--json", "-n").data["gates"]}
    assert gates["time"] and gates["lock"]
    assert (memory / LOCK_NAME).exists(), "-n and --read-only change nothing"
    assert f"the dream {found.id} had died: its process was gone" in run("check").err
    assert not (memory / LOCK_NAME).exists()
    assert run("check").err == ""
    assert run("dream", "log", "--json").data["runs"][0]["how"] == "killed"


def test_foreign_text_is_shown_and_never_run(dreamt: Callable[..., Ran], run: Run, memory: Path) -> None:
    dreamt("hostile", "--review")
    for words in (["watch"], ["diff"], ["log", "-v"], ["status"]):
        for form in ([], ["--json"], ["--jsonl"]):
            ran = run("dream", *words, *form)
            assert "\x1b" not in ran.out + ran.err and "\u202e" not in ran.out + ran.err
    assert "␛[31mred" in run("dream", "watch").out


def test_a_run_that_can_t_start_says_why(run: Run, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "PROGRAM", (sys.executable, "-c", "import sys; sys.exit('memtui: out of sheep')"))
    ran = run("dream", "now")
    assert ran.code == 6 and "out of sheep" in ran.err
    monkeypatch.setattr(start, "PROGRAM", ("/nonexistent",))
    assert run("dream", "now").code in (3, 6)


def test_each_command_has_json(dreamt: Callable[..., Ran], run: Run) -> None:
    dreamt("edit", "--review")
    for words in (["status"], ["why"], ["watch"], ["log"], ["diff"], ["adopt"], ["restore"]):
        assert json.loads(run("dream", *words, "--json").out)["schema"] == "memtui/1"


@pytest.mark.parametrize("trigger", ["hook", "schedule"])
def test_a_trigger_says_nothing_and_ends_with_0(run: Run, memory: Path, home: Path, trigger: str) -> None:
    assert run("dream", "now").code == 1  # scans the sessions, and keeps that
    ran = run("dream", "now", "--trigger", trigger)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    data = run("dream", "now", "--trigger", trigger, "--json").data
    assert data["started"] is False and data["reason"].startswith("sessions: 0 of 5; last look just now")
    assert f"started by {trigger}: sessions: 0 of 5" in run("dream", "log", "-v").out
    assert f"started by {trigger}: sessions" in run("dream", "why").out
    assert run("dream", "now", "--trigger", trigger, "--read-only").code == 0
    assert run("dream", "now", "--trigger", trigger, "--project", "nowhere").code == 0


def test_a_trigger_dreams_on_its_own(run: Run, memory: Path, dirs: Dirs) -> None:
    ran = run("dream", "now", "--trigger", "hook", "--force", "--wait")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    made = list_runs(dirs)[0]
    assert made.trigger == "hook" and "started by hook  reflect, tidy by rules, no model" in run("dream", "watch").out
    assert "started by hook" in run("dream", "status").out and "offline, hook" in run("dream", "log").out
    assert run("dream", "status", "--json").data["newest"]["trigger"] == "hook"


def test_a_trigger_that_cannot_work_is_written_down(run: Run, memory: Path) -> None:
    assert run("dream", "run", "--trigger", "hook", "--backend", "anthropic").code == 6
    assert "started by hook: start: the backend anthropic can't work here" in run("dream", "log", "-v").out


def test_dreams_that_fail_in_a_row_back_off_and_say_so(run: Run, memory: Path, dreamt: Callable[..., Ran]) -> None:
    dreamt("fail")
    dreamt("fail")
    words = "2 dreams failed in a row, the last just now: no more: the next one waits, ready in "
    assert words in run("dream", "status").out
    assert run("dream", "status", "--json").data["backs_off_until"] is not None
    gate = next(one for one in run("dream", "why", "--json").data["gates"] if one["name"] == "failures")
    assert not gate["open"] and gate["opens_at"] is not None
    dreamt("edit")
    assert run("dream", "status", "--json").data["backs_off_until"] is None


def test_why_shows_one_refusal_of_each_kind(run: Run, memory: Path) -> None:
    for _ in range(3):
        run("dream", "now")
    assert [one["name"] for one in run("dream", "why", "--json").data["stopped"]] == ["sessions"]
