"""A file as the editor holds it: frontmatter apart, body with one kind of line end, and back to the same bytes."""

import re

from msgspec import Struct

from memtui.memory.frontmatter import read_frontmatter

LARGEST = 1_000_000
"""Bytes; what is larger opens read only."""


_SEPARATORS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""What `str.splitlines`, and so the text field, takes for a line end although the file's format does not."""


class Unopenable(ValueError):
    """The editor would change bytes that nobody touched; the message says why."""


class Sheet(Struct, frozen=True):
    """`head + body` is the whole text, with "\\n" for every line end; `newline` is what the file has."""

    head: str
    body: str
    newline: str

    @classmethod
    def from_bytes(cls, data: bytes) -> "Sheet":
        """Take a file apart.

        Raises:
            Unopenable: If editing it here would lose something.
        """
        if len(data) > LARGEST:
            raise Unopenable(f"{len(data):,} bytes: over 1 MB")
        if b"\0" in data:
            raise Unopenable("binary: it holds NUL bytes")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unopenable(f"not UTF-8 at byte {error.start}") from error
        plain = text.replace("\r\n", "\n")
        crlf = len(text) - len(plain)
        if "\r" in plain or (crlf and crlf != plain.count("\n")):
            raise Unopenable("mixed line ends: an editor would make them one kind")
        if _SEPARATORS.search(plain):
            raise Unopenable("line separators (form feed, U+2028 …) that an editor would turn into line ends")
        front = read_frontmatter(plain)
        at = front.body_start if front.verdict != "invalid" else 0
        if not at and plain.startswith("\ufeff"):
            at = 1
        return cls(plain[:at], plain[at:], "\r\n" if crlf else "\n")

    def whole(self) -> "Sheet":
        """The same file with its frontmatter as part of the body, for files whose fields are not offered apart."""
        mark = "\ufeff" if self.head.startswith("\ufeff") else ""
        return Sheet(mark, self.text.removeprefix(mark), self.newline)

    @property
    def text(self) -> str:
        """Head and body."""
        return self.head + self.body

    def to_bytes(self) -> bytes:
        """The file; the same bytes that it was made from if nothing changed."""
        return self.exact.encode("utf-8")

    @property
    def exact(self) -> str:
        """The text with the file's own line ends."""
        return self.text.replace("\n", self.newline)

    @property
    def body_line(self) -> int:
        """The number of the body's first line in the file, from 1."""
        return self.head.count("\n") + 1
