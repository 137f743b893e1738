"""Which message a word means."""

from pathlib import Path

import pytest

from memtui.resume.launch import resolve_message
from memtui.util.errors import NotFound, UsageError
from tests.transcripts.rows import Script


def test_a_whole_uuid_or_its_unique_beginning(tmp_path: Path) -> None:
    script = Script().user("u0", None).user("abcdef12-1", "u0").user("abcdef12-2", "abcdef12-1")
    transcript = script.user("Fedcba98-1", "u0").read(tmp_path)
    assert resolve_message(transcript, "u0") == "u0"
    assert resolve_message(transcript, "abcdef12-2") == "abcdef12-2"
    assert resolve_message(transcript, "fedcba98") == "Fedcba98-1"
    for word in ("abcdef12", "", "abc", "fedcba9"):
        with pytest.raises(UsageError):
            resolve_message(transcript, word)
    with pytest.raises(NotFound):
        resolve_message(transcript, "nowhere-at-all")
