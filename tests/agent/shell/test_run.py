"""What runs a plan: the same answers as a shell, limits, a sandbox that holds even for a plan that nobody judged."""

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from memtui.agent.permissions import decide
from memtui.agent.shell.grammar import Redirect
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.run import ENVIRONMENT, ShellResult, run_plan
from memtui.agent.shell.validate import PipelineStage, ShellPlan, ShellStep
from tests.agent.shell.fuzz import BASH, in_bash, session
from tests.agent.worlds import SECRET, build, fingerprint


@pytest.fixture
def scope(tmp_path: Path) -> AllowedFolders:
    return build(tmp_path.resolve(), hidden=False)


def plan_of(scope: AllowedFolders, *argv: str) -> ShellPlan:
    """A plan as no judge would make it."""
    return ShellPlan(scope.root, (ShellStep("", (PipelineStage(argv),)),), (scope.root, *scope.reads))


def line(scope: AllowedFolders, text: str) -> ShellResult:
    plan = decide("Bash", {"command": text}, scope).plan
    assert plan is not None
    return run_plan(plan)


@pytest.mark.skipif(BASH is None, reason="no bash to compare with")
@pytest.mark.parametrize(
    "text",
    [
        "ls missing 2>/dev/null || echo none",
        "ls missing 2>&1 | wc -l",
        "ls missing 2>/dev/null | wc -l",
        "ls missing 2>&1 >/dev/null | wc -l",
        "ls missing >/dev/null 2>&1 | wc -l",
        "false && echo a || echo b; echo c",
        "true || echo a && echo b",
        "false || false || echo c && false; echo d",
        "cat big.txt | head -3 | tail -1",
        "false | true && echo yes",
        "true | false && echo yes || echo no",
        "cd logs && ls && cat 2026/*/*.md",
        "echo one >/dev/null; echo two",
        "echo a 'b  c' \"d\\e\" e''f | cat",
        "printf '%s-' 1 2 3; echo",
        "sort tags.txt | uniq -c | sort -rn",
        "cat ./*.md | wc -l",
        "cat -n",
        "grep -c x missing a.md 2>/dev/null || echo no",
        "find . -name '*.md' -type f | sort | head -4",
    ],
)
def test_the_same_answer_as_a_shell(text: str, scope: AllowedFolders) -> None:
    assert line(scope, text).output == in_bash(text, scope.root.parents[1])[0]


def test_programs_see_four_names_and_no_key(scope: AllowedFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    ran = run_plan(plan_of(scope, "env"))
    assert dict(entry.split("=", 1) for entry in ran.output.split()) == ENVIRONMENT
    assert len(ENVIRONMENT) == 4


def test_time_ends_it_and_nothing_stays(scope: AllowedFolders) -> None:
    for seconds in (0.5, 2, 8, 32):  # on a busy machine a shell may need seconds to say who it is
        # The shell's own parent is the program that leads the session.
        ran = run_plan(plan_of(scope, "sh", "-c", "echo $PPID; sleep 1000 & sleep 1000"), seconds=seconds)
        assert (ran.stopped, ran.code) == ("time", None)
        if ran.output:
            break
    while session(int(ran.output)):  # killed; the system may take a moment to clear them away
        os.sched_yield()


def test_output_ends_it(scope: AllowedFolders) -> None:
    ran = run_plan(plan_of(scope, "yes"), most=1000)
    assert (ran.stopped, ran.code, ran.output) == ("output", None, "y\n" * 500)


def test_a_program_that_is_not_installed(scope: AllowedFolders) -> None:
    ran = run_plan(plan_of(scope, "no-such-program"))
    assert (ran.code, ran.output) == (127, "no-such-program: not installed\n")


def test_a_folder_that_is_gone(scope: AllowedFolders) -> None:
    plan = ShellPlan(scope.root / "gone", (ShellStep("", (PipelineStage(("ls",)),)),), (scope.root,))
    assert run_plan(plan).code == 1


def test_output_is_made_visible(scope: AllowedFolders) -> None:
    (scope.root / "odd.md").write_bytes(b"\x1b]52;c;x\x07\xff\xe2\x80\xae\n")
    assert not set("\x1b\x07\u202e") & set(line(scope, "cat odd.md").output)


def test_redirects_in_order(scope: AllowedFolders) -> None:
    stage = PipelineStage(("sh", "-c", "echo out; echo err >&2"), (Redirect(2, "stdout"), Redirect(1, "null")))
    assert run_plan(ShellPlan(scope.root, (ShellStep("", (stage,)),), (scope.root,))).output == "err\n"


def test_secrets_in_the_folders_are_left_out_of_recursion(tmp_path: Path) -> None:
    scope = build(tmp_path.resolve())
    lines = [
        "grep -r KEY . {repo}", "grep -rh KEY --include='*' . {repo}", "grep -ri key --include='*nv' {repo} logs",
        "rg KEY . {repo}", "rg KEY --no-ignore -g '*' . {repo}", "rg KEY -g '*nv' -g '*.*' {repo} logs",
        "rg -i key --iglob '*ENV' --iglob '*rsa' --iglob '*.p?m' {repo} logs",
    ]  # fmt: skip
    for text in lines:
        assert SECRET not in line(scope, text.format(repo=scope.reads[1])).output, text


needs_sandbox = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox that is tested is Linux's")


@needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        "echo x > pwn", "echo x >> a.md", "rm a.md", "mv a.md c.md", "mkdir d", "ln -s a.md l", "ln a.md l",
        "truncate -s 0 a.md", "touch -d 2020-01-01 a.md", "chmod 777 a.md", "mkfifo p", "cp a.md /tmp/memtui-escape",
    ],
)  # fmt: skip
def test_the_sandbox_lets_nothing_be_written(script: str, scope: AllowedFolders) -> None:
    base = scope.root.parents[1]
    before = fingerprint(base)
    ran = run_plan(plan_of(scope, "sh", "-c", script))
    if "landlock" not in ran.sandbox or (script.startswith(("touch", "chmod")) and "read-only" not in ran.sandbox):
        pytest.skip(f"this system has only {ran.sandbox}")
    assert ran.code != 0
    assert fingerprint(base) == before
    assert not Path("/tmp/memtui-escape").exists()


@needs_sandbox
@pytest.mark.parametrize(
    "path", ["../outside/secret.txt", "link-out", "linkdir/secret.txt", "/etc/passwd", "/proc/self/environ"]
)
def test_the_sandbox_lets_nothing_else_be_read(path: str, scope: AllowedFolders) -> None:
    ran = run_plan(plan_of(scope, "cat", path))
    if "landlock" not in ran.sandbox:
        pytest.skip(f"this system has only {ran.sandbox}")
    assert ran.code == 1
    assert SECRET not in ran.output and "denied" in ran.output


@needs_sandbox
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash's own network words")
def test_the_sandbox_has_no_network(scope: AllowedFolders) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ran = run_plan(plan_of(scope, "bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port} && echo through"))
        if not {"no network", "landlock"} & set(ran.sandbox):
            pytest.skip(f"this system has only {ran.sandbox}")
        assert "through" not in ran.output
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


@needs_sandbox
def test_a_link_swapped_in_after_the_check_leads_nowhere(scope: AllowedFolders) -> None:
    plan = decide("Bash", {"command": "cat a.md"}, scope).plan
    assert plan is not None
    (scope.root / "a.md").unlink()
    (scope.root / "a.md").symlink_to(scope.root.parent / "outside/secret.txt")
    ran = run_plan(plan)
    if "landlock" not in ran.sandbox:
        pytest.skip(f"this system has only {ran.sandbox}")
    assert SECRET not in ran.output
