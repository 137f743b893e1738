"""What a session is called, by the client's order but from the whole file: a title far from the end counts too.

Source:
    FORMATS 1.9: the title given, else made, else the last prompt, a summary, the first prompt.
"""

from collections.abc import Iterable

from msgspec import Struct

from memtui.host.titles import COMMAND, WRAPPED, one_line
from memtui.sessions.entries import is_prompt, prompt_texts, text
from memtui.sessions.lines import Record

TITLES = ("custom-title", "ai-title", "last-prompt", "summary")
_FIELD = {"custom-title": "customTitle", "ai-title": "aiTitle", "last-prompt": "lastPrompt", "summary": "summary"}


class Title(Struct):
    """Collects a title record by record, so that one pass and little memory are enough. Texts are kept as written.

    `first_prompt` is what a person typed first, whole; `command` the first slash command, for where there is
    nothing else.
    """

    given: str = ""
    made: str = ""
    last_prompt: str = ""
    summary: str = ""
    first_prompt: str = ""
    command: str = ""

    def take(self, data: Record) -> None:
        """Look at one record."""
        kind = data.get("type")
        if kind == "user":
            if not self.first_prompt:
                self._prompt(data)
        elif isinstance(kind, str) and kind in _FIELD:
            value = text(data.get(_FIELD[kind]))
            if not value or value.isspace():
                return
            if kind == "custom-title":
                self.given = value
            elif kind == "ai-title":
                self.made = value
            elif kind == "last-prompt":
                self.last_prompt = value
            else:
                self.summary = value

    def __str__(self) -> str:
        told = self.given or self.made or self.last_prompt or self.summary
        return one_line(told or WRAPPED.sub(" ", self.first_prompt)) or self.command

    def _prompt(self, data: Record) -> None:
        if data.get("isMeta") or data.get("isSidechain") or data.get("isCompactSummary"):
            return
        texts = prompt_texts(data)
        command = next((match[1] for part in texts if (match := COMMAND.search(part))), "")
        if command:
            self.command = self.command or one_line(command)
        elif is_prompt(data):
            self.first_prompt = next((part for part in texts if one_line(WRAPPED.sub(" ", part))), "")


def title_of(records: Iterable[Record]) -> str:
    """The title of a session's records; "" if nothing serves."""
    title = Title()
    for data in records:
        title.take(data)
    return str(title)
