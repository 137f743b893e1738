"""What the README promises is there: its keys, its links, its commands and exit codes."""

import re

from memtui.tui import preload
from memtui.tui.commands import registry
from memtui.util import errors
from tests.support import REPO

TEXT = (REPO / "README.md").read_text(encoding="utf-8")
CONTROL = {"^S": "ctrl+s", "^R": "ctrl+r", "Tab": "tab", "Enter": "enter", "Esc": "escape", "F8": "f8", "F9": "f9"}
IN_README = (registry.MEMORY_LIST, registry.MEMORY, registry.EDITOR, registry.EVERYWHERE)
ARROWS = {"→": "right", "←": "left"}
NAMED = ARROWS | {"/": "slash", "?": "question_mark", ":": "colon", "!": "exclamation_mark", "@": "at"}


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert targets
    assert [target for target in targets if not (REPO / target).exists()] == []


def test_there_are_two_commands_of_one_line_each() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    assert [block.count("\n") for block in blocks] == [1, 1]
    assert blocks[0].endswith("&& .venv/bin/memtui\n")
    assert blocks[1].endswith("&& .venv/bin/pytest\n")


def key_table() -> str:
    """The README's table of keys, from the registry."""
    preload.load_all()
    rows = [
        f"| `{command.display}` | {command.title} |"
        for command in registry.all_commands()
        if command.keys and registry.place_of(command) in IN_README
    ]
    return "\n".join(["| | |", "|---|---|", *dict.fromkeys(rows)])


def test_the_table_of_keys_is_the_registry_s() -> None:
    """`python -m tests.test_readme` prints it anew."""
    table = re.search(r"<!-- keys -->\n(.*?)\n<!-- /keys -->", TEXT, re.DOTALL)
    assert table is not None
    assert table[1] == key_table()


def test_every_key_is_bound() -> None:
    preload.load_all()
    bound = {key for command in registry.all_commands() for key in command.keys.split(",")}
    rows = re.findall(r"^\| (`.*?) \|", TEXT.partition("<!-- /keys -->")[2], re.MULTILINE)
    named = [word for row in rows for word in re.findall(r"`(.+?)`", row) if not word.startswith("memtui ")]
    assert len(named) > 20
    assert [word for word in named if CONTROL.get(word, NAMED.get(word, word)) not in bound] == []


def test_exit_codes_are_the_real_ones() -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith("Exit codes"))
    kinds = (errors.UsageError, errors.NotFound, errors.Conflict, errors.Refused, errors.Unsupported)
    assert all(f"{kind.exit_code} " in line for kind in kinds)


def test_no_machine_is_named() -> None:
    assert not re.search(r"https?://|/home/|/root|/Users/", TEXT)


if __name__ == "__main__":
    print(key_table())
