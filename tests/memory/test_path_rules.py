"""Which files a rule waits for: its `paths`, and globs as the agent client's settings have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.path_rules import glob_regex, rule_paths
from tests.support import run_python

# Seen on client 2.1.332: () where the rule was in the first request.
CASES = {
    "list": ('paths:\n  - "src/**"\n', ("src/**",)),
    "bare list": ("paths:\n  - src/a.ts\n  - src/b.ts\n", ("src/a.ts", "src/b.ts")),
    "list in one line": ('paths: ["a/**", b.md]\n', ("a/**", "b.md")),
    "text": ("paths: src/**/*.ts\n", ("src/**/*.ts",)),
    "commas": ('paths: "a/**, b/**"\n', ("a/**", "b/**")),
    "comma in braces": ("paths: src/*.{ts,tsx}\n", ("src/*.{ts,tsx}",)),
    "empty": ("paths:\n", ()),
    "null": ("alwaysApply: false\npaths: null\n", ()),
    "empty list": ("paths: []\n", ()),
    "number": ("paths: 3\n", ()),
    "everything": ('paths: "**"\n', ()),
    "every file": ('paths: ["**/*"]\n', ("**/*",)),
    "of another agent": ("globs: src/**\n", ()),
    "comment": ("# c\npaths: # x\n  - a\n", ("a",)),
    "unclosed list": ("paths: [unclosed\n", ("[unclosed",)),
    "item that YAML refuses": ("paths:\n  - **/*.ts\n", ()),
    "tag": ("paths: !!python/object:os.system x\n", ("!!python/object:os.system x",)),
    "anchor": ("a: &x [1]\npaths: *x\n", ("*x",)),
    "other key broken": ("description: a: b\npaths: src/**\n", ("src/**",)),
}


@pytest.mark.parametrize("name", CASES)
def test_paths_as_the_client_takes_them(name: str) -> None:
    block, wanted = CASES[name]
    assert rule_paths(f"---\n{block}---\nBody\n") == wanted
    assert rule_paths(f"\ufeff---\r\n{block.replace(chr(10), chr(13) + chr(10))}---\r\nBody\r\n") == wanted


def test_no_block_no_paths() -> None:
    assert rule_paths("") == rule_paths("paths: a\n") == rule_paths("---\npaths: a\n") == ()


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    found = rule_paths("---\n" + "\n".join(lines) + "\npaths: [src/**]\n---\n")
    assert found == ("[src/**]",)  # the second reading takes every value as text, as the client does


def test_a_long_block_is_not_read() -> None:
    assert rule_paths("---\n" + "k: v\n" * 20_000 + "paths: a\n---\n") == ()


def test_usual_forms_leave_yaml_alone() -> None:
    code = """
import sys
from memtui.memory.path_rules import rule_paths
assert rule_paths('---\\ndescription: x\\npaths:\\n  - "src/**"\\n  - lib/a.py\\n---\\n') == ("src/**", "lib/a.py")
assert rule_paths("---\\npaths: ['a', \\"b/**\\"]\\n---\\n") == ("a", "b/**")
assert rule_paths("---\\npaths: []\\n---\\n") == rule_paths("---\\npaths:\\n---\\n") == ()
assert "yaml" not in sys.modules
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


@given(st.text(alphabet="paths:-\n \"'*/[]{},&!ab#|>%", max_size=60))
def test_any_block_is_taken(block: str) -> None:
    text = f"---\npaths:{block}\n---\n"
    assert isinstance(rule_paths(text), tuple)


GLOBS = [
    ("/w/CLAUDE.md", "/w/CLAUDE.md", True),
    ("**/repo/CLAUDE.md", "/w/repo/CLAUDE.md", True),
    ("**/repo/CLAUDE.md", "/w/repo/sub/CLAUDE.md", False),
    ("CLAUDE.md", "/w/CLAUDE.md", False),
    ("repo/CLAUDE.md", "/w/repo/CLAUDE.md", False),
    ("**/.claude/rules/**", "/w/repo/.claude/rules/a/b.md", True),
    ("**/.claude/*.md", "/w/.claude/CLAUDE.md", True),
    ("**/.claude/*.md", "/w/.claude/rules/a.md", False),
    ("/w/**", "/w/.claude/CLAUDE.md", True),
    ("**/{imp,a}.md", "/w/a.md", True),
    ("**/{imp,a}.md", "/w/b.md", False),
    ("**/CLAUDE.m?", "/w/CLAUDE.md", True),
    ("**/[A-C]LAUDE.md", "/w/CLAUDE.md", True),
    ("**/[!C]LAUDE.md", "/w/CLAUDE.md", True),
    ("**/a{b.md", "/w/a{b.md", True),
    ("**/a[b.md", "/w/a[b.md", True),
    ("!**/w/CLAUDE.md", "/w/CLAUDE.md", False),
    ("!**/w/CLAUDE.md", "/CLAUDE.md", True),
    ("**/{app}/*.md", "/app/a.md", False),
    ("**/+(app|lib)/*.md", "/app/a.md", True),
    ("**/!(app)/a.md", "/app/a.md", False),
    ("**/ap{o..q}/[[:alpha:]].md", "/app/a.md", True),
    ("/w/a**/CLAUDE.md", "/w/ab/c/CLAUDE.md", False),
    ("**.md", "/w/a.md", True),
    (r"**/\*.md", "/w/*.md", False),
]


@pytest.mark.parametrize(("pattern", "path", "wanted"), GLOBS)
def test_a_pattern_matches_whole_paths(pattern: str, path: str, wanted: bool) -> None:
    assert bool(glob_regex(pattern).fullmatch(path)) is wanted


@given(st.text(alphabet="*?[]{}!^,\\/ab.-", max_size=30))
def test_any_pattern_compiles(pattern: str) -> None:
    glob_regex(pattern).fullmatch("/a/b.md")
