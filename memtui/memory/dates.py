"""Relative dates in a text, English and Korean: "yesterday" is wrong the day after it was written.

Found: words whose meaning moves with the day of reading. Not found: durations ("takes 3 days"), vague words
("recently"), anything in code, and a phrase that has its date beside it ("yesterday (2026-03-01)").
"""

import re

from memtui.memory.markdown import code_spans, is_inside
from memtui.util.text import lower

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMBER = r"(?:\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|several|a[ \t]few|a[ \t]couple[ \t]of)"
_UNIT = r"(?:minute|hour|day|week|fortnight|month|quarter|year)s?"
_ENGLISH = re.compile(
    rf"\b(?=[acefilnostwy\d])(?:the[ \t]+day[ \t]+(?:before[ \t]+yesterday|after[ \t]+tomorrow)|yesterday|today"
    rf"|tomorrow|tonight"
    rf"|(?:earlier|later)[ \t]+this[ \t]+(?:week|month|year)"
    rf"|(?:last|next|this)[ \t]+(?:week(?:end)?|month|quarter|year|sprint|night|morning|afternoon|evening"
    rf"|spring|summer|autumn|fall|winter|{_DAY})"
    rf"|{_NUMBER}[ \t]+{_UNIT}[ \t]+(?:ago|from[ \t]+now)"
    rf"|in[ \t]+{_NUMBER}[ \t]+(?:day|week|month|year)s?(?:['’][ \t]+time)?)\b"
)
_COUNT = r"(?:\d{1,4}|[일이삼사오육칠팔구십한두세네몇수]|다섯|여섯|일곱|여덟|아홉|열)"
_KOREAN = re.compile(
    r"(?=[지저이다오그엊어내모글방아재작올금명익전일삼사육칠팔구십한두세네몇수여열하나닷보며\d])(?<![가-힣])(?:"
    r"(?:지난|저번|이번|다음)[ \t]?(?:주[ \t]?)?(?:주말|[월화수목금토일]요일|주|달|해|분기|학기|밤)"
    r"|오늘(?!날)|그저께|그제(?![서야])|엊그제|엊그저께|어젯밤|어제|내일모레|내일|모레|글피|방금|아까"
    r"|재작년|작년|올해|내년|내후년|금년|금주|금일|명일|익일|전날|지난밤"
    rf"|(?:{_COUNT}[ \t]?(?:분|시간|일|주일?|달|개월|해|년)|하루|이틀|사흘|나흘|닷새|열흘|보름|며칠|일주일)"
    r"[ \t]?(?:쯤[ \t]?|정도[ \t]?)?(?:전|후|뒤)(?![체부제])"
    r")"
)
_DATE_BEHIND = re.compile(r"[\s,:]*[(\[]?[\s=]*(?:on[ \t]+|i\.e\.[ \t]*)?\d{4}[-./년]")
_DATE_BEFORE = re.compile(r"(?<!\d)(?:\d{4}(?:[-./]\d{1,2}){1,2}|(?:19|20)\d\d년?)(?:[ \t]주)?[\s,]*[(\[]\s*\Z")


def relative_dates(text: str) -> list[tuple[int, int, str]]:
    """Find relative dates outside code: (start, end, phrase) in order, character offsets."""
    low = lower(text)  # matching without IGNORECASE takes a third of the time
    found = [(m.start(), m.end(), text[m.start() : m.end()]) for m in _ENGLISH.finditer(low)]
    if not text.isascii():
        found += [(m.start(), m.end(), m[0]) for m in _KOREAN.finditer(text)]
        found.sort()
    if not found:
        return []
    code = code_spans(text) if "`" in text or "~~~" in text or "<!--" in text or "    " in text or "\t" in text else []
    return [
        hit
        for hit in found
        if not is_inside(code, hit[0])
        and _DATE_BEHIND.match(text, hit[1]) is None
        and _DATE_BEFORE.search(text, max(0, hit[0] - 24), hit[0]) is None
    ]
