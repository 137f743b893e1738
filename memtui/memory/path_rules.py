"""The `paths` of a rule file: which files must be touched before the agent client loads the rule.

Recorded on Claude Code 2.1.332, one rule a line:
- The front matter is YAML; one that YAML refuses is read again with its `key: value` lines in quotation marks, and if
  that fails too, there is no front matter: the rule is loaded at start.
- `paths` is a list of texts, or one text with commas between the globs (a comma in braces belongs to its glob).
- Without it, with an empty or null one, with anything that is no text, and with `**` alone, the rule is loaded at
  start.
- `globs` and `alwaysApply` of other agents mean nothing.
- In a glob `*` and `?` stay inside a name, `**/` is any number of folders, `**` anything, `{a,b}` either, `[a-z]` one
  of; hidden names match like others. Globs are compared with whole POSIX paths, so one without `**` or a leading `/`
  matches nothing (recorded with `claudeMdExcludes`).

YAML is read with PyYAML's safe loader, at most 64 KiB, imported when first needed; a tag never makes an object and an
alias is refused, so a block can neither run anything nor grow.
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


MAX_BLOCK_CHARS = 64 << 10
_BLOCK = re.compile(r"\ufeff?---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_SIMPLE = re.compile(
    r"""(?:^|\n)paths:[ \t]*(?:
        [ ]*(?P<one>"[^"\\\n]+"|'[^'\n]+'|[A-Za-z_.][\w.-]*/[^\s"'#:{}\[\],]*)[ \t]*(?=\n|\Z)
      | (?P<many>(?:\n[ ]*-[ ]+(?:"[^"\\\n]+"|'[^'\n]+'|[A-Za-z_.][\w.-]*/[^\s"'#:{}\[\],]*)[ \t]*(?=\n|\Z))+)
    )(?!\n[ ])""",
    re.VERBOSE,
)
_HARMLESS = re.compile(r"[A-Za-z_][\w-]*:(?: [\w ./-]*)?\Z|[ ]*- |paths:")
_PLAIN_LINE = re.compile(r"^([A-Za-z_][\w-]*):[ \t]+(?![\"'])(\S.*?)[ \t]*$", re.MULTILINE)
_COMMA = re.compile(r",(?![^{}]*\})")


def rule_paths(text: str, *, exact: bool = True) -> tuple[str, ...]:
    """The globs of a rule, given its whole text; () means that it is loaded at start.

    Without `exact`, PyYAML stays unimported and a form that needs it gives ("…",).
    """
    if "paths" not in text[:MAX_BLOCK_CHARS] or "---" not in text[:4]:
        return ()
    block = _BLOCK.match(text.replace("\r\n", "\n")[: MAX_BLOCK_CHARS + 8])
    if block is None or "paths" not in block[1]:
        return ()
    simple = _SIMPLE.search(block[1])
    # Each line has to be such that YAML surely takes the block; else only YAML can tell.
    is_harmless = all(not line.strip() or _HARMLESS.match(line) for line in block[1].split("\n"))
    if simple is not None and block[1].count("paths:") == 1 and "\n\t" not in block[1] and is_harmless:
        if simple["one"]:
            return _globs(simple["one"].strip("\"'"))
        return _globs([line.strip()[1:].strip().strip("\"'") for line in simple["many"].split("\n")[1:]])
    return _from_yaml(block[1]) if exact else ("…",)


def _globs(value: object) -> tuple[str, ...]:
    words = _COMMA.split(value) if isinstance(value, str) else value if isinstance(value, list) else []
    globs = tuple(word.strip() for word in words if isinstance(word, str) and word.strip())
    return () if all(glob in ("**", "/**") for glob in globs) else globs


@lru_cache(maxsize=64)
def _from_yaml(block: str) -> tuple[str, ...]:
    for attempt in (block, _PLAIN_LINE.sub(_quoted, block)):
        found = _load(attempt)
        if isinstance(found, dict):
            return _globs(found.get("paths"))
        if found is None:
            return ()
    return ()


def _quoted(match: re.Match[str]) -> str:
    value = match[2].replace("\\", "\\\\").replace('"', '\\"')
    return f'{match[1]}: "{value}"'


def _load(block: str) -> object:
    """What the block says; False if YAML refuses it or it has aliases or tags."""
    import yaml  # 30 ms, and most rules are plain enough without it

    if len(block) > MAX_BLOCK_CHARS:
        return False
    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(block, Loader=base):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) is not None:
                return False
        loaded: object = yaml.load(block, Loader=base)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False
    return loaded
