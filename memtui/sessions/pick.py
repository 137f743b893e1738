"""Which message of a session a word means."""

from typing import Final

from memtui.base.errors import NotFound, Usage
from memtui.base.text import visible
from memtui.sessions.transcript import Transcript

SHORTEST: Final = 8
"""Characters of a uuid that are enough, if no other message's begins with them."""


def message_of(transcript: Transcript, word: str) -> str:
    """The uuid of the record that a word means: a whole uuid, or the beginning that only one record has.

    Raises:
        NotFound: If none fits.
        Usage: If several fit, or the word is too short to tell.
    """
    uuids = {entry.uuid for entry in transcript.known() if entry.chained}
    if word in uuids:
        return word
    shown = visible(word, keep="")
    if len(word) < SHORTEST:
        raise Usage(f"{shown!r} is too short to name a message", hint=f"give {SHORTEST} characters of its uuid or more")
    fits = sorted(uuid for uuid in uuids if uuid.lower().startswith(word.lower()))
    if not fits:
        raise NotFound(f"no message {shown!r} in this session", hint="memtui sessions tree --messages lists them")
    if len(fits) > 1:
        names = ", ".join(visible(uuid, keep="") for uuid in fits[:4])
        raise Usage(f"{shown!r} fits {len(fits)} messages", hint=names)
    return fits[0]
