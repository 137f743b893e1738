"""What a session's title is made of, for those who read the ends of a file and those who read all of it."""

import re

NAMELESS = "no title"
"""What stands for the title of a session in which no person typed anything."""

LONGEST = 200
"""Characters of a title; longer ones end in "…"."""

COMMAND = re.compile(r"<command-name>([^<]*)</command-name>")
"""A slash command, as a prompt has it."""

WRAPPED = re.compile(r"<(system-reminder|ide_opened_file|ide_selection)>.*?</\1>", re.DOTALL)
"""What the client adds to a prompt."""


def one_line(value: str) -> str:
    """White space as single blanks, cut at `LONGEST` characters."""
    line = " ".join(value.split())
    return line if len(line) <= LONGEST else line[:LONGEST].rstrip() + "…"
