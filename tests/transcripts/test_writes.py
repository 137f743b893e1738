"""Which files a session's calls wrote."""

from pathlib import Path

from memtui.transcripts.stats import collect_stats
from tests.transcripts.rows import Script


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
    assert collect_stats(transcript.each(transcript.entries)).writes.files == ("/e", "/w", "/n")
