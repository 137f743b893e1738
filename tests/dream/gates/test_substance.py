"""Sessions with and without substance, as transcripts of few lines."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.client.session_files import SessionFile
from memtui.dream.gates.sessions import MIN_PROSE_CHARS, has_substance


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
