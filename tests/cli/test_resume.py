"""`plan_resume`: the client in the right directory with the terminal, the command for a shell, the conversation itself.

The client is a script of ours that writes down how it was started.
"""

import json
import os
import shlex
from pathlib import Path

import pytest

from memtui.client.paths import project_name
from memtui.resume.resume import plan_resume
from memtui.transcripts.transcript import read_transcript
from memtui.util.process import identify_process
from tests.cli.conftest import Ran, Run, Talk
from tests.support import digest_tree
from tests.transcripts.rows import SESSION, Script, spoken

CLIENT = """#!/bin/sh
{ pwd; printf '%s\\n' "${CLAUDE_CONFIG_DIR-unset}"; for word; do printf '%s\\n' "$word"; done; } > "$HOME/started"
test -t 0 && test -t 1 && printf 'the client has the terminal\\n'
exit 7
"""


@pytest.fixture
def session(home: Path, shop: Path) -> Path:
    """A session of the shop: two turns, and a rewind before the second."""
    script = Script()
    for name, parent in (("u0", None), ("a1", "u0"), ("u2-left-it", "a1"), ("a3", "u2-left-it"), ("u4", "a1")):
        kind = script.user if name.startswith("u") else script.answer
        kind(name, parent, cwd=str(shop))
    script.answer("a5", "u4", cwd=str(shop))
    folder = home / ".claude" / "projects" / project_name(str(shop))
    folder.mkdir(parents=True)
    return script.write(folder)


@pytest.fixture
def client(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client on the PATH that writes its folder and words to the home, and ends with 7."""
    path = home / "bin" / "claude"
    path.parent.mkdir()
    path.write_text(CLIENT, encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
    return path


def started(home: Path) -> list[str]:
    return (home / "started").read_text(encoding="utf-8").splitlines()


def open_in_a_client(home: Path) -> None:
    folder = home / ".claude" / "sessions"
    folder.mkdir()
    began = identify_process(os.getpid()).started
    assert began is not None
    record = {"pid": os.getpid(), "sessionId": SESSION, "procStart": str(round(began * os.sysconf("SC_CLK_TCK")))}
    (folder / f"{os.getpid()}.json").write_text(json.dumps(record), encoding="utf-8")


@pytest.mark.parametrize("words", [[SESSION], [SESSION[:8]], ["--last"], ["u0"]])
def test_the_client_gets_the_terminal_in_the_right_directory(
    talk: Talk, home: Path, shop: Path, session: Path, client: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest_tree(session.parent)
    if words != ["--last"]:
        monkeypatch.chdir(home)
    told = talk("resume", *words)
    assert told.code == 7, told.screen
    assert "the client has the terminal" in told.screen
    assert started(home) == [str(shop), "unset", "--resume", SESSION]
    assert digest_tree(session.parent) == before


def test_a_fork_is_the_clients_own_unless_a_message_is_named(
    talk: Talk, home: Path, shop: Path, session: Path, client: Path
) -> None:
    assert talk("resume", SESSION, "--fork").code == 7
    assert started(home) == [str(shop), "unset", "--resume", SESSION, "--fork-session"]
    before = session.read_bytes()
    told = talk("resume", SESSION, "--at", "u2-left-")
    assert told.code == 7
    assert "a fork was written, since it shall end at u2-left-it" in told.screen
    (fork,) = [path for path in session.parent.iterdir() if path != session]
    assert started(home) == [str(shop), "unset", "--resume", fork.stem]
    assert spoken(plan_resume(read_transcript(fork)).blocks()) == "u0 a1 u2-left-it"
    assert session.read_bytes() == before


def test_the_clients_folder_goes_with_it(
    talk: Talk, run: Run, home: Path, shop: Path, session: Path, client: Path
) -> None:
    (home / ".claude").rename(home / "conf")
    told = talk("resume", "--last", "--config-dir", home / "conf")
    assert told.code == 7, told.screen
    assert started(home)[1] == str(home / "conf")
    shown = run("resume", "--last", "--config-dir", home / "conf", "--print").out
    assert f"CLAUDE_CONFIG_DIR={home / 'conf'} claude --resume" in shown


def test_the_command_for_a_shell(run: Run, shop: Path, session: Path, home: Path) -> None:
    before = digest_tree(home)
    assert run("resume", SESSION, "--print").out == f"cd {shlex.quote(str(shop))} && claude --resume {SESSION}\n"
    assert run("resume", SESSION, "--print", "--fork").out.endswith(" --fork-session\n")
    told = run("resume", SESSION, "--print", "--json")
    assert told.data["argv"] == ["claude", "--resume", SESSION]
    assert (told.data["directory"], told.data["fork"], told.data["live"]) == (str(shop), False, None)
    assert digest_tree(home) == before


def test_the_command_with_a_fork(run: Run, session: Path, home: Path) -> None:
    before = digest_tree(home)
    dry = run("resume", SESSION, "--print", "--at", "a3", "-n")
    assert (dry.code, dry.out) == (0, "")
    assert "would write a fork" in dry.err
    assert run("resume", SESSION, "--print", "--at", "a3", "--read-only").code == 5
    assert digest_tree(home) == before
    told = run("resume", SESSION, "--print", "--at", "a3")
    (fork,) = [path for path in session.parent.iterdir() if path != session]
    assert told.out.endswith(f"claude --resume {fork.stem}\n")
    assert str(fork) in told.err


def test_an_open_session_is_refused_but_may_be_forked(
    talk: Talk, run: Run, home: Path, session: Path, client: Path
) -> None:
    open_in_a_client(home)
    told = run("resume", SESSION, "--json", "--print")
    assert told.data["live"] == os.getpid()
    assert "already open" in told.err
    refused = talk("resume", SESSION)
    assert refused.code == 5
    assert f"already open in pid {os.getpid()}: both would write one transcript" in refused.screen
    assert "--fork" in refused.screen
    assert not (home / "started").exists()
    assert talk("resume", SESSION, "--fork").code == 7
    assert talk("resume", SESSION, "--at", "u0").code == 7


def test_no_client_no_terminal_and_a_dry_run(
    talk: Talk, run: Run, home: Path, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest_tree(session.parent)
    monkeypatch.setenv("PATH", str(home / "bin"))
    for told in (talk("resume", SESSION), talk("resume", SESSION, "--at", "a3")):
        assert told.code == 6
        assert "isn't installed" in told.screen
    (home / "bin").mkdir()
    (home / "bin" / "claude").write_text(CLIENT, encoding="utf-8")
    (home / "bin" / "claude").chmod(0o755)
    told = run("resume", SESSION, "--at", "a3")
    assert (told.code, "needs a terminal" in told.err) == (6, True)
    assert run("resume", SESSION, "-n").out.startswith("would run: cd ")
    assert run("resume", SESSION, "-n", "--at", "a3").out.startswith("would write a fork")
    assert digest_tree(session.parent) == before


def test_a_client_that_cannot_be_started(talk: Talk, home: Path, session: Path, client: Path) -> None:
    client.write_text("#!/nowhere/at/all\n", encoding="utf-8")
    told = talk("resume", SESSION)
    assert told.code == 6
    assert "can't be started" in told.screen


def test_a_directory_that_is_gone(
    talk: Talk, run: Run, home: Path, shop: Path, session: Path, client: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    shop.rmdir()
    told = run("resume", SESSION, "--print")
    assert told.code == 3
    assert f"is gone: {shop}" in told.err
    assert "--in DIR" in told.err
    assert run("resume", SESSION, "--print", "--in", home / "nowhere").code == 3
    assert talk("resume", SESSION, "--in", elsewhere).code == 7
    assert started(home)[0] == str(elsewhere)
    made = run("resume", SESSION, "--in", elsewhere, "--at", "a3", "--print", "--json").data
    assert Path(made["written"]).parent.name == project_name(str(elsewhere))


def test_a_transcript_outside_the_clients_folder_becomes_a_fork(run: Run, session: Path, home: Path) -> None:
    other = home / session.name
    other.write_bytes(session.read_bytes())
    assert "outside" in run("resume", other, "-n", "--print").err
    told = run("resume", other, "--print", "--json")
    fork = Path(told.data["written"])
    assert (fork.parent, told.data["resumes"], told.data["fork"]) == (session.parent, fork.stem, True)
    assert spoken(plan_resume(read_transcript(fork)).blocks()) == "u0 a1 u4 a5"
    assert other.read_bytes() == session.read_bytes()


def test_the_conversation(run: Run, session: Path) -> None:
    messages = json.loads(run("resume", SESSION, "--context", "json").out)
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
    assert run("resume", SESSION, "--context", "json", "--json").data == messages
    assert run("resume", SESSION, "--context", "json", "--jsonl", "--at", "u0").lines == messages[:1]
    assert "## Assistant\n\na5\n" in run("resume", SESSION, "--context", "md").out
    assert run("resume", SESSION, "--context", "md", "--json", "--at", "a3").data["markdown"].count("u2-left-it") == 1


def test_a_secret_does_not_get_into_the_markdown(run: Run, session: Path, home: Path) -> None:
    key = "ghp_" + "R7kQ2mZx9LpW4vTn8YbC3dFgH6jKs1AeU0oI"
    path = home / "s.jsonl"
    path.write_text(session.read_text(encoding="utf-8").replace('"a5"', f'"{key}"'), encoding="utf-8")
    told = run("resume", path, "--context", "md")
    assert key not in told.out
    assert "taken out: 1 ×" in told.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([], 2), ([SESSION, "--last"], 2), (["nothing like it"], 3), ([SESSION, "--json"], 2),
        ([SESSION, "--context", "md", "--print"], 2), ([SESSION, "--at", "u9", "--print"], 2),
        ([SESSION, "--at", "nowhere-at-all", "--print"], 3),
    ],
)  # fmt: skip
def test_wrong_words(run: Run, session: Path, words: list[str], code: int) -> None:
    told: Ran = run("resume", *words)
    assert (told.code, told.out) == (code, ""), told.err


def test_no_session_and_no_conversation(run: Run, shop: Path, home: Path) -> None:
    assert run("resume", "--last", "--print").code == 3
    empty = home / "empty.jsonl"
    empty.write_text('{"type":"mode","mode":"normal"}\n', encoding="utf-8")
    assert run("resume", empty, "--context", "json").code == 1


def test_a_hostile_directory_is_quoted(run: Run, home: Path, session: Path) -> None:
    bad = home / "a\x1b[2Jb;c"
    bad.mkdir()
    text = session.read_text(encoding="utf-8").replace(json.dumps(str(home / "shop"))[1:-1], json.dumps(str(bad))[1:-1])
    other = home / session.name
    other.write_text(text, encoding="utf-8")
    told = run("resume", other, "--print").out
    assert "\x1b" not in told
    assert "$'" in told
