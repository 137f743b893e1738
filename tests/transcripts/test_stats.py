from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts.stats import ToolStats, collect_stats, patch_lines, tool_category


def call(name: str, identity: str, **given: object) -> dict[str, object]:
    block = {"type": "tool_use", "id": identity, "name": name, "input": given}
    return {"type": "assistant", "message": {"content": [block]}}


def result(identity: str, **more: object) -> dict[str, object]:
    return {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": identity}]}, **more}


def test_seven_figures() -> None:
    patch = {"structuredPatch": [{"lines": [" a", "-b", "+c", "+d"]}]}
    records = [
        call("Read", "1"), call("Grep", "2"), call("Glob", "3"), call("Bash", "4"), call("Agent", "5"),
        call("Edit", "6", old_string="b", new_string="c\nd"), result("6", toolUseResult=patch),
        call("Write", "7", content="x\ny\n"),
        result("7", toolUseResult={"type": "create", "content": "x\ny\n", "structuredPatch": []}),
        call("MultiEdit", "8", edits=[{"old_string": "1\n2", "new_string": "3"}]), result("8"),
    ]  # fmt: skip
    assert collect_stats(records).stats.total == ToolStats(
        reads=1, searches=2, shells=1, edits=3, added=5, removed=3, others=1
    )


def test_what_stands_twice_counts_once_and_what_failed_changes_no_line() -> None:
    edit = call("Edit", "1", old_string="a", new_string="b")
    failed = {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "1", "is_error": True}]}}
    assert collect_stats([edit, edit, failed]).stats.total == ToolStats(edits=1)
    assert collect_stats([edit, result("1"), edit, result("1")]).stats.total == ToolStats(edits=1, added=1, removed=1)
    assert collect_stats([edit]).stats.total == ToolStats(edits=1)


def test_figures_add_up() -> None:
    assert ToolStats(reads=1, added=2) + ToolStats(reads=2, others=1) == ToolStats(reads=3, added=2, others=1)


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_odd_results_raise_nothing(value: object) -> None:
    patch_lines(value)
    patch_lines({"structuredPatch": value})
    collect_stats([{"type": "assistant", "message": value}, {"message": {"content": value}}])
    assert tool_category("mcp__x__y") == "others"
