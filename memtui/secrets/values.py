"""Tell a credential from what only stands where one could stand.

`patterns` and `context` say where a secret would be; the functions here check the string itself: placeholders of
documentation, references to a vault or a variable, names of code, ordinary words, hashes. All are linear in its length.
"""

import re

_TEMPLATE = re.compile(
    r"\$\{|\$\(|\{\{|%\(|\A\$[A-Za-z_]\w*(?:[/:.]|\Z)|\A%[A-Za-z_]+%\Z|<[A-Za-z][^<>]{1,60}>|\A\[[A-Za-z "
    r"_-]{2,40}\]\Z|\{[A-Za-z_][\w.:]{0,40}\}|…|\.\.\.|[*•·●█]{3}|#\{|\[A-Za?-z|\[0-9|\\[dws]"
)
_EXAMPLE = re.compile(
    r"example|placeholder|redact|changeme|change[-_ ]me|replace[-_ ]?me|your[-_ ]|-your|_your|xxxx|not[-_ ]a[-_ ]real|"
    r"opens[-_ ]nothing|[-_]here\Z|insert[-_]"
)
_PLACEHOLDER_WORDS = re.compile(
    r"(?:^|[-_. ])(?:your|my|our|fake|dummy|sample|some|any|foo|foobar|bar|baz|todo|fixme|tbd|insert|replace|"
    r"enter|put|here|none|null|nil|undefined|"
    r"empty|removed|masked|hidden|omitted|scrubbed|xxx|yyy|zzz|change|goes)(?:[-_. ]|$)"
)
_RUN = re.compile(r"(.)\1{4}", re.DOTALL)
_SEQUENCE = re.compile(r"0123456789|1234567890|123456789|abcdefgh|deadbeef|cafebabe|qwertyuiop", re.IGNORECASE)
_PLAIN = re.compile(
    r"(?:(?:app|db|api|aws|gcp|dev|prod|stage|staging|test|tests|testing|user|users|admin|root|guest|client|"
    r"server|service|web|the|a|an|is|in|of|for|and|or|"
    r"new|old|super|very|top|long|strong|random|default|shared|local|demo|string|str|text|bytes|bool|boolean|"
    r"int|integer|number|true|false|yes|no|on|off|"
    r"required|optional|value|values|field|type|object|any|self|env|vault|file|path|name|id|url|header|"
    r"basic|digest|bearer|oauth|jwt|hash|hashed|encrypted|"
    r"pass|password|passwd|pwd|passphrase|passcode|secret|secrets|token|tokens|key|keys|auth|credential|"
    r"credentials|access|private|public|login|account|"
    r"refresh|session|csrf|mysql|postgres|redis|mongo|github|gitlab|slack|stripe|openai|anthropic|google|"
    r"docker|kubernetes|k8s)[-_ .]?)+(?:\d{0,2}|123|1234|12345)\Z",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"(?:op|vault|env|ssm|secretsmanager|awssm|gcpsm|akv|keyring|keychain|file|doppler|infisical|bw|pass|"
    r"sops|ref|arn|urn)://?"
    r"|arn:|(?:~|\.{1,2})?/[\w.@~-]+(?:/|\Z)|https?://|[A-Za-z]:\\"
    r"|(?:[A-Za-z_$][\w$]*(?:\.|\?\.|->|::))*[A-Za-z_$][\w$]*(?:\(|\[[\"'A-Za-z_0-9])"  # getToken(, settings["X"
)
_DOTTED = re.compile(r"(?:[A-Za-z_$][\w$]*(?:\.|\?\.|->|::))+[A-Za-z_$][\w$]*\Z")  # config.api_key, process.env.X
_UPPER_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_FILE_NAME = re.compile(
    r"[\w@./~-]*\.(?:md|txt|json|ya?ml|toml|ini|env|py|pyi|rs|go|c|h|cc|cpp|java|kt|rb|php|cs|sh|js|mjs|"
    r"cjs|jsx|ts|tsx|vue|css|html?|sql|xml|csv|lock|"
    r"log|pem|key|crt|cert|pub|gpg|asc|zip|tgz|gz|png|jpe?g|svg|pdf|conf|cfg|tf|tfvars|properties|gradle|"
    r"example|local|com|org|net|io|dev|internal)(?::\d+)*\Z",
    re.IGNORECASE,
)
_PAIRS = frozenset(
    """
    ab ac ad ag ai al am an ap ar as at ba be bi bl bu ca ce ch ci ck cl co cr ct cu da de di do ds du ea ec ed ee
    ef eg el em en ep er es et ev ex fe ff fi fo fr ge gi gr ha he hi ho ia ib ic id ie if ig il im in io ip ir is
    it iv iz ke la ld le li ll lo ls lt ly ma me mi mo mp na nc nd ne nf ng ni no ns nt oc od ol om on oo op or os
    ot ou ow pa pe pi pl po pp pr pt qu ra rc rd re ri rm ro rr rs rt ry sa sc se sh si so sp ss st su ta tc te th
    ti tl to tr ts tt tu ty ub ul um un up ur us ut va ve vi wa wi ze
    """.split()  # noqa: SIM905  (170 quoted pairs would be noise)
)
"""The 170 commonest pairs of letters in English and in names of code: 84 % of the pairs there, 25 % of random ones."""
_LETTERS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_HEX = re.compile(r"[0-9a-f]+\Z|[0-9A-F]+\Z")
_GROUPS = re.compile(r"[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,7}\Z")  # licence keys and recovery codes
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z", re.IGNORECASE)
_TERM = re.compile(  # names of technology that look like a weak password
    r"(?:[A-Z]{1,5}-?\d{1,4}(?:[-/][A-Za-z0-9]{1,8}){0,3}|sha-?[0-9/]{1,7}|md[45]|base(?:16|32|58|62|64)(?:url)?|"
    r"argon2(?:id|i|d)?|bcrypt|scrypt|pbkdf2|x509|x25519|"
    r"ed25519(?:-[\w]+)?|curve25519|oauth-?[12](?:\.0)?|saml2?|oidc|utf-?(?:8|16|32)|v?\d+(?:\.\d+){1,4}(?:[-+][\w.]{1,16})?|"
    r"i18n|l10n|k8s|s3|ec2|e2e|p2p|b2b|1password|"
    r"auth0|web3|ipv[46]|http[123]?|tls ?v?1(?:\.\d)?|h2|mp[34]|python3?|node\d*|es\d+|win32|x86(?:_64)?|"
    r"amd64|arm64|gpt-?\d\w*|claude-?\d*|k6|d3|"
    r"\d+(?:\.\d+)?(?:[smhdwykmg]b?|ms|min|mins|hrs?|hours?|days?|weeks?|months?|years?|bits?|bytes?|chars?|"
    r"px|x|th|st|nd|rd|%|kb|mb|gb|k)|[\d.,:/+-]+|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-][\d:]+)?)\Z",
    re.IGNORECASE,
)


def is_placeholder(value: str, *, machine: bool = False) -> bool:
    """Whether the string stands in for a secret; `machine`: behind a vendor's prefix, where words are chance."""
    low = value.lower()
    if len(value) < 4 or _TEMPLATE.search(value) or _EXAMPLE.search(low) or _RUN.search(value) or _PLAIN.match(value):
        return True
    if not machine and _PLACEHOLDER_WORDS.search(low):
        return True
    kinds = len({c for c in low if c.isalnum()})
    return kinds < 4 or (len(value) >= 16 and (kinds < 6 or _SEQUENCE.search(value) is not None))


def is_reference(value: str) -> bool:
    """Whether the string says where the secret is kept, not what it is: a variable, a vault path, a file, code."""
    if _REFERENCE.match(value) or _UPPER_NAME.match(value) or _FILE_NAME.match(value):
        return True
    return _DOTTED.match(value) is not None and is_wordy(value)


def is_term(value: str) -> bool:
    """Whether the string is a term, version, date, size or id that only looks like a weak password: `SHA256`, `24h`."""
    return bool(_TERM.match(value))


def is_hash_like(value: str) -> bool:
    """Whether the string could as well be a digest, a commit or a UUID: only its surroundings can tell."""
    return bool(_UUID.match(value) or (_HEX.match(value) and len(value) >= 7))


def _switches(value: str) -> tuple[int, int]:
    """How often the kind of character changes inside runs of letters and digits, and how many neighbours there are.

    A small letter behind a capital is no change: so names in camel case change about as rarely as plain words.
    """
    switches = pairs = before = 0
    for char in value:
        kind = 3 if "0" <= char <= "9" else 2 if "A" <= char <= "Z" else 1 if "a" <= char <= "z" else 0
        if kind and before:
            pairs += 1
            switches += kind != before and not (before == 2 and kind == 1)
        before = kind
    return switches, pairs


def is_wordy(value: str) -> bool:
    """Whether the string is made of words: `test_lock_is_released`, `getUserName`, `v2-final`."""
    parts = [part.lower() for part in _LETTERS.findall(value)]
    pairs = [part[n : n + 2] in _PAIRS for part in parts for n in range(len(part) - 1)]
    if not pairs:
        return not any(c.isascii() and c.isalpha() for c in value)
    return sum(pairs) >= (0.55 if len(pairs) >= 6 else 0.67) * len(pairs)


def is_random(value: str, *, shortest: int = 16) -> bool:
    """Whether a run without blanks, not too short, is made by a machine: the kinds of characters change like dice."""
    if len(value) < shortest:
        return False
    switches, pairs = _switches(value)
    if pairs < shortest // 2:
        return False
    has_digit = any("0" <= c <= "9" for c in value)
    share = switches / pairs
    if has_digit:
        return share >= 0.38 or (share >= 0.17 and not is_wordy(value)) or bool(_GROUPS.match(value))
    return share >= 0.12 and len(value) >= 20 and not is_wordy(value)


def is_password(value: str, *, strict: bool = False) -> bool:
    """Whether a person or a generator would make such a password; `strict`: only the string itself speaks for it."""
    if len(value) < 6 or len(value) > 200 or is_term(value):
        return False
    lower = any("a" <= c <= "z" for c in value)
    upper = any("A" <= c <= "Z" for c in value)
    digit = any("0" <= c <= "9" for c in value)
    if strict:
        sign = any(c in "!@#$%^&*?~+=" for c in value)
        return sign and digit and (lower or upper) and len(value) >= 8 and not value.startswith(("#", "@"))
    if (lower or upper) and digit:
        return True
    if any(c in "!@#$%^&*?~+=|;:<>{}" for c in value):
        return (lower or upper) and len(value) >= 8
    return lower and upper and len(value) >= 10 and _switches(value)[0] >= 2 and not is_wordy(value)
