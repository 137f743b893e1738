"""Dreams by the real agent client, headless, against a scripted service; and how it is started and ended.

The client is the one that MEMTUI_TEST_CLIENT names; without it only its stand-ins run.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from memtui.dream.backends.client import run_client
from memtui.dream.backends.registry import choose_backend
from memtui.dream.run.events import Note, Phase, Retry, Turn
from memtui.dream.run.run import RunEnd
from memtui.dream.run.runs import events_of, list_runs, reserve_run, run_progress
from memtui.dream.run.stage import has_stage
from memtui.util.config import read_config
from tests.agent.scripted_api import Reply, Scripted, answer, call, error, text, thinking
from tests.dream.scene import NOW, Scene, contents, make_scene, put_session, topic
from tests.support import REPO

CLIENT = os.environ.get("MEMTUI_TEST_CLIENT", "")
real_client = pytest.mark.skipif(not CLIENT, reason="no agent client: MEMTUI_TEST_CLIENT names none")

CACHED = {
    "cache_read_input_tokens": 20_000, "cache_creation_input_tokens": 3000,
    "cache_creation": {"ephemeral_5m_input_tokens": 2000, "ephemeral_1h_input_tokens": 1000},
}  # fmt: skip

ENVIRON = {
    "ANTHROPIC_API_KEY": "sk-ant-opens-nothing", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1",
    "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "PYTHONPATH": str(REPO),
}  # fmt: skip


@pytest.fixture
def foreign(api: Scripted) -> Iterator[Scripted]:
    """The service, as the real client uses it."""
    api.foreign = True
    yield api
    api.foreign = False


def make(tmp_path: Path, client: Path, **more: str) -> Scene:
    """A project whose PATH begins with this client."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").symlink_to(client)
    home = tmp_path / "home"
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return make_scene(tmp_path, environ={**ENVIRON, "HOME": str(home), "PATH": path, **more})


def dream(scene: Scene, **options: Any) -> RunEnd:
    backend = choose_backend("client", "reflect", scene.workspace, read_config(scene.dirs.config))
    return scene.run(backend.work, backend=backend.name, why=backend.why, **options)


@real_client
def test_the_real_client_is_confined_and_its_dream_adopted(foreign: Scripted, tmp_path: Path) -> None:
    api = foreign
    api.says()
    scene = make(tmp_path.resolve(), Path(CLIENT), ANTHROPIC_BASE_URL=api.url)
    session = put_session(scene, 1, '{"type":"user","message":{"content":"say DONE"}}\n')
    secret = tmp_path / "secret.md"
    secret.write_text("S3cr3tC4n4ry\n", encoding="utf-8")
    settings = scene.workspace.env.home / ".claude" / "settings.json"
    settings.write_text(
        json.dumps({
            "permissions": {"allow": ["Bash", "Write", "Read"]}, "disableAllHooks": True,
            "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {tmp_path}/hooked"}]}]},
        }),
        encoding="utf-8",
    )  # fmt: skip
    scene.write("team/build.md", "---\nname: Build\ntype: reference\n---\n\nmake\n")
    id = reserve_run(scene.dirs, NOW)
    root = Path(os.path.realpath(scene.dirs.state / "stages" / id / "memory"))
    digest = root.parent / "sessions" / f"01-{session.stem}.md"
    line, more = f"- [Topic 2]({topic(2)}) — words\n", f"- [Topic 2]({topic(2)}) — more words\n"
    api.script[:] = [
        answer(
            thinking("STAGE: orient\nI look."), call("Read", file_path=f"{root}/MEMORY.md"),
            call("Glob", pattern="*.md"), usage=CACHED,
        ),
        answer(
            thinking(""), text("STAGE: gather"), call("Read", file_path=str(session)),
            call("Read", file_path=str(secret)),
            call("Read", file_path=f"{root}/{topic(1)}"), call("Read", file_path=f"{root}/{topic(2)}"),
            call("Read", file_path=f"{root}/team/build.md"), call("Read", file_path=str(digest)),
        ),
        answer(
            text("STAGE: consolidate"),
            call("Edit", file_path=f"{root}/{topic(1)}", old_string="third", new_string="third, and say DONE"),
            call("Edit", file_path=f"{root}/{topic(2)}", old_string="third", new_string="third and fourth"),
            call("Write", file_path=f"{tmp_path}/evil.md", content="x"),
            call("Write", file_path=str(scene.folder / "evil.md"), content="x"),
            call("Edit", file_path=f"{root}/team/build.md", old_string="make", new_string="rm"),
            call("Write", file_path=str(digest), content="x"),
            call("Bash", command=f"rm -rf {scene.folder}"),
        ),
        answer(text("STAGE: prune"), call("Edit", file_path=f"{root}/MEMORY.md", old_string=line, new_string=more)),
        answer(text("Two topics know more.")),
    ]  # fmt: skip
    end = dream(scene, run_id=id)
    events = events_of(list_runs(scene.dirs)[0])
    assert (end.how, end.adopted) == ("done", ("MEMORY.md", topic(1), topic(2))), (end, api.refused)
    assert "say DONE" in scene.text(topic(1)) and "fourth" in scene.text(topic(2))
    assert "make" in scene.text("team/build.md")
    assert not list(tmp_path.rglob("evil.md")) and not (tmp_path / "hooked").exists()
    results = json.dumps([request["messages"] for request in api.requests])
    assert "S3cr3tC4n4ry" not in results and "> say DONE" in results
    denied = [one.words for one in events if isinstance(one, Note) and one.words.startswith("denied: ")]
    assert len(denied) == 6 and sum("Bash" in words for words in denied) == 1, denied
    stages = [one.stage for one in events if isinstance(one, Phase) and one.stage]
    assert list(dict.fromkeys(stages)) == ["orient", "gather", "consolidate", "prune"]
    told = run_progress(events)
    assert (told.turns, told.phase, told.text) == (5, "updating", "Two topics know more.")
    assert next(one.text for one in events if isinstance(one, Turn)) == "I look."
    assert told.tokens == replace(told.tokens, input=500, output=100, cache_read=20_000, cache_write=3000)
    assert told.usd == pytest.approx((500 * 4 + 100 * 20 + 20_000 * 0.2 + 2000 * 5 + 1000 * 8) / 1e6)
    sent = [one for request in api.requests for message in request["messages"] for one in message["content"]]
    assert {"type": "thinking", "thinking": "", "signature": "c2ln"} in sent
    kept = [path for path in (tmp_path / "home").rglob("*.jsonl") if path != session]
    assert kept == []
    assert not list((tmp_path / "home").rglob("*stages*"))


@real_client
def test_the_real_client_loses_its_connection_in_the_middle_of_an_answer(foreign: Scripted, tmp_path: Path) -> None:
    read = answer(call("Read", file_path=str(tmp_path.resolve() / "home/none.jsonl")))
    cut = Reply(read.events, cut=len(read.events) - 2, torn=True)
    foreign.says(cut, cut, cut, read, answer(text("Nothing to do.")))
    scene = make(tmp_path.resolve(), Path(CLIENT), ANTHROPIC_BASE_URL=foreign.url)
    end = dream(scene)
    assert end.how == "nothing", (end.reason, len(foreign.requests), foreign.refused)
    events = events_of(list_runs(scene.dirs)[0])
    told = [one.reason for one in events if isinstance(one, Retry)]
    assert told and all(reason.startswith("the connection was lost") for reason in told)


@real_client
def test_the_real_client_stops_at_the_spending_limit(foreign: Scripted, tmp_path: Path) -> None:
    foreign.says(answer(call("Glob", pattern="*.md"), usage={**CACHED, "output_tokens": 100_000}), answer(text("no")))
    scene = make(tmp_path.resolve(), Path(CLIENT), ANTHROPIC_BASE_URL=foreign.url)
    assert (dream(scene).reason, len(foreign.requests)) == ("the money for this dream is used up", 1)
    assert run_progress(events_of(list_runs(scene.dirs)[0])).usd == pytest.approx(2.0224)


@real_client
def test_a_refused_key_fails_with_the_reason(foreign: Scripted, tmp_path: Path) -> None:
    api = foreign
    api.says(*[error(401, "authentication_error", "invalid x-api-key")] * 20)
    scene = make(tmp_path.resolve(), Path(CLIENT), ANTHROPIC_BASE_URL=api.url)
    before = contents(scene.folder)
    end = dream(scene)
    assert end.how == "failed" and end.reason.startswith("the agent client failed: Invalid API key")
    assert len(api.requests) == 4
    assert contents(scene.folder) == before


def stand_in(tmp_path: Path, script: str) -> Path:
    """A program in the client's place, which notes how it was called."""
    path = tmp_path / "stand-in"
    path.write_text(
        f"#!{sys.executable}\nimport json, os, signal, sys, time\nfrom pathlib import Path\n"
        f"called = [sys.argv[1:], sys.stdin.read(), dict(os.environ)]\n"
        f"Path({str(tmp_path / 'called')!r}).write_text(json.dumps(called))\n"
        f"{script}\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def test_how_it_is_called(tmp_path: Path) -> None:
    scene = make(
        tmp_path, stand_in(tmp_path, "print(json.dumps({'type': 'result', 'subtype': 'success', 'result': 'ok'}))"),
        CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="s",
    )  # fmt: skip
    session = put_session(scene, 1)
    end = dream(scene)
    assert end.how == "nothing", (end.reason, len(foreign.requests), foreign.refused)
    words, prompt, environ = json.loads((tmp_path / "called").read_text())
    options = dict(zip(words, [*words[1:], ""], strict=True))
    assert "-p" in words and "--no-session-persistence" in words and "--strict-mcp-config" in words
    assert options["--permission-mode"] == "dontAsk" and options["--setting-sources"] == ""
    assert options["--tools"] == "Read,Grep,Glob,Edit,Write" and "--allowedTools" not in words
    assert options["--max-turns"] == "30" and options["--max-budget-usd"] == "2.0000" and "--model" not in words
    hooks = json.loads(options["--settings"])["hooks"]["PreToolUse"]
    assert hooks[0]["matcher"] == "*" and hooks[0]["hooks"][0]["command"].endswith("|| exit 2")
    assert str(session) in prompt and not [word for word in words if str(session) in word]
    assert not {"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"} & environ.keys()
    assert environ["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] == "1"


_SAYS = """
import itertools
ids = itertools.count()
def says(text, name, given, tokens=1):
    id = str(next(ids))
    block = {"type": "tool_use", "id": id, "name": name, "input": given}
    print(json.dumps({"type": "assistant", "message": {
        "id": "m" + id, "content": [block], "usage": {"output_tokens": tokens}}}), flush=True)
    done = {"type": "tool_result", "tool_use_id": id, "content": str(text)}
    print(json.dumps({"type": "user", "message": {"content": [done]}}), flush=True)
"""


@pytest.mark.parametrize(
    ("script", "how", "reason"),
    [
        ("sys.exit('not logged in')", "failed", "the agent client ended without a result: not logged in (exit code 1)"),
        ("print('{\"type\": \"result\", \"subtype\": \"error_max_turns\"}')", "over-budget", "30 turns are used up"),
        ("print('{\"type\": \"result\", \"subtype\": \"error_max_budget_usd\"}')", "over-budget",
         "the money for this dream is used up"),
        ("print('{\"type\": \"result\", \"is_error\": true, \"subtype\": \"success\", \"result\": \"no login\"}')",
         "failed", "the agent client failed: no login"),
        (f"{_SAYS}for _ in range(9): says('a', 'Read', {{'file_path': 'a.md'}})", "failed",
         "the same call 3 times: Read a.md"),
        (f"{_SAYS}for n in range(9): says('same', 'Grep', {{'pattern': str(n)}})", "failed",
         "6 turns in a row read and wrote nothing new"),
        (f"{_SAYS}for n in range(9): says(n, 'Read', {{'file_path': str(n)}}, 90_000)", "over-budget",
         "200k output tokens are used up"),
        (f"{_SAYS}for n in range(9): says(n, 'Read', {{'file_path': str(n)}})\nsys.exit('gone')", "failed",
         "the agent client ended without a result: gone (exit code 1)"),
    ],
)  # fmt: skip
def test_bad_ends(script: str, how: str, reason: str, tmp_path: Path) -> None:
    scene = make(tmp_path, stand_in(tmp_path, f"Path('new.md').write_text('new')\n{script}"))
    end = dream(scene)
    assert (end.how, end.reason) == (how, reason)
    assert has_stage(scene.dirs, end.run) and not (scene.folder / "new.md").exists()


@pytest.mark.parametrize("deaf", [False, True])
def test_the_client_ends_with_the_run(deaf: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.dream.backends.client.CLIENT_GRACE_S", 0.2)
    ignore = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if deaf else ""
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    scene = make(
        tmp_path, stand_in(tmp_path, f"{ignore}Path({str(pid)!r}).write_text(str(os.getpid()))\nsignal.pause()")
    )
    found: list[int] = []

    def stop() -> None:
        found.append(int(pid.read_text()))
        os.kill(os.getpid(), signal.SIGTERM)

    killer = threading.Thread(target=stop)
    killer.start()
    end = dream(scene)
    killer.join()
    assert (end.how, end.signal) == ("killed", signal.SIGTERM)
    with pytest.raises(ProcessLookupError):
        os.kill(found[0], 0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system ends it only there")
def test_the_client_ends_when_the_run_is_killed(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    child = os.fork()
    if child == 0:
        with run_client([sys.executable, "-c", f"open({str(fifo)!r}, 'w').write('x'); import time; time.sleep(60)"],
                     tmp_path, os.environ, "") as client:  # fmt: skip
            (tmp_path / "pid").write_text(str(client.process.pid))
            for _ in client.lines():
                pass
        os._exit(0)
    assert fifo.read_text() == "x"
    _until((tmp_path / "pid").exists)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _until(lambda: not _lives(int((tmp_path / "pid").read_text() or 0)))


def _lives(pid: int) -> bool:
    from memtui.util.process import ProcessIdentity, is_alive

    return is_alive(ProcessIdentity(pid))


def _until(holds: Callable[[], bool]) -> None:
    deadline = threading.Event()
    for _ in range(500):
        if holds():
            return
        deadline.wait(0.02)
    raise AssertionError("it never came")
