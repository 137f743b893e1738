"""A short run of the differential fuzz, and that it would see an effect if there were one."""

from pathlib import Path

import pytest

from memtui.agent.shell.validate import COMMANDS
from tests.agent.shell.fuzz import BASH, MORE, compare, fuzz, in_bash
from tests.agent.worlds import build, fingerprint

pytestmark = pytest.mark.skipif(BASH is None, reason="no bash to compare with")


@pytest.mark.long
def test_mutants_have_no_effect(tmp_path: Path) -> None:
    tally = fuzz(250, 20261130, tmp_path.resolve())
    print(f"mutants={tally.mutants} allowed={tally.allowed} ran={tally.ran} effects={len(tally.effects)}")
    assert tally.effects == []
    assert tally.ran >= 25


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("touch pwn", "changed"),
        ("touch a.md", "changed"),
        ("chmod 600 a.md", "changed"),
        ("rm a.md", "changed"),
        ("cat link-out", "secret"),
        ("sleep 30 >/dev/null 2>&1 & echo x", "running"),
    ],
)
def test_an_effect_would_be_seen(line: str, effect: str, tmp_path: Path) -> None:
    base = tmp_path.resolve()
    build(base, hidden=False)
    before = fingerprint(base)
    output, left = in_bash(line, base)
    assert any(effect in what for what in [*left, *compare(before, base, output)])


def test_every_command_has_a_line_that_is_let_through() -> None:
    # tree is not on every machine, and its flags have no second reader here.
    known = {word.rstrip(";") for line in MORE for word in line.replace("|", " ").split()}
    assert sorted(COMMANDS - known - {"tree"}) == []
