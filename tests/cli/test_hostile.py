"""A folder that attacks the terminal: nothing of it gets out of any command as it is."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, Talk

BAD = "\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\u202egnp.exe\u2066[/][red]x\u200b\r"


@pytest.fixture
def hostile(memory: Path, shop: Path) -> Path:
    # A line end would make another line of the index; everything else may stand in a name on this system.
    name = "project_" + BAD.replace("/", "")[:40] + ".md"
    text = f"---\nname: {BAD}\ndescription: {BAD}\ntype: {BAD}\nodd\x1b[1m: x\n---\n\n# {BAD}\n"
    text += f"\n{BAD} [[{BAD}]] [a]({BAD})\n"
    (memory / name).write_text(text, encoding="utf-8", newline="")
    index = memory / "MEMORY.md"
    index.write_text(index.read_text(encoding="utf-8") + f"- [{BAD}](x.md) — {BAD}\n", encoding="utf-8", newline="")
    (shop / "CLAUDE.md").write_text(f"# {BAD}\n@{BAD}.md\n", encoding="utf-8", newline="")
    (shop / ".claude").mkdir()
    (shop / ".claude" / "settings.json").write_text(
        '{"autoMemoryDirectory": "/\\u001b[31m\\u202e", "autoMemoryEnabled": "\\u001b[31m"}', encoding="utf-8"
    )
    return memory / name


COMMANDS = (
    [], ["ls"], ["ls", "-v"], ["ls", "--plain"], ["check", "-v"], ["check", "--fix", "-n"], ["index"], ["budget"],
    ["history"], ["history", "-p", "-v"], ["projects"], ["doctor"], ["explain", "place", "-v"], ["config", "get"],
    ["index", "--rebuild", "-n"], ["index", "--tidy", "-n"], ["show", "MEMORY"], ["show", "MEMORY", "--meta"],
    ["show", "CLAUDE.md"], ["show", "project"], ["dream", "status"], ["dream", "why"], ["dream", "log"],
)  # fmt: skip


def clean(text: str) -> bool:
    controls = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))} - {"\t", "\n"}
    return not set(text) & (controls | {"\u202e", "\u2066", "\u200b"})


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_in_a_pipe(run: Run, hostile: Path, words: list[str]) -> None:
    run("history")
    for form in ([], ["--json"], ["--jsonl"]):
        ran = run(*words, *form)
        assert ran.code in (0, 1, 2, 3), ran.err
        assert clean(ran.out), ran.out
        assert clean(ran.err), ran.err


def test_on_a_terminal(talk: Talk, run: Run, hostile: Path) -> None:
    bad = str(hostile)
    for words in (["ls"], ["check", "-v"], ["show", bad], ["show", bad, "--meta"], ["show", bad, "--raw"], ["--json"]):
        shown = talk(*words, "--no-color")
        assert shown.code in (0, 1), shown.screen
        assert clean(shown.screen.replace("\r\n", "\n")), shown.screen


def test_what_is_written_about_it_is_clean_as_well(run: Run, hostile: Path) -> None:
    bad = str(hostile)
    for words in (["set", bad, "type=user"], ["index", "--add", bad], ["rm", "-y", bad], ["undo"], ["undo"]):
        ran = run(*words)
        assert ran.code in (0, 3, 5), ran.err
        assert clean(ran.out + ran.err)
