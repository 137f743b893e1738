"""Grep, Glob and Bash as tools: what they find, what they never reach, and that nothing holds them up for ever."""

import asyncio
import contextlib
import fnmatch
import json
import os
import re
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.tools import search as grep
from memtui.agent.tools import search as walk
from memtui.agent.tools.outcome import ToolFault, ToolResult
from memtui.agent.tools.search import name_matcher
from memtui.agent.tools.toolbox import MAX_ANSWER_CHARS, Toolbox, run_in_thread
from tests.agent.worlds import SECRET, build


@pytest.fixture
def scope(tmp_path: Path) -> AllowedFolders:
    return build(tmp_path.resolve())


def use(scope: AllowedFolders, name: str, **given: Any) -> ToolResult:
    return asyncio.run(Toolbox(scope).call(name, given))


def lines(scope: AllowedFolders, name: str, **given: Any) -> list[str]:
    outcome = use(scope, name, **given)
    assert outcome.ok, outcome.reason
    return outcome.text.split("\n")


def test_names_the_latest_first(scope: AllowedFolders) -> None:
    for age, name in enumerate(("b.md", "a.md", "old.md")):
        os.utime(scope.root / name, (1000 - age, 1000 - age))
    found = lines(scope, "Glob", pattern="{a,b,old}.md")
    assert found == ["b.md", "a.md", "old.md"]
    assert lines(scope, "Glob", pattern="**/*.md", path="logs") == ["logs/2026/03/2026-03-01.md"]
    assert lines(scope, "Glob", pattern="logs/*/*/*") == ["logs/2026/03/2026-03-01.md"]
    assert lines(scope, "Glob", pattern="no*such") == ["(no file matches)"]


def test_names_in_folders_for_reading_are_whole(scope: AllowedFolders) -> None:
    sessions = scope.reads[0]
    assert lines(scope, "Glob", pattern="*.jsonl", path=str(sessions)) == [f"{sessions}/s1.jsonl"]
    assert lines(scope, "Glob", pattern=f"{sessions}/**/*.jsonl") == [f"{sessions}/s1.jsonl"]
    assert use(scope, "Read", file_path=f"{sessions}/s1.jsonl").ok


@pytest.mark.parametrize(
    "pattern", ["**", "**/*", "*", "*/*", "link*/*", "linkd?r/secret.txt", ".*", "**/.*", "*/.[eE]*"]
)
def test_what_is_never_among_the_names(scope: AllowedFolders, pattern: str) -> None:
    for path in (".", str(scope.reads[1])):
        for name in lines(scope, "Glob", pattern=pattern, path=path):
            assert "link" not in name and "secret" not in name.casefold(), name
            assert not {".env", ".ENV", ".git", "id_rsa", "Cert.PEM", "fifo"} & set(name.split("/")), name


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pattern": "../*"}, "denied"),
        ({"pattern": "*", "path": "/etc"}, "denied"),
        ({"pattern": "/etc/*"}, "denied"),
        ({"pattern": "linkdir/*"}, "denied"),
        ({"pattern": "*", "path": "a.md"}, "a.md is not a folder"),
        ({"pattern": "*", "path": "gone"}, "there is no folder gone"),
        ({"pattern": "{a,b}" * 9}, "too many alternatives"),
        ({}, "pattern is missing"),
    ],
)
def test_names_that_are_not_looked_for(scope: AllowedFolders, given: dict[str, Any], words: str) -> None:
    assert words in use(scope, "Glob", **given).reason


def test_too_many_names(scope: AllowedFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "MAX_NAMES", 10)
    assert "name a folder further down" in use(scope, "Glob", pattern="*").reason
    assert "name a folder further down" in use(scope, "Grep", pattern="x").reason


NAMES = st.text(st.sampled_from("ab.-[]é"), min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
PARTS = st.text(st.sampled_from("ab.-[]!é*?"), min_size=1, max_size=5) | st.just("**")


@given(st.lists(NAMES, min_size=1, max_size=4), st.lists(PARTS, min_size=1, max_size=4))
@example(["a"], ["**", "a"])
@example(["a", "b", "c"], ["**", "**", "c"])
@example([".a"], ["*"])
def test_a_pattern_means_the_same_as_by_recursion(parts: list[str], pattern: list[str]) -> None:
    pattern = [part for part in pattern if part != "."]
    assert name_matcher("/".join(pattern))("/".join(parts)) == reference(parts, pattern)


def reference(parts: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        deeper = bool(parts) and not parts[0].startswith(".") and reference(parts[1:], pattern)
        return reference(parts, pattern[1:]) or deeper
    if not parts or (parts[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    return fnmatch.fnmatchcase(parts[0], pattern[0]) and reference(parts[1:], pattern[1:])


def test_a_pattern_takes_no_time() -> None:
    assert not name_matcher("a*" * 100 + "/" + "**/" * 200 + "b")("/".join(["a" * 200, *["c"] * 40]))


def test_lines_that_match(scope: AllowedFolders) -> None:
    (scope.root / "c.md").write_bytes("eins\r\nzwei Äpfel\nthree\nfour\nfive zwei\n".encode() + b"\xff six zwei")
    assert lines(scope, "Grep", pattern="zwei") == ["c.md"]
    assert lines(scope, "Grep", pattern="zwei", output_mode="count") == ["c.md:3"]
    assert lines(scope, "Grep", pattern="ZWEI ä", output_mode="content", **{"-i": True}) == ["c.md:2:zwei Äpfel"]
    assert lines(scope, "Grep", pattern="^eins$", output_mode="content", path="c.md") == ["c.md:1:eins"]
    assert lines(scope, "Grep", pattern="zwei", output_mode="content", **{"-C": 1, "-B": 0}) == [
        "c.md:2:zwei Äpfel", "c.md-3-three", "c.md:5:five zwei", "c.md:6:\ufffd six zwei",
    ]  # fmt: skip
    assert lines(scope, "Grep", pattern="z.", output_mode="content", **{"-o": True, "-n": True}) == [
        "c.md:2:zw", "c.md:5:zw", "c.md:6:zw",
    ]  # fmt: skip
    assert lines(scope, "Grep", pattern="three\nfo.r.five", output_mode="content", multiline=True) == [
        "c.md:3:three", "four", "five",
    ]  # fmt: skip
    page = lines(scope, "Grep", pattern="zwei", output_mode="content", head_limit=1, offset=1)
    assert page == ["c.md:5:five zwei", "(more follows: narrow the pattern, or go on with offset)"]


def test_which_files_are_searched(scope: AllowedFolders) -> None:
    sessions = scope.reads[0]
    assert lines(scope, "Grep", pattern="user", path=str(sessions)) == [f"{sessions}/s1.jsonl"]
    assert lines(scope, "Grep", pattern="type", glob="user*.md") == ["user role.md", "user-role.md"]
    assert lines(scope, "Grep", pattern="type", glob="logs/**/*.md") == ["logs/2026/03/2026-03-01.md"]
    assert "a.md" not in lines(scope, "Grep", pattern="type", glob="!*.md")
    assert lines(scope, "Grep", pattern="x", glob="*.none") == ["(no file to search)"]
    assert lines(scope, "Grep", pattern="not there") == ["(nothing found)"]
    (scope.root / "bin.md").write_bytes(b"find\0me")
    assert lines(scope, "Grep", pattern="find") == ["(nothing found)"]


def test_links_and_secrets_are_not_searched(scope: AllowedFolders) -> None:
    for path in (".", str(scope.reads[1])):
        for more in ({}, {"glob": "*"}, {"glob": "**/*"}, {"glob": "!a.md"}, {"glob": "link*/*"}):
            assert lines(scope, "Grep", pattern=SECRET, path=path, **more)[0].startswith("(no")


def test_a_link_that_is_swapped_in_is_not_searched(scope: AllowedFolders) -> None:
    root, outside = scope.root, scope.root.parent / "outside"
    job = grep.search_job(_where(scope), {"pattern": SECRET, "output_mode": "content"}, scope)
    (root / "a.md").unlink()
    (root / "a.md").symlink_to(outside / "secret.txt")
    (root / "logs").rename(root / "gone")
    (root / "logs").symlink_to(outside)
    names = [*job["names"], "logs/secret.md"]  # type: ignore[misc]
    assert asyncio.run(grep.run_search({**job, "names": names})) == "(nothing found)"


def _where(scope: AllowedFolders) -> Any:
    return scope.verdict(".")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pattern": "("}, "not a regular expression"),
        ({"pattern": "a{99999999999999999999}"}, "not a regular expression"),
        ({"pattern": "x", "output_mode": "all"}, "output_mode is one of"),
        ({"pattern": "x", "type": "md"}, "use glob"),
        ({"pattern": "x", "path": "gone"}, "there is no gone"),
        ({"pattern": "x", "path": "../outside"}, "denied"),
        ({"pattern": "x", "path": "link-out"}, "denied"),
    ],
)
def test_searches_that_are_refused(scope: AllowedFolders, given: dict[str, Any], words: str) -> None:
    outcome = use(scope, "Grep", **given)
    assert words in outcome.reason and not outcome.ok


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[psutil.Process]:
    """The processes that a search starts."""
    found: list[psutil.Process] = []
    real = asyncio.create_subprocess_exec

    async def start(*argv: str, **more: Any) -> Any:
        child = await real(*argv, **more)
        found.append(psutil.Process(child.pid))
        return child

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    return found


def ended(process: psutil.Process) -> bool:
    """Whether a process is gone; one that nobody has reaped yet is."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_pattern_that_never_ends_is_stopped(scope: AllowedFolders, started: list[psutil.Process]) -> None:
    (scope.root / "a.md").write_text("a" * 60 + "!\n")
    job = grep.search_job(_where(scope), {"pattern": "(a+)+$"}, scope)
    with pytest.raises(ToolFault, match="took too long"):
        asyncio.run(grep.run_search(job, seconds=0.3))
    assert [ended(process) for process in started] == [True] * len(started)


async def test_a_search_ends_with_who_waits_for_it(scope: AllowedFolders, started: list[psutil.Process]) -> None:
    (scope.root / "a.md").write_text("a" * 60 + "!\n")
    job = grep.search_job(_where(scope), {"pattern": "(a+)+$"}, scope)
    work = asyncio.create_task(grep.run_search(job))
    while not started:
        await asyncio.sleep(0)
    work.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await work
    assert ended(started[0])


def test_a_search_sees_no_key(scope: AllowedFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    seen: dict[str, Any] = {}
    real = asyncio.create_subprocess_exec

    async def look(*argv: str, **more: Any) -> Any:
        child = await real(*argv, **more)
        seen["environ"] = Path(f"/proc/{child.pid}/environ").read_bytes() if os.path.exists("/proc") else b""  # noqa: PTH110
        seen["argv"] = argv
        return child

    monkeypatch.setattr(asyncio, "create_subprocess_exec", look)
    lines(scope, "Grep", pattern="my own pattern")
    assert SECRET.encode() not in seen["environ"] and "my own pattern" not in json.dumps(seen["argv"])


def test_answers_are_bounded(scope: AllowedFolders) -> None:
    (scope.root / "wide.md").write_text(("x" * 3000 + "needle" + "y" * 3000 + "\n") * 400)
    outcome = use(scope, "Grep", pattern="needle", output_mode="content", head_limit=1000)
    assert len(outcome.text) <= MAX_ANSWER_CHARS
    first = outcome.text.split("\n")[0]
    assert len(first) < 600 and "xneedley" in first and first.count("…") == 2
    assert (
        len(use(scope, "Bash", command="cat big.txt big.txt big.txt big.txt big.txt big.txt big.txt big.txt").text)
        <= MAX_ANSWER_CHARS + 50
    )
    assert "cut here" in use(scope, "Bash", command="cat wide.md").text


def test_a_line_as_a_tool(scope: AllowedFolders) -> None:
    assert lines(scope, "Bash", command="ls -1 *.json") == ["./a.json"]
    assert lines(scope, "Bash", command="true") == ["(it printed nothing)"]
    assert lines(scope, "Bash", command="grep nothing a.md") == ["(exit code 1)"]
    slow = use(scope, "Bash", command="tail -n 3 a.md && sleep 9", timeout=200)
    assert not slow.ok
    outcome = use(scope, "Bash", command="cat /etc/passwd")
    assert outcome.reason.startswith("denied: ")


async def test_a_thread_hands_over_what_it_raises() -> None:
    def fail() -> None:
        raise re.error("no")

    with pytest.raises(re.error):
        await run_in_thread(fail)
