from pathlib import Path

from memtui.transcripts.lines import Record
from memtui.transcripts.stats import collect_stats, compare_file


def snapshot(message: str, **tracked: object) -> dict[str, object]:
    return {"type": "file-history-snapshot", "messageId": message, "snapshot": {"trackedFileBackups": tracked}}


def backup(version: int, name: str | None) -> dict[str, object]:
    return {"backupFileName": name, "version": version, "backupTime": f"t{version}"}


def test_versions_are_put_together_from_snapshots_and_deltas() -> None:
    delta = {"type": "file-history-delta", "messageId": "m3", "trackingPath": "a.py", "backup": backup(2, "h@v2")}
    files = collect_stats(
        [snapshot("m1", **{"a.py": backup(1, "h@v1")}), snapshot("m2", b=backup(1, None)), delta, delta]
    ).changes.files
    assert [(file.path, [(v.number, v.backup, v.message) for v in file.versions]) for file in files] == [
        ("a.py", [(1, "h@v1", "m1"), (2, "h@v2", "m3")]),
        ("b", [(1, None, "m2")]),
    ]


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
    ).changes.files
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
    file = collect_stats([snapshot("m", a=backup(1, "../secret"))]).changes.files[0]
    assert compare_file(file, file.versions[0], tmp_path / "history", tmp_path) == "unknown"


def test_odd_records_raise_nothing() -> None:
    odd: list[Record] = [
        {"type": "file-history-snapshot", "snapshot": 5},
        {"type": "file-history-delta", "backup": []},
        snapshot("m", a=3, b={"version": "1"}),
    ]
    assert collect_stats(odd).changes.files == ()
