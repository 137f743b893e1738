"""The words for what the engine knows, shared by the command line and the screen.

In: values of the engine (an index budget, a problem, a run and its events, a session and its resume plan). Out:
`LabeledText`s: a label, a text of one line, and a tone, which the command line turns into an ANSI style and the screen
into a theme colour.

- `budget_text`   how full an index is
- `context_text`  what a session is given at its start
- `problem_text`  problems of memory files
- `dream_text`    gates, runs and events of a dream
- `session_text`  sessions, and what a resume sends of them
- `diff`          lines of a difference

Invariants: nothing is read or written here; neither Textual nor click is imported; foreign text is handed on as it is,
so whoever draws a text makes it visible (`util.text.visible`).
"""

from typing import Literal

from msgspec import Struct

Tone = Literal["", "good", "warn", "problem", "dim", "bold", "head", "link", "added", "removed"]
"""What a text is: the command line and the screen each have one style for it."""


class LabeledText(Struct, frozen=True):
    """A line for people: what it is about ("" for nothing), what it says, and its tone."""

    label: str
    text: str
    tone: Tone = ""
