"""Text that gives orders to whoever reads it: to fetch and run something, to hide something, to set rules aside.

A memory is read by an agent that acts on it, so such a text is more than a note. What a person wrote is theirs; what a
background run writes or lists in the index waits for a person if it looks like this. The patterns name the act, not a
certain address or tool, and are kept so narrow that no file of the corpus of real memory matches.
"""

import re
import unicodedata

from msgspec import Struct

from memtui.util.text import lower

_FETCH = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)"
_SHELL = r"(?:sudo\s+)?(?:env\s+)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|php|iex|pwsh|powershell)\b"
_NEVER = r"(?:never|do(?:es)?\s*n[o'’]t|don['’]t|must\s+not|without|avoid|no\s+need\s+to|need\s*n[o'’]t)"
_PERSON = r"(?:the\s+(?:user|human|person)|users?|anyone|anybody)"

_PATTERNS = {
    "fetches and runs code": (
        rf"\b{_FETCH}\b[^\n]{{0,300}}?(?:\||&&|;)\s*{_SHELL}",
        rf"(?:\b(?:ba|z)?sh\s+(?:-c\s+)?|\beval\s+|\bsource\s+|\biex\s*)[\"'(<$`\s]*\(?\s*{_FETCH}\b",
        rf"\b{_FETCH}\b[^\n]{{0,300}}\s(?:-o|--output|-outfile)\s*(\S+)[^\n]*\n(?:[^\n]{{0,200}}\n){{0,3}}?"
        rf"[^\n]{{0,80}}?(?:{_SHELL}|chmod\s+\+x|source|\.)\s*\1",
        rf"\bbase64\s+(?:-d|--decode)\b[^\n]{{0,200}}\|\s*{_SHELL}",
    ),
    "tells the reader to hide something": (
        rf"\b{_NEVER}\s+(?:ever\s+)?(?:mention|tell|reveal|disclos|inform|notify|ask|show)\w*\s+"
        rf"(?:(?:to|about|of)\s+)?(?:this|these|it|{_PERSON})\b",
        rf"\b(?:hide|conceal|keep)\b[^\n.]{{0,40}}\bfrom\s+(?:{_PERSON}|review)\b",
        r"\bsilently\b[^\n.]{0,20}\b(?:run|send|install|commit|push|delete|upload|execute|download)\b",
        r"(?:사용자|유저)(?:에게|한테)[^\n.]{0,20}(?:알리|말하|언급하|보여주)지\s*(?:마|말|않)",
    ),
    "sets other instructions aside": (
        r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|the|your|previous|prior|above|earlier"
        r"|other|these|those|existing|current|safety|system|user['’]?s?|of)\s+){1,4}(?:instructions?|prompts?"
        r"|guidelines?|rules|memor(?:y|ies)|restrictions?|polic(?:y|ies)|permissions?)\b",
        r"(?:이전|기존|위의?|모든)\s*(?:지시|명령|규칙|프롬프트)[^\n.]{0,12}무시",
        r"(?:以前|これまで|上記|すべて)の(?:指示|命令|ルール)[^\n。]{0,12}無視",
        r"忽略(?:之前|以上|所有)[^\n。]{0,8}(?:指令|指示|规则)",
    ),
    "poses as the system": (
        r"<\s*/?\s*(?:system|system-reminder|system_prompt|assistant)\b[^>\n]{0,80}>",
        r"^\W{0,6}(?:new|updated)\s+(?:system\s+)?instructions?\s*:",
    ),
    "sends data away": (
        r"\b(?:send|post|upload|forward|exfiltrate|e?-?mail|transmit|leak)\b[^\n.]{0,80}\b(?:keys?|tokens?|secrets?"
        r"|credentials?|passwords?|environment|env|contents?|files?|transcripts?|memor(?:y|ies)|repositor(?:y|ies)"
        r"|repo|source\s+code|database|workspace)\b[^\n]{0,60}(?:https?://|\S+@\S+\.\w)",
        rf"\b{_FETCH}\b[^\n]{{0,200}}\s(?:-d|--data\S*|-f|--form|-t|--upload-file|-body)\s*[\"']?[@$]",
    ),
    "follows instructions from elsewhere": (
        r"\b(?:follow|obey|execute|run|apply)\s+(?:(?:the|all|any|its|every|whatever)\s+)*(?:instructions?|commands?"
        r"|steps|script|code)\b[^\n.]{0,40}(?:https?://|www\.)",
        r"\b(?:fetch|open|download|read|load|visit)\s+\S{0,20}https?://\S+\s+and\s+(?:follow|obey|run|execute|do)\b",
    ),
    "switches protection off": (
        r"\b(?:use|pass|run|set|start|add|always|with)\b[^\n.]{0,60}(?:--dangerously-skip-permissions\b"
        r"|\bdangerouslydisablesandbox\b)",
        r"\bpermissionmode[\"'`]?\s*[:=]\s*[\"'`]?bypasspermissions\b",
    ),
}
"""What a text does, and the patterns that show it, for lower case: that takes a third of the time of IGNORECASE."""


_COMPILED = {does: re.compile("|".join(f"(?:{one})" for one in every), re.M) for does, every in _PATTERNS.items()}

_WITH_NEGATION = re.compile(r"\b(?:never|not|no|nothing|nobody|don['’]t|avoid|stop)\b[^.!?]*\Z")
"""What stands before "without telling the user" where it is a rule to tell: "never push without telling the user"."""
_WORDS = {
    "fetches and runs code": "curl wget fetch iwr irm invoke- base64",
    "sets other instructions aside": "ignore disregard forget override bypass 무시 無視 忽略",
    "poses as the system": "< instruction",
    "sends data away": ":// @ $",
    "follows instructions from elsewhere": "http www.",
    "switches protection off": "dangerously permissionmode",
}
"""Of each kind that can't be found without one of them: looking for words takes a tenth of the time of a pattern."""

_JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f\u00ad\ufeff")
"""Format characters that honest text has: joiners in emoji and scripts, soft hyphens, a byte order mark."""


_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]|(?<![\u3400-\u9fff])[\U000e0100-\U000e01ef]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]"
)
"""Characters that take no room: fillers, variants of an ideograph behind none, a row of variation selectors."""
_JOINER = re.compile(f"[{''.join(sorted(_JOINERS))}]")
_CONTINUED = "\x0b"  # stands for a line end that a backslash takes away
_WORD = re.compile(r"[^\W_]{3,}")
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf",
    "aeopcyxijsdABEKMHOPCTXABEZHIKMNOPTYXo",
)
"""Cyrillic and Greek letters that look like a Latin one."""


class Suspicion(Struct, frozen=True):
    """One place: its line from 1, what it does, and the words, without what hides them."""

    line: int
    does: str
    text: str


def find_suspicious(text: str) -> tuple[Suspicion, ...]:
    """Find what gives orders to a reader, by line, one for each line and kind."""
    found: dict[tuple[int, str], Suspicion] = {}
    text = _as_meant(text)
    low = lower(text)
    for does, pattern in _COMPILED.items():
        if does in _WORDS and not any(word in low for word in _WORDS[does].split()):
            continue
        for match in pattern.finditer(low):
            before = low[low.rfind("\n", 0, match.start()) + 1 : match.start()]
            if match[0].startswith("without") and _WITH_NEGATION.search(before):
                continue
            line = sum(text.count(end, 0, match.start()) for end in ("\n", _CONTINUED)) + 1
            found.setdefault((line, does), Suspicion(line, does, text[match.start() : match.end()]))
    return tuple(sorted(found.values(), key=lambda one: one.line))


def _as_meant(text: str) -> str:
    """The text without what keeps a pattern from matching: joiners, other forms of letters, `\\` at a line's end."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _JOINER.sub("", text)).translate(_LOOKALIKES)
    return text.replace("\\\n", "\\" + _CONTINUED)


def find_lookalikes(text: str) -> tuple[tuple[int, str], ...]:
    """The Latin words with a Cyrillic or Greek letter that looks like a Latin one, as (line from 1, word)."""
    if text.isascii():
        return ()
    return tuple(
        (number, word)
        for number, line in enumerate(text.split("\n"), 1)
        if not line.isascii()
        for word in _WORD.findall(line)
        if not word.isascii() and (plain := word.translate(_LOOKALIKES)) != word and plain.isascii()
        and any(char.isascii() and char.isalpha() for char in word)
    )  # fmt: skip


def find_control_characters(text: str) -> tuple[tuple[int, str], ...]:
    """The characters that a terminal obeys or that hide text, as (line from 1, character)."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return ()
    return tuple(
        (number, char)
        for number, line in enumerate(text.split("\n"), 1)
        if not line.isascii() or not line.isprintable()
        for char in (*(() if line.isprintable() else line), *_UNSEEN.findall(line))
        if char not in "\t\r" and char not in _JOINERS
        and (unicodedata.category(char) in ("Cc", "Cf", "Cs") or _UNSEEN.match(f"\ufe0f{char}", 1))
    )  # fmt: skip
