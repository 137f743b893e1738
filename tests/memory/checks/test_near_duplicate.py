"""Two topics that say the same."""

from pathlib import Path

import pytest

from tests.memory.folders import codes, snapshot_of, topic

LONG = "\n".join(f"- Rule {number}: never push on a Friday while the person on call is away." for number in range(9))


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (LONG, LONG, "says the same as"),
        (LONG, f"{LONG}\n- And one more rule that is only here.", "says all of it"),
        (LONG, LONG.replace("never push", "always push"), ""),
        ("Use npm.", "Use pnpm.", ""),
    ],
    ids=["same", "contained", "opposite", "short"],
)
def test_pairs(tmp_path: Path, one: str, other: str, told: str) -> None:
    files = {
        "push-rules.md": topic("push", body=f"{one}\n"),
        "push-rules-2.md": topic("push-rules-2", body=f"{other}\n"),
    }
    index = "- [A](push-rules.md) — one\n- [B](push-rules-2.md) — other\n"
    snapshot = snapshot_of(tmp_path, {"MEMORY.md": index, **files})
    assert len(codes(snapshot)) == bool(told)
    assert all(p.code == "near-duplicate" and told in p.message and not p.fix for p in snapshot.problems)
