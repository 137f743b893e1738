"""The whole line: every command of it is in the tables and stays inside the folders, or the line isn't run."""

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from memtui.agent.shell.options import arguments
from memtui.agent.shell.plan import Denied, Plan, Stage, Step
from memtui.agent.shell.scope import Scope
from memtui.agent.shell.special import SPECIAL
from memtui.agent.shell.table import RULES
from memtui.agent.shell.words import Command, Part, Word, parse

COMMANDS = frozenset(RULES) | frozenset(SPECIAL)
"""Every program that may run; `cd` is none."""

_INSTEAD = {
    "git": "no git: a repository's configuration can start programs",
    "awk": "awk can write and start programs: use cut, grep or jq",
    "xargs": "xargs starts programs: use find, grep -r or a wildcard",
    "less": "no pagers: use head or sed -n '1,40p'",
    "more": "no pagers: use head or sed -n '1,40p'",
    "tee": "tee writes: use Edit or Write",
}


def check_line(line: str, scope: Scope) -> Plan:
    """Judge a command line.

    Args:
        line: As the model wrote it.
        scope: What may be read.

    Returns:
        What to run instead of the line.

    Raises:
        Denied: If anything in it isn't known to be harmless.
        OSError: If the disk fails; the caller takes it for a denial.
    """
    root = Path(os.path.realpath(scope.root))
    readable = (root, *(Path(os.path.realpath(folder)) for folder in scope.reads))
    parts, scope = _enter(parse(line), scope)
    steps = [Step(part.after, tuple(_stage(command, scope) for command in part.commands)) for part in parts]
    return Plan(scope.cwd or root, tuple(steps), readable)


def _enter(parts: Sequence[Part], scope: Scope) -> tuple[Sequence[Part], Scope]:
    """Take a `cd` at the start away: it has to be sure to succeed, or the rest would run somewhere else."""
    first, *others = parts
    words = first.commands[0].words
    if words[0].text != "cd" or not words[0].bare:
        return parts, scope
    if len(first.commands) > 1 or not others or others[0].after != "&&":
        raise Denied("cd is understood only at the start and with && behind it: cd DIR && …")
    if len(words) != 2 or first.commands[0].redirects or words[1].text.startswith(("-", "+")):
        raise Denied("cd takes one folder")
    place = scope.place(scope.literal(words[1]))
    if not place.is_dir():
        raise Denied(f"cd to {words[1].text}, which is no folder")
    return [replace(others[0], after=""), *others[1:]], replace(scope, cwd=place)


def _stage(command: Command, scope: Scope) -> Stage:
    name, words = _name(command.words[0]), command.words[1:]
    special = SPECIAL.get(name)
    args = arguments(name, words, RULES[name], scope) if special is None else special(words, scope)
    return Stage((name, *args), command.redirects)


def _name(word: Word) -> str:
    if not word.bare or word.pattern is not None:
        raise Denied("a command's name has to stand without quotes and wildcards")
    if word.text not in COMMANDS:
        if word.text == "cd":
            raise Denied("cd is understood only at the start of a line: cd DIR && …")
        raise Denied(_INSTEAD.get(word.text, f"{word.text} is not among the commands that only read"))
    return word.text
