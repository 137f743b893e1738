"""Secrets are found, ordinary text is left alone, and a value never shows.

No string here is a whole credential: each is put together when the test runs, so that this file itself stays clean.
"""

import random
import string
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.secrets.patterns import PATTERN_RULES, TOKEN_FORMATS
from memtui.secrets.scanner import compile_pattern, redact, scan
from tests.support import REPO

DICE = random.Random(20260301)
ALNUM = string.ascii_letters + string.digits


def dice(count: int, letters: str = ALNUM) -> str:
    return "".join(DICE.choice(letters) for _ in range(count))


def password() -> str:
    return f"{dice(4, string.ascii_letters)}!{dice(3, string.digits)}{dice(4, string.ascii_letters)}#"


def slack_hook() -> str:
    team, channel = dice(9, string.ascii_uppercase), dice(9, string.ascii_uppercase)
    return f"https://hooks.slack.com/services/T{team}/B{channel}/{dice(24)}"


HEX = "0123456789abcdef"
FOUND = {
    "github": ("github-token", lambda: "ghp_" + dice(36)),
    "github in a JSON string": ("github-token", lambda: '{"x": "a\\nghs_' + dice(36) + '"}'),
    "aws": ("aws-access-key", lambda: "id = AKIA" + dice(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")),
    "anthropic": ("anthropic-key", lambda: "sk-ant-" + "api03-" + dice(90)),
    "slack hook": ("slack-webhook", slack_hook),
    "telegram": ("telegram-token", lambda: f"bot {dice(10, string.digits)}:AA{dice(33)}"),
    "private key": ("private-key", lambda: "-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + dice(64) + "\n"),
    "private key in JSON": ("private-key", lambda: '"-----BEGIN ' + "PRIVATE KEY-----\\n" + dice(64) + '\\n"'),
    "URL": ("url-password", lambda: f"postgres://app:{dice(14)}@db.internal:5432/prod"),
    "URL without user": ("url-password", lambda: f"redis://:{dice(14)}@cache:6379/0"),
    "header": ("authorization", lambda: f'curl -H "Authorization: Bearer {dice(40)}" https://x.io'),
    "own header": ("authorization", lambda: f"curl -H 'X-Api-Key: {dice(32)}' https://x.io"),
    "basic": ("basic-flag", lambda: f"curl -u 'svc:{password()}' https://ci.internal"),
    "flag": ("password-flag", lambda: f"tool login --password {password()}"),
    "netrc": ("netrc", lambda: f"machine git.x.io login bot password {dice(18)}"),
    "sshpass": ("sshpass", lambda: f"sshpass -p '{password()}' ssh ops@10.0.0.2"),
    "otpauth": ("otpauth", lambda: f"otpauth://totp/a:b?secret={dice(32, 'ABCDEFGHJKLMNPQRSTUVWXYZ234567')}&issuer=a"),
    "env": ("token", lambda: f'export PAYMENTS_API_SECRET="{dice(32)}"'),
    "yaml": ("token", lambda: f"client_secret: {dice(40)}"),
    "json": ("token", lambda: '{"api_key": "' + dice(36) + '"}'),
    "python": ("password", lambda: f'DB_PASSWORD = "{password()}"'),
    "kubernetes": ("password", lambda: f'- name: DB_PASSWORD\n  value: "{password()}"'),
    "table": ("password", lambda: f"| user | password |\n|---|---|\n| admin | {password()} |"),
    "prose": ("password", lambda: f"The staging database password is {password()} and rotates quarterly."),
    "prose the other way round": ("password", lambda: f"Use `{dice(6)}!{dice(6)}9%` as the password for the demo."),
    "bold label": ("password", lambda: f"- **Admin password**: {password()}"),
    "Korean prose": ("password", lambda: f"스테이징 DB 비밀번호는 {password()} 이고 분기마다 바꾼다."),
    "Korean key": ("token", lambda: f"카카오 REST API 키: {dice(32, HEX)}"),
    "Toss": ("toss-key", lambda: "토스 시크릿 키 live_" + "sk_" + dice(32)),
    "Discord": ("discord-webhook", lambda: f"https://discord.com/api/webhooks/{dice(18, string.digits)}/{dice(68)}"),
    "Japanese prose": ("password", lambda: f"本番のパスワードは {password()} です"),
}  # fmt: skip

CLEAN = [
    "",
    "Fixed in commit 3f786850e387550fdab836ed7e6dc881de23001b on main; the token refresh works.",
    "Set ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx before running.",
    "export GITHUB_TOKEN=<YOUR_GITHUB_TOKEN>",
    'api_key = os.environ["OPENAI_API_KEY"]',
    "password: ${{ secrets.DOCKERHUB_PASSWORD }}",
    "postgres://app:${DB_PASSWORD}@db:5432/app",
    "postgresql://user:password@localhost:5432/db",
    "DB_PASSWORD=op://eng/staging-db/password",
    "def login(user: str, password: str, token: str | None = None) -> Session: ...",
    "Passwords must be at least 12 characters and include a symbol.",
    "API 키는 1Password 의 eng 볼트에 있다. 저장소에 적지 말 것.",
    "비밀번호는 최소 12자, 90일마다 변경. 토큰 예산은 12000 이다.",
    "JWT tokens are signed with RS256 and expire after 15m; refresh token after 30d.",
    "token_path: ~/.config/app/token_v2.json and password_file=/run/secrets/db_pw1",
    "cache_key: build-v2-0a1b2c3d4e5f, public_key: MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7",
    "We decided to pass 3 arguments to `run2`, tests pass since v2.3.1.",
    "test_password_reset_sends_mail_2 fails on CI, see tests/auth/test_login2.py:142",
    "localStorage key: auth.session.v2; Idempotency-Key: 123e4567-e89b-42d3-a456-426614174000",
]


@pytest.mark.parametrize("kind", FOUND)
def test_a_secret_is_found_and_never_shown(kind: str) -> None:
    rule, make = FOUND[kind]
    text = f"# Notes\n\n{make()}\n"
    findings = scan(text)
    assert [f.rule for f in findings] == [rule]
    finding = findings[0]
    value = text[finding.start : finding.end]
    assert value not in finding.masked
    tail = range(0 if rule not in {token.rule for token in TOKEN_FORMATS} else 12, len(value) - 6)
    assert rule == "private-key" or all(value[n : n + 6] not in finding.masked for n in tail)
    before = text[: finding.start]
    assert finding.line == before.count("\n") + 1
    assert finding.column == len(before) - (before.rfind("\n") + 1) + 1


@pytest.mark.parametrize("text", CLEAN)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert scan(text) == []


@pytest.mark.parametrize("kind", FOUND)
def test_redacting_leaves_no_secret_and_nothing_else_changed(kind: str) -> None:
    text = f"before\n{FOUND[kind][1]()}\nafter\n"
    clean = redact(text, scan(text))
    assert scan(clean) == []
    assert clean.startswith("before\n") and clean.endswith("after\n")


def test_a_whole_key_block_is_redacted() -> None:
    lines = "\n".join(dice(64) for _ in range(9))
    block = "-----BEGIN " + f"RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    assert redact(f"a\n{block}\nb\n", scan(f"a\n{block}\nb\n")) == "a\n[removed]\nb\n"


def test_a_text_cannot_allow_itself() -> None:
    token = "ghp_" + dice(36)
    for comment in ("gitleaks:allow", "pragma: allowlist secret", "kingfisher:ignore", "nosec", "memtui:allow"):
        assert scan(f"{token}  # {comment}\n")


def test_the_person_can_allow_one_value_by_its_fingerprint() -> None:
    text = f"one ghp_{dice(36)}\ntwo ghp_{dice(36)}\n"
    first, second = scan(text)
    assert scan(text, allowed={first.fingerprint}) == [second]


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_labelled_set(seed: int, tmp_path: Path) -> None:
    script = REPO / "tests/data/cases/secrets_gen.py"
    subprocess.run([sys.executable, str(script), str(seed), str(tmp_path)], check=True, capture_output=True, timeout=60)
    wanted = {path: bool(scan(path.read_text("utf-8"))) for path in (tmp_path / "pos").iterdir()}
    alarms = [path.name for path in (tmp_path / "neg").iterdir() if scan(path.read_text("utf-8"))]
    found = sum(wanted.values())
    assert found / len(wanted) >= 0.95, [path.name for path, hit in wanted.items() if not hit]
    assert found / (found + len(alarms)) >= 0.95, alarms


def test_real_memory_folders_raise_no_alarm(shared: Path) -> None:
    files = sorted((shared / "corpus/memory").rglob("*.md"))
    assert len(files) > 200
    assert {path.name: scan(path.read_text("utf-8")) for path in files if scan(path.read_text("utf-8"))} == {}


PIECES = st.sampled_from([
    "password", "token: ", "비밀번호는 ", "api_key=", " is ", "`", '"', "'", "|", "\n", "://", ":", "@", "ghp_",
    "-----BEGIN PRIVATE KEY-----", "aB3$dE5!gH7", "x" * 40, "İ", "\\n", "{", "}", "-p ", "Authorization: ", "eyJ",
    ".", "0x", " ", "키",
])  # fmt: skip


@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40).map("".join))
def test_any_text_is_taken(text: str) -> None:
    findings = scan(text)
    for finding in findings:
        assert 0 <= finding.start < finding.end <= len(text)
        assert text.count("\n", 0, finding.start) + 1 == finding.line
    assert all(a.end <= b.start for a, b in pairwise(findings))
    redact(text, findings)


def test_noise_is_reported_and_not_looked_through() -> None:
    findings = scan("password: x\n" * 20_000)
    assert [finding.rule for finding in findings] == ["too-many-to-look-at"]
    assert scan("a token is one word among the many others of a line\n" * 3000) == []


def test_shapes_are_plenty_and_each_has_a_place() -> None:
    assert len({token.rule for token in TOKEN_FORMATS} | {place.rule for place in PATTERN_RULES}) >= 60
    assert all("s" in compile_pattern(place.pattern).groupindex for place in PATTERN_RULES)
    assert all(compile_pattern(token.pattern) for token in TOKEN_FORMATS)


KINDS_OF_PEOPLE = """\
admin:$apr1$h6uRz0kQ$Wv8eT1kXo9nYbLr2pQmZc.
deploy:$2y$05$Kc8Jx3bQv1nR7tWmZpL4Oe9hYs2dFgUaXiBqTzNvPkEjMlRoSw6Gy
vault passphrase is `maple-quartz-thunder-violin`
jdbc:oracle:thin:scott/tig3rXx91@//db.acme.corp:1521/ORCL
the DB pass is mQ7xTz91
login: jane / Pa55w0rdX9
user admin, password S3cureM3now"""


@pytest.mark.parametrize("line", KINDS_OF_PEOPLE.splitlines())
def test_how_people_write_accounts_down(line: str) -> None:
    assert len(scan(line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "passphrase: see-the-team-vault", "the DB pass is in the vault", "login: click / submit",
        "the first pass is feature-extraction-and-scoring", "jdbc:oracle:thin:app/${DB_PASSWORD}@//db:1521/X",
        "username: octocat / repo: hello-world", "credentials: see docs / setup.md",
    ],
)  # fmt: skip
def test_words_about_accounts_are_left_alone(line: str) -> None:
    assert scan(line) == []
