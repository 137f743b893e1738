"""The list of files, and one of them."""

import json
from pathlib import Path

import pytest

from memtui.cli.main import cli
from tests.cli.conftest import INDEX, TOPICS, Run, Talk
from tests.support import digest_tree


def names(run: Run, *words: str) -> list[str]:
    return [row["name"] for row in run("ls", "--json", *words).data]


def test_everything_is_listed_under_the_name_that_other_commands_take(run: Run, memory: Path) -> None:
    listed = names(run)
    assert listed == ["MEMORY.md", *sorted(TOPICS, key=lambda name: ("/" in name, name)), "CLAUDE.md"]
    for name in listed:
        assert run("show", name, "--json").data["name"] == name


def test_what_the_text_shows_is_in_the_json(run: Run, memory: Path) -> None:
    rows = {row["name"]: row for row in run("ls", "--json").data}
    text = run("ls").out
    for name, row in rows.items():
        assert name in text
        assert (row["description"] or "") in text
    topic = rows["feedback_testing.md"]
    assert (topic["type"], topic["in_index"], topic["index_line"], topic["loaded"]) == ("feedback", True, 3, True)
    assert topic["modified"] == "2023-11-14T22:13:20Z"
    assert topic["problems"] is None
    assert rows["project_oncall.md"]["in_index"] is False
    assert rows["CLAUDE.md"]["scope"] == "instructions"
    assert [row["name"] for row in run("ls", "--jsonl").lines] == list(rows)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--type", "project"], ["project_checkout.md", "project_oncall.md"]),
        (["--type", "none"], []),
        (["--orphans"], ["project_oncall.md"]),
        (["--problems"], ["MEMORY.md", "project_oncall.md"]),
        (["--scope", "team"], ["team/MEMORY.md", "team/build.md"]),
        (["^project", "!oncall"], ["project_checkout.md"]),
        (["전화"], ["project_oncall.md"]),
        (["nothing like it"], []),
    ],
)
def test_the_list_is_narrowed(run: Run, memory: Path, words: list[str], found: list[str]) -> None:
    ran = run("ls", "--json", *words)
    assert [row["name"] for row in ran.data] == found
    assert ran.code == int(not found)


def test_it_is_sorted(run: Run, memory: Path) -> None:
    rows = run("ls", "--json", "--sort", "size").data
    assert [row["size"] for row in rows] == sorted((row["size"] for row in rows), reverse=True)
    assert names(run, "--sort", "age")[0] == "CLAUDE.md"


def test_plain_is_one_line_a_file_with_words_for_marks(run: Run, memory: Path) -> None:
    lines = run("ls", "--plain", "--problems").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["MEMORY.md", "project_oncall.md"]
    assert "1 problem, not in MEMORY.md" in lines[1]


def test_marks_are_ascii_where_asked(run: Run, memory: Path) -> None:
    assert "○  project_oncall.md" in run("ls").out
    assert "o  project_oncall.md" in run("ls", "--ascii").out


def test_without_memory_it_says_where_it_looked(run: Run, shop: Path) -> None:
    ran = run("ls")
    assert ran.code == 3
    assert "does not exist" in ran.err and "memtui new" in ran.err


def test_the_text_of_a_file(run: Run, memory: Path) -> None:
    assert run("show", "MEMORY").out == INDEX
    data = run("show", "testing", "--json").data
    assert data["text"] == TOPICS["feedback_testing.md"]
    assert [(link["target"], link["state"]) for link in data["links"]] == [("project_checkout.md", "file")]
    assert [found["name"] for found in data["backlinks"]] == ["MEMORY.md"]


def test_properties_of_a_file(run: Run, memory: Path) -> None:
    text = run("show", "--meta", "MEMORY.md").out
    assert "gone.md" in text and "error" in text
    text = run("show", "--meta", "checkout").out
    assert "linked from  feedback_testing.md:7" in text
    assert "metadata.type" in text
    assert run("show", "--meta", "CLAUDE.md").code == 0


def test_raw_is_the_bytes_themselves_in_a_pipe(
    run: Run, memory: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = b"---\r\nname: a\r\n---\r\n\x1b[31mred\xff\x00"
    (memory / "odd.md").write_bytes(data)
    with pytest.raises(SystemExit) as end:
        cli.main(["show", "odd", "--raw"])
    assert end.value.code == 0
    assert capfdbinary.readouterr().out == data


def test_raw_on_a_terminal_is_made_visible(talk: Talk, memory: Path) -> None:
    (memory / "odd.md").write_bytes(b"\x1b[31mred\x07 \xc2\x9b \xe2\x80\xae\n")
    for flag in ("--raw", "--meta", "--plain"):
        screen = talk("show", "odd.md", flag, "--no-color").screen
        assert "\x1b" not in screen and "\x07" not in screen and "\x9b" not in screen and "\u202e" not in screen
    assert "␛[31mred" in talk("show", "odd.md", "--raw").screen


def test_history_of_one_file(run: Run, memory: Path) -> None:
    assert run("set", "testing", "description=Another").code == 0
    assert run("show", "testing", "--history").out.startswith(run("history", "testing").out.split()[0])


def test_looking_changes_nothing(run: Run, memory: Path, home: Path) -> None:
    before = digest_tree(home)
    for words in (
        ["ls"], ["ls", "--problems"], ["show", "testing"], ["show", "testing", "--meta"], ["check"], ["budget"],
        ["index"], ["projects"], ["explain", "place"], ["config", "get"], ["doctor"], ["pin"], [],
    ):  # fmt: skip
        for form in ([], ["--json"], ["--plain", "-v"]):
            assert run(*words, *form).code in (0, 1), words
    assert digest_tree(home) == before


def test_a_pager_gets_what_is_longer_than_the_screen(talk: Talk, memory: Path) -> None:
    (memory / "long.md").write_text("line\n" * 300, encoding="utf-8")
    assert "   300\tline" in talk("show", "long", env={"PAGER": "cat -n"}).screen
    assert "   3\t" not in talk("show", "testing", env={"PAGER": "cat -n"}).screen
    assert talk("show", "long", env={"PAGER": "/nonexistent"}).screen.count("line") == 300
    assert talk("show", "long", "--plain", env={"PAGER": "cat -n"}).screen.startswith("line")


def test_a_terminal_gets_colour_and_lines_that_fit(talk: Talk, memory: Path) -> None:
    shown = talk("ls", env={"COLUMNS": "40"})
    assert shown.code == 0
    assert "\x1b[" in shown.screen
    assert "\x1b[" not in talk("ls", env={"NO_COLOR": "1"}).screen
    assert "\x1b[" not in talk("ls", "--no-color").screen
    assert "\x1b[" not in talk("ls", env={"TERM": "dumb"}).screen
    narrow = talk("ls", "--no-color", env={"COLUMNS": "40"}).screen
    assert max(len(line) for line in narrow.splitlines()) <= 40
    assert json.loads(talk("ls", "--json").screen)["kind"] == "files"
