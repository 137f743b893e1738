# ruff: noqa: E501  (one row a shape: a wrapped pattern is harder to read than a long one)
r"""What credentials look like: the formats that vendors publish, and the places where people write the rest.

Two kinds of shape, so that a file without secrets costs next to nothing:

- `TOKEN_FORMATS` begin with a word of their own (`ghp_`, `AKIA`, `xoxb-`). The word is looked for among the long runs of a
  text; only where it stands is a pattern matched, at that place.
- `PATTERN_RULES` are places by form (`scheme://user:PASSWORD@`, `Authorization: Bearer …`, `-----BEGIN … PRIVATE KEY-----`).
  Each is tried only if one of its words occurs in the lower-cased text at all.

A pattern is compiled when it is tried for the first time: all of them take as long as the rest of a start's checks.

Every repeat is bounded and no two repeats that follow one another share a character, so a pattern takes linear time.
In a place the secret is the group `s`.

Source: the vendors' own pages on token formats; no rule file of another scanner was copied.
"""

import re

from msgspec import Struct


class TokenFormat(Struct, frozen=True):
    """A format with a prefix: what it is called, the prefix, and the pattern that holds from there on."""

    rule: str
    prefix: str
    pattern: str


class PatternRule(Struct, frozen=True):
    """A place where a secret stands."""

    rule: str
    gates: tuple[str, ...]  # one of these, if any, must occur in the lower-cased text
    words: tuple[str, ...]  # and one of these
    pattern: str
    judged: str  # what the value must be: "any" but a placeholder, a "password", "random"


_W, _D, _X, _U = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-fA-F]", "[A-Z0-9]"
_END = "(?![A-Za-z0-9])"

_TOKENS = f"""
aws-access-key      AKIA ASIA ABIA ACCA                                [A-Z2-7]{{16}}{_END}
aws-bedrock-key     ABSK bedrock-api-key-                              [A-Za-z0-9+/]{{60,400}}={{0,2}}
amazon-mws          amzn.mws.                                          {_X}{{8}}-[0-9a-f-]{{27}}
github-token        ghp_ gho_ ghu_ ghs_ ghr_                           {_W}{{30,255}}
github-token        github_pat_                                        [A-Za-z0-9_]{{40,255}}
gitlab-token        glpat- gldt- glrt- glptt- glcbt- glft- glsoat- glimt- glagent- gloas- glffct- glwt-   [A-Za-z0-9_.-]{{18,300}}
bitbucket-token     ATBB ATCTT3                                        [A-Za-z0-9_=-]{{20,400}}
atlassian-token     ATATT3                                             [A-Za-z0-9_=-]{{40,400}}
slack-token         xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe. xapp-   [A-Za-z0-9%.-]{{20,400}}
stripe-key          sk_live_ sk_test_ rk_live_ rk_test_ sk_org_        {_W}{{16,250}}
stripe-webhook      whsec_                                             [A-Za-z0-9+/]{{24,90}}
openai-key          sk-proj- sk-svcacct- sk-admin- sk-None-            {_D}{{20,300}}
anthropic-key       sk-ant-                                            {_D}{{30,300}}
sk-key              sk-or-v1- sk-lf- sk-litellm- sk-                   {_D}{{20,300}}
google-api-key      AIza                                               {_D}{{35}}(?!{_D})
google-api-key      AQ.Ab                                              {_D}{{30,120}}
google-oauth        GOCSPX-                                            {_D}{{20,60}}
google-oauth        ya29. 1//0                                         {_D}{{30,400}}
firebase-key        APA91b                                             {_D}{{100,250}}
facebook-token      EAA IGQV IGAA                                      {_W}{{60,400}}
twitter-token       AAAAAAAAAAAAAAAAAAAAA                              [A-Za-z0-9%]{{30,200}}
square-token        sq0atp- sq0csp- sq0idp- EAAAE EAAAl                {_D}{{20,120}}
paypal-token        access_token$production$                           {_W}{{8,40}}\\$[0-9a-f]{{16,64}}
shopify-token       shpat_ shpss_ shpca_ shppa_ shprka_ shpua_         {_X}{{32,64}}
twilio-key          SK                                                 [0-9a-f]{{32}}{_END}
sendgrid-key        SG.                                                {_D}{{16,32}}\\.{_D}{{30,64}}
mailgun-key         key-                                               [0-9a-f]{{32}}{_END}
brevo-key           xkeysib- xsmtpsib-                                 [0-9a-f]{{64}}-{_W}{{12,20}}
resend-key          re_                                                {_W}{{6,12}}_{_W}{{20,40}}
mandrill-key        md-                                                {_D}{{22}}(?!{_D})
npm-token           npm_                                               {_W}{{36,100}}
pypi-token          pypi-                                              {_D}{{50,400}}
rubygems-token      rubygems_                                          [0-9a-f]{{48}}
crates-token        cio cioS                                           {_W}{{32}}{_END}
clojars-token       CLOJARS_                                           {_W}{{40,80}}
nuget-key           oy2                                                [a-z0-9]{{43}}{_END}
jsr-token           jsrp_ jsrs_                                        {_W}{{30,80}}
docker-token        dckr_pat_ dckr_oat_                                {_D}{{20,100}}
huggingface-token   hf_ api_org_                                       {_W}{{30,60}}
replicate-token     r8_                                                {_W}{{30,60}}
groq-key            gsk_                                               {_W}{{40,80}}
model-key           pplx- xai- tvly- nvapi- pcsk_ jina_ tgp_v1_ lsv2_pt_ lsv2_sk_ fw_ csk- vck_ wandb_v1_ voyage- rpa_ hl_ cog_   {_D}{{28,200}}
model-key           fc- e2b_                                           [0-9a-f]{{32,40}}{_END}
elevenlabs-key      sk_                                                [0-9a-f]{{48}}{_END}
hosting-token       nfp_ nfc_ nfo_ nfu_ vcp_ vci_ vca_ vcr_ rnd_ HRKU- rdme_ render_ railway_ napi_ essu_ os_v2_ tfp_ figd_ figu_ zpka_ unkey_   {_D}{{24,300}}
flyio-token         fm1r_ fm2_ fm1a_ fo1_                              [A-Za-z0-9+/=_-]{{40,700}}
cloudflare-key      v1.0- cfut_ cfat_ cfk_                             {_D}{{30,220}}
digitalocean-token  dop_v1_ doo_v1_ dor_v1_                            [0-9a-f]{{64}}
tailscale-key       tskey-                                             {_D}{{20,100}}
vault-token         hvs. hvb. hvr.                                     {_D}{{24,300}}
terraform-token     .atlasv1.                                          {_D}{{50,120}}
pulumi-token        pul-                                               [0-9a-f]{{40}}{_END}
doppler-token       dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dp.said.   [A-Za-z0-9._-]{{30,80}}
1password-token     ops_eyJ                                            [A-Za-z0-9_=-]{{60,2000}}
grafana-token       glsa_ glc_                                         [A-Za-z0-9_+/=-]{{32,500}}
newrelic-key        NRAK- NRJS- NRII- NRAA-                            {_D}{{18,60}}
sentry-token        sntrys_ sntryu_                                    [A-Za-z0-9_+/=-]{{40,400}}
honeycomb-key       hcaik_ hcamk_ hcxik_                               {_W}{{30,100}}
observability-key   pylf_v1_ phx_ dt0c01. dt0s01. dt0s16. bkua_ bkct_ bkpt_ bkaj_ CCIPAT_ CCIPRJ_ sgp_ squ_ sqp_ sqa_ snyk_uat. hawk.   [A-Za-z0-9._-]{{24,200}}
jfrog-token         AKCp cmVmdGtuO                                     {_W}{{50,120}}
linear-key          lin_api_ lin_oauth_ lin_wh_                        {_W}{{32,80}}
notion-token        ntn_ secret_                                       {_W}{{40,60}}
hubspot-token       pat-na1- pat-na2- pat-eu1- pat-ap1-                {_X}{{8}}-[0-9a-fA-F-]{{27}}
clickup-token       pk_                                                \\d{{4,12}}_[A-Z0-9]{{32}}
trello-token        ATTA                                               [0-9a-f]{{64}}
contentful-token    CFPAT-                                             {_D}{{40,60}}
dropbox-token       sl.                                                {_D}{{60,1500}}
mapbox-token        sk.eyJ tk.eyJ                                      {_D}{{20,200}}\\.{_D}{{15,60}}
supabase-key        sbp_ sb_secret_                                    {_D}{{24,80}}
planetscale-token   pscale_tkn_ pscale_pw_ pscale_oauth_               [A-Za-z0-9._-]{{30,80}}
databricks-token    dapi                                               [0-9a-f]{{32}}(?:-\\d)?{_END}
data-token          dbtc_ dbtu_ pnu_ pnb_ kpat_ ion_                   {_W}{{30,90}}
postman-key         PMAK- PMAT-                                        [0-9A-Za-z]{{20,30}}(?:-{_X}{{30,40}})?
alibaba-key         LTAI                                               {_W}{{12,24}}{_END}
tencent-key         AKID                                               {_W}{{28,40}}{_END}
yandex-key          AQVN y0_ y1_ y2_ YCAJE t1.9                        {_D}{{35,250}}
navercloud-key      ncp_iam_                                           {_W}{{20,60}}
toss-key            live_sk_ test_sk_ live_gsk_ test_gsk_              {_W}{{20,60}}
payments-key        FLWSECK- FLWSECK_TEST- access-production- access-sandbox- shippo_live_ duffel_live_ EZAK EZTK fio-u- tk-us- pdl_live_ pdl_sdbx_ mollie_ live_pub   {_D}{{24,120}}
adyen-key           AQE                                                [A-Za-z0-9+/]{{50,220}}-[A-Za-z0-9+/=]{{30,90}}
launchdarkly-key    sdk- api- mob-                                     {_X}{{8}}-{_X}{{4}}-4{_X}{{3}}-{_X}{{4}}-{_X}{{12}}
pubnub-key          sec-c-                                             {_W}{{36,80}}
airtable-token      pat                                                {_W}{{14}}\\.[0-9a-f]{{64}}{_END}
age-key             AGE-SECRET-KEY-                                    [0-9A-Z]{{50,80}}
jwt                 eyJ                                                {_D}{{10,3000}}\\.eyJ{_D}{{8,6000}}\\.{_D}{{20,1500}}
jwe                 eyJ                                                {_D}{{15,3000}}\\.{_D}{{0,600}}\\.{_D}{{8,60}}\\.{_D}{{20,6000}}\\.{_D}{{16,60}}
"""


TOKEN_FORMATS = tuple(
    TokenFormat(rule, prefix, re.escape(prefix) + body)
    for rule, *prefixes, body in map(str.split, _TOKENS.strip().splitlines())
    for prefix in prefixes
)
"""Formats with a prefix; a longer prefix of one family stands before the shorter."""

GENERIC_PREFIXES = frozenset(
    "sk- SK sk_ key- EAA re_ md- cio oy2 fc- hl_ fw_ cog_ sl. pul- ion_ secret_ pk_ v1.0- csk-".split()  # noqa: SIM905
)
"""Prefixes that also begin ordinary names: what follows must look random."""

# fmt: off
_PLACES: tuple[tuple[str, str, str, str, str], ...] = (
    ("private-key", "key", "private key", r"(?P<s>-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|\s){0,6}[A-Za-z0-9+/=:, \\-][^<>`]{40})", "any"),
    ("putty-key", "key", "putty-user-key-file", r"PuTTY-User-Key-File-\d: (?P<s>[^\n]{3,40}\n)", "any"),
    ("url-password", "://", "", r"(?i)(?P<scheme>[a-z][a-z0-9+.-]{0,30})?://[^\s/:@?#\"'<>`]{0,120}:(?P<s>[^\s/@\"'<>`]{3,200})@(?=[\w\[$.-])", "any"),
    ("url-token", "://", "@", r"://(?P<s>[A-Za-z0-9_-]{20,200})(?::x-oauth-basic)?@(?=[\w.-])(?![\w.-]{0,40}sentry)", "random"),
    ("query-secret", "=", "key=|token=|secret=|sig=|password=|passwd=|pwd=|code=|auth=|signature=", r"(?i)[?&;](?:access_?token|auth_?token|id_?token|refresh_?token|token|api_?key|apikey|key|client_?secret|secret|password|passwd|pwd|sig|signature|auth|code|servicekey)=(?P<s>[^\s&\"'<>`#)]{12,300})", "random"),
    ("slack-webhook", "://", "hooks.slack.com", r"hooks\.slack\.com/(?P<s>(?:services|workflows|triggers)/[A-Z0-9]{6,14}/[A-Za-z0-9]{6,20}/[A-Za-z0-9/]{16,60})", "any"),
    ("discord-webhook", "://", "/webhooks/", r"(?i)discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(?P<s>\d{15,22}/[A-Za-z0-9_-]{40,100})", "any"),
    ("teams-webhook", "://", "webhookb2", r"(?i)webhook\.office\.com/webhookb2/(?P<s>[\w@-]{40,120}/IncomingWebhook/[0-9a-f]{20,40}/[\w-]{20,80})", "any"),
    ("chat-webhook", "://", "chat.googleapis.com", r"chat\.googleapis\.com/v1/spaces/[\w-]{4,40}/messages\?(?P<s>key=[\w-]{20,60}&token=[\w%-]{20,90})", "any"),
    ("telegram-token", "", ":aa", r"(?<![\w])(?P<s>\d{8,10}:AA[A-Za-z0-9_-]{32,36})(?![A-Za-z0-9_-])", "any"),
    ("discord-token", "discord|bot", "discord|bot token|bot_token|bottoken|discord.com", r"(?<![\w.-])(?P<s>[MNO][A-Za-z0-9_-]{22,30}={0,2}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45})(?![\w-])", "any"),
    ("mailchimp-key", "", "-us", r"(?<![\w])(?P<s>[0-9a-f]{32}-us\d{1,2})(?!\w)", "any"),
    ("azure-secret", "", "q~", r"(?<![\w~.-])(?P<s>[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?![\w~-])", "any"),
    ("asana-token", "", "asana", r"(?<![\w/])(?P<s>\d/\d{10,18}(?:/\d{10,18})?:[0-9a-f]{32})(?!\w)", "any"),
    ("hex-private-key", "key|secret|wallet|deployer", "0x", r"(?i)(?:private|secret|wallet|signer|deployer|mnemonic)[ \w:=\"'.*`-]{0,40}(?<![0-9a-z])(?P<s>0x[0-9a-f]{64})(?![0-9a-z])", "any"),
    ("connection-string", "=", "accountkey|sharedaccess", r"(?i)(?:AccountKey|SharedAccessKey|SharedAccessSignature)=(?P<s>[A-Za-z0-9+/%=&_-]{20,400})", "any"),
    ("connection-string", "=", "pwd=|password=|passwd=", r"(?i)[;?&](?:pwd|password|passwd) ?= ?(?P<s>[^;\s&\"'<>`]{4,120})", "password"),
    ("authorization", "auth|key|token", "authorization|x-api-key|api-key|-token:|x-auth", r"(?i)(?:authorization|x-[\w-]{0,20}(?:key|token|auth|secret)|[\w-]{0,20}api-?key|private-token|[\w-]{1,20}-token)\\?[\"']?\s{0,3}[:=,]\s{0,3}\\?[\"']?(?:(?:bearer|basic|token|bot|digest|apikey|kakaoak|key|negotiate)\s{1,3})?(?P<s>[A-Za-z0-9_.~+/=%:-]{8,2000})", "password"),
    ("authorization", "", "bearer |kakaoak ", r"(?<![\w-])(?:[Bb]earer|BEARER|KakaoAK)\s{1,3}(?P<s>[A-Za-z0-9_.~+/=-]{16,2000})", "random"),
    ("authorization", "", "basic ", r"(?<![\w-])[Bb]asic\s{1,3}(?P<s>[A-Za-z0-9+/]{12,400}={0,2})(?![\w-])", "random"),
    ("cookie", "", "cookie", r"(?i)cookie[\"']?\s{0,2}[:=]\s{0,2}[\"']?[^\n\"']{0,200}?(?:sess\w{0,12}|sid|auth\w{0,12}|token|jwt|connect\.sid)=(?P<s>[A-Za-z0-9%_.~+/-]{16,2000})", "random"),
    ("basic-flag", " -", "-u |--user|--auth |-a ", r"(?:(?<=\s)-u|--user|--proxy-user|--auth|(?<=\s)-a)[ =]{0,2}[\"']?(?P<user>[\w.@%+-]{1,80}):(?P<s>[^\s\"'`]{4,120})", "password"),
    ("basic-flag", " -", "-u |--user|--auth ", r"(?:(?<=\s)-u|--user|--auth)[ =]{1,2}(?P<q>[\"'])[\w.@%+-]{1,80}:(?P<s>[^\"'\n]{4,120})(?P=q)", "password"),
    ("sshpass", "pass", "sshpass", r"sshpass\s{1,3}-p\s{0,3}(?P<q>[\"']?)(?P<s>[^\s\"']{3,120})(?P=q)", "password"),
    ("password-flag", " -", " --|'--|\"--|`--| -pass| -pw", r"(?<=[\s\"'`])--?(?:[\w-]{0,24}(?:password|passwd|passphrase|passcode|token|secret|api-?key|access-?key|secret-?key|auth-?key|private-?key)|pass|pw)(?:[ =]|\s?=\s?|[\"'],\s?)(?P<q>[\"']?)(?P<s>[^\s\"'`,]{5,300})", "password"),
    ("password-flag", " -", "mysql|mariadb|mongo|sqlcmd|psql|mysqldump", r"(?:mysql\w{0,10}|mariadb\w{0,10}|mongo\w{0,10}|sqlcmd|isql)(?: [^\n|]{0,160})? (?:-p|-P )(?P<q>[\"']?)(?P<s>[^\s\"'`]{5,120})", "password"),
    ("password-flag", " -", "redis-cli|docker login|ldapsearch|smbclient|htpasswd|az login|sqlplus|rabbitmqctl|net use|openssl|gpg|keytool|7z |unzip|zip ", r"(?:redis-cli(?: [^\n]{0,100})? -a|docker login(?: [^\n]{0,120})? -p|ldap\w{3,9}(?: [^\n]{0,160})? -w|smbclient(?: [^\n]{0,100})? -U ?[\w\\/.-]{1,60}%|htpasswd(?: [^\n]{0,60})? -\w{0,3}b\w{0,3} [\w./-]{1,80} [\w.@-]{1,60}|az login(?: [^\n]{0,160})? -p|sqlplus(?: -\w+)? [\w.-]{1,40}/|rabbitmqctl (?:add_user|change_password) [\w.-]{1,40}|net use(?: [^\n]{0,100})? /user:[\w\\.@-]{1,60}|openssl [^\n]{0,200}pass:|keytool [^\n]{0,200}-\w{3,5}pass|7z [^\n]{0,60}-p|unzip(?: [^\n]{0,60})? -P|zip(?: [^\n]{0,60})? -P) ?(?P<q>[\"']?)(?P<s>[^\s\"'`@]{4,120})", "password"),
    ("netrc", "pass", "machine |login ", r"(?i)(?:machine|login)\s{1,4}\S{1,120}\s{1,4}(?:login\s{1,4}\S{1,120}\s{1,4})?password\s{1,4}(?P<q>[\"']?)(?P<s>[^\s\"']{3,200})", "any"),
    ("pgpass", "", ":5432:|:3306:|:*:", r"(?m)(?<![\w/])[\w.*-]{1,80}:(?:5432|5433|6432|3306|1521|\*):[\w*-]{1,60}:[\w.-]{1,60}:(?P<s>[^\s:\"'`]{4,120})", "password"),
    ("npmrc", "auth", "_auth", r"(?<![A-Za-z0-9_])_(?:authToken|auth|password)\s{0,2}=\s{0,2}[\"']?(?P<s>[A-Za-z0-9_+/=.-]{12,300})", "random"),
    ("docker-auth", "auth", '"auth"', r"\"auth\"\s{0,3}:\s{0,3}\"(?P<s>[A-Za-z0-9+/]{12,400}={0,2})\"", "any"),
    ("otpauth", "auth", "otpauth://", r"(?i)otpauth://[^\s?]{0,200}\?[^\s]{0,200}?secret=(?P<s>[A-Z2-7]{12,128})", "any"),
    ("otp-seed", "key|secret|seed|시|키", "otp|2fa|mfa|authenticator", r"(?i)(?:t?otp|2fa|mfa|authenticator)[^\n]{0,40}?(?:secret|seed|key|시드|시크릿|키)[^\nA-Z2-7]{0,20}(?-i:(?P<s>[A-Z2-7]{16,64}|[A-Z2-7]{4}(?: [A-Z2-7]{4}){3,15}))(?![A-Za-z0-9])", "any"),
    ("wireguard-key", "key", "privatekey|presharedkey", r"(?i)(?:PrivateKey|PresharedKey)\s{0,3}=\s{0,3}(?P<s>[A-Za-z0-9+/]{42,43}=)", "any"),
    ("sql-password", "pass|identified", "identified by|password '|password=", r"(?i)(?:identified by|(?:with|encrypted|user|role)\s[^\n;]{0,60}?password\s{0,2}=?)\s{0,3}N?(?P<q>['\"])(?P<s>[^'\"\n]{4,120})(?P=q)", "password"),
    ("code-argument", "", "password|secret|token|api_key|apikey", r"(?i)[\"'][\w.-]{0,40}(?:password|passwd|secret|token|api_?key)[\w.-]{0,12}[\"']\s{0,3},\s{0,3}[\"'](?P<s>[^\"'\n\s]{6,300})[\"']", "password"),
    ("recovery-code", "", "recovery|backup code|scratch code|복구 코드|백업 코드", r"(?i)(?:(?:recovery|backup|scratch) codes?|복구 ?코드|백업 ?코드)[^\n]{0,40}?(?<![\w-])(?P<s>(?=[a-z-]*\d)[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){1,5})(?![\w-])", "any"),
    ("terraform-default", "=", 'variable "', r"(?i)variable\s{1,4}\"[\w-]{0,40}(?:password|passwd|secret|token|key)[\w-]{0,20}\"\s{0,4}\{[^{}]{0,300}?default\s{0,8}=\s{0,4}\"(?P<s>[^\"\n]{5,200})\"", "password"),
    ("powershell-secret", "secure", "convertto-securestring", r"(?i)ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?(?P<q>[\"'])(?P<s>[^\"'\n]{4,120})(?P=q)", "password"),
    ("xml-password", "<", "</", r"(?i)<(?P<t>[\w:.-]{0,30}(?:password|passwd|passphrase|secret|token|apikey|api-key)[\w.-]{0,10})(?: [^<>]{0,80})?>\s{0,3}(?P<s>[^<>\s]{4,300})\s{0,3}</", "password"),
    ("xml-password", "<", "value=", r"(?i)(?:key|name)=[\"'][\w:.-]{0,40}(?:password|passwd|secret|token|apikey|api-key)[\w.-]{0,10}[\"']\s{1,3}value=[\"'](?P<s>[^\"'<>\s]{4,300})[\"']", "password"),
    ("plist-secret", "<", "<string>", r"(?i)<key>[\w .-]{0,30}(?:password|secret|token|apikey|api key)[\w .-]{0,10}</key>\s{0,12}<string>(?P<s>[^<>\s]{6,300})</string>", "password"),
    ("seed-phrase", "seed|phrase|mnemonic|시드|니모닉|복구", "seed p|seed w|seed:|seed is|mnemonic|recovery phrase|시드 문|시드문|시드 구|니모닉|복구", r"(?i)(?:seed(?: |-)?(?:phrase|words)?|mnemonic|recovery phrase|시드 ?(?:문구|구문)|니모닉|복구 ?(?:문구|구문))[^\n]{0,40}?[:=\"'`은는이가]\s{0,3}[\"'`]?(?P<s>(?-i:[a-z]{3,8}(?: [a-z]{3,8}){11,23}))(?![a-z ])", "any"),
    ("password-hash", "$", "$apr1$|$1$|$5$|$6$|$y$|$2a$|$2b$|$2x$|$2y$|$argon2", r"\$(?P<s>(?:apr1|[156y])\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{2,24}\$[A-Za-z0-9./]{20,90}|2[abxy]\$\d\d\$[A-Za-z0-9./]{50,60}|argon2id?\$v=\d{1,3}\$[a-z0-9=,]{8,40}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{20,100})", "any"),
    ("password-hash", "", "{sha}|{ssha}", r"(?i)\{s?sha\}(?P<s>[A-Za-z0-9+/]{26,60}={0,2})", "any"),
    ("connection-string", "", "jdbc:oracle", r"(?i)jdbc:oracle:\w{2,8}:[\w.$-]{1,60}/(?P<s>[^\s@/\"'`]{3,120})@", "password"),
    ("user-and-password", "", "login|user|account|credential|creds", r"(?:[Ll]ogin|[Uu]ser(?:name)?|[Aa]ccount|[Cc]red(?:ential)?s?)[*`]{0,2}[ :=]{1,4}[`\"']?[\w.@-]{2,40}[`\"']? ?/ ?[`\"']?(?P<s>(?=[^\s/]{0,60}\d)(?=[^\s/]{0,60}[A-Z])[^\s\"'`/|]{8,60})(?=[\s\"'`.,;)|]|\Z)", "password"),
    ("user-and-password", "pass|pw", "login|user|account", r"(?i)(?:login|user(?:name)?|account)[ :=]{1,3}[\w.@-]{2,40},? (?:and |with )?(?:password|passwd|pwd|pass|pw)[ :=]{1,3}(?P<s>(?=\D{0,60}\d)[^\s\"'`,;]{8,80})", "password"),
    ("laravel-key", "key", "base64:", r"APP_KEY\s{0,2}=\s{0,2}[\"']?(?P<s>base64:[A-Za-z0-9+/]{42,44}={0,2})", "any"),
)

# fmt: on

PATTERN_RULES = tuple(
    PatternRule(rule, tuple(gates.split("|")), tuple(words.split("|")), pattern, judged)
    for rule, gates, words, pattern, judged in _PLACES
)
GATE_WORDS = tuple(sorted({gate for place in PATTERN_RULES for gate in place.gates}))
"""A few short words that most places share; looking for these first spares looking for the others."""
