"""Lines that stand for text that isn't there: "[rest remains unchanged]", "…", "(나머지는 동일)".

A model that writes a whole file anew sometimes leaves a part out and says so in its place. In an answer that is
shorthand; in a file it is all that is left. Only a line that says nothing else counts, in the languages that memories
are written in.
"""

import re
from collections.abc import Collection

_EDGE = re.compile(r"\A[\s>#*+\-\[\](){}<!/.…_`|]+|[\s\[\](){}>*\-/.…_`|!]+\Z")
_DOTS = re.compile(r"[^\w]*(?:\.\.\.|…|⋯)[^\w]*")
_REST = r"(?:rest|remainder|remaining|existing|previous|original|other|everything|all|unchanged)"
_TEXT = r"(?:contents?|files?|text|sections?|lines?|entries|items|topics?|notes?|memory|body|parts?|rules?)"
_LINE = re.compile(
    "|".join(
        (
            rf"(?:and\s+)?(?:the\s+)?{_REST}\b(?:[^.;]|\.(?=\w)){{0,60}}?\b(?:unchanged|(?:the\s+)?same|as\s+(?:is|before|above)|omitted"
            r"|here|goes\s+here|continues?|stays?|remains?|kept|preserved|intact)\b\W*(?:for\s+brevity|as\s+(?:is|before|above))?",
            rf"(?:the\s+)?(?:existing|rest\s+of|remaining|previous|original|unchanged)\s+(?:\w+\s+){{0,3}}{_TEXT}\b.{{0,20}}",
            r"(?:remains?\s+|content\s+|file\s+)?(?:is\s+)?unchanged(?:\s+content)?",
            r"no\s+changes?(?:\s+(?:needed|required|necessary|made|here))?",
            r"(?:same\s+)?as\s+(?:before|above)|omitted(?:\s+for\s+brevity)?|truncated|snip(?:ped)?|see\s+above",
            r"(?:and\s+)?\d+\s+(?:more|other)\s+(?:lines?|entries|items|topics?|files?)",
            r"(?:.{0,12}(?:나머지|기존|이하|이전|다른)).{0,16}(?:동일|유지|그대로|생략|변경\s*없음).{0,8}",
            r"(?:이하\s*)?생략|변경\s*(?:사항\s*)?없음",
            r".{0,8}(?:残り|以下|以降|既存|その他).{0,12}(?:同じ|同様|同文|省略|変更なし|そのまま|略).{0,6}",
            r"[以中後]下?略|省略|変更なし",
            r".{0,8}(?:其余|其他|以下|剩余|原有|后面).{0,12}(?:不变|省略|相同|同上|保持).{0,6}|内容不变",
            r"(?:der\s+)?(?:rest|übrige\w*|alles\s+andere)\b.{0,40}\b(?:unverändert|wie\s+(?:zuvor|oben|bisher))|unverändert",
            r"(?:le\s+)?reste\b.{0,40}\b(?:inchangée?|identique)|inchangée?",
            r"(?:el\s+)?resto\b.{0,40}\b(?:sin\s+cambios|igual)|sin\s+cambios",
        )
    ),
    re.IGNORECASE,
)
_MAX_LINE_CHARS = 120


def find_elision(text: str, *, known: Collection[str] = ()) -> str | None:
    """The first line that says nothing but that something was left out, other than the `known` ones."""
    before = ""
    for line in text.split("\n"):
        # A bare word that goes on with a sentence of the line before is part of it.
        is_apart = not before.strip() or not line[:1].isalnum() or not line.rstrip()[-1:].isalnum()
        may_be = is_apart and line not in known and line.strip() and len(line) <= _MAX_LINE_CHARS
        if may_be and (_DOTS.fullmatch(line) or _LINE.fullmatch(_EDGE.sub("", line).rstrip(" .:;…"))):
            return line
        before = line
    return None
