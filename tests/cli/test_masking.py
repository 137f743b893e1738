"""A secret in memory is masked in every answer; a file's own text is exact in a pipe, and --show-secrets shows all."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Talk
from tests.services.conftest import TOKEN

COMMANDS = (
    [], ["ls"], ["ls", "--plain"], ["ls", "-v"], ["show", "secret", "--meta"], ["check"], ["index"], ["history", "-p"],
    ["history", "--json"], ["ls", "--jsonl"], ["show", "secret", "--meta", "--json"], ["sessions", "ls"],
    ["sessions", "ls", "--json"], ["index", "--rebuild", "-n"], ["set", "secret", f"note={TOKEN}", "-n"],
    ["set", "secret", f"description={TOKEN}", "--json", "-n"], ["--json"], ["show", f"gone {TOKEN}"],
    ["rm", "secret", "-n"],
)  # fmt: skip


@pytest.fixture
def secret(memory: Path) -> Path:
    topic = memory / "project_secret.md"
    text = (
        f"---\nname: {TOKEN}\ndescription: the key is {TOKEN}\ntype: project\npassword: h7Kq2vXw9Lm3\n---\n\n{TOKEN}\n"
    )
    topic.write_text(text, encoding="utf-8")
    index = memory / "MEMORY.md"
    index.write_text(f"- [Key](project_secret.md) — {TOKEN}\n{index.read_text(encoding='utf-8')}", encoding="utf-8")
    record = {"type": "user", "uuid": "u", "cwd": "/x", "message": {"role": "user", "content": f"use {TOKEN} now"}}
    session = memory.parent / "11111111-1111-4111-8111-111111111111.jsonl"
    session.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return topic


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(words).replace(TOKEN, "TOKEN"))
def test_it_is_masked(run: Run, secret: Path, words: list[str]) -> None:
    run("history")
    ran = run(*words)
    assert TOKEN not in ran.out + ran.err and "h7Kq2vXw9Lm3" not in ran.out
    assert ran.code in (0, 1, 3), ran.err


def test_the_text_itself(run: Run, talk: Talk, secret: Path) -> None:
    text = secret.read_text(encoding="utf-8")
    assert run("show", "secret").out == text and run("show", "secret", "--raw").out == text
    assert run("show", "secret", "--json").data["text"] == text
    for words in (["show", "secret"], ["show", "secret", "--raw"], ["ls"]):
        shown = talk(*words).screen
        assert "•••" in shown and TOKEN not in shown
        assert TOKEN in talk(*words, "--show-secrets").screen
