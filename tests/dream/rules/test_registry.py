"""Which rules there are, and in which order."""

import sys
from pathlib import Path

import pytest

from memtui.dream import rules
from memtui.dream.rules import registry


def test_dates_come_before_merges_and_the_index_last() -> None:
    names = [rule.__name__ for rule in registry.RULES]
    assert names.index("date_files") < names.index("remove_empty") < names.index("merge_duplicates")
    assert names[-4:] == ["fix_links", "make_index", "list_once", "list_orphans"]


def test_a_new_file_is_a_rule_and_nothing_else_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "new_rule.py").write_text(
        "from memtui.dream.rules.context import RuleContext, RuleStep\n"
        "def tidy(context: RuleContext) -> None: ...\n"
        "STEP = RuleStep((tidy,), order=15)\n"
    )
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path)])
    monkeypatch.setattr(rules, "new_rule", None, raising=False)  # put back at the end, as is the next
    monkeypatch.setitem(sys.modules, f"{rules.__name__}.new_rule", None)
    del sys.modules[f"{rules.__name__}.new_rule"]
    found = registry.find_rules()
    assert found[1].__name__ == "tidy"
    assert (found[0], *found[2:]) == registry.RULES
