"""Values of flags and operands that are no paths: which ones are harmless.

A kind is a short name that the command table uses. What a value may do is the question, not whether it is right: a
program that gets nonsense says so itself.
"""

import fnmatch
import re
from collections.abc import Callable

from memtui.agent.shell.plan import Denied
from memtui.base.boundary import SENSITIVE_NAMES, fold_name, is_sensitive

_NUMBER = re.compile(r"[+-]?[0-9]{1,12}[bkKMG]?B?")
_WIDTH = re.compile(r"[0-9]{1,3}")
# A width that is a number of four digits, or comes from an operand, prints as many blanks as one likes.
_FLOOD = re.compile(r"%[^A-Za-z%]*?([0-9]{4}|\*)")
_PRINTF = re.compile(r"%(%|[-+ 0#']*[0-9]{0,3}(\.[0-9]{1,3})?[bcdeEfgGioqsuxX])")
_MOMENT = re.compile(r"[A-Za-z0-9 :+@,./-]*")
_SED = re.compile(r"([0-9]{1,9}|\$)(,([0-9]{1,9}|\$))?p(;([0-9]{1,9}|\$)(,([0-9]{1,9}|\$))?p)*")
# What reaches the environment and other files; ".env" is a field.
_JQ_FORBIDDEN_WORD = re.compile(r"(?<![A-Za-z0-9_.])(env|ENV|import|include|modulemeta|get_search_list)\b")
_JQ_STRING = re.compile(r'"([^"\\]|\\.)*"')


_NAMES = [*SENSITIVE_NAMES, ".env", ".env.local"]


def _matching(pattern: re.Pattern[str], what: str) -> Callable[[str], None]:
    def check(value: str) -> None:
        if not pattern.fullmatch(value):
            raise Denied(f"{value!r}: {what}")

    return check


def _text(value: str) -> None:
    """Anything: a pattern to search for, a separator, a name to match."""


def _format(value: str) -> None:
    if _FLOOD.search(value):
        raise Denied(f"{value!r}: a width above 999")


def _printf(value: str) -> None:
    if value.startswith("-"):
        raise Denied("printf with a flag")
    if "%" in _PRINTF.sub("", value):
        raise Denied(f"{value!r}: only %s, %d and their like, with widths up to 999")


def _today(value: str) -> None:
    if not value.startswith("+"):
        raise Denied(f"{value!r}: an operand without + sets the clock")
    _format(value)


def _jq(value: str) -> None:
    if "\\(" not in value:  # a string without code in it is only text
        value = _JQ_STRING.sub('""', value)
    if match := _JQ_FORBIDDEN_WORD.search(value):
        raise Denied(f"a filter with {match[0]}, which reaches the environment or other files")


def _chosen(value: str) -> None:
    """A wildcard that chooses files; one that leaves files out may name what it likes."""
    value = value.removeprefix("=")  # ripgrep takes -g=X for -g X
    if value.startswith("!"):
        return
    for part in re.split(r"[/{},]", value):
        hit = part[:1] not in ("", "*", "?", "[") and fnmatch.filter(_NAMES, fold_name(part))
        if hit or is_sensitive(part):
            raise Denied(f"{value!r} chooses files that may hold a secret")


KINDS: dict[str, Callable[[str], None]] = {
    "text": _text,
    "number": _matching(_NUMBER, "not a number"),
    "width": _matching(_WIDTH, "not a number up to 999"),
    "format": _format,
    "printf": _printf,
    "today": _today,
    "moment": _matching(_MOMENT, "not a date in plain words"),
    "sed": _matching(_SED, "sed only prints lines by number: sed -n '10,40p' FILE"),
    "jq": _jq,
    "chosen": _chosen,
}
"""Checks by name; each raises `Denied`. "path", "file" and "named" are left to the scope."""
