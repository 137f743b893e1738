"""Which message of a session a word means."""

from typing import Final

from memtui.base.errors import Usage
from memtui.base.meant import the_one
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
    return the_one(fits, word, "message", lists="memtui sessions tree --messages lists them", name=str)
