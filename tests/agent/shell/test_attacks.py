"""Command lines that the catalogue doesn't hold, most of them found while trying to break the checker."""

import os
from pathlib import Path

import pytest

from memtui.agent.permissions import decide
from memtui.agent.shell.paths import AllowedFolders
from tests.agent.worlds import build, here

DENIED = """
strings @list
cat a.md | tac
cat a.md | tac -
tac a.md -- -
cat a.md | file -
jq --arg a
jq --arg a --rawfile .
jq --arg=a b .
od -w 16
od -w16 a.md
tree -Po pwn
tree -aP x .
tail +5f MEMORY.md
sort +0 -o pwn
uniq +1 a.md b.md
uniq tags.txt -- pwn
uniq -- tags.txt pwn
uniq *.txt
xxd -- a.md pwn
xxd -pr hex.txt
xxd -o 1 a.md pwn
sort -no pwn a.md
sort -k1 -opwn a.md
sort --outpu=pwn a.md
sort --o pwn a.md
sort a.md -o a.md
sort -T. a.md
sort -S1k --compress-program=./evil.sh a.md
sort --files0-from=list0
rg -g --pre=./evil.sh x
rg -e --pre=./evil.sh x
rg -A --pre=./evil.sh x
rg --pre-glob='*' x
rg --hostname-bin=./evil.sh --hyperlink-format=default x
rg -nz x archive.gz
rg -. x
rg -uu x
rg -inL x .
rg --ignore-file link-out x
rg -g .env KEY /w/repo
rg -g '.e*' KEY /w/repo
rg --iglob .ENV KEY /w/repo
rg -g=.env KEY /w/repo
rg -g={.git,x}/* KEY .
rg -ng=.env KEY /w/repo
rg -nre --pre=./evil.sh x
grep -r --include=.env KEY /w/repo
grep -r --include='.[e]nv' KEY /w/repo
grep -Rn x .
grep -drecurse x .
grep -D read x fifo
grep --file=link-out x
grep -rf link-out .
grep --exclude-from=link-out -r x .
grep x fifo
grep --inc='*.md' -r x
find . -newer link-out
find . -samefile link-out
find . -newerXY a.md
find -H linkdir
find -P -L .
find . -maxdepth 1 /w/outside
find linkdir/
find . -files0-from list0
find -files0-from list0
find . -okdir touch pwn ';'
find . -exec sh -c 'touch pwn' ';'
find . -printf '%1000000000p'
find . -name
find . -fls pwn
find . '-delete'
sed -n '1,3p;w pwn' a.md
sed -n '1,3pw pwn' a.md
sed -n -e 1p -e 'w pwn' a.md
sed -n 1p -s -i a.md
sed -n '/x/p' a.md
sed -nf script.sed a.md
sed -n --file=script.sed a.md
sed -n '1r link-out' a.md
sed -n --expression='1e touch pwn'
jq -n '"\\(env)"'
jq -n '"a" | env | "b"'
jq -n '"\\(1)" | env | "b"'
jq -n '$ ENV'
jq -n '[.[]|env]'
jq 'import "a" as $x; .' a.json
jq 'import"a"as x;.' a.json
jq 'include "a"; .' a.json
jq -L . -n 1
jq -rL. -n 1
jq --slurpfile a link-out -n 1
jq -n --args 1 x
jq . -- -f
jq . link-out
date 010100002020
date -u 010100002020
date +%F 2020
date --set=now
date -us now
date -f list
date -r link-out
date '+%1000000000d'
date -d 'TZ="../../../etc/passwd" now'
printf '%*d' 1000000000 1
printf '%s%n' a b
printf -- '-v' x
printf '%(%F)T' 0
stat -c '%9999n' a.md
stat --printf='%09999s' a.md
nl -w 100000000 a.md
expand -t 100000000 a.md
file -m evil a.md
file -f list
file -z archive.gz
diff . logs
diff -r . linkdir
diff a.md logs
diff --to-file=link-out a.md
diff --from-file=linkdir a.md
diff -l a.md b.md
diff a.md link-out
wc --files0-from list0
du --files0-from=list0
du -L .
du -X list .
head link-out
head -n5 -- link-out
tail -n 1 -f a.md
tail -1f a.md
tail --pid=1 a.md
tail --retry a.md
ls -L
ls -H linkdir
ls linkdir/
ls link*
ls l*/secret.txt
ls */secret.txt
ls /*/memory
cat fi*
cat *
cat .*/config
cat ./*/../../outside/secret.txt
cat ?ink-out
cat @(a).md
cat [a].md
cat a.md{,}
cat a.md>pwn
cat a.md 3>pwn
cat a.md 2>pwn
cat a.md 1>>pwn
cat a.md >&pwn
cat a.md >/dev/null/x
cat a.md >'/dev/null'pwn
cat a.md >/dev/nul?
cat a.md 2>&1pwn
cat a.md 2>&-
cat <a.md
>pwn
2>/dev/null ls
>/dev/null ls > pwn
A=1 ls
PATH=. ls
IFS=/ ls
LD_PRELOAD=./evil.so ls
BASH_ENV=x.sh ls
ls A=$x
ls ${IFS}
cat$IFS/etc/passwd
cat "$HOME/x"
cat "`id`"
echo "a\\"; touch pwn; "
echo "a\\\\"
echo 'a'\\''; touch pwn'
echo \\; touch pwn
ls # touch pwn
ls #
ls ; # x
ls;
;ls
ls;;pwd
ls &&
&& ls
| ls
ls |
ls ||| wc
ls |& wc
ls &
& ls
&
!
! ls
time ls
ls() { touch pwn; }
function ls { touch pwn; }
ls; ls() (touch pwn)
alias x=y; x
if ls; then ls; fi
while ls; do ls; done
case a in a) ls;; esac
coproc ls
((1))
[ -f a.md ]
[[ -f a.md ]]
test -v 'a[$(touch pwn)]'
test 'a[$(touch pwn)]' -eq 1
test a.md -nt link-out
test -f link-out
eval ls
command ls
builtin echo x
exec ls
. x.sh
source x.sh
'ls'
"ls"
l''s
l?
*/ls
./ls
bin/ls
/usr/bin/ls
\\ls
-
--
-ls
LS
ls\u00a0-la
ls\u3000-la
ls\u200b
l\u0455
cat a.md\u202e
cat a\ufeff.md
ls\x00
ls\r
ls\x0b-l
ls\x1b[31m
ls\x85touch pwn
ls\x7f
cd && ls
cd ~ && ls
cd .. && ls
cd linkdir && ls
cd fifo && ls
cd missing && ls
cd logs missing && ls
cd -P logs && ls
cd logs >/dev/null && ls
cd logs; ls
cd logs && cd 2026 && ls
cd logs | ls && cat a.md
cd logs
cd 'logs' && cat ../a.md
cd l*gs && cd x
cd logs && cat link-out/../../../outside/secret.txt
pushd logs && ls
cat %2e%2e/outside/secret.txt
cat ..%2foutside/secret.txt
cat file:///etc/passwd /etc/passwd
cat //etc/passwd
cat /w/memory/./../outside/secret.txt
cat /w/memoryx
cat /W/MEMORY/../../etc/passwd
cat ''
cat '' a.md
cat /w/repo/id_rsa
cat /w/repo/Cert.PEM
cat logs/.ENV
ls .git
head -5 .git/HEAD
basename -s .md *.md
echo *.md
true x
pwd x
tr a b c
comm a.md
bash
python3 -c 1
xargs ls
tee pwn
sh
busybox ls
gzip -c a.md
zcat archive.gz
base64 a.md
iconv -o pwn a.md
split a.md
csplit a.md 1
shuf -o pwn a.md
seq 1 1000000000
yes
watch ls
timeout 5 ls
nohup ls
setsid ls
stdbuf -o0 ls
nice ls
env ls
sudo ls
ssh x
curl x
dd
mktemp
logger x
who
id
""".strip("\n").split("\n")

ALLOWED = """
ls -la; pwd
	ls	-l
ls|wc -l
ls||pwd
ls 2>/dev/null|head -3
ls missing 2> /dev/null
ls >/dev/null 2>&1
ls 1>/dev/null
cat ./*.md
cat *.md
cat logs/*/*/*.md
cat 'user role.md' "메모.md"
cat -- -n.md
head -20 *.md
tail -n +2 MEMORY.md
wc -c /w/memory/*.md /w/sessions/*.jsonl
grep -rn 'a\\|b' . --include=*.md
grep -n "a\\|b" MEMORY.md
grep -rn --exclude-dir=.git x .
grep -c -- '--flag' a.md
grep -oP '(?<=x )a' a.md
grep -e 'x' -e '$HOME' a.md
rg -n "type: (user|feedback)" -g '*.md'
rg --files -g '!.git'
rg x -g '!.env'
find . ! -name '*.md' -type f
find . '(' -name a.md -o -name b.md ')' -print0
find . -name '*.md' -newermt '2026-03-01'
find /w/memory /w/sessions -mtime -7 -printf '%T@ %p\\n'
sed -n '$p' a.md
sed -n '1,3p;5p' a.md
cat a.md | sed -n 1,2p
jq -r 'select(.env) | .message.stderr' /w/sessions/s1.jsonl
jq 'select(.text == "env import")' /w/sessions/s1.jsonl
jq -rc . /w/sessions/s1.jsonl
jq --arg t user 'select(.type == $t)' /w/sessions/s1.jsonl
test -f a.md && cat a.md || echo none
echo "done: 100% (a; b | c > d)"
printf '%s\\n' 'a' "b"
date -d 'yesterday' +%F
date -Iseconds
cd logs && ls && cat 2026/03/*.md
cd /w/repo && cat README.md | wc -l
ls a=b
echo a#b
echo =ls
diff -u a.md b.md
diff a.md -
cut -d'	' -f1 a.md
sort -t, -k2,2n -k1 tags.txt | uniq -c | sort -rn
readlink -f link-in
xxd -l 32 a.md
""".strip("\n").split("\n")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> AllowedFolders:
    return build(tmp_path_factory.mktemp("world").resolve())


def line_of(text: str, scope: AllowedFolders) -> str:
    """A line of the lists above in the world that was made for it."""
    return here(text, scope.root.parents[1])


@pytest.mark.parametrize("line", DENIED)
def test_attacks(line: str, snapshot: AllowedFolders) -> None:
    assert not decide("Bash", {"command": line_of(line, snapshot)}, snapshot).allowed


@pytest.mark.parametrize("line", ALLOWED)
def test_lines_that_agents_write(line: str, snapshot: AllowedFolders) -> None:
    decision = decide("Bash", {"command": line_of(line, snapshot)}, snapshot)
    assert decision.allowed, decision.reason


def test_lengths(snapshot: AllowedFolders) -> None:
    assert decide("Bash", {"command": " && ".join(["ls"] * 20)}, snapshot).allowed
    assert not decide("Bash", {"command": " | ".join(["ls"] * 21)}, snapshot).allowed
    assert decide("Bash", {"command": "echo " + "x" * 4000}, snapshot).allowed
    assert not decide("Bash", {"command": "echo " + "가" * 2000}, snapshot).allowed
    assert not decide("Bash", {"command": "x" * 10_000_000}, snapshot).allowed
    assert not decide("Bash", {"command": ""}, snapshot).allowed
    assert not decide("Bash", {"command": "   "}, snapshot).allowed


def test_a_wildcard_never_becomes_a_flag(snapshot: AllowedFolders) -> None:
    plan = decide("Bash", {"command": "cat *.md"}, snapshot).plan
    assert plan is not None
    argv = plan.steps[0].stages[0].argv
    assert argv[:3] == ("cat", "--", "./-n.md")
    assert not decide("Bash", {"command": "ls -* "}, snapshot).allowed  # "-n.md" and "-o" would be flags


def test_a_wildcard_for_too_many_names(tmp_path: Path) -> None:
    for number in range(1001):
        (tmp_path / f"{number}.md").touch()
    assert not decide("Bash", {"command": "cat *"}, AllowedFolders(tmp_path)).allowed
    assert decide("Bash", {"command": "cat 1*.md"}, AllowedFolders(tmp_path)).allowed


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"a\xff.md")).touch()
    assert not decide("Bash", {"command": "cat *"}, AllowedFolders(tmp_path)).allowed
