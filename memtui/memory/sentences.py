"""Short texts made of longer ones: a description of a text, the first sentence of a description."""

import re

from memtui.memory.frontmatter import newline_of, read_frontmatter
from memtui.util.text import nfc

LONG_DESCRIPTION_CHARS = 150  # the client asks for entries of the index shorter than this

_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|[。！？]")
_MARKS = re.compile(
    r"^[ \t]*(?:[-*+>#]+|\d+[.)])[ \t]+|`([^`]+)`|[*`]+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|\[([^\[\]]*)\]\([^()]*\)"
)


def one_sentence(text: str, limit: int = LONG_DESCRIPTION_CHARS) -> str:
    """The first sentence of a text, cut at a word and marked with an ellipsis if even that is over the limit."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    for match in _SENTENCE_END.finditer(text, 20, limit):
        return text[: match.end()]
    head = text[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit // 2 else head).rstrip(" ,;:—–-") + "…"


def first_sentences(text: str, limit: int = LONG_DESCRIPTION_CHARS) -> str:
    """A text that is over the limit cut behind its first sentence; as it is if that is over the limit too."""
    short = one_sentence(text, limit)
    return text if short.endswith("…") and not text.endswith("…") else short


def first_sentence(text: str) -> str:
    """The first sentence of running text, without marks; "" if there is none."""
    in_code = False
    for line in text.lstrip("\ufeff").splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        bare = line.strip()
        if in_code or not bare or bare.startswith(("#", "|", "<!--", "---", "```", "~~~", "===")):
            continue
        plain = " ".join(without_marks(bare).split())
        if any(char.isalnum() for char in plain):
            return one_sentence(plain)
    return ""


def without_marks(line: str) -> str:
    """A line without bullet, emphasis, code and link marks."""
    return _MARKS.sub(lambda match: match[1] or match[2] or "", line)


def with_words(text: str, said: str) -> str:
    """A topic's text that says, at its end or anywhere, what its entry in the index said."""
    said = " ".join(nfc(said).split())
    known = " ".join(nfc(text).split()).casefold()
    description = " ".join(nfc(read_frontmatter(text).description or "").split())
    if not said or said.casefold() in known or said.casefold() in description.casefold():
        return text
    newline = newline_of(text)
    stem = text.rstrip("\r\n")
    return f"{stem}{newline * 2 if stem else ''}From the index: {said}{newline}"
