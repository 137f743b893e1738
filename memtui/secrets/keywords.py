"""Find the words beside which secrets stand: password, token, API key, 비밀번호 ….

A pattern with sixty alternatives would be tried at every character; `str.find` for a handful of stems and a check of
what is around each is some thirty times faster, and most files have no such word at all.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from memtui.util.text import lower

KeywordKind = Literal["password", "short", "token", "weak"]


class Keyword(Struct, frozen=True):
    """A word and its span; "short" are words that also mean something else, "weak" only make a place likely."""

    kind: KeywordKind
    start: int
    end: int


_KEY_BEFORE = tuple(
    word + gap
    for word in """
    api access auth authentication account admin app bot client crypt encrypt decryption deploy encryption hmac
    integration license licence master private personal rest root service session shared signing sign storage
    subscription webhook write read
    """.split()  # noqa: SIM905
    for gap in ("", " ", "_", "-")
)
_KEY_BEFORE_WIDE = tuple(
    word + gap
    for word in """
    api rest 인증 비밀 액세스 접근 서비스 암호화 서명 앱 마스터 개인 클라이언트 라이선스 관리자
    シークレット アクセス 秘密
    """.split()  # noqa: SIM905
    for gap in ("", " ")
)


def _is_word(low: str, start: int, end: int) -> bool:
    before, behind = low[start - 1 : start], low[end : end + 1]
    return not (before.isascii() and before.isalpha()) and not (behind.isascii() and behind.isalpha())


def _whole_word(kind: KeywordKind, low: str, at: int, length: int) -> Keyword | None:
    return Keyword(kind, at, at + length) if _is_word(low, at, at + length) else None


def _pass(low: str, at: int) -> Keyword | None:
    for rest in ("word", "wd", "phrase", "code", "wort"):
        if low.startswith(rest, at + 4):
            return Keyword("password", at, at + 4 + len(rest))
    return _whole_word("short", low, at, 4)


def _key(low: str, at: int) -> Keyword | None:
    before = low[max(0, at - 24) : at]
    start = at
    for words in (_KEY_BEFORE, _KEY_BEFORE_WIDE) if not before.isascii() else (_KEY_BEFORE,):
        if before.endswith(words):
            start = at - max(len(word) for word in words if before.endswith(word))
            return Keyword("token", start, at + 3)
    if before.endswith("_"):
        while start > max(0, at - 21) and (low[start - 1].isalpha() or start == at):
            start -= 1
        return Keyword("token", start, at + 3) if at - start > 2 else None
    return None


def _wide_key(low: str, at: int, length: int) -> Keyword | None:
    before = low[max(0, at - 8) : at]
    if before.endswith(_KEY_BEFORE_WIDE):
        return Keyword("token", at, at + length)
    alone = (
        before.endswith(" ") and before[-2:-1].isalpha() and low[at + length : at + length + 1] in tuple("는은가를이: ")
    )
    return Keyword("token", at, at + length) if alone or not low[at + length :] else None


def _log_in(low: str, at: int) -> Keyword | None:
    for word in ("login", "log in", "log-in", "logged in"):
        if low.startswith(word, at):
            return _whole_word("weak", low, at, len(word))
    return None


_CHECKED_STEMS: tuple[tuple[str, Callable[[str, int], Keyword | None]], ...] = (
    ("pass", _pass),
    ("key", _key),
    ("log", _log_in),
    ("키", lambda low, at: _wide_key(low, at, 1)),
    ("キー", lambda low, at: _wide_key(low, at, 2)),
)
_WHOLE_WORDS: dict[KeywordKind, tuple[str, ...]] = {
    "short": ("pw", "psk"),
    "weak": ("sign in", "sign-in", "account", "sudo", "wifi", "wi-fi"),
}
_PARTS: dict[KeywordKind, tuple[str, ...]] = {
    "password": (
        *("mot de passe", "passwort", "pwd", "contraseña", "비밀번호", "비밀 번호", "비번", "패스워드", "암호"),
        *("パスワード", "密码", "密碼", "口令"),
    ),
    "token": ("secret", "token", "credential", "토큰", "시크릿", "トークン", "令牌", "密钥"),
    "weak": ("계정", "로그인"),
}


def find_keywords(text: str) -> list[Keyword]:
    """Every such word of a text in its order, none inside another."""
    low = lower(text)
    found: list[Keyword | None] = []
    for stem, check in _CHECKED_STEMS:
        found += [check(low, at) for at in _places(low, stem)]
    for kind, words in _WHOLE_WORDS.items():
        found += [_whole_word(kind, low, at, len(word)) for word in words for at in _places(low, word)]
    for kind, words in _PARTS.items():
        found += [Keyword(kind, at, at + len(word)) for word in words for at in _places(low, word)]
    ordered = sorted(filter(None, found), key=lambda word: (word.start, -word.end))
    return [word for n, word in enumerate(ordered) if n == 0 or word.start >= ordered[n - 1].end]


def _places(low: str, word: str) -> Iterator[int]:
    at = low.find(word)
    while at >= 0:
        yield at
        at = low.find(word, at + len(word))
