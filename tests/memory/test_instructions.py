"""The CLAUDE.md family is listed as the agent client loads it.

The folders here are those with which client 2.1.332 was asked; what is expected is what its first request held.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui.client.environment import Env
from memtui.client.memory_location import locate_memory
from memtui.memory.instructions import Import, Instruction, read_instructions, walk_imports
from tests.support import digest_tree

Files = dict[str, str | bytes]


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path


def build(root: Path, files: Files) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def read(root: Path, cwd: str, **environ: str) -> tuple[Instruction, ...]:
    env = Env(root / "home", environ, (root / "managed" / "managed-settings.json",))
    return read_instructions(env, locate_memory(env, root / cwd))


def loaded(root: Path, items: tuple[Instruction, ...]) -> list[str]:
    """Names of all that is loaded, imports included, in order."""
    names = []
    for item in items:
        if item.loaded:
            names.append(item.path.relative_to(root).as_posix())
        for each in walk_imports(item.imports):
            if each.state == "loaded":
                names.append(each.path.relative_to(root).as_posix())
    return names


def tree(items: tuple[Instruction, ...]) -> dict[str, Import]:
    return {each.written: each for item in items for each in walk_imports(item.imports)}


def test_every_folder_from_the_root_down(snapshot: Path) -> None:
    build(
        snapshot,
        {
            name: name
            for name in (
                "home/.claude/CLAUDE.md",
                "home/.claude/CLAUDE.local.md",
                "home/.claude/rules/u1.md",
                "CLAUDE.md",
                ".claude/CLAUDE.md",
                ".claude/rules/t.md",
                "repo/CLAUDE.md",
                "repo/.claude/CLAUDE.md",
                "repo/CLAUDE.local.md",
                "repo/.claude/CLAUDE.local.md",
                "repo/.claude/rules/b.md",
                "repo/.claude/rules/x.txt",
                "repo/.claude/rules/UP.MD",
                "repo/.git/HEAD",
                "repo/sub/CLAUDE.md",
                "repo/sub/.claude/CLAUDE.md",
                "repo/sub/CLAUDE.local.md",
                "repo/sub/.claude/rules/s.md",
                "repo/sub/deep/CLAUDE.md",
                "repo/AGENTS.md",
            )
        },
    )
    assert loaded(snapshot, read(snapshot, "repo/sub")) == [
        "home/.claude/CLAUDE.md",
        "home/.claude/rules/u1.md",
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        ".claude/rules/t.md",
        "repo/CLAUDE.md",
        "repo/.claude/CLAUDE.md",
        "repo/.claude/rules/b.md",
        "repo/CLAUDE.local.md",
        "repo/sub/CLAUDE.md",
        "repo/sub/.claude/CLAUDE.md",
        "repo/sub/.claude/rules/s.md",
        "repo/sub/CLAUDE.local.md",
    ]


def test_the_usual_files_are_listed_though_they_do_not_exist(snapshot: Path) -> None:
    (snapshot / "managed").mkdir()
    items = read(snapshot, "home")
    absent = [(item.layer, item.path.relative_to(snapshot).as_posix()) for item in items if not item.exists]
    assert absent == [
        ("managed", "managed/CLAUDE.md"),
        ("user", "home/.claude/CLAUDE.md"),
        ("project", "home/CLAUDE.md"),
        ("local", "home/CLAUDE.local.md"),
    ]


def test_managed_comes_first_and_cannot_be_excluded(snapshot: Path) -> None:
    build(
        snapshot,
        {
            "managed/CLAUDE.md": "m",
            "managed/managed-settings.json": json.dumps({"claudeMd": "one\ntwo\n"}),
            "home/.claude/CLAUDE.md": "u",
            "home/.claude/settings.json": json.dumps({"claudeMdExcludes": ["/**"]}),
        },
    )
    items = [item for item in read(snapshot, "home") if item.exists]
    assert [(item.layer, item.loaded, item.loaded_lines) for item in items] == [
        ("managed", True, 1),
        ("managed", True, 2),
        ("user", False, 0),
    ]


def test_below_home_a_file_counts_once(snapshot: Path) -> None:
    names = (
        "home/.claude/CLAUDE.md",
        "home/CLAUDE.md",
        "home/proj/CLAUDE.md",
        "home/.claude/rules/r.md",
        "home/CLAUDE.local.md",
    )
    build(snapshot, dict.fromkeys(names, "x"))
    assert loaded(snapshot, read(snapshot, "home/proj")) == [
        "home/.claude/CLAUDE.md",
        "home/.claude/rules/r.md",
        "home/CLAUDE.md",
        "home/CLAUDE.local.md",
        "home/proj/CLAUDE.md",
    ]


def test_another_configuration_folder(snapshot: Path) -> None:
    build(
        snapshot,
        {"home/.claude/CLAUDE.md": "u", "cfg/CLAUDE.md": "c", "cfg/rules/c.md": "r", "home/proj/CLAUDE.md": "p"},
    )
    items = read(snapshot, "home/proj", CLAUDE_CONFIG_DIR=str(snapshot / "cfg"))
    assert loaded(snapshot, items) == [
        "cfg/CLAUDE.md",
        "cfg/rules/c.md",
        "home/.claude/CLAUDE.md",
        "home/proj/CLAUDE.md",
    ]


def test_a_worktree_in_its_repository_has_its_own_copy(snapshot: Path) -> None:
    git: Callable[[str], object] = lambda line: subprocess.run(  # noqa: E731
        ["git", "-c", "user.email=a@b", "-c", "user.name=n", *line.split()],
        cwd=snapshot / "repo",
        check=True,
        capture_output=True,
    )
    build(
        snapshot, {"repo/CLAUDE.md": "r", "repo/CLAUDE.local.md": "l", "repo/.claude/rules/r.md": "x", "CLAUDE.md": "t"}
    )
    for line in (
        "init -q .",
        "add CLAUDE.md .claude",
        "commit -qm x",
        "worktree add .claude/worktrees/w",
        "worktree add ../out",
    ):
        git(line)
    assert loaded(snapshot, read(snapshot, "repo/.claude/worktrees/w")) == [
        "CLAUDE.md",
        "repo/CLAUDE.local.md",
        "repo/.claude/worktrees/w/CLAUDE.md",
        "repo/.claude/worktrees/w/.claude/rules/r.md",
    ]
    assert loaded(snapshot, read(snapshot, "out")) == ["CLAUDE.md", "out/CLAUDE.md", "out/.claude/rules/r.md"]


def test_four_hops_and_no_file_twice(snapshot: Path) -> None:
    files: Files = {f"repo/b{n}.md": f"B{n} @b{n + 1}.md\n" for n in range(1, 9)}
    build(snapshot, {**files, "repo/CLAUDE.md": "@b1.md @b4.md\n"})
    items = read(snapshot, "repo")
    assert loaded(snapshot, items) == ["repo/CLAUDE.md", "repo/b1.md", "repo/b2.md", "repo/b3.md", "repo/b4.md"]
    found = tree(items)
    assert (found["b5.md"].state, found["b5.md"].hops) == ("too-deep", 5)
    assert found["b4.md"].state == "repeated"


def test_a_cycle_ends(snapshot: Path) -> None:
    build(snapshot, {"repo/CLAUDE.md": "@a.md\n", "repo/a.md": "@b.md @a.md\n", "repo/b.md": "@a.md @CLAUDE.md\n"})
    items = read(snapshot, "repo")
    assert loaded(snapshot, items) == ["repo/CLAUDE.md", "repo/a.md", "repo/b.md"]
    states = [(each.written, each.state) for item in items for each in walk_imports(item.imports)]
    assert states == [
        ("a.md", "loaded"),
        ("b.md", "loaded"),
        ("a.md", "repeated"),
        ("CLAUDE.md", "repeated"),
        ("a.md", "repeated"),
    ]


def test_a_path_starts_at_the_file_that_names_it(snapshot: Path) -> None:
    build(
        snapshot,
        {
            "repo/CLAUDE.md": "@i/one.md @README @code.py\n",
            "repo/i/one.md": "@nested.md @../up.md\n",
            "repo/i/nested.md": "n",
            "repo/up.md": "u",
            "repo/nested.md": "wrong",
            "repo/README": "r",
            "repo/code.py": "p",
        },
    )
    assert loaded(snapshot, read(snapshot, "repo")) == [
        "repo/CLAUDE.md",
        "repo/i/one.md",
        "repo/i/nested.md",
        "repo/up.md",
        "repo/README",
        "repo/code.py",
    ]


def test_a_linked_file_imports_from_where_it_really_is(snapshot: Path) -> None:
    build(snapshot, {"repo/docs/real.md": "@x.md\n", "repo/docs/x.md": "d", "repo/x.md": "r"})
    (snapshot / "repo/CLAUDE.md").symlink_to("docs/real.md")
    assert loaded(snapshot, read(snapshot, "repo")) == ["repo/CLAUDE.md", "repo/docs/x.md"]


OUTSIDE: Files = {
    "repo/CLAUDE.md": "@../out.md @~/h.md @in.md\n",
    "out.md": "@more.md\n",
    "more.md": "m",
    "home/h.md": "h",
    "repo/in.md": "i",
    "repo/.git/HEAD": "",
}


def test_outside_the_working_directory_the_client_asks(snapshot: Path) -> None:
    build(snapshot, {**OUTSIDE, "repo/sub/x": ""})
    items = read(snapshot, "repo")
    assert loaded(snapshot, items) == ["repo/CLAUDE.md", "repo/in.md"]
    assert {each.state for each in tree(items).values()} == {"outside", "loaded"}
    assert loaded(snapshot, read(snapshot, "repo/sub")) == [
        "repo/CLAUDE.md"
    ]  # seen from below, even its own folder is outside


def test_outside_once_the_user_approved_it(snapshot: Path) -> None:
    yes = {"projects": {str((snapshot / "repo").resolve()): {"hasClaudeMdExternalIncludesApproved": True}}}
    build(snapshot, {**OUTSIDE, "home/.claude.json": json.dumps(yes)})
    assert loaded(snapshot, read(snapshot, "repo")) == [
        "repo/CLAUDE.md",
        "out.md",
        "more.md",
        "home/h.md",
        "repo/in.md",
    ]


def test_the_users_own_files_import_from_anywhere(snapshot: Path) -> None:
    build(
        snapshot,
        {"home/.claude/CLAUDE.md": "@~/h.md @rel.md\n", "home/h.md": "h", "home/.claude/rel.md": "r", "repo/x": ""},
    )
    assert loaded(snapshot, read(snapshot, "repo")) == ["home/.claude/CLAUDE.md", "home/h.md", "home/.claude/rel.md"]


def test_linked_rules(snapshot: Path) -> None:
    build(
        snapshot,
        {"out/d/r2.md": "x", "out/r3.md": "x", "out/u.md": "x", "repo/shared/s.md": "x", "repo/.claude/rules/.k": ""},
    )
    (snapshot / "home/.claude/rules").mkdir(parents=True)
    for link, target in {
        "repo/.claude/rules/l2": "../../../out/d",
        "repo/.claude/rules/l3.md": "../../../out/r3.md",
        "repo/.claude/rules/in": "../../shared",
        "repo/.claude/rules/loop": ".",
        "home/.claude/rules/u.md": "../../../out/u.md",
    }.items():
        (snapshot / link).symlink_to(target)
    items = read(snapshot, "repo")
    assert loaded(snapshot, items) == ["out/u.md", "repo/shared/s.md"]
    assert sorted(item.path.name for item in items if item.skipped and item.layer == "rule") == ["r2.md", "r3.md"]


def test_a_rule_with_paths_waits(snapshot: Path) -> None:
    build(
        snapshot,
        {
            "repo/.claude/rules/p.md": '---\npaths:\n  - "src/**"\n---\n@imp.txt\n',
            "repo/.claude/rules/sub/imp.md": "x",
            "repo/.claude/rules/star.md": '---\npaths: "**"\n---\nAlways\n',
        },
    )
    items = {item.path.name: item for item in read(snapshot, "repo") if item.exists}
    assert items["p.md"].globs == ("src/**",) and not items["p.md"].loaded
    assert items["star.md"].loaded


BASE: Files = {
    "home/.claude/CLAUDE.md": "U",
    "CLAUDE.md": "T",
    "repo/CLAUDE.md": "@imp.md\n",
    "repo/imp.md": "I",
    "repo/CLAUDE.local.md": "L",
    "repo/.claude/rules/a.md": "A",
    "repo/.claude/CLAUDE.md": "D",
}


@pytest.mark.parametrize(
    ("pattern", "gone"),
    [
        ("{root}/CLAUDE.md", {"CLAUDE.md"}),
        ("**/repo/CLAUDE.md", {"repo/CLAUDE.md", "repo/imp.md"}),
        ("CLAUDE.md", set()),
        ("./CLAUDE.md", set()),
        ("~/.claude/CLAUDE.md", set()),
        ("**/imp.md", {"repo/imp.md"}),
        ("**/.claude/rules/**", {"repo/.claude/rules/a.md"}),
        ("**/*.local.md", {"repo/CLAUDE.local.md"}),
        ("**/.claude/*.md", {"home/.claude/CLAUDE.md", "repo/.claude/CLAUDE.md"}),
        ("**/{imp,a}.md", {"repo/imp.md", "repo/.claude/rules/a.md"}),
        ("{root}/**", set(BASE)),
    ],
)
def test_excludes(snapshot: Path, pattern: str, gone: set[str]) -> None:
    root = snapshot.resolve()
    pattern = pattern.replace("{root}", str(root))
    build(root, {**BASE, "home/.claude/settings.json": json.dumps({"claudeMdExcludes": [pattern]})})
    assert set(BASE) - set(loaded(root, read(root, "repo"))) == gone


def test_excludes_of_all_layers_add_up(snapshot: Path) -> None:
    root = snapshot.resolve()
    build(root, {**BASE, "home/.claude/settings.json": '{"claudeMdExcludes": ["**/imp.md"]}', "repo/.git/HEAD": ""})
    local = json.dumps({"claudeMdExcludes": [f"{root}/CLAUDE.md"]})
    build(root, {"repo/.claude/settings.local.json": local})
    assert set(BASE) - set(loaded(root, read(root, "repo"))) == {"repo/imp.md", "CLAUDE.md"}


@pytest.mark.parametrize(("value", "off"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_the_switch(snapshot: Path, value: str, off: bool) -> None:
    build(snapshot, BASE)
    items = read(snapshot, "repo", CLAUDE_CODE_DISABLE_CLAUDE_MDS=value)
    assert (loaded(snapshot, items) == []) is off
    if off:
        assert {item.skipped for item in items if item.exists} == {"switched off by CLAUDE_CODE_DISABLE_CLAUDE_MDS"}


@pytest.mark.parametrize(("size", "counts"), [((4 << 20) - 1, True), (4 << 20, True), ((4 << 20) + 1, False)])
def test_above_4_mib_a_file_is_skipped_whole(snapshot: Path, size: int, counts: bool) -> None:
    build(snapshot, {"repo/CLAUDE.md": (b"x" * 99 + b"\n") * (size // 100) + b"y" * (size % 100)})
    assert (loaded(snapshot, read(snapshot, "repo")) == ["repo/CLAUDE.md"]) is counts


def test_what_counts(snapshot: Path) -> None:
    text = "\ufeff---\r\ntitle: x\r\n---\r\none\r\n\r\n<!-- gone -->\r\n\r\ntwo 😀\r\n"
    build(snapshot, {"repo/CLAUDE.md": text, "repo/CLAUDE.local.md": "<!-- only this -->\n"})
    project, local = (item for item in read(snapshot, "repo") if item.exists)
    assert (project.loaded_lines, project.loaded_chars) == (3, len("one\n\ntwo ") + 2)
    assert local.skipped == "nothing in it counts"


def test_odd_things_in_the_way(snapshot: Path) -> None:
    build(snapshot, {"repo/CLAUDE.md/x": "", "repo/.claude": b"a file", "repo/CLAUDE.local.md": b"bad \xff bytes"})
    items = read(snapshot, "repo")
    assert loaded(snapshot, items) == ["repo/CLAUDE.local.md"]


def test_a_missing_import_and_its_likely_cause(snapshot: Path) -> None:
    build(
        snapshot,
        {
            "repo/CLAUDE.md": "@two.md, and @pic.png @dir @none.md\n",
            "repo/two.md": "",
            "repo/pic.png": b"\x89",
            "repo/dir/x": "",
        },
    )
    found = tree(read(snapshot, "repo"))
    assert found["two.md,"].state == "missing" and "blank" in found["two.md,"].reason
    assert (found["pic.png"].state, found["dir"].state, found["none.md"].state) == ("not-text", "missing", "missing")


def test_reading_changes_nothing(snapshot: Path) -> None:
    build(snapshot, {**BASE, "repo/.claude/rules/p.md": "---\npaths: [a, b]\n---\nx\n"})
    before = digest_tree(snapshot)
    items = read(snapshot, "repo")
    assert digest_tree(snapshot) == before
    assert next(item.globs for item in items if item.path.name == "p.md") == ("a", "b")
