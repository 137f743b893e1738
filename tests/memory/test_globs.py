"""Globs match whole paths as the agent client's settings do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.memory.path_rules import glob_regex

CASES = [
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
    ("**/[!C]LAUDE.md", "/w/CLAUDE.md", False),
    ("**/a{b.md", "/w/a{b.md", True),
    ("**/a[b.md", "/w/a[b.md", True),
    (r"**/\*.md", "/w/*.md", True),
]


@pytest.mark.parametrize(("pattern", "path", "wanted"), CASES)
def test_a_pattern_matches_whole_paths(pattern: str, path: str, wanted: bool) -> None:
    assert bool(glob_regex(pattern).fullmatch(path)) is wanted


@given(st.text(alphabet="*?[]{}!^,\\/ab.-", max_size=30))
def test_any_pattern_compiles(pattern: str) -> None:
    glob_regex(pattern).fullmatch("/a/b.md")
