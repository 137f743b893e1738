"""Consolidation by rule as a whole: on every folder of the corpus and on made-up ones, nothing is lost, it ends, it is
the same each time."""

import os
import re
import shutil
import tempfile
from datetime import UTC
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.dream.backends.offline import consolidate
from memtui.dream.rules.context import Mode, RuleChange
from memtui.memory.budget import measure_index
from memtui.memory.frontmatter import read_frontmatter
from memtui.memory.scope import read_scope
from memtui.memory.similarity import normalized
from tests.memory.folders import NOW, write
from tests.support import REPO, digest_tree

CORPUS = REPO.parent / "shared/corpus/memory"
FOLDERS = sorted(path for path in CORPUS.iterdir() if path.is_dir()) if CORPUS.is_dir() else []

WORD = re.compile(r"[^\W\d_]+")
TARGET = re.compile(r"(?:\[[^\]]*\.md)?\]\([^)]*\)|\[\[[^\]]*\]\]|\]: \S+")
"""Where a link leads, and a label that is the name of a file: that follows to the new name."""
CHANGES_LINES = {"relative-date", "dead-link"}
"""Rules that may change a line of a topic's text."""

MERGES = {"merge", "exact-duplicate"}


def texts(root: Path) -> dict[str, str]:
    """The texts of a folder; links are no texts."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape") for path in files}


def lines(text: str) -> set[str]:
    return {normalized(line) for line in text.split("\n")} - {""}


def run(root: Path, mode: Mode, *pinned: str) -> list[RuleChange]:
    return consolidate(root, now=NOW, emit=lambda words: None, mode=mode, pinned=frozenset(pinned), zone=UTC)


def check_nothing_is_lost(before: dict[str, str], after: dict[str, str], operations: list[RuleChange]) -> None:
    """Every line is somewhere, or a deed names it; of a topic's own text only links, dates and, in a merge, headings
    change, and their words stay."""
    there = {line for text in after.values() for line in lines(text)}
    named = {normalized(line) for operation in operations for line in operation.before}
    changed = {
        normalized(line) for operation in operations if operation.rule in CHANGES_LINES for line in operation.before
    }
    merged = {normalized(line) for operation in operations if operation.rule in MERGES for line in operation.before}
    changed |= {line for line in merged if TARGET.search(line) or line.startswith("#")}
    words = {word for line in there for word in WORD.findall(line)}
    for name, text in before.items():
        assert lines(text) <= there | named, name
        if name.endswith(".md") and name.rpartition("/")[2] != "MEMORY.md":
            own = lines(text[read_frontmatter(text).body_start :]) - there
            assert own <= changed, name
            assert {word for line in own for word in WORD.findall(TARGET.sub("", line))} - {"next"} <= words


def check_it_ends(root: Path, mode: Mode, *pinned: str) -> None:
    done = digest_tree(root)
    assert run(root, mode, *pinned) == []
    assert digest_tree(root) == done


@pytest.mark.parametrize("mode", ["reflect", "prune"])
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_corpus(folder: Path, mode: Mode, tmp_path: Path) -> None:
    stages = [tmp_path / "one", tmp_path / "two"]
    for stage in stages:
        shutil.copytree(folder, stage)
        for path in stage.rglob("*"):
            os.utime(path, (NOW, NOW))
    before = texts(stages[0])
    operations, again = (run(stage, mode) for stage in stages)
    after = texts(stages[0])
    assert (operations, after) == (again, texts(stages[1]))  # same in, same out
    check_nothing_is_lost(before, after, operations)
    if "MEMORY.md" in before:
        was, now = (measure_index(one["MEMORY.md"]) for one in (before, after))
        assert now.used <= max(was.used, 0.7)
    check_it_ends(stages[0], mode)


# Folders made up


NAMES = ["a.md", "b.md", "project_a.md", "user_me.md", "sub/a.md", "team/t.md", "logs/l.md", "메모.md", "x y.md"]
TARGETS = [*NAMES, "gone.md", "A", "docs/x.md", "B.md", "https://x.y/z.md"]
LONG = "The build needs the lock file of the package manager, which is checked in beside the sources of it.\n" * 2
PIECES = [
    "# A", "## How", "- one", "- two", "  deeper", "Fixed it yesterday.", "어제 고쳤다.", "Until next week.", "```", "",
    "text", "2026-05-01: it began", "Never.", LONG, LONG.replace("sources", "source files"), "> quoted", "<!-- c -->",
    "    code",
]  # fmt: skip
NESTED = "metadata: \n  type: project\n  modified: 2026-05-20T10:00:00.000Z\n"
FRONTS = [
    "",
    "---\nname: A\ndescription: what it says\ntype: project\n---\n",
    "---\nname: A\n---\n",
    "---\ntype: Project\n---\n\n",
    f"---\nname: B\ndescription: due tomorrow\n{NESTED}---\n\n",
    "---\nname: B\ntype: project\nmodified: 2026-04-02\ncreated: 2026-01-01\n---\n",
    "---\nname: never closed\n",
    "\ufeff---\nname: C\ntype: user\n---\n",
    "---\ntags:\n  - a\n---\n",
]

links = st.tuples(st.sampled_from(TARGETS), st.sampled_from(["[x]({})", "[[{}]]", "[{0}]({0}#y)", "[d]: {}"])).map(
    lambda pair: pair[1].format(pair[0].replace(" ", "%20") if "(" in pair[1] else pair[0])
)
bodies = st.lists(st.sampled_from(PIECES) | links, max_size=7).map("\n".join)
topics = st.tuples(st.sampled_from(FRONTS), bodies, st.sampled_from(["\n", "\r\n"])).map(
    lambda parts: (parts[0] + parts[1]).replace("\n", parts[2])
)
entries = st.tuples(st.sampled_from(TARGETS), st.sampled_from(["", " — hook", f" — {LONG[:99]}"])).map(
    lambda pair: f"- [T]({pair[0].replace(' ', '%20')}){pair[1]}"
)
indexes = st.tuples(
    st.lists(entries | st.sampled_from(["# Memory", "prose", "  below", ""]), max_size=10).map("\n".join),
    st.sampled_from([0, 0, 150, 260]),
).map(lambda pair: pair[0] + "\n" + "".join(f"- line {number}\n" for number in range(pair[1])))
alike = st.lists(topics, min_size=1, max_size=3).flatmap(
    lambda some: st.dictionaries(st.sampled_from(NAMES), st.sampled_from(some), max_size=6)
)
folders = st.dictionaries(st.sampled_from(NAMES), topics, max_size=6) | alike
pins = st.sets(st.sampled_from([*NAMES, "MEMORY.md"]), max_size=2)


@settings(max_examples=150)
@given(folders, st.none() | indexes, pins, st.sampled_from(["reflect", "prune"]))
def test_made_up_folders(files: dict[str, str], index: str | None, pinned: set[str], mode: Mode) -> None:
    if index is not None:
        files = files | {"MEMORY.md": index}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(root, files)
        before = texts(root)
        closed = {file.name for file in read_scope(root, "auto", "", full=True).files if file.readonly}
        operations = run(root, mode, *pinned)
        after = texts(root)
        check_nothing_is_lost(before, after, operations)
        for each in before:
            if each in pinned | closed or each.startswith(("team/", "logs/")):
                assert after[each] == before[each]
        if index is not None:
            assert measure_index(after["MEMORY.md"]).used <= max(measure_index(index).used, 0.7)
        check_it_ends(root, mode, *pinned)
        assert not list(root.rglob("*.tmp"))
