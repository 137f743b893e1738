r"""Secrets that only their surroundings give away: `DB_PASSWORD = "…"`, "the password is …", 비밀번호는 ….

`find_near_keywords` yields the values of a text that stand near a word such as password, token or 비밀번호 and that
look like the real thing. How much the value itself must prove depends on how near it stands:

- assigned    `password: VALUE`, `API_KEY=VALUE`, a column "password" of a table
- said        "the password for staging is VALUE", "비밀번호는 VALUE 이고"
- near        the same sentence: only a value that could be nothing else

Work is bound to windows around those words, so a text without them, or one endless line, costs no more than a walk.
"""

import re
from collections.abc import Iterator

from memtui.secrets import values
from memtui.secrets.keywords import Keyword, find_keywords

_PASSWORD = r"pass(?:word|wd|phrase|code|wort)?|pwd?|비밀 ?번호|비번|패스워드|암호|パスワード|密码|密碼|口令"
MAX_KEYWORDS, CHARS_PER_KEYWORD = 2000, 40
MAX_LOOKED_AT, CHARS_PER_LOOK = 500, 400
"""How many such words a text may have, and how many with something beside them that may be a value. No text that is
read has more; one that does is reported as it stands, because a secret may be hidden in noise."""
_POSSIBLE = re.compile(r"below|follow|다음|아래|[0-9:=\"'`|：]|[A-Za-z]{20}")

_NOT_BEFORE = re.compile(
    r"(?<![A-Za-z])(?:max|min|num|n|total|count|prompt|completion|input|output|next|prev|page|paging|pagination|"
    r"continuation|sync|cursor|design|public|publishable|primary|foreign|sort|"
    r"partition|cache|idempotency|idempotent|hash|range|composite|unique|natural|surrogate|dedup|lookup|"
    r"group|map|dict|json|i18n|translation|query|object|row|"
    r"hot|short|soft|stop|bos|eos|pad|unk|special|lex|syntax|css|color|theme|cancel|cancellation|per|arrow|"
    r"shift|ctrl|alt|enter|escape|tab|storage|local_?storage|registry|"
    r"캐시|기본|외래|정렬|파티션|단축|조합|고유|중복|공개|검색|해시)[ _.-]?\Z",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(
    r"s?[_ -]?(?:file|filename|path|dir|url|uri|endpoint|name|names|id|ids|ref|reference|count|counts|counter|"
    r"limit|limits|budget|type|types|length|len|size|ttl|expiry|expires?|"
    r"expiration|expired|lifetime|env|env_?var|variable|policy|policies|field|fields|arn|version|header|"
    r"prompt|hint|placeholder|label|rotation|rotated|manager|provider|store|storage|scope|scopes|"
    r"regex|pattern|format|usage|window|bucket|stream|iter|ization|ize[rds]*|ized?|ring|board|words?|stroke|"
    r"less|owner|algo|algorithm|min|max|reset|strength|kind|class|position|pos|index|"
    r"mapping|column|validator|schema|service|required|enabled|disabled|source|location|issuer|audience|"
    r"at|date|age|days|interval|timeout|status|cost|price|per|through|ed|ing|age|ive|port|enger)"
    r"(?![A-Za-z])",
    re.IGNORECASE,
)
_ASSIGN = re.compile(
    r"[\w-]{0,30}(?:\\?[\"'`\])}*_]){0,6}(?: ?\([^()\n]{1,40}\))?[*_]{0,2}\s{0,12}"
    r"(?::=|=>|->|={1,3}|[:：=→])[*_]{0,3}\s{0,12}(?P<v>(?s:.){0,400})"
)
_QUOTED = re.compile(
    r"\\?(?P<q>\"\"\"|'''|[\"'`“‘])(?P<v>[^\"'`\n“”‘’]{1,300}|(?:(?!(?P=q))[^\n]){1,300})(?:(?P=q)|[”’])"
)
_BARE = re.compile(r"(?:[^\s\"'`“”‘’,、。<>\\]|\\(?![nrtu\"'\\])){1,400}")
_LINK = re.compile(
    r"(?:(?<=[\s\"'`)*s])(?:is|was|are|be|equals?|to|as|remains|became|now|still|currently|with|using|use|"
    r"called|both|ist|es|est)(?=[\s:=\"'`])|[:：=→](?=[\s\"'`])|->|(?<=[\w가-힣)\"'`])(?:입니다|은|는|이|"
    r"가|을|를|로|으로)(?=[\s:\"'`])"
    r"|は|が|を|是|为|為)[:=]?\s{0,4}"
)
_BEFORE = re.compile(
    r"(?P<v>[^\s]{6,120})[ \t]+(?:as|is|was)[ \t]+(?:(?:the|a|an|my|our|its|your|their)[ \t]+)?(?:[\w'-]{1,20}[ "
    r"\t]+){0,3}\Z"
)
_ANNOUNCES = re.compile(
    r"[*_`\"']{0,3}(?:[^\n.]{0,40}\b(?:below|follows|following|here)\b[^\n]{0,12}|[^\n]{0,20}(?:다음|아래)[^\n]{0,20}|"
    r"[^\n:]{0,20}[:：][*_]{0,2})\s*\Z"
)
_ALONE = re.compile(r"\s*(?:```\w*\n)?[ \t>]*(?:[-*][ \t]+)?[`\"']?(?P<v>[^\s`\"'<>]{8,300})[`\"']?[ \t]*(?:\n|\Z)")
_TOKEN_RUN = re.compile(r"[^\s\"'`“”‘’<>|\\]{6,300}")
_SENTENCE_END = re.compile(r"(?:;|[.!?。])\s+(?=[A-Z가-힣\"'`*-])")
_TRAIL = ".,;:)]}|\"'`"
_DIGIT = re.compile("[0-9]")
_SIGN = re.compile("[!@#$%^&*?~+=]")
_CASE_PREFIX = re.compile(r"(?:name|key)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[\w.-]{0,60}\Z", re.IGNORECASE)
_VALUE_LINE = re.compile(
    r"[\"']?,?\s{0,4}\n?[ \t]{0,20}-?[\"']?value[\"']?\s{0,3}[:=]\s{0,3}(?P<v>[^\n]{1,300})", re.IGNORECASE
)
_STRUCTURE = re.compile(r"[{}\[\]]|[\"'],\s?[\"']|\\[nr]")  # the sentence is over where JSON or code goes on
_JOSA = re.compile(r"(?:입니다|이고|이며|이다|이야|예요|이에요|으로|에서|로|은|는|이|가|을|를|임|와|과|です|だ)[.,]?\Z")


_SAID = re.compile(r"(?: for [\w.-]{1,30})?(?: is|:| =)[ \t]{1,3}")
_DASHED = re.compile(r"[a-z]{4,12}(?:-[a-z0-9]{2,12}){3,9}")
_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "by",
        "for",
        "from",
        "in",
        "is",
        "no",
        "not",
        "of",
        "on",
        "once",
        "or",
        "per",
        "see",
        "the",
        "then",
        "to",
        "via",
        "with",
        "your",
    ]
)

Span = tuple[str, int, int]  # a rule, and the start and end of the value in the text


def find_near_keywords(text: str) -> Iterator[Span]:
    """Yield the values near words such as password and token that look like secrets; a place may come twice."""
    words = find_keywords(text)
    most = max(MAX_KEYWORDS, len(text) // CHARS_PER_KEYWORD)
    looks = max(MAX_LOOKED_AT, len(text) // CHARS_PER_LOOK)
    for number, word in enumerate(words):
        start = max(text.rfind("\n", max(0, word.start - 200), word.start) + 1, word.start - 200, 0)
        end = text.find("\n", word.end, word.end + 420)
        segment = text[start : end if end >= 0 else word.end + 420]
        possible = _POSSIBLE.search(segment) is not None
        looks -= possible
        if number == most or looks < 0:
            yield "too-many-to-look-at", word.start, word.end
            break
        if possible:
            yield from _near_keyword(text, start, segment, word)
    yield from _tables(text)


def _near_keyword(text: str, base: int, segment: str, word: Keyword) -> Iterator[Span]:
    """The values that belong to one such word, nearest kind first."""
    kind: str = word.kind
    rule = "password" if kind != "token" else "token"
    at, after = word.start - base, word.end - base
    if kind != "weak":
        before = _NOT_BEFORE.search(segment, max(0, at - 24), at) or _NOT_BEFORE.search(segment, at, after - len("key"))
        if before or _NOT_AFTER.match(segment, after):
            return
        found = _assigned(text, base, segment, at, after, kind)
        if found is None and kind == "short":  # "to pass" is a verb: only `pass:` and "… / pass VALUE" count
            kind = "weak" if segment[:at].rstrip().endswith("/") else "verb"
            beside = _value_at(segment, after + 1) if segment[after : after + 1] == " " else None
            if beside and _is_strict(segment[beside[0] : beside[1]], "weak"):
                found = beside[:2]
            said = _SAID.match(segment, after)
            beside = _value_at(segment, said.end()) if said else None
            if beside and _is_typed(segment[beside[0] : beside[1]]):
                found = beside[:2]
        elif found is None:
            found = _stated_after(segment, after, kind) or _stated_before(segment, at, kind)
        if found is None and kind != "verb":
            found = _below(text, base, segment, after, kind)
        if found is not None:
            yield rule, base + found[0], base + found[1]
            return
    for start, end in _strict(segment, at, after, kind) if kind != "verb" else ():
        yield rule, base + start, base + end


def _assigned(text: str, base: int, segment: str, at: int, after: int, kind: str) -> tuple[int, int] | None:
    """The value of `password: VALUE`, also of `name: DB_PASSWORD` with `value: VALUE` in the next line."""
    assign = _ASSIGN.match(segment, after)
    if assign:
        value = _value_at(segment, assign.start("v"))
        if value is not None:
            start, end, quoted = value
            name = _identifier(segment, at, after)
            if _is_assigned(segment[start:end], kind, quoted=quoted, name=name):
                return start, end
        return None
    if _CASE_PREFIX.search(segment, max(0, at - 80), at):
        behind = _VALUE_LINE.match(text, base + after)
        if behind:
            value = _value_at(behind["v"], 0)
            if value is not None and _is_assigned(behind["v"][value[0] : value[1]], kind, quoted=True, name="X_Y"):
                offset = behind.start("v") - base
                return offset + value[0], offset + value[1]
    return None


def _identifier(segment: str, start: int, end: int) -> str:
    while start > 0 and (segment[start - 1].isalnum() or segment[start - 1] in "_-"):
        start -= 1
    while end < len(segment) and (segment[end].isalnum() or segment[end] in "_-"):
        end += 1
    return segment[start:end]


def _value_at(segment: str, at: int) -> tuple[int, int, bool] | None:
    """The value that begins at a place: what its quotes hold, or up to a blank, without closing punctuation."""
    quoted = _QUOTED.match(segment, at)
    if quoted:
        return quoted.start("v"), quoted.end("v"), True
    bare = _BARE.match(segment, at)
    if not bare:
        return None
    start, end = _trimmed(segment, *bare.span(), _TRAIL, "*([{")
    if segment.startswith("*", at):
        start, end = _trimmed(segment, start, end, "*")
    end = start + len(_without_josa(segment[start:end]))
    return (start, end, False) if end > start else None


def _trimmed(text: str, start: int, end: int, trail: str, lead: str = "") -> tuple[int, int]:
    end = start + len(text[start:end].rstrip(trail))
    return end - len(text[start:end].lstrip(lead) if lead else text[start:end]), end


def _without_josa(value: str) -> str:
    josa = _JOSA.search(value)
    return value[: josa.start()] if josa and value[: josa.start()].isascii() else value


def _is_assigned(value: str, kind: str, *, quoted: bool, name: str) -> bool:
    if " " in value:
        return name.lower().endswith(("phrase", "password", "pwd", "비밀번호")) and _is_phrase(value, quoted=quoted)
    if not _may_be(value):
        return False
    if values.is_hash_like(value):
        return len(value) >= 16
    loud = quoted or (name.isupper() and "_" in name)
    if kind in ("password", "short") or "secret" in name.lower() or "시크릿" in name:
        if values.is_password(value):
            return loud or kind != "token" or not values.is_wordy(value)
        return loud and len(value) >= 8 and not values.is_wordy(value)
    if values.is_random(value):
        return True
    return values.is_password(value) and len(value) >= 12 and not values.is_wordy(value)


def _may_be(value: str) -> bool:
    """Whether nothing speaks against the value: no placeholder, reference or term, and typed on any keyboard."""
    return value.isascii() and not (values.is_placeholder(value) or values.is_reference(value) or values.is_term(value))


def _is_typed(value: str) -> bool:
    """Whether capitals, small letters and digits are mixed as in few words: what "the DB pass is VALUE" must show."""
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value) and any(c.isdigit() for c in value)
    return mixed and len(value) >= 8 and _may_be(value) and values.is_password(value)


def _is_dashed_phrase(value: str) -> bool:
    """Whether a value is a passphrase of words with dashes; small words make it a sentence."""
    return bool(_DASHED.fullmatch(value)) and not _SMALL_WORDS & set(value.split("-"))


def _is_phrase(value: str, *, quoted: bool) -> bool:
    words = value.split(" ")
    return quoted and 3 < len(words) <= 10 and all(3 <= len(w) <= 12 and w.isalpha() and w.islower() for w in words)


def _stated_after(segment: str, after: int, kind: str) -> tuple[int, int] | None:
    """The value of "the password for staging is VALUE": the first that follows a linking word and looks real."""
    stop = _SENTENCE_END.search(segment, after)
    limit = min(len(segment), after + 110, stop.start() if stop else len(segment))
    structure = _STRUCTURE.search(segment, after, limit)
    limit = structure.start() if structure else limit
    value = _value_at(segment, after + 1) if segment[after : after + 1] in (" ", "\t") else None
    if value is not None and _is_stated(segment[value[0] : value[1]], kind, quoted=value[2], adjacent=True):
        return value[0], value[1]
    for link in _LINK.finditer(segment, after, limit):
        value = _value_at(segment, link.end())
        if value is not None and _is_stated(segment[value[0] : value[1]], kind, quoted=value[2]):
            return value[0], value[1]
    return None


def _stated_before(segment: str, at: int, kind: str) -> tuple[int, int] | None:
    """The value of "use VALUE as the admin password" and "VALUE is the password"."""
    match = _BEFORE.search(segment, max(0, at - 90), at)
    if match is None:
        return None
    start, end = _trimmed(segment, *match.span("v"), _TRAIL + "”’*", "\"'`“‘(*")
    return (start, end) if _is_stated(segment[start:end], kind, quoted=False) else None


def _below(text: str, base: int, segment: str, after: int, kind: str) -> tuple[int, int] | None:
    """The value that stands alone in the next line, after "the API key is below." or "password:"."""
    if _ANNOUNCES.match(segment, after) is None:
        return None
    match = _ALONE.match(text, base + len(segment))
    if match is None or not _is_assigned(match["v"], kind, quoted=True, name=""):
        return None
    if values.is_wordy(match["v"]):
        return None
    return match.start("v") - base, match.end("v") - base


def _is_stated(value: str, kind: str, *, quoted: bool, adjacent: bool = False) -> bool:
    if " " in value or not _may_be(value):
        return False
    if value.startswith(("#", "@", "-", "(", "/", "~", ":")) or "://" in value:
        return False
    if value.count("/") > 1 and (len(value) < 40 or values.is_wordy(value)):
        return False
    if values.is_hash_like(value):
        return len(value) >= 24 and not adjacent
    if kind == "password":
        if values.is_password(value, strict=True) or (not adjacent and _is_dashed_phrase(value)):
            return True
        if not values.is_password(value) or (values.is_wordy(value) and any(c in value for c in "-_/.:=;|<>{}")):
            return False
        return not adjacent or not values.is_wordy(value) or quoted
    if values.is_random(value, shortest=20 if adjacent else 16):
        return True
    return values.is_password(value, strict=True) and len(value) >= 10 and not values.is_wordy(value)


def _strict(segment: str, at: int, after: int, kind: str) -> Iterator[tuple[int, int]]:
    """Values of the same sentence, before or behind the word, that could be nothing but a secret."""
    starts = (m.end() for pattern in (_SENTENCE_END, _STRUCTURE) for m in pattern.finditer(segment, 0, at))
    low = max([at - 90, 0, *starts])
    stops = (_SENTENCE_END.search(segment, after), _STRUCTURE.search(segment, after))
    high = min([after + 120, *(stop.start() for stop in stops if stop)])
    for run in _TOKEN_RUN.finditer(segment, low, high):
        start, end = run.span()
        if end - start < 24 and not (_DIGIT.search(segment, start, end) and _SIGN.search(segment, start, end)):
            continue  # the cheap half of what `_is_strict` asks
        start, end = _trimmed(segment, start, end, ".,;:)]}*", "*([{")
        value = _without_josa(segment[start:end])
        if _is_strict(value, kind):
            yield start, start + len(value)


_CODE = re.compile(  # signs that code, links, versions and issue numbers have and passwords in prose hardly ever
    r"[(){}\[\]\\/=;,]|://|\A[@#~+*-]|\w@\w[\w.-]*\.\w|\A[a-z0-9_.-]+@[\^~]?\d[\w.-]*\Z|\*\*|&&|\|\||\?\.|::|"
    r"[A-Za-z]\+\+|%[sdif](?![A-Za-z0-9])|^\w+[#*^]\d+\Z|\A[A-Za-z]{0,9}#L?\d+\Z"
)


def _is_strict(value: str, kind: str) -> bool:
    if not _may_be(value) or _CODE.search(value) or values.is_hash_like(value):
        return False
    if kind == "token" and values.is_random(value, shortest=24) and not values.is_wordy(value):
        return True
    if not values.is_password(value, strict=True):
        return False
    mixed = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return mixed or not values.is_wordy(value)


_ROW = re.compile(r"^[ \t]*\|(?P<cells>[^\n]*)\|[ \t]*$", re.MULTILINE)
_HEAD = re.compile(rf"(?<![A-Za-z])(?:{_PASSWORD}|psk|api[ _-]?key|token|secret|credential)s?", re.IGNORECASE)


def _tables(text: str) -> Iterator[Span]:
    """Cells of a Markdown table under a heading such as "Password"."""
    if "|" not in text:
        return
    columns: list[int] = []
    last_end = -2
    for row in _ROW.finditer(text):
        cells = row["cells"].split("|")
        if row.start() != last_end + 1:
            columns = [n for n, cell in enumerate(cells) if _is_heading(cell)]
        elif columns:
            at = row.start("cells")
            for n, cell in enumerate(cells):
                value = cell.strip().strip("`*\"'")
                real = n in columns and value and _is_assigned(value, "password", quoted=False, name="")
                if real and not values.is_wordy(value):
                    start = at + cell.index(value)
                    yield "password", start, start + len(value)
                at += len(cell) + 1
        last_end = row.end()


def _is_heading(cell: str) -> bool:
    word = _HEAD.search(cell) if len(cell) < 40 else None
    return word is not None and not _NOT_AFTER.match(cell, word.end())
