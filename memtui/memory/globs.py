"""Glob patterns of the agent client's settings, as regular expressions over whole POSIX paths.

`*` and `?` stay inside a name, `**/` is any number of folders, `**` anything, `{a,b}` either, `[a-z]` one of; hidden
names
match like others. Recorded on Claude Code 2.1.332 with `claudeMdExcludes`: a pattern without `**` or a leading `/`
matches nothing, since it is compared with whole paths.
"""

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def glob_regex(pattern: str) -> re.Pattern[str]:
    """The pattern as a regular expression for `fullmatch`; a broken bracket or range is taken literally."""
    try:
        return re.compile(_translate(pattern[:4096]), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def _translate(pattern: str) -> str:
    out: list[str] = []
    depth, at = 0, 0
    balanced = pattern.count("{") == pattern.count("}")
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] in "/{,"):
            out.append("(?:.*/)?")
            at += 3
            continue
        if pattern.startswith("**", at):
            out.append(".*")
            at += 2
            continue
        if char == "[":
            end = pattern.find("]", at + 2)
            if end > 0:
                inner = pattern[at + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
                out.append("[" + ("^" + inner[1:] if inner[0] in "!^" else inner) + "]")
                at = end + 1
                continue
        if char == "\\" and at + 1 < len(pattern):
            out.append(re.escape(pattern[at + 1]))
            at += 2
            continue
        if char == "{" and balanced:
            depth += 1
            out.append("(?:")
        elif char == "}" and depth:
            depth -= 1
            out.append(")")
        elif char == "," and depth:
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        at += 1
    return "".join(out) + ")" * depth
