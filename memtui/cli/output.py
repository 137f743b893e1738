"""The only place that prints; `table` makes the lines of tables for it.

Text is made of parts; each part passes `util.text.visible` here, so a command cannot forget it, and colour is added
after that. JSON is written with every character outside ASCII escaped, so no control byte gets out of it either.

What looks like a secret is masked in all of it, JSON included, unless --show-secrets is given. What a program asked for
as it is (`exact`, and the bytes of `raw` in a pipe) stays as it is.
"""

import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from msgspec import Struct

from memtui.cli import GlobalOptions
from memtui.util.errors import MemtuiError, OutputFailed, Refused
from memtui.util.text import visible


def is_terminal(stream: TextIO) -> bool:
    """Whether a person is at the other end; a stream that is closed or none has nobody."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def write(stream: TextIO, text: str) -> None:
    """Write at once and flush; what the encoding lacks is shown as its number rather than failing."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        stream.write(text.encode(stream.encoding or "ascii", "backslashreplace").decode(stream.encoding or "ascii"))
    stream.flush()


SCHEMA = "memtui/1"
SHORT = 8  # characters of an id that are shown
SHORTEST_SECRET = 12  # characters; a shorter text of its own can't hold a secret and the word that tells of it
_SGR = {
    "bold": "1", "dim": "2", "good": "32", "warn": "33", "problem": "31", "head": "1;36", "added": "32", "removed": "31"
}  # fmt: skip


class Masked(str):
    """Text in which secrets are masked already."""

    __slots__ = ()


class StyledText(Struct, frozen=True):
    text: str
    style: str = ""


Data = dict[str, Any]  # one object of an answer
Cell = str | StyledText
Line = Cell | Sequence[Cell]  # one line of text: a string, a part, or several of them


class OutputGlyphs(Struct, frozen=True):
    """Marks that a terminal may not have; each also has a word in `--plain`."""

    problem: str
    unlisted: str
    bar: str
    rest: str
    edges: tuple[str, str]
    ellipsis: str
    open: str
    closed: str
    dot: str


UNICODE = OutputGlyphs("!", "○", "█", "░", ("▐", "▌"), "…", "✓", "✗", "·")
ASCII = OutputGlyphs("!", "o", "#", "-", ("[", "]"), "...", "v", "x", "-")


class Output:
    """Prints for one call; `ascii`: the person's settings ask for ASCII marks."""

    def __init__(self, options: GlobalOptions, environ: Mapping[str, str], *, ascii: bool = False) -> None:
        self._options, self._environ, self._ascii = options, environ, ascii
        self._closed = False
        self._failed = ""  # why the answer could not be written

    @property
    def structured(self) -> bool:
        return self._options.json or self._options.jsonl

    @property
    def quiet(self) -> bool:
        return self._options.quiet

    @property
    def verbose(self) -> bool:
        return self._options.verbose

    @property
    def plain(self) -> bool:
        return self._options.plain

    @property
    def glyphs(self) -> OutputGlyphs:
        encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("_", "-")
        plain = self._options.ascii or self._ascii
        return UNICODE if encoding in ("utf-8", "utf8") and not plain else ASCII

    @property
    def width(self) -> int:
        """Cells of a line; 0 where lines are not cut because nobody looks at them in a terminal."""
        if not is_terminal(sys.stdout) or self.plain:
            return 0
        columns = self._environ.get("COLUMNS", "")
        if columns.isdigit() and int(columns) > 0:
            return int(columns)
        try:
            return os.get_terminal_size(sys.stdout.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def coloured(self, stream: TextIO) -> bool:
        if self._options.no_color or self.plain or self._environ.get("NO_COLOR"):
            return False
        return is_terminal(stream) and self._environ.get("TERM", "") not in ("", "dumb", "unknown")

    def result(
        self, kind: str, data: object, text: Iterable[Line], *, rows: Iterable[object] | None = None,
        warnings: Sequence[str] = (), page: bool = False, exact: bool = False,
    ) -> None:  # fmt: skip
        """Print what a command found, in the form that is wanted.

        Args:
            kind: What `data` is, for scripts.
            data: The whole answer, made of what JSON can hold.
            text: The same for people; not looked at when JSON is wanted.
            rows: What `--jsonl` prints, one a line; if left out the items of a list, or `data` as the only line.
            warnings: Said beside it: in the JSON object, else on stderr.
            page: Whether a long text goes through $PAGER, where the person has set one.
            exact: Whether it is a file's own text, which a pipe and JSON give with its secrets.
        """
        masked = not exact
        if self._options.jsonl:
            if rows is None:
                rows = data if isinstance(data, list) else [data]
            self._write("".join(self._json(row, masked) + "\n" for row in rows))
            self.warn(warnings)
        elif self._options.json:
            envelope = {"schema": SCHEMA, "kind": kind, "data": data, "warnings": list(warnings)}
            self._write(self._json(envelope, masked) + "\n")
        else:
            self.warn(warnings)
            shown = self._text(text, sys.stdout, masked=masked or is_terminal(sys.stdout))
            if not (page and self._paged(shown)):
                self._write(shown)

    def listing(
        self, kind: str, rows: list[Data], text: Iterable[Line], *, empty: str, warnings: Sequence[str] = (),
        page: bool = False,
    ) -> int:  # fmt: skip
        """Print a list as `result` does; where it is empty say so, and return 1 as the exit code."""
        self.result(kind, rows, text, warnings=warnings, page=page)
        if not rows:
            self.status(empty)
        return int(not rows)

    def _paged(self, text: str) -> bool:
        """Show a text that is longer than the terminal in the person's own pager; false if it has to be printed."""
        pager = self._environ.get("PAGER", "")
        if not pager.strip() or self.plain or not self.interactive() or not is_terminal(sys.stdout):
            return False
        import subprocess  # 3 ms, needed with $PAGER only

        try:
            if text.count("\n") < (os.get_terminal_size(sys.stdout.fileno()).lines or 24):
                return False
            # As git does: less shall pass colours on, and leave what fits on the screen.
            environ = {"LESS": "FRX", **self._environ}
            with subprocess.Popen(shlex.split(pager), stdin=subprocess.PIPE, env=environ) as child:
                child.communicate(text.encode("utf-8", "backslashreplace"))
        except (OSError, ValueError):
            return False
        return True

    def raw(self, data: bytes) -> None:
        """Print a file's bytes: exactly to a pipe or file, made visible on a terminal."""
        if is_terminal(sys.stdout) or not hasattr(sys.stdout, "buffer"):
            text = data.decode("utf-8", "surrogateescape")
            self._write(visible(self.masked([text])[0]))
            return
        if not self._closed:
            with self._failing():
                sys.stdout.flush()
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()

    def print(self, *lines: Line) -> None:
        """Tell what was done; nothing with `-q`, and nothing beside JSON."""
        if not self.quiet and not self.structured:
            self._write(self._text(lines, sys.stdout))

    def status(self, *lines: Line) -> None:
        """Say something beside the answer, on stderr; nothing with `-q`."""
        if not self.quiet:
            self._tell(self._text(lines, sys.stderr))

    def unwritten(self, what: str = "written") -> None:
        self.status(f"-n: nothing was {what}")

    def warn(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            self.status([StyledText("warning: ", "warn"), warning])

    def error(self, error: MemtuiError) -> None:
        """Say what went wrong, on stderr: as text, or as an object where JSON is wanted."""
        if self.structured:
            entry = {"code": error.code, "exit": error.exit_code, "message": error.message, "hint": error.hint}
            self._tell(self._json({"error": entry}, masked=True) + "\n")
            return
        first, *more = error.message.split("\n")
        lines: list[Line] = [[StyledText("memtui: ", "problem"), first], *more]
        if error.hint:
            lines.append(StyledText("  " + error.hint, "dim"))
        self._tell(self._text(lines, sys.stderr))

    def interactive(self) -> bool:
        return not self._options.no_input and is_terminal(sys.stdin) and is_terminal(sys.stderr)

    def ask(self, question: str) -> bool:
        """Ask for a yes; `-y` is one, and Enter alone is a no. `Refused` if nobody is there to be asked."""
        if self._options.yes:
            return True
        if not self.interactive():
            raise Refused(f"no terminal to confirm: {question}", hint="--yes says yes, -n shows what would be done")
        return self.choose(question, "y/N") in ("y", "yes")

    def choose(self, question: str, answers: str) -> str:
        """Ask for a word, where somebody is there to be asked; in small letters, "" for Enter alone."""
        self._tell(f"{visible(question, keep='')} [{answers}] ")
        answer = sys.stdin.readline()
        if not answer.endswith("\n"):
            self._tell("\n")
        return answer.strip().lower()

    def masked(self, texts: Sequence[str]) -> list[str]:
        """Texts with what looks like a secret masked unless it is to be shown."""
        if self._options.show_secrets or not texts:
            return list(texts)
        from memtui.presentation.secrets import mask_texts  # 15 ms that --version and errors in words do without

        return mask_texts(texts)

    def _text(self, lines: Iterable[Line], stream: TextIO, *, masked: bool = True) -> str:
        coloured = self.coloured(stream)
        shown = list(lines)
        if masked:
            texts = [text for line in shown for text in _texts(line) if not isinstance(text, Masked)]
            done = self.masked(texts)
            if done != texts:
                known = dict(zip(texts, done, strict=True))
                shown = [
                    [StyledText(known.get(part.text, part.text), part.style) for part in _parts(line)] for line in shown
                ]
        return "".join(_line(line, coloured) + "\n" for line in shown)

    def _json(self, value: object, masked: bool) -> str:
        if not masked or self._options.show_secrets:
            return _json(value)
        plain = json.loads(_json(value))
        texts = [text for text in dict.fromkeys(_strings(plain)) if len(text) >= SHORTEST_SECRET]
        known = {old: new for old, new in zip(texts, self.masked(texts), strict=True) if old != new}
        return _json(_replaced(plain, known) if known else value)

    def _write(self, text: str) -> None:
        if self._closed or not text:
            return
        with self._failing():
            write(sys.stdout, text)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Print nothing more where that fails. The work is still finished, and its exit code counts.

        A reader that has gone (`| head -1`) is no fault; anything else is told by `failure`.
        """
        try:
            yield
        except OSError as error:
            self._closed = True
            self._failed = "" if isinstance(error, BrokenPipeError) else error.strerror or str(error)
            _drop(sys.stdout)

    def failure(self) -> OutputFailed | None:
        """Why some of the answer could not be written; `None` if it was."""
        with self._failing():
            sys.stdout.flush()
        if not self._failed:
            return None
        return OutputFailed(f"the answer could not be written: {self._failed}", hint="all else was done")

    def _tell(self, text: str) -> None:
        """Write to standard error; where that fails there is nobody to tell."""
        try:
            write(sys.stderr, text)
        except (OSError, ValueError):
            _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """Let a stream that can't be written be /dev/null, or the interpreter complains when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _parts(line: Line) -> list[StyledText]:
    parts = [line] if isinstance(line, str | StyledText) else line
    return [StyledText(part) if isinstance(part, str) else part for part in parts]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value if isinstance(value, list) else value.values():
            yield from _strings(one)


def _replaced(value: object, known: Mapping[str, str]) -> object:
    match value:
        case str():
            return known.get(value, value)
        case list():
            return [_replaced(one, known) for one in value]
        case dict():
            return {key: _replaced(one, known) for key, one in value.items()}
    return value


def _texts(line: Line) -> list[str]:
    return [line] if isinstance(line, str) else [part.text for part in _parts(line)]


def _line(line: Line, coloured: bool) -> str:
    if isinstance(line, str):
        return visible(line, keep="\t").rstrip(" ")
    shown = []
    for styled in _parts(line):
        clean = visible(styled.text, keep="\t")
        code = _SGR.get(styled.style, "") if coloured and clean else ""
        shown.append(f"\x1b[{code}m{clean}\x1b[0m" if code else clean)
    return "".join(shown).rstrip(" ")


def fields(value: object, names: str) -> Data:
    """Some attributes of an object, for scripts; `names` has blanks between them."""
    return {name: getattr(value, name) for name in names.split()}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(", ", ": "), default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} in an answer")


def iso(seconds: float | None) -> str | None:
    """A time for scripts: ISO 8601 in UTC, whole seconds; `None` stays `None`."""
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, OSError, ValueError):
        return None
