"""Which message a word means."""

from pathlib import Path

import pytest

from memtui.resume.launch import message_of
from memtui.util.errors import NotFound, UsageError
from tests.transcripts.rows import Script


def test_a_whole_uuid_or_its_unique_beginning(tmp_path: Path) -> None:
    script = Script().user("u0", None).user("abcdef12-1", "u0").user("abcdef12-2", "abcdef12-1")
    transcript = script.user("Fedcba98-1", "u0").read(tmp_path)
    assert message_of(transcript, "u0") == "u0"
    assert message_of(transcript, "abcdef12-2") == "abcdef12-2"
    assert message_of(transcript, "fedcba98") == "Fedcba98-1"
    for word in ("abcdef12", "", "abc", "fedcba9"):
        with pytest.raises(UsageError):
            message_of(transcript, word)
    with pytest.raises(NotFound):
        message_of(transcript, "nowhere-at-all")
