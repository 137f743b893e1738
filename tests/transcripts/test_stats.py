from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memtui.transcripts.lines import Record
from memtui.transcripts.stats import SessionTokens, ToolStats, collect_stats, compare_file, patch_lines, tool_category
from tests.transcripts.rows import Script


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
    assert collect_stats(records).tools == ToolStats(
        reads=1, searches=2, shells=1, edits=3, added=5, removed=3, others=1
    )


def test_what_stands_twice_counts_once_and_what_failed_changes_no_line() -> None:
    edit = call("Edit", "1", old_string="a", new_string="b")
    failed = {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "1", "is_error": True}]}}
    assert collect_stats([edit, edit, failed]).tools == ToolStats(edits=1)
    assert collect_stats([edit, result("1"), edit, result("1")]).tools == ToolStats(edits=1, added=1, removed=1)
    assert collect_stats([edit]).tools == ToolStats(edits=1)


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


def row(identity: str, output: object, *, model: str = "m", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7}
    return {"type": "assistant", "message": {"id": identity, "model": model, "usage": usage}, **more}


def test_an_answer_counts_once_with_its_last_row() -> None:
    count = collect_stats([row("a", 1), row("a", 9), row("b", 2, model="n")])
    assert count.tokens == SessionTokens(sent=6, received=11, cached=10, stored=14, answers=2)


def test_without_an_id_the_request_tells() -> None:
    assert collect_stats([row("", 1, requestId="r"), row("", 4, requestId="r")]).tokens.received == 4


def test_what_the_client_wrote_itself_and_what_is_no_number_counts_nothing() -> None:
    assert collect_stats([row("a", 1, model="<synthetic>")]).tokens == SessionTokens()
    assert collect_stats([row("a", "many"), row("b", float("inf")), row("c", -1)]).tokens.received == 0
    assert (
        collect_stats([{"type": "assistant", "message": {"id": "x", "usage": None}}, {"type": "assistant"}]).tokens
        == SessionTokens()
    )


def test_only_calls_that_write_count_each_path_once(tmp_path: Path) -> None:
    script = (
        Script()
        .user("u", None)
        .call("a", "u", "t1", "Read", file_path="/r")
        .call("b", "a", "t2", "Edit", file_path="/e")
    )
    script.call("c", "b", "t3", "Write", file_path="/w").call("d", "c", "t4", "MultiEdit", file_path="/e")
    script.call("e", "d", "t5", "NotebookEdit", notebook_path="/n").call("f", "e", "t6", "Edit", file_path=7)
    transcript = script.read(tmp_path)
    assert collect_stats(transcript.each(transcript.entries)).written_files == ("/e", "/w", "/n")


def snapshot(message: str, **tracked: object) -> dict[str, object]:
    return {"type": "file-history-snapshot", "messageId": message, "snapshot": {"trackedFileBackups": tracked}}


def backup(version: int, name: str | None) -> dict[str, object]:
    return {"backupFileName": name, "version": version, "backupTime": f"t{version}"}


def test_versions_are_put_together_from_snapshots_and_deltas() -> None:
    delta = {"type": "file-history-delta", "messageId": "m3", "trackingPath": "a.py", "backup": backup(2, "h@v2")}
    files = collect_stats(
        [snapshot("m1", **{"a.py": backup(1, "h@v1")}), snapshot("m2", b=backup(1, None)), delta, delta]
    ).changed_files
    assert [(file.path, [(v.number, v.backup, v.message) for v in file.versions]) for file in files] == [
        ("a.py", [(1, "h@v1", "m1"), (2, "h@v2", "m3")]),
        ("b", [(1, None, "m2")]),
    ]


def test_a_file_is_told_by_its_folder(tmp_path: Path) -> None:
    tree, here = tmp_path / "w", tmp_path / "p"
    records = [
        {"type": "user", "cwd": str(here)},
        snapshot("m", **{"n.txt": {**backup(1, "a"), "realParentDir": str(tree)}, "b.txt": backup(1, "b")}),
        snapshot("m", **{"n.txt": {**backup(2, None), "realParentDir": str(here)}}),
        call("Write", "1", file_path=str(here / "b.txt")),
        call("Write", "2", file_path=str(here / "new.txt")),
        call("Write", "3", file_path=str(here / "refused.txt")),
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "3", "is_error": True}]}},
    ]
    assert [(one.path, [each.number for each in one.versions]) for one in collect_stats(records).changed_files] == [
        (f"{tree}/n.txt", [1]), (f"{here}/b.txt", [1]), (f"{here}/n.txt", [2]), (f"{here}/new.txt", []),
    ]  # fmt: skip


def test_what_is_no_path_is_kept_as_it_is(tmp_path: Path) -> None:
    for odd in ("\ud83d", "a\0b"):
        records = [{"type": "user", "cwd": odd}, snapshot("m", **{f"{odd}/x": backup(1, "a")})]
        (file,) = collect_stats(records).changed_files
        assert (file.path, compare_file(file, file.versions[0], tmp_path, tmp_path)) == (f"{odd}/x", "unknown")


def test_a_version_against_the_disk(tmp_path: Path) -> None:
    history, cwd = tmp_path / "history", tmp_path / "w"
    history.mkdir()
    cwd.mkdir()
    (history / "h@v1").write_text("one", encoding="utf-8")
    (cwd / "a").write_text("one", encoding="utf-8")
    (cwd / "b").write_text("two", encoding="utf-8")
    found = collect_stats(
        [
            snapshot(
                "m",
                a=backup(1, "h@v1"),
                b=backup(1, "h@v1"),
                c=backup(1, "h@v1"),
                d=backup(1, None),
                e=backup(1, "lost"),
            )
        ]
    ).changed_files
    (cwd / "e").touch()
    assert [compare_file(file, file.versions[0], history, cwd) for file in found] == [
        "same",
        "changed",
        "gone",
        "same",
        "unknown",
    ]
    (cwd / "d").touch()
    assert compare_file(found[3], found[3].versions[0], history, cwd) == "created"


def test_a_copy_is_never_looked_for_outside_the_history(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x", encoding="utf-8")
    (tmp_path / "a").write_text("x", encoding="utf-8")
    (tmp_path / "history").mkdir()
    file = collect_stats([snapshot("m", a=backup(1, "../secret"))]).changed_files[0]
    assert compare_file(file, file.versions[0], tmp_path / "history", tmp_path) == "unknown"


def test_odd_records_raise_nothing() -> None:
    odd: list[Record] = [
        {"type": "file-history-snapshot", "snapshot": 5},
        {"type": "file-history-delta", "backup": []},
        snapshot("m", a=3, b={"version": "1"}),
    ]
    assert collect_stats(odd).changed_files == ()
