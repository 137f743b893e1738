"""Find the words beside which secrets stand: password, token, API key, 비밀번호 ….

A pattern with sixty alternatives would be tried at every character; `str.find` for a handful of stems and a check of
what is around each is some thirty times faster, and most files have no such word at all.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

KeywordKind = Literal["password", "short", "token", "weak"]


class Keyword(Struct, frozen=True):
    """A word and its span; "short" are words that also mean something else, "weak" only make a place likely."""

    kind: KeywordKind
    start: int
    end: int


_KEY_BEFORE = tuple(
    word + gap
    for word in (
        *("api", "access", "auth", "authentication", "account", "admin", "app", "bot", "client", "crypt", "encrypt"),
        *("decryption", "deploy", "encryption", "hmac", "integration", "license", "licence", "master", "private"),
        *("personal", "rest", "root", "service", "session", "shared", "signing", "sign", "storage", "subscription"),
        *("webhook", "write", "read"),
    )
    for gap in ("", " ", "_", "-")
)
_KEY_BEFORE_WIDE = tuple(
    word + gap
    for word in (
        *(
            "api",
            "rest",
            "인증",
            "비밀",
            "액세스",
            "접근",
            "서비스",
            "암호화",
            "서명",
            "앱",
            "마스터",
            "개인",
            "클라이언트",
        ),
        *("라이선스", "관리자", "シークレット", "アクセス", "秘密"),
    )
    for gap in ("", " ")
)


def _is_word(low: str, start: int, end: int) -> bool:
    """Whether no letter of ASCII stands directly before or behind."""
    before, behind = low[start - 1 : start], low[end : end + 1]
    return not (before.isascii() and before.isalpha()) and not (behind.isascii() and behind.isalpha())


def _pass(low: str, at: int) -> Keyword | None:
    for rest in ("word", "wd", "phrase", "code", "wort"):
        if low.startswith(rest, at + 4):
            return Keyword("password", at, at + 4 + len(rest))
    return _short(low, at, 4)


def _short(low: str, at: int, length: int) -> Keyword | None:
    return Keyword("short", at, at + length) if _is_word(low, at, at + length) else None


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


def _weak(low: str, at: int, length: int) -> Keyword | None:
    return Keyword("weak", at, at + length) if _is_word(low, at, at + length) else None


_STEMS: tuple[tuple[str, Callable[[str, int], Keyword | None]], ...] = (
    ("pass", _pass),
    ("mot de passe", lambda low, at: Keyword("password", at, at + 12)),
    ("passwort", lambda low, at: Keyword("password", at, at + 8)),
    ("pwd", lambda low, at: Keyword("password", at, at + 3)),
    ("pw", lambda low, at: _short(low, at, 2)),
    ("psk", lambda low, at: _short(low, at, 3)),
    ("secret", lambda low, at: Keyword("token", at, at + 6)),
    ("token", lambda low, at: Keyword("token", at, at + 5)),
    ("credential", lambda low, at: Keyword("token", at, at + 10)),
    ("key", _key),
    ("log", lambda low, at: _log_in(low, at)),
    ("sign in", lambda low, at: _weak(low, at, 7)),
    ("sign-in", lambda low, at: _weak(low, at, 7)),
    ("account", lambda low, at: _weak(low, at, 7)),
    ("sudo", lambda low, at: _weak(low, at, 4)),
    ("wifi", lambda low, at: _weak(low, at, 4)),
    ("wi-fi", lambda low, at: _weak(low, at, 5)),
)
_PASSWORDS_WIDE = (
    *("비밀번호", "비밀 번호", "비번", "패스워드", "암호", "パスワード", "密码", "密碼", "口令"),
    "contraseña",
)
_TOKENS_WIDE = ("토큰", "시크릿", "トークン", "令牌", "密钥")
_WEAK_WIDE = ("계정", "로그인")
_KEYS_WIDE = ("키", "キー")


def _log_in(low: str, at: int) -> Keyword | None:
    for word in ("login", "log in", "log-in", "logged in"):
        if low.startswith(word, at):
            return _weak(low, at, len(word))
    return None


def find_keywords(text: str) -> list[Keyword]:
    """Every such word of a text in its order, none inside another."""
    low = text.lower()
    if len(low) != len(text):  # a capital whose small form is longer: places would shift
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    found: list[Keyword] = []
    for stem, check in _STEMS:
        at = low.find(stem)
        while at >= 0:
            word = check(low, at)
            if word is not None:
                found.append(word)
            at = low.find(stem, at + len(stem))
    if not low.isascii():
        found += _find_wide(low)
    found.sort(key=lambda word: (word.start, -word.end))
    return [word for n, word in enumerate(found) if n == 0 or word.start >= found[n - 1].end]


def _find_wide(low: str) -> Iterator[Keyword]:
    kinds: tuple[tuple[KeywordKind, tuple[str, ...]], ...] = (
        ("password", _PASSWORDS_WIDE),
        ("token", _TOKENS_WIDE),
        ("weak", _WEAK_WIDE),
        ("token", _KEYS_WIDE),
    )
    for kind, words in kinds:
        for stem in words:
            at = low.find(stem)
            while at >= 0:
                word = _wide_key(low, at, len(stem)) if words is _KEYS_WIDE else Keyword(kind, at, at + len(stem))
                if word is not None:
                    yield word
                at = low.find(stem, at + len(stem))
