"""Sessions with and without substance, and the gate that counts them: one scan in ten minutes, kept by runs alone."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.client.environment import Env
from memtui.client.session_files import SessionFile
from memtui.dream.gates.base import Gate
from memtui.dream.gates.evaluate import evaluate_gates
from memtui.dream.gates.sessions import MIN_PROSE_CHARS, SCAN_INTERVAL_S, has_substance
from memtui.memory.workspace import Workspace
from tests.dream.scene import HOUR, NOW, Scene, put_session
from tests.support import digest_tree


def call(*tools: str) -> str:
    blocks = [{"type": "tool_use", "id": f"t{number}", "name": tool, "input": {}} for number, tool in enumerate(tools)]
    return json.dumps({"type": "assistant", "message": {"role": "assistant", "content": blocks}})


def said(kind: str, words: str, **more: object) -> str:
    return json.dumps({"type": kind, "message": {"role": kind, "content": words}, **more})


LONG = "a" * MIN_PROSE_CHARS
CASES = [
    ("shells alone", [said("user", "run it"), call("Bash", "Bash"), said("assistant", "All green.")], False),
    ("another shell", [call("PowerShell")], False),
    ("an edit", [call("Bash"), call("Edit")], True),
    ("a read", [call("Bash", "Read")], True),
    ("a sub-agent", [call("Agent")], True),
    ("a long answer", [call("Bash"), said("assistant", LONG)], True),
    ("a long prompt", [said("user", LONG), call("Bash")], True),
    ("a machine's words", [call("Bash"), said("user", f"<bash-stdout>{LONG}")], False),
    ("a hidden prompt", [call("Bash"), said("user", LONG, isMeta=True)], False),
    ("talk", [said("user", "hi"), said("assistant", "hello")], True),
    ("nothing", [], True),
    ("no transcript", ["{}", "not JSON", "[1]"], True),
    ("a torn line", ['{"type":"assistant","message":{"content":[{"type":"tool_use","na', call("Bash")], False),
]


def written(tmp_path: Path, text: str) -> SessionFile:
    path = tmp_path / "00000000-0000-4000-8000-000000000000.jsonl"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    return SessionFile(str(path), 0.0, len(text))


@pytest.mark.parametrize(("lines", "counts"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_counts(tmp_path: Path, lines: list[str], counts: bool) -> None:
    assert has_substance(written(tmp_path, "".join(f"{line}\n" for line in lines))) == counts


def test_a_result_of_a_tool_is_nobodys_prose(tmp_path: Path) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t0", "content": LONG}]
    line = json.dumps({"type": "user", "message": {"role": "user", "content": result}})
    assert not has_substance(written(tmp_path, f"{call('Bash')}\n{line}\n"))


def test_a_file_that_is_gone_counts(tmp_path: Path) -> None:
    assert has_substance(SessionFile(str(tmp_path / "gone.jsonl"), 0.0, 0))


values = st.recursive(
    st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
)


@given(st.lists(st.fixed_dictionaries({"type": values, "message": values})))
def test_any_shape_is_survived(tmp_path_factory: pytest.TempPathFactory, records: list[object]) -> None:
    has_substance(written(tmp_path_factory.mktemp("any"), "\n".join(map(json.dumps, records))))


SHELLS = call("Bash") + "\n"
EDITS = call("Edit") + "\n"


def gate(scene: Scene, *, keep: bool = False) -> Gate:
    found = evaluate_gates(scene.workspace, scene.dirs, scene.now, keep=keep)
    return next(gate for gate in found if gate.name == "sessions")


def test_sessions_without_substance_are_told_and_not_counted(scene: Scene) -> None:
    for number in range(6):
        put_session(scene, number, EDITS if number < 4 else SHELLS)
    assert (gate(scene).open, gate(scene).reason) == (False, "4 of 5 (2 without substance not counted)")
    scene.dirs.config.mkdir(parents=True, exist_ok=True)
    (scene.dirs.config / "config.toml").write_text("dream_count_all = true\n", encoding="utf-8")
    assert (gate(scene).open, gate(scene).reason) == (True, "6 of 5")


def test_once_enough_count_the_rest_is_not_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("memtui.dream.gates.sessions.has_substance", lambda file: not read.append(file.id))
    for number in range(8):
        put_session(scene, number, EDITS, age=HOUR + number)
    assert gate(scene).reason == "5 of 5, 3 more touched"
    assert [int(id[:8], 16) for id in read] == [0, 1, 2, 3, 4]


def test_looking_keeps_nothing_and_a_run_keeps_its_scan(scene: Scene) -> None:
    before = digest_tree(scene.dirs.state) if scene.dirs.state.is_dir() else None
    gate(scene)
    assert (digest_tree(scene.dirs.state) if scene.dirs.state.is_dir() else None) == before
    assert gate(scene, keep=True).reason == "0 of 5"
    for number in range(5):
        put_session(scene, number, EDITS)
    scene.now += 180
    assert gate(scene).reason == "0 of 5; last look 3m ago, next in 7m"
    assert not gate(scene, keep=True).open
    scene.now = NOW + SCAN_INTERVAL_S
    assert gate(scene).reason == "5 of 5"
    assert not list(scene.dirs.state.glob("**/*.tmp"))


@pytest.mark.parametrize("jump", [-1.0, SCAN_INTERVAL_S, 1e9])
def test_a_clock_that_jumps_asks_for_another_scan(scene: Scene, jump: float) -> None:
    gate(scene, keep=True)
    scene.now += jump
    assert gate(scene).reason == "0 of 5"


def test_another_last_dream_or_another_setting_asks_for_another_scan(scene: Scene) -> None:
    gate(scene, keep=True)
    assert "last look" in gate(scene).reason
    scene.put_lock(b"1", 2 * HOUR)
    assert "last look" not in gate(scene).reason
    gate(scene, keep=True)
    scene.dirs.config.mkdir(parents=True, exist_ok=True)
    (scene.dirs.config / "config.toml").write_text("dream_count_all = true\n", encoding="utf-8")
    assert "last look" not in gate(scene).reason


def test_what_was_judged_and_did_not_change_is_not_read_again(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [put_session(scene, number, SHELLS) for number in range(3)]
    gate(scene, keep=True)
    read: list[Path] = []
    monkeypatch.setattr("memtui.dream.gates.sessions.has_substance", lambda file: not read.append(file.path))
    paths[1].write_text(SHELLS * 2, encoding="utf-8")
    os.utime(paths[1], (NOW, NOW))
    scene.now += SCAN_INTERVAL_S
    assert gate(scene, keep=True).reason == "1 of 5 (2 without substance not counted)"
    assert read == [paths[1]]


def test_each_session_leaves_itself_out_of_a_scan_that_another_made(scene: Scene) -> None:
    paths = [put_session(scene, number, EDITS) for number in range(3)]
    gate(scene, keep=True)
    own = Env(scene.workspace.env.home, {"CLAUDE_CODE_SESSION_ID": paths[0].stem}, policy_files=())
    there = Workspace(own, scene.dirs, scene.workspace.location, trash=False)
    found = next(one for one in evaluate_gates(there, scene.dirs, scene.now) if one.name == "sessions")
    assert found.reason.startswith("2 of 5 (this one not counted); last look")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": 1, "after": 0, "all_count": false, "sessions": {"a": 1}}'])
def test_a_broken_scan_is_made_anew(scene: Scene, text: str) -> None:
    gate(scene, keep=True)
    next((scene.dirs.state / "scans").iterdir()).write_text(text, encoding="utf-8")
    assert gate(scene).reason == "0 of 5"
