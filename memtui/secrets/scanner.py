"""Scan a text for what looks like a credential; mask and redact what was found."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from msgspec import Struct

from memtui.secrets import context, values
from memtui.secrets.patterns import GATE_WORDS, GENERIC_PREFIXES, PATTERN_RULES, TOKEN_FORMATS
from memtui.util.hashing import sha256

compile_pattern = cache(re.compile)  # on first use; most are never tried

_RUN = re.compile(r"[A-Za-z0-9_.:/+-]{16,}")
_MIXED = re.compile(r"[A-Z0-9]")
_ESCAPED = frozenset("nrtbf")


class Finding(Struct, frozen=True):
    """Something that looks like a secret."""

    rule: str
    line: int  # from 1
    column: int  # from 1
    masked: str  # a public prefix at most
    start: int  # a character offset, as the end
    end: int
    fingerprint: str  # a SHA-256 of the value: not to be shown


def scan(text: str, *, allowed: Collection[str] = ()) -> list[Finding]:
    """Find what looks like a credential, in time that grows with the text; the more definite of two rules counts."""
    taken: list[tuple[int, int, str]] = []  # sorted, and no two overlap
    for rule, start, end in (*_by_prefix(text), *_by_form(text), *context.find_near_keywords(text)):
        at = bisect_left(taken, (start, end, ""))
        if (at == 0 or taken[at - 1][1] <= start) and (at == len(taken) or taken[at][0] >= end):
            taken.insert(at, (start, end, rule))
    found = []
    line, line_start, at = 1, 0, 0
    for start, end, rule in taken:
        line += text.count("\n", at, start)
        line_start = max(line_start, text.rfind("\n", at, start) + 1)
        at = start
        value = text[start:end]
        fingerprint = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
        if fingerprint not in allowed:
            found.append(Finding(rule, line, start - line_start + 1, mask(value, rule), start, end, fingerprint))
    return found


def mask(value: str, rule: str = "password") -> str:
    """Return what may be shown of a secret: at most the public prefix of a vendor's format, and its length."""
    prefix = ""
    if len(value) >= 20:
        prefix = next((t.prefix for t in TOKEN_FORMATS if t.rule == rule and value.startswith(t.prefix)), "")[:12]
    if value.startswith("-----BEGIN"):
        return "-----BEGIN … PRIVATE KEY-----"
    return f"{prefix}•••••• ({len(value)} characters)"


def redact(text: str, findings: Sequence[Finding], *, masked: bool = False) -> str:
    """Replace values by "[removed]", a placeholder to `scan`, or `masked` by what may be shown, keeping the lines."""
    pieces, at = [], 0
    for finding in sorted(findings, key=lambda f: f.start):
        end = _key_end(text, finding) if finding.rule == "private-key" else finding.end
        if finding.start >= at:
            shown = finding.masked + "\n" * text.count("\n", finding.start, end) if masked else "[removed]"
            pieces += [text[at : finding.start], shown]
            at = end
    return "".join((*pieces, text[at:]))


_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


_KEY_LINES = re.compile(r"[A-Za-z0-9+/=]*(?:\s[A-Za-z0-9+/=]{20,200}(?=\s|\Z)){0,400}")


def _key_end(text: str, finding: Finding) -> int:
    """Where a private key ends; a cut one ends with its last line of base64."""
    closing = _KEY_END.search(text, finding.start)
    if closing:
        return closing.end()
    rest = _KEY_LINES.match(text, finding.end)
    return rest.end() if rest else finding.end


def _by_prefix(text: str) -> Iterator[context.Span]:
    """Formats with a prefix of their own; only long runs of token characters can hold one."""
    runs = "\n".join(run for run in _RUN.findall(text) if _MIXED.search(run))
    if not runs:
        return
    for token in TOKEN_FORMATS:
        if token.prefix not in runs:
            continue
        at = text.find(token.prefix)
        while at >= 0:
            match = compile_pattern(token.pattern).match(text, at) if _starts_here(text, at) else None
            if match and _is_token(token.prefix, match[0]):
                yield token.rule, at, match.end()
            at = text.find(token.prefix, match.end() if match else at + 1)


def _starts_here(text: str, at: int) -> bool:
    """Whether a word may begin here: not inside another, but after the `\\n` of a JSON string."""
    if at == 0 or not (text[at - 1].isalnum() or text[at - 1] == "_") or not text[at].isalnum():
        return True
    return text[at - 1] in _ESCAPED and text[at - 2 : at - 1] == "\\"


def _is_token(prefix: str, value: str) -> bool:
    body = value[len(prefix) :]
    if values.is_placeholder(body, machine=True) or "example" in value.lower():
        return False
    if values.is_hash_like(body):
        return True
    if prefix in GENERIC_PREFIXES:
        return values.is_random(body) and not values.is_wordy(body)
    return not values.is_wordy(body) or any(c.isdigit() for c in body)


def _by_form(text: str) -> Iterator[context.Span]:
    """Places by form: a password in a URL, a header, a flag of a command, a key block."""
    low = text.lower()
    closed = {gate for gate in GATE_WORDS if gate not in low}
    for place in PATTERN_RULES:
        if closed.issuperset(place.gates) or not any(word in low for word in place.words):
            continue
        for match in compile_pattern(place.pattern).finditer(text):
            if _is_placed(place.judged, match["s"]):
                yield place.rule, *match.span("s")


def _is_placed(judged: str, value: str) -> bool:
    if value.startswith("-----"):
        return True
    if values.is_placeholder(value, machine=judged == "any"):
        return False
    if judged == "any":
        return not value.startswith(("$", "%", "{", "<"))
    if values.is_reference(value):
        return False
    if judged == "random":
        return values.is_random(value, shortest=12) or (values.is_hash_like(value) and len(value) >= 16)
    return values.is_password(value) or values.is_random(value) or values.is_hash_like(value)
