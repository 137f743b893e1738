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
    pattern = pattern[:4096]
    bare = pattern.lstrip("!") if not pattern.startswith("!(") else pattern
    try:
        found = _translate(bare)
        return re.compile(rf"(?!(?:{found})\Z).*" if (len(pattern) - len(bare)) % 2 else found, re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


_GLOBSTAR = re.compile(r"(?:(?<=/)|(?<=[{(,|])|^)\*\*(?:/|(?=[}),|])|\Z)")
_ANY_ENDING = re.compile(r"\*\*\.\w+")
_CLASS = re.compile(r"\[(\^?)((?:\[:\w+:\]|[^\]])+)\]")
_POSIX = {"alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "lower": "a-z", "upper": "A-Z", "word": r"\w"}
_RANGE = re.compile(r"\{(\w|-?\d{1,4})\.\.(\w|-?\d{1,4})\}")
_GROUP = re.compile(r"([?*+@!]?)\(")
_AFTER_GROUP = {"?": ")?", "*": ")*", "+": ")+", "!": ")(?=/|\\Z))[^/]*"}


def _translate(pattern: str) -> str:
    if _ANY_ENDING.fullmatch(pattern):
        return ".*" + re.escape(pattern[2:])
    pattern = pattern.replace("\\", "/")
    out: list[str] = []
    closers: list[str] = []
    grouped = pattern.count("(") == pattern.count(")")
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if match := _GLOBSTAR.match(pattern, at):
            out.append("(?:.*/)?" if match[0].endswith("/") else ".*")
        elif grouped and (match := _GROUP.match(pattern, at)):
            out.append("(?!(?:" if match[1] == "!" else "(?:")
            closers.append(_AFTER_GROUP.get(match[1], ")"))
        elif match := _CLASS.match(pattern, at):
            out.append(_character_class(match))
        elif match := _RANGE.match(pattern, at):
            out.append(_range(match[1], match[2]))
        elif char == "{" and _has_choice(pattern, at):
            out.append("(?:")
            closers.append("}")
        elif closers and char == ("}" if closers[-1] == "}" else ")"):
            out.append(closers.pop().replace("}", ")"))
        elif closers and char == ("," if closers[-1] == "}" else "|"):
            out.append("|")
        else:
            out.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        at = match.end() if match else at + 1
    return "".join(out)


def _character_class(match: re.Match[str]) -> str:
    inner = re.sub(r"[\[&~|]|(?<=-)-", r"\\\g<0>", match[2])
    for name, chars in _POSIX.items():
        inner = inner.replace(f"\\[:{name}:]", chars)
    return f"[{match[1]}{inner}]"


def _range(first: str, last: str) -> str:
    if first.lstrip("-").isdigit() and last.lstrip("-").isdigit():
        low, high = sorted((int(first), int(last)))
        return f"(?:{'|'.join(map(str, range(low, high + 1)))})"
    return f"[{re.escape(min(first, last))}-{re.escape(max(first, last))}]"


def _has_choice(pattern: str, at: int) -> bool:
    """Whether a brace is closed and holds a comma of its own: else it is an ordinary character."""
    depth, comma = 0, False
    for char in pattern[at:]:
        depth += {"{": 1, "}": -1}.get(char, 0)
        comma = comma or (char == "," and depth == 1)
        if not depth:
            return comma
    return False


MAX_BLOCK_CHARS = 64 << 10
_BLOCK = re.compile(r"\ufeff?---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_WORD = r"""(?:"[^"\\\n]+"|'[^'\n]+'|[A-Za-z_.][\w.-]*/[^\s"'#:{}\[\],]*)"""
_ROW_WORD = rf"(?:{_WORD}|(?!(?i:null|true|false|yes|no|on|off|[yn])[ ]*[,\]])[A-Za-z][\w.]*)"
_SIMPLE = re.compile(
    rf"""(?:^|\n)paths:[ \t]*(?:
        (?P<none>(?:\[[ ]*\]|~|null|true|false|\d+)?)[ \t]*(?=\Z|\n(?![ ]*-))
      | [ ]*(?P<one>{_WORD})[ \t]*(?=\n|\Z)
      | \[[ ]*(?P<row>{_ROW_WORD}(?:[ ]*,[ ]*{_ROW_WORD})*)[ ]*\][ \t]*(?=\n|\Z)
      | (?P<many>(?:\n[ ]*-[ ]+{_WORD}[ \t]*(?=\n|\Z))+)
    )(?!\n[ ])""",
    re.VERBOSE,
)
_WORDS = re.compile(_ROW_WORD)
_HARMLESS = re.compile(r"[A-Za-z_][\w-]*:(?: [\w ./-]*)?\Z|[ ]*- |paths:")
_PLAIN_LINE = re.compile(r"^([A-Za-z_][\w-]*):[ \t]+(?![\"'])(\S.*?)[ \t]*$", re.MULTILINE)
_COMMA = re.compile(r",(?![^{}]*\})")


def rule_paths(text: str) -> tuple[str, ...]:
    """The globs of a rule, given its whole text; () means that it is loaded at start."""
    if "paths" not in text[:MAX_BLOCK_CHARS] or "---" not in text[:4]:
        return ()
    block = _BLOCK.match(text.replace("\r\n", "\n")[: MAX_BLOCK_CHARS + 8])
    if block is None or "paths" not in block[1]:
        return ()
    simple = _SIMPLE.search(block[1].removesuffix("\n"))
    # Each line has to be such that YAML surely takes the block; else only YAML can tell.
    is_harmless = all(not line.strip() or _HARMLESS.match(line) for line in block[1].split("\n"))
    if simple is None or block[1].count("paths:") != 1 or "\n\t" in block[1] or not is_harmless:
        return _from_yaml(block[1])
    if simple["one"]:
        return _globs(simple["one"].strip("\"'"))
    return _globs([word.strip("\"'") for word in _WORDS.findall(simple["row"] or simple["many"] or "")])


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
