"""`find`: where it starts, and an expression of tests that only look.

Source: manual of findutils 4.9. Not here: -delete, -exec and its kin, -fprint and its kin, -fls, -files0-from, -L, -H,
-follow, -D; nothing is matched by its beginning.
"""

from collections.abc import Sequence

from memtui.agent.shell.kinds import KINDS
from memtui.agent.shell.plan import Denied
from memtui.agent.shell.scope import Scope
from memtui.agent.shell.words import Word

ALONE = frozenset({
    "-a", "-and", "-o", "-or", "-not", "!", "(", ")", "-print", "-print0", "-prune", "-quit", "-true", "-false",
    "-empty", "-depth", "-xdev", "-mount", "-ls", "-readable", "-writable", "-executable", "-daystart", "-nouser",
    "-nogroup",
})  # fmt: skip
VALUES = {
    "-name": "text", "-iname": "text", "-path": "text", "-ipath": "text", "-wholename": "text", "-lname": "text",
    "-ilname": "text", "-regex": "text", "-iregex": "text", "-regextype": "text", "-type": "text", "-xtype": "text",
    "-perm": "text", "-size": "text", "-user": "text", "-group": "text", "-newermt": "text", "-mtime": "text",
    "-atime": "text", "-ctime": "text", "-mmin": "text", "-amin": "text", "-cmin": "text", "-links": "text",
    "-inum": "text", "-maxdepth": "width", "-mindepth": "width", "-newer": "path", "-anewer": "path",
    "-cnewer": "path", "-samefile": "path", "-printf": "format",
}  # fmt: skip


def find_arguments(words: Sequence[Word], scope: Scope) -> list[str]:
    """Judge the words behind `find`.

    Raises:
        Denied: If one of them isn't a start inside the folders or a test that only looks.
    """
    left = list(words)
    starts: list[str] = []
    while left and not left[0].text.startswith("-") and left[0].text not in ("!", "("):
        starts += scope.operands(left.pop(0))
    expression: list[str] = []
    while left:
        test = scope.literal(left.pop(0))
        expression.append(test)
        if test in ALONE:
            continue
        if test not in VALUES:
            raise Denied(f"find with {test}")
        if not left:
            raise Denied(f"find {test} without a value")
        value = scope.literal(left.pop(0))
        if VALUES[test] == "path":
            scope.place(value)
        else:
            KINDS[VALUES[test]](value)
        expression.append(value)
    return [*starts, *expression]
