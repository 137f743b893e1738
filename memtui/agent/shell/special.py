"""Commands whose words are neither flags nor operands: `echo`, `printf`, `test`."""

from collections.abc import Callable, Sequence

from memtui.agent.shell.find import find_arguments
from memtui.agent.shell.kinds import KINDS
from memtui.agent.shell.plan import Denied
from memtui.agent.shell.scope import Scope
from memtui.agent.shell.words import Word

_FILE_TESTS = ("-e", "-f", "-d", "-s", "-r", "-h", "-L")


def _echo(words: Sequence[Word], scope: Scope) -> list[str]:
    """Every word is text; what is no flag of it is printed."""
    return [scope.literal(word) for word in words]


def _printf_arguments(words: Sequence[Word], scope: Scope) -> list[str]:
    if not words:
        raise Denied("printf without a format")
    values = [scope.literal(word) for word in words]
    KINDS["printf"](values[0])
    return values


def _test(words: Sequence[Word], scope: Scope) -> list[str]:
    """Only whether a file is there and of which kind: `test` of numbers and variables is a shell's own language."""
    values = [scope.literal(word) for word in words]
    turned = values[:1] == ["!"]
    rest = values[turned:]
    if len(rest) != 2 or rest[0] not in _FILE_TESTS:
        raise Denied("test is understood as: test [!] -f FILE, with -e, -f, -d, -s, -r, -h or -L")
    scope.place(rest[1])
    return values


SPECIAL: dict[str, Callable[[Sequence[Word], Scope], list[str]]] = {
    "echo": _echo,
    "printf": _printf_arguments,
    "test": _test,
    "find": find_arguments,
}
"""Commands with rules of their own: the words behind the name to the arguments; each raises `Denied`."""
