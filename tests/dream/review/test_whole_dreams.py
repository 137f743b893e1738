"""Whole dreams of honest work, through the real SDK against a scripted service: adopted unasked, as written."""

import random
from pathlib import Path

import pytest

from tests.agent.scripted_api import Scripted
from tests.dream.review import edits, statement_edits
from tests.dream.review.edits import INDEX, Folder, read_folder
from tests.dream.review.shop import FOLDER
from tests.dream.review.whole_dreams import dream_through

REAL = (
    "koenvue-korean", "ralphctl-designer", "ralphctl-docs-keeper", "ralphctl-implementer", "ralphctl-reviewer",
    "ralphctl-tester", "specrails-developer-flat", "specrails-tree",
)  # fmt: skip


def check(api: Scripted, root: Path, before: Folder, after: Folder | None) -> None:
    assert after not in (None, before)
    done = dream_through(api, root, before, after or {}, statement_edits.PROMPTS)
    assert (done.end.how, done.end.reason, done.faults) == ("done", f"{len(done.end.adopted)} files adopted", ())
    assert done.folder == after


@pytest.fixture(autouse=True)
def no_certificates(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_DIR", str(home))  # to load them is a quarter of a run's time


@pytest.mark.parametrize("kind", ["whole dream", "a whole dream of these"])
def test_a_dream_of_the_shop(api: Scripted, tmp_path: Path, kind: str) -> None:
    edit = (edits.GOOD | statement_edits.GOOD)[kind]
    check(api, tmp_path, FOLDER, edit(dict(FOLDER), random.Random(1)))


@pytest.mark.parametrize("name", REAL)
def test_a_dream_of_a_real_folder(api: Scripted, shared: Path, tmp_path: Path, name: str) -> None:
    folder = read_folder(shared / "corpus/memory" / name)
    check(api, tmp_path, folder, statement_edits.GOOD["a whole dream of these"](dict(folder), random.Random(2)))


def test_a_real_compaction(api: Scripted, shared: Path, tmp_path: Path) -> None:
    """51 files to 23, as an agent did it."""
    memory = shared / "corpus/memory"
    before, after = (read_folder(memory / f"ralphctl-implementer{end}") for end in ("-before-compaction", ""))
    assert INDEX in before
    check(api, tmp_path, before, after)
