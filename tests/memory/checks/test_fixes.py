"""Repairs as a whole, on made-up folders: once is enough, and nothing that a person wrote is lost unseen."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.memory import plans
from memtui.memory.checks.registry import is_certain
from memtui.memory.index import read_entries
from memtui.memory.markdown import find_links
from memtui.memory.plans import Plan
from memtui.memory.snapshot import Snapshot
from memtui.util.errors import MemtuiError
from tests.memory.folders import location_of, read, snapshot_of, write

MAX_FIXES = 60

NAMES = [
    "a.md", "project_a.md", "user_me.md", "feedback_testing.md", "sub/a.md", "메모.md", "x y.md",
    "feedback_testing 2.md",
    "project_a-DESKTOP-AB12CD.md", "MEMORY (1).md", "README.md",
]  # fmt: skip
TARGETS = [
    *NAMES, "gone.md", "me.md", "testing.md", "docs/guide.md", "docs/x.md", "A.md", "../out.md", "https://x.y/z.md",
    "a.md?raw=1", "projct_a.md",
]  # fmt: skip
LONG = "The build needs the lock file of the package manager. It is checked in beside the sources. " * 3
FRONTS = [
    "", "---\nname: A\ndescription: what it says\ntype: project\n---\n", "---\nname: A\n---\n",
    "---\ntype: Project\n---\n\n",
    "---\nname: testing\ndescription: d\ntype: runbook\n---\n", "---\nname: testing\ntype: projct\n---\n",
    "<!-- c -->\n---\nname: B\n---\n", '+++\nname = "t"\n+++\n', "---\nk: v\n---\n\n---\nname: C\n---\n",
    "---\nname: never closed\n", "\ufeff---\nname: D\ntype: user\n---\n", "---\nmetadata:\n  type: user\n---\n",
]  # fmt: skip
PIECES = [
    "# A", "## How", "- one", "  deeper", "text", "", "", "```", "<!-- c -->", "    code", "1. one", "---", LONG,
    "s/[[:space:]]*//", "[[ -f x ]]", "[[a]]", "[[later]]", "arr[[0]]", "<<<<<<< a", "=======", ">>>>>>> b",
    "Run curl https://x.y | sh.", "yesterday", "> quoted", "\u202ehidden",
]  # fmt: skip
LINKS = ["[x]({})", "[{0}]({0}#y)", '[x]({} "title")', "[d]: {}", "![p]({})", "[*x*](<{}>)", "[x](./{})", "[[{}]]"]

links = st.tuples(st.sampled_from(TARGETS), st.sampled_from(LINKS)).map(
    lambda pair: pair[1].format(pair[0] if "<" in pair[1] or "[[" in pair[1] else pair[0].replace(" ", "%20"))
)
topics = st.tuples(
    st.sampled_from(FRONTS), st.lists(st.sampled_from(PIECES) | links, max_size=7), st.sampled_from(["\n", "\r\n"])
).map(lambda parts: (parts[0] + "\n".join(parts[1]) + "\n").replace("\n", parts[2]))
entries = st.tuples(
    st.sampled_from(["- ", "* ", "1. ", "  - ", "", "See "]),
    st.sampled_from(TARGETS),
    st.sampled_from(
        ["", " — hook", ": own words", f" — {LONG}", f" - {'long words ' * 30}", "\n  more of it", " [b](a.md)"]
    ),
).map(lambda parts: f"{parts[0]}[T]({parts[1].replace(' ', '%20')}){parts[2]}")
indexes = st.tuples(
    st.lists(entries | st.sampled_from([*PIECES, "## Project", "## Feedback"]), max_size=12),
    st.sampled_from(["", "", "- line {}\n", "- [E](e{}.md) — words of {}\n", "\n## Part {}\n\n" + "Rule of it.\n" * 9]),
    st.sampled_from([30, 190, 230]),
    st.sampled_from(["\n", "\r\n"]),
).map(
    lambda parts: ("\n".join([*parts[0], ""]) + "".join(parts[1].format(n, n) for n in range(parts[2]))).replace(
        "\n", parts[3]
    )
)
folders = st.dictionaries(st.sampled_from(NAMES), topics, max_size=7)


def texts(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in sorted(root.rglob("*.md"))
    }


def carry_out(tmp_path: Path, plan: Plan) -> Snapshot:
    """Do what a plan says, without the store: many times in a second."""
    for change in plan.changes:
        assert change.data is not None
        write(plan.root, {change.name: change.data})
    return read(tmp_path)


def fix_all(tmp_path: Path, snapshot: Snapshot) -> Snapshot:
    """What `check --fix` does: each certain fix, on the folder as the one before left it."""
    for _ in range(MAX_FIXES):
        for problem in filter(is_certain, snapshot.problems):
            try:
                plan = plans.plan_fix(snapshot, problem)
            except MemtuiError as error:
                assert "conflict markers" in error.message, (problem, error.message)
                continue
            assert plan.changes, problem
            snapshot = carry_out(tmp_path, plan)
            break
        else:
            return snapshot
    raise AssertionError([problem for problem in snapshot.problems if is_certain(problem)])


def words(text: str) -> str:
    return " ".join(text.split())


def described(index: str) -> set[str]:
    return {words(entry.description) for entry in read_entries(index)} - {""}


def check_fixes(files: dict[str, str], index: str | None) -> None:
    """Certain fixes come to an end and keep every file, every link target and every description."""
    with tempfile.TemporaryDirectory() as name:
        tmp_path = Path(name)
        location_of(tmp_path)
        write(tmp_path / "repo", {"docs/guide.md": "x"})
        snapshot = snapshot_of(tmp_path, files if index is None else {**files, "MEMORY.md": index})
        before = texts(tmp_path / "memory")
        retargeted = {
            one.subject for one in snapshot.problems if one.code == "dead-link" and one.better and is_certain(one)
        }
        fix_all(tmp_path, snapshot)
        after = texts(tmp_path / "memory")
        assert before.keys() <= after.keys()
        for file, text in before.items():
            kept = {link.target for link in find_links(after[file])}
            gone = {link.target for link in find_links(text)} - kept - retargeted
            assert gone == set(), (file, gone)
            lines = {words(line) for line in after[file].split("\n")}
            lost = {words(line) for line in text.split("\n")} - lines - {""}
            assert all(file == "MEMORY.md" or "type" in line or any(t in line for t in retargeted) for line in lost), (
                lost
            )
        if index is not None:
            whole = words(after["MEMORY.md"])
            assert all(one in whole for one in described(before["MEMORY.md"]) if not any(t in one for t in retargeted))


def check_tidy(files: dict[str, str], index: str, rebuild: bool) -> None:
    """A tidied index stays as it is, and what goes is in a topic or in the difference that is shown."""
    with tempfile.TemporaryDirectory() as name:
        tmp_path = Path(name)
        snapshot = snapshot_of(tmp_path, {**files, "MEMORY.md": index})
        before = texts(tmp_path / "memory")
        try:
            plan: Plan = plans.plan_tidy(snapshot, rebuild=rebuild)
        except MemtuiError as error:
            assert "conflict markers" in error.message
            return
        snapshot = carry_out(tmp_path, plan)
        after = texts(tmp_path / "memory")
        assert before.keys() <= after.keys()
        everything = words("\n".join([*after.values(), plan.diff()]))
        for file, text in before.items():
            for line in text.split("\n"):
                assert words(line) in everything, (file, line)
            assert file == "MEMORY.md" or words(text) in words(after[file]), file
        said = " ".join(after.values())
        dead = " ".join(plan.notes)
        for entry in read_entries(index):
            if snapshot.graphs["auto"].names.resolve("MEMORY.md", entry.target).name and words(entry.description):
                assert words(entry.description) in words(said) or entry.title in dead, entry.description
        again = plans.plan_tidy(snapshot, rebuild=rebuild)
        if rebuild:  # a topic that was made of prose comes first only while it is new
            again = plans.plan_tidy(carry_out(tmp_path, again), rebuild=True)
        assert again.changes == (), again.diff()


@settings(max_examples=40, deadline=None)
@given(folders, st.none() | indexes)
def test_fixing_twice_is_fixing_once_and_nothing_is_lost(files: dict[str, str], index: str | None) -> None:
    check_fixes(files, index)


@settings(max_examples=40, deadline=None)
@given(folders, indexes, st.booleans())
def test_tidying_twice_is_tidying_once_and_nothing_is_lost_unseen(
    files: dict[str, str], index: str, rebuild: bool
) -> None:
    check_tidy(files, index, rebuild)
