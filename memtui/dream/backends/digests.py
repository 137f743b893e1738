"""Digests of the sessions that a dream reads, beside its stage: the model may read them, and they are never adopted.

<state>/stages/<run id>/sessions/01-<session id>.md     the newest session first
"""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from memtui.dream.run.stage import Stage
from memtui.transcripts.digest import MAX_DIGEST_CHARS, make_digest, read_talk, talk_line
from memtui.util.text import clip

MAX_ALL_DIGESTS_CHARS = 240_000  # about 60,000 tokens, of a context that is sent anew each turn
_MIN_DIGEST_CHARS = 4_000
_MAX_TITLE_CELLS = 100


class ListedSession(Struct, frozen=True):
    """A session as the model is told of it."""

    path: Path  # its transcript
    digest: Path | None = None  # `None` if it can't be read
    size: int = 0  # characters of the digest
    title: str = ""
    line: str = ""  # what was done in it, in one safe line as the title


def write_digests(stage: Stage, paths: Sequence[Path], since: float) -> tuple[ListedSession, ...]:
    """Write a digest of what was said in each session from `since` on; raises `OSError` if the disk refuses."""
    folder = Path(os.path.realpath(stage.path)) / "sessions"
    folder.mkdir(mode=0o700, exist_ok=True)
    most = min(max(MAX_ALL_DIGESTS_CHARS // max(len(paths), 1), _MIN_DIGEST_CHARS), MAX_DIGEST_CHARS)
    return tuple(_write(folder, number, path, since, most) for number, path in enumerate(paths, 1))


def _write(folder: Path, number: int, path: Path, since: float, most: int) -> ListedSession:
    try:
        talk = read_talk(path)
    except OSError:
        return ListedSession(path)
    text = make_digest(path, talk, since=since, max_chars=most)
    digest = folder / f"{number:02}-{path.stem}.md"
    digest.write_text(text, encoding="utf-8", errors="replace")
    return ListedSession(path, digest, len(text), clip(talk.title, _MAX_TITLE_CELLS), talk_line(talk))
