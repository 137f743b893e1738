"""Characters to words, words to pipelines: the part of the shell language that means the same in every shell.

    list      pipeline ((";" | "&&" | "||") pipeline)*
    pipeline  command ("|" command)*
    command   word (word | redirection)*
    word      plain characters, * and ?, '…', "…" without $ ` and escapes
    redirect  >/dev/null  1>/dev/null  2>/dev/null  2>&1

Everything else is denied: expansions, escapes, comments, groups, here-documents, assignments, line ends.

Source: POSIX shell command language 2.2 to 2.7.
"""

import glob
import re
import unicodedata
from typing import Literal

from msgspec import Struct

MAX_LENGTH = 4096  # characters, and bytes, of a line
MAX_COMMANDS = 20
MAX_WILDCARDS = 20  # words with a wildcard; for each a folder is listed

_BLANK = " \t"
_ENDS_WORD = " \t|&;<>"
_PLAIN = re.compile(r"[A-Za-z0-9_./,:+=@%^!#-]")
_DENIED_BECAUSE = {
    "$": "an unquoted $ expands: put it in single quotes",
    "`": "a backtick runs a command",
    "\\": "a backslash outside single quotes: quote the word with '…' instead",
    "~": "a ~ expands to a home folder: write the path",
    **dict.fromkeys("()", "a bracket outside quotes: sub-shells and functions are not understood"),
    **dict.fromkeys("{}", "a brace outside quotes expands"),
    "[": "a [ outside quotes is a pattern or a test: quote it, or use test",
    "]": "a ] outside quotes is a pattern or a test: quote it, or use test",
    "<": "input from a file or a here-document: give the file as an operand",
}


class Denied(Exception):
    """The line isn't run; the message says why and what would do instead. It never leaves `permissions.decide`."""


class Redirect(Struct, frozen=True):
    """Output 1 or 2 discarded ("null"), or joined to where output 1 goes at that point ("stdout")."""

    fd: int
    target: Literal["null", "stdout"]


class Word(Struct, frozen=True):
    """One word without its quotes."""

    text: str
    bare: bool = True  # it had none
    pattern: str | None = None  # for `fnmatch`, if it has an unquoted * or ?; quoted ones are escaped


class ShellCommand(Struct, frozen=True):
    """One simple command of at least one word."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


class PipelinePart(Struct, frozen=True):
    """A pipeline and the operator before it, "" for the first."""

    after: str
    commands: tuple[ShellCommand, ...]


def parse_command_line(line: str) -> list[PipelinePart]:
    """Read a command line; raises `Denied` for anything that isn't in the grammar."""
    _check_characters(line)
    return _GrammarReader(line).read()


def _check_characters(line: str) -> None:
    if len(line) > MAX_LENGTH:
        raise Denied(f"longer than {MAX_LENGTH} characters")
    for char in line:
        if char in _BLANK or (char.isascii() and char.isprintable()):
            continue
        if unicodedata.category(char)[0] in "CZ":
            raise Denied(f"holds a line end, a control, format or odd blank character (U+{ord(char):04X})")
    if len(line.encode()) > MAX_LENGTH:
        raise Denied(f"longer than {MAX_LENGTH} bytes")


class _GrammarReader:
    def __init__(self, line: str) -> None:
        self.line = line
        self.at = 0
        self.count = 0
        self.wildcards = 0

    def read(self) -> list[PipelinePart]:
        parts = [PipelinePart("", self.pipeline())]
        while self.at < len(self.line):
            parts.append(PipelinePart(self.operator(), self.pipeline()))
        return parts

    def operator(self) -> str:
        for sign in ("&&", "||", ";"):
            if self.take(sign):
                return sign
        if self.line[self.at] == "&":
            raise Denied("a single & starts a command in the background or redirects")
        raise Denied("not understood from here: " + self.line[self.at : self.at + 20])

    def take(self, sign: str) -> bool:
        found = self.line.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def blanks(self) -> None:
        while self.at < len(self.line) and self.line[self.at] in _BLANK:
            self.at += 1

    def pipeline(self) -> tuple[ShellCommand, ...]:
        commands = [self.command()]
        while self.line.startswith("|", self.at) and not self.line.startswith("||", self.at):
            self.at += 1
            commands.append(self.command())
        return tuple(commands)

    def command(self) -> ShellCommand:
        self.count += 1
        if self.count > MAX_COMMANDS:
            raise Denied(f"more than {MAX_COMMANDS} commands")
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self.blanks()
            char = self.line[self.at : self.at + 1]
            if char == ">" or (char in ("1", "2") and char and self.line.startswith(">", self.at + 1)):
                if not words:
                    raise Denied("a redirection before the command")
                redirects.append(self.redirect())
            elif char == "" or char in "|&;":
                break
            else:
                words.append(self.word())
        if not words:
            raise Denied("a command is missing")
        return ShellCommand(tuple(words), tuple(redirects))

    def redirect(self) -> Redirect:
        fd = 1 if self.line[self.at] == ">" else int(self.line[self.at])
        self.at = self.line.index(">", self.at) + 1
        joined = self.take("&")
        if not joined:
            self.blanks()
        start = self.at
        while self.at < len(self.line) and self.line[self.at] not in _ENDS_WORD:
            self.at += 1
        target = self.line[start : self.at]
        if joined and fd == 2 and target == "1":
            return Redirect(fd, "stdout")
        if not joined and target == "/dev/null":
            return Redirect(fd, "null")
        raise Denied("output goes nowhere but to >/dev/null, 2>/dev/null and 2>&1")

    def word(self) -> Word:
        text: list[str] = []
        pattern: list[str] = []
        start = self.at
        bare, wild = True, False
        while self.at < len(self.line) and (char := self.line[self.at]) not in _ENDS_WORD:
            if char in "'\"":
                piece = self.quoted(char)
                bare = False
            else:
                piece = self.plain(char, first=self.at == start)
                if piece in "*?":
                    wild = True
                    text.append(piece)
                    pattern.append(piece)
                    continue
            text.append(piece)
            pattern.append(glob.escape(piece))
        if self.at == start:
            raise Denied(_DENIED_BECAUSE.get(self.line[start], "not understood: " + self.line[start]))
        if self.line.startswith(">", self.at) and self.line[start : self.at].isdigit():
            raise Denied("redirects another output than 1 or 2")
        self.wildcards += wild
        if self.wildcards > MAX_WILDCARDS:
            raise Denied(f"more than {MAX_WILDCARDS} words with wildcards")
        return Word("".join(text), bare, "".join(pattern) if wild else None)

    def plain(self, char: str, *, first: bool) -> str:
        self.at += 1
        if first and char == "#":
            raise Denied("a comment")
        if char in "*?" or _PLAIN.match(char) or (not char.isascii() and unicodedata.category(char)[0] in "LMN"):
            return char
        raise Denied(_DENIED_BECAUSE.get(char, f"{char} outside quotes"))

    def quoted(self, quote: str) -> str:
        end = self.line.find(quote, self.at + 1)
        if end < 0:
            raise Denied("a quote that isn't closed")
        piece = self.line[self.at + 1 : end]
        if quote == '"':
            if match := re.search(r"[$`]", piece):
                raise Denied(f"a {match[0]} inside double quotes: use single quotes")
            if re.search(r"\\(\\|\Z)", piece):  # elsewhere in double quotes a backslash is only a backslash
                raise Denied("an escaped quote or backslash inside double quotes: use single quotes")
        self.at = end + 1
        return piece
