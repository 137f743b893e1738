# ruff: noqa
"""Self-made labelled set: random tokens in vendor-public formats inside memory-topic-file prose. Nothing here is a live credential."""

import random, string, sys, os, json, base64, zlib, hashlib, uuid

seed = int(sys.argv[1])
out = sys.argv[2]
R = random.Random(seed)
A = string.ascii_letters + string.digits
L = string.ascii_lowercase + string.digits
U = string.ascii_uppercase + string.digits
H = "0123456789abcdef"


def r(a, n):
    return "".join(R.choice(a) for _ in range(n))


def b62(n, w):
    s = ""
    while n:
        s = A62[n % 62] + s
        n //= 62
    return s.rjust(w, "0")


A62 = "0123456789" + string.ascii_uppercase + string.ascii_lowercase


def crc(p):
    b = r(A, 30)
    return p + b + b62(zlib.crc32(b.encode()), 6)


def b64(n):
    return base64.b64encode(bytes(R.getrandbits(8) for _ in range(n))).decode()


def b64u(n):
    return base64.urlsafe_b64encode(bytes(R.getrandbits(8) for _ in range(n))).decode().rstrip("=")


def pem(k, n=1190):
    b = b64(n)
    return f"-----BEGIN {k}-----\n" + "\n".join(b[i : i + 64] for i in range(0, len(b), 64)) + f"\n-----END {k}-----"


def jwt():
    e = lambda d: base64.urlsafe_b64encode(json.dumps(d).encode()).decode().rstrip("=")
    return (
        e({"alg": "HS256", "typ": "JWT"})
        + "."
        + e({"sub": r("0123456789", 10), "iat": 1700000000 + R.randrange(10**7), "role": "service"})
        + "."
        + b64u(32)
    )


pw = lambda: (
    r(string.ascii_letters, 4)
    + R.choice("!@#%^&*")
    + r(string.digits, 3)
    + r(string.ascii_letters, 4)
    + R.choice("!@#%")
)
P = {
    "aws-id+secret": lambda: (
        f"aws_access_key_id = AKIA{r('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}\naws_secret_access_key = {r(A + '/+', 40)}"
    ),
    "aws-secret-kw": lambda: f"AWS_SECRET_ACCESS_KEY={r(A + '/+', 40)}",
    "github-classic": lambda: crc("ghp_"),
    "github-oauth": lambda: crc("gho_"),
    "github-app": lambda: crc("ghs_"),
    "github-fine": lambda: "github_pat_" + r(A, 22) + "_" + r(A, 59),
    "gitlab-pat": lambda: "glpat-" + r(A + "_-", 20),
    "slack-bot": lambda: f"xoxb-{r(string.digits, 12)}-{r(string.digits, 13)}-{r(A, 24)}",
    "slack-hook": lambda: f"https://hooks.slack.com/services/T{r(U, 10)}/B{r(U, 10)}/{r(A, 24)}",
    "stripe-live": lambda: "sk_live_" + r(A, 24),
    "stripe-restricted": lambda: "rk_live_" + r(A, 24),
    "openai-proj": lambda: "sk-proj-" + r(A + "_-", 74) + "T3BlbkFJ" + r(A + "_-", 74),
    "openai-legacy": lambda: "sk-" + r(A, 20) + "T3BlbkFJ" + r(A, 20),
    "anthropic": lambda: "sk-ant-api03-" + r(A + "_-", 93) + "AA",
    "google-api": lambda: "AIza" + r(A + "_-", 35),
    "gcp-sa": lambda: (
        '{"type": "service_account", "project_id": "demo-%s", "private_key_id": "%s", "private_key": "%s"}'
        % (r(L, 6), r(H, 40), pem("PRIVATE KEY").replace("\n", "\\n"))
    ),
    "pem-rsa": lambda: pem("RSA PRIVATE KEY"),
    "pem-openssh": lambda: pem("OPENSSH PRIVATE KEY", 400),
    "pem-ec": lambda: pem("EC PRIVATE KEY", 121),
    "jwt": jwt,
    "npm": lambda: crc("npm_"),
    "pypi": lambda: "pypi-AgEIcHlwaS5vcmc" + b64u(120),
    "huggingface": lambda: "hf_" + r(string.ascii_letters, 34),
    "sendgrid": lambda: "SG." + r(A + "_-", 22) + "." + r(A + "_-", 43),
    "twilio": lambda: f"TWILIO_API_KEY=SK{r(H, 32)}",
    "mailgun": lambda: f"mailgun api key: key-{r(H, 32)}",
    "azure-storage": lambda: (
        f"DefaultEndpointsProtocol=https;AccountName=st{r(L, 8)};AccountKey={b64(64)};EndpointSuffix=core.windows.net"
    ),
    "pg-url": lambda: f"postgres://app:{r(A, 14)}@db-{r(L, 5)}.internal:5432/prod",
    "mongo-url": lambda: f"mongodb+srv://admin:{r(A, 16)}@cluster0.{r(L, 5)}.mongodb.net/app",
    "redis-url": lambda: f"redis://:{r(A, 20)}@cache.{r(L, 5)}.internal:6379/0",
    "basic-url": lambda: f"https://deploy:{r(A, 16)}@registry.{r(L, 5)}.io/v2/",
    "telegram": lambda: f"telegram bot token {r(string.digits, 10)}:AA{r(A + '_-', 33)}",
    "discord-bot": lambda: (
        f"discord bot token {base64.b64encode(r(string.digits, 18).encode()).decode()}.{r(A, 6)}.{r(A + '_-', 38)}"
    ),
    "discord-hook": lambda: f"https://discord.com/api/webhooks/{r(string.digits, 18)}/{r(A + '_-', 68)}",
    "digitalocean": lambda: "dop_v1_" + r(H, 64),
    "shopify": lambda: "shpat_" + r(H, 32),
    "databricks": lambda: "dapi" + r(H, 32) + "-2",
    "datadog-kw": lambda: f"DD_API_KEY={r(H, 32)}",
    "linear": lambda: "lin_api_" + r(A, 40),
    "notion": lambda: "ntn_" + r(string.digits, 11) + r(A, 35),
    "supabase": lambda: "sbp_" + r(H, 40),
    "cloudflare-kw": lambda: f"CLOUDFLARE_API_TOKEN={r(A + '_-', 40)}",
    "doppler": lambda: "dp.pt." + r(A, 43),
    "grafana-sa": lambda: "glsa_" + r(A, 32) + "_" + r(H, 8),
    "postman": lambda: "PMAK-" + r(H, 24) + "-" + r(H, 34),
    "age": lambda: "AGE-SECRET-KEY-1" + r("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "bearer": lambda: f'curl -H "Authorization: Bearer {r(A, 40)}" https://api.{r(L, 6)}.com/v1/me',
    "curl-basic": lambda: f"curl -u 'svc-{r(L, 4)}:{pw()}' https://ci.{r(L, 5)}.internal/api",
    "netrc": lambda: f"machine git.{r(L, 5)}.internal login bot password {r(A, 18)}",
    "env-generic": lambda: f'export PAYMENTS_API_SECRET="{r(A, 32)}"',
    "yaml-generic": lambda: f"client_secret: {r(A + '~._-', 40)}",
    "json-generic": lambda: '{"api_key": "%s"}' % r(A, 36),
    "py-password": lambda: f'DB_PASSWORD = "{pw()}"',
    "prose-password": lambda: f"The staging database password is {pw()} and rotates quarterly.",
    "prose-ko": lambda: f"스테이징 DB 비밀번호는 {pw()} 이고 분기마다 바꾼다.",
    "prose-token": lambda: f"For the deploy job use token {r(A, 40)} until the vault is ready.",
    "kakao-kw": lambda: f"카카오 REST API 키: {r(H, 32)}",
    "toss": lambda: f"토스 시크릿 키 live_sk_{r(A, 32)}",
    "wireguard": lambda: f"[Interface]\nPrivateKey = {b64(32)}",
    "k8s-secret": lambda: f"kind: Secret\ndata:\n  password: {base64.b64encode(pw().encode()).decode()}",
    "otpauth": lambda: f"otpauth://totp/acme:bot?secret={r('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32)}&issuer=acme",
    "sshpass": lambda: f"sshpass -p '{pw()}' ssh ops@10.0.0.{R.randrange(2, 250)}",
}
sri = lambda: "sha512-" + b64(64)
N = {
    "git-sha": lambda: f"Fixed in commit {r(H, 40)} on main.",
    "git-short": lambda: f"See {r(H, 8)}..{r(H, 8)} for the refactor.",
    "sha256": lambda: f"sha256sum of the release tarball: {r(H, 64)}",
    "md5": lambda: f"md5 {r(H, 32)}  build.log",
    "uuid": lambda: f"Session {uuid.UUID(int=R.getrandbits(128), version=4)} covers the auth work.",
    "uuid-path": lambda: (
        f"Transcript: ~/.claude/projects/-home-u-app/{uuid.UUID(int=R.getrandbits(128), version=4)}.jsonl"
    ),
    "toolu": lambda: f"tool_use id toolu_01{r(A, 22)} failed",
    "msgid": lambda: f"request-id req_011C{r(A, 20)} and msg_01{r(A, 22)}",
    "npm-lock": lambda: f'"integrity": "{sri()}"',
    "cargo-lock": lambda: f'checksum = "{r(H, 64)}"',
    "go-sum": lambda: f"golang.org/x/sys v0.20.0 h1:{b64(32)}",
    "docker-digest": lambda: f"python:3.11-slim@sha256:{r(H, 64)}",
    "nix": lambda: f"/nix/store/{r(L, 32)}-python3-3.11.9",
    "ssh-pub": lambda: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{r(A + '/+', 43)} dev@laptop",
    "cert": lambda: pem("CERTIFICATE", 900),
    "pgp-pub": lambda: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n" + b64(300) + "\n-----END PGP PUBLIC KEY BLOCK-----",
    "png-b64": lambda: f"![shot](data:image/png;base64,iVBORw0KGgo{b64(240)})",
    "placeholder-ant": lambda: "Set ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx before running.",
    "placeholder-angle": lambda: "export GITHUB_TOKEN=<YOUR_GITHUB_TOKEN>",
    "placeholder-your": lambda: "api_key: your-api-key-here",
    "placeholder-gh": lambda: "token looks like ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "redacted": lambda: "password=REDACTED  token=*****",
    "aws-example": lambda: "The docs use AKIAIOSFODNN7EXAMPLE / wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY as samples.",
    "env-ref": lambda: "deploy reads $STRIPE_SECRET_KEY from the CI vault",
    "py-env": lambda: 'api_key = os.environ["OPENAI_API_KEY"]',
    "js-env": lambda: "const token = process.env.GITHUB_TOKEN",
    "gha": lambda: "password: ${{ secrets.DOCKERHUB_PASSWORD }}",
    "url-nopass": lambda: "postgres://localhost:5432/app_test",
    "url-var": lambda: "postgres://app:${DB_PASSWORD}@db:5432/app",
    "op-ref": lambda: "DB_PASSWORD=op://eng/staging-db/password",
    "vault-ref": lambda: "vault kv get -field=password secret/data/staging/db",
    "type-hint": lambda: "def login(user: str, password: str, token: str | None = None) -> Session: ...",
    "prose-rule": lambda: "Passwords must be at least 12 characters and include a symbol.",
    "prose-budget": lambda: "Session memory has a token budget of 12000 tokens per file.",
    "prose-where": lambda: "API 키는 1Password 의 eng 볼트에 있다. 저장소에 적지 말 것.",
    "prose-rotate": lambda: "The user wants secrets rotated every 90 days and never pasted in chat.",
    "prose-key": lambda: "Primary key: user_id. Sort key: created_at. The cache key includes the locale.",
    "ident": lambda: "getAutoMemoryDirectoryForCanonicalGitRootOrThrow handles worktrees",
    "ident2": lambda: "test_consolidation_lock_is_released_when_the_holder_dies_midway passes",
    "path": lambda: f"/home/dev/src/app/packages/{r(L, 8)}/node_modules/.cache/{r(L, 16)}/index.js",
    "hexcolor": lambda: "Theme: #1e1e2e #cdd6f4 #89b4fa #f38ba8 #a6e3a1",
    "eth": lambda: f"Contract address 0x{r(H, 40)} on testnet",
    "arn": lambda: f"arn:aws:iam::{r(string.digits, 12)}:role/deploy",
    "s3": lambda: f"s3://acme-build-{r(L, 6)}/artifacts/{r(H, 12)}.tar.gz",
    "slack-ch": lambda: f"Post to channel C0{r(U, 9)}",
    "gdoc": lambda: f"https://docs.google.com/document/d/1{r(A + '_-', 43)}/edit",
    "figma": lambda: f"https://www.figma.com/file/{r(A, 22)}/Dashboard",
    "yt": lambda: f"https://youtu.be/{r(A + '_-', 11)}",
    "linear-url": lambda: f"https://linear.app/acme/issue/ENG-{R.randrange(100, 9999)}",
    "grafana": lambda: f"https://grafana.internal/d/{r(A, 9)}/latency?orgId=1",
    "query": lambda: f"SELECT token_count, key FROM usage WHERE session = 42",
    "regex": lambda: "Regex for ids: ^[A-Za-z0-9_-]{20,}$",
    "ko-prose": lambda: "테스트는 실제 DB 를 기본으로 쓰고, 목은 속도가 필요할 때만 쓴다.",
    "semver": lambda: f"textual 8.2.{R.randrange(9)} / rich 15.0.0 / python 3.11.7",
    "phone": lambda: "Call the on-call at +82-2-555-0100 ext 4",
    "date": lambda: "Deadline 2026-03-05T14:00:00+09:00",
    "b64-word": lambda: 'cron expr "17 3 * * *" and base64("hello world") = aGVsbG8gd29ybGQ=',
    "jenkins": lambda: f"Build #{R.randrange(1000, 9999)} artefact {r(H, 16)}",
    "ulid": lambda: f"event 01{r('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 24)}",
    "etag": lambda: f'ETag: W/"{r(H, 32)}"',
    "k8s-name": lambda: f"pod api-{r(H, 10)}-{r(L, 5)} restarted",
    "csp": lambda: f"script-src 'sha256-{b64(32)}'",
    "license": lambda: "SPDX-License-Identifier: Apache-2.0",
}
frames = [
    "The user prefers this setup for the project.\n\n{}\n",
    "# Notes\n\n- context from last week\n- {}\n- keep it short\n",
    "**Why:** agreed in review.\n**How to apply:**\n\n```\n{}\n```\n",
]
for lab, D in (("pos", P), ("neg", N)):
    os.makedirs(f"{out}/{lab}", exist_ok=True)
    for k, f in D.items():
        for i, fr in enumerate(frames):
            with open(f"{out}/{lab}/{k}__{i}.md", "w") as fh:
                fh.write(
                    f"---\nname: note-{r(L, 5)}\ndescription: working note\ntype: reference\n---\n\n" + fr.format(f())
                )
print(len(P) * 3, len(N) * 3)
