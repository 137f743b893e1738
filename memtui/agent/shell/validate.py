"""Judging a whole line: every command of it is in the tables and stays inside the folders, or the line isn't run.

Words are read the GNU way: flags may follow operands, short ones may be combined, values attached or in the next word,
"--" ends the flags. A word that programs read in different ways is denied.
"""

import glob
import os
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memtui.agent.shell.commands import COMMAND_RULES, SPECIAL_COMMANDS, VALUE_CHECKS, CommandRules
from memtui.agent.shell.grammar import Denied, PipelinePart, Redirect, ShellCommand, Word, parse_command_line
from memtui.agent.shell.paths import AllowedFolders

COMMANDS = frozenset(COMMAND_RULES) | frozenset(SPECIAL_COMMANDS)  # every program that may run; `cd` is none
_DENIED_BECAUSE = {
    "git": "no git: a repository's configuration can start programs",
    "awk": "awk can write and start programs: use cut, grep or jq",
    "xargs": "xargs starts programs: use find, grep -r or a wildcard",
    "less": "no pagers: use head or sed -n '1,40p'",
    "more": "no pagers: use head or sed -n '1,40p'",
    "tee": "tee writes: use Edit or Write",
}
_COUNT = re.compile(r"-[0-9]{1,9}")


class PipelineStage(Struct, frozen=True):
    """One program: its bare name and arguments, and its redirections in order."""

    argv: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()


class ShellStep(Struct, frozen=True):
    """A pipeline, and when it runs: `after` is "" (the first), ";", "&&" or "||"."""

    after: str
    stages: tuple[PipelineStage, ...]


class ShellPlan(Struct, frozen=True):
    """What runs instead of the line, in `cwd`; `readable` are the folders that may be read, links resolved."""

    cwd: Path
    steps: tuple[ShellStep, ...]
    readable: tuple[Path, ...]


def check_line(line: str, scope: AllowedFolders) -> ShellPlan:
    """Judge a command line and plan what to run instead; raises `Denied`, or `OSError`, which means the same."""
    root = Path(os.path.realpath(scope.root))
    readable = (root, *(Path(os.path.realpath(folder)) for folder in scope.reads))
    parts, scope = _apply_cd(parse_command_line(line), scope)
    steps = [ShellStep(part.after, tuple(_stage(command, scope) for command in part.commands)) for part in parts]
    return ShellPlan(scope.cwd or root, tuple(steps), readable)


def _apply_cd(parts: Sequence[PipelinePart], scope: AllowedFolders) -> tuple[Sequence[PipelinePart], AllowedFolders]:
    """Apply a `cd` at the start: it must be certain to succeed, or the rest would run somewhere else."""
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


def _stage(command: ShellCommand, scope: AllowedFolders) -> PipelineStage:
    name, words = _name(command.words[0]), command.words[1:]
    if name in SPECIAL_COMMANDS:
        args = SPECIAL_COMMANDS[name](words, scope)
    else:
        args = _ArgumentReader(name, words, COMMAND_RULES[name], scope).read()
    return PipelineStage((name, *args), command.redirects)


def _name(word: Word) -> str:
    if not word.bare or word.pattern is not None:
        raise Denied("a command's name has to stand without quotes and wildcards")
    if word.text not in COMMANDS:
        if word.text == "cd":
            raise Denied("cd is understood only at the start of a line: cd DIR && …")
        raise Denied(_DENIED_BECAUSE.get(word.text, f"{word.text} is not among the commands that only read"))
    return word.text


class _ArgumentReader:
    def __init__(self, name: str, words: Sequence[Word], rules: CommandRules, scope: AllowedFolders) -> None:
        self.name = name
        self.left = list(words)
        self.rules = rules
        self.scope = scope
        self.flags: list[str] = []
        self.seen: set[str] = set()
        self.operands: list[Word] = []

    def read(self) -> list[str]:
        """The arguments to run the command with: flags, then "--" where the program knows it, then operands."""
        while self.left:
            word = self.left.pop(0)
            if word.text == "-" or not word.text.startswith("-"):
                self.operands.append(word)
            elif word.text == "--":
                if not self.rules.ends:
                    raise Denied(f"{self.name} with --")
                self.operands += self.left
                break
            else:
                text = self.scope.literal(word)
                if self.rules.count and _COUNT.fullmatch(text):
                    self.flags.append(text)
                elif text.startswith("--"):
                    self.long(text)
                else:
                    self.short(text)
        return self.result()

    def long(self, text: str) -> None:
        flag, sign, value = text.partition("=")
        if sign and flag in self.rules.maybe:
            self.judge(flag, self.rules.maybe[flag], value)
        elif flag in self.rules.values:
            if sign:
                self.judge(flag, self.rules.values[flag], value)
            else:
                self.flags.append(flag)
                text = self.next(flag, self.rules.values[flag])
        elif flag in self.rules.doubles and not sign:
            self.flags += [flag, self.next(flag, "text")]
            text = self.next(flag, "text")
        elif sign or flag not in self.rules.flags | self.rules.maybe.keys():
            raise Denied(f"{self.name} with {flag}")
        self.seen.add(flag)
        self.flags.append(text)

    def short(self, text: str) -> None:
        for at, letter in enumerate(text[1:], 1):
            flag, rest = "-" + letter, text[at + 1 :]
            self.seen.add(flag)
            if flag in self.rules.flags:
                continue
            if not self.rules.glued and len(text) > 2:
                raise Denied(f"{self.name} with {text}: write the flags apart")
            if flag in self.rules.maybe:
                if rest:
                    self.judge(flag, self.rules.maybe[flag], rest)
            elif flag in self.rules.values:
                if not rest:
                    self.flags += [text, self.next(flag, self.rules.values[flag])]
                    return
                self.judge(flag, self.rules.values[flag], rest)
            else:
                raise Denied(f"{self.name} with {flag}")
            break
        self.flags.append(text)

    def next(self, flag: str, kind: str) -> str:
        if not self.left:
            raise Denied(f"{self.name} {flag} without a value")
        value = self.scope.literal(self.left.pop(0))
        if value.startswith("-") and kind != "number":
            raise Denied(f"{self.name} {flag} {value}: some programs take it for a flag; write it as {flag}=… or glued")
        self.judge(flag, kind, value)
        return value

    def judge(self, flag: str, kind: str, value: str) -> None:
        try:
            if kind == "path":
                self.scope.place(value)
            else:
                VALUE_CHECKS[kind](value)
        except Denied as denied:
            raise Denied(f"{self.name} {flag}: {denied}") from None

    def result(self) -> list[str]:
        rules = self.rules
        if rules.need and not rules.need & self.seen:
            raise Denied(f"{self.name} without {' or '.join(sorted(rules.need))}")
        brought = bool(rules.instead & self.seen)
        first = () if brought else rules.first
        if len(self.operands) < (0 if brought else rules.least):
            raise Denied(f"{self.name} without an operand")
        names: list[str] = []
        for at, word in enumerate(self.operands):
            names += self.operand(first[at] if at < len(first) else rules.rest, word)
        if len(names) > rules.most:
            raise Denied(f"{self.name} with more than {rules.most} operand{'s' * (rules.most != 1)}")
        if rules.ends and names:
            names.insert(0, "--")
        last = list(rules.last) if not rules.last_if or rules.last_if & self.seen else []
        if last:
            exclude = "--exclude={}" if self.name == "grep" else "--glob=!{}"
            below = [name for name in names[bool(names) + len(first) :] if name != "-"]
            last += map(exclude.format, map(glob.escape, self.scope.hard_links(below)))
        return [*rules.always, *self.flags, *last, *names]

    def operand(self, kind: str, word: Word) -> list[str]:
        if not kind:
            raise Denied(f"{self.name} with the operand {word.text}")
        if kind not in ("path", "file", "named"):
            text = self.scope.literal(word)
            VALUE_CHECKS[kind](text)
            return [text]
        names = self.scope.operands(word)
        if kind == "named" and "-" in names:
            raise Denied(f"{self.name} needs a file")
        if kind == "file" and any(name != "-" and self.scope.place(name).is_dir() for name in names):
            raise Denied(f"{self.name} with a folder")
        return names
