"""Which commands there are, with which flags: what isn't listed here is denied.

Listed are flags of GNU and BSD programs that only read: none that writes a file, runs a program, takes file names or
patterns from a file, follows links out of a folder, or never ends. Left out as well: a flag that GNU and BSD give
different meanings, one of which does more than read; and a flag whose value is optional where we would take the next
word for it, because that word would then be an operand that was not judged. No `strings`: it reads more arguments from
a file named with an @. For `find` no -delete, -exec and the like, -fprint and the like, -fls, -files0-from, -L, -H,
-follow, -D.

Values are judged by what they may do, not by whether they are right: a program that gets nonsense says so itself.

Source: manuals of coreutils 9.1, findutils 4.9, grep 3.8, ripgrep 13, jq 1.6, diffutils 3.8, xxd.
"""

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from memtui.agent.shell.grammar import Denied, Word
from memtui.agent.shell.paths import AllowedFolders
from memtui.fs.boundary import BACKUP_GLOBS, SENSITIVE_GLOBS, SENSITIVE_NAMES, fold_name, is_sensitive

_NUMBER = re.compile(r"[+-]?[0-9]{1,12}[bkKMG]?B?")
_WIDTH = re.compile(r"[0-9]{1,3}")
# A width that is a number of four digits, or comes from an operand, prints as many blanks as one likes.
_WIDE_FORMAT = re.compile(r"%[^A-Za-z%]*?([0-9]{4}|\*)")
_PRINTF = re.compile(r"%(%|[-+ 0#']*[0-9]{0,3}(\.[0-9]{1,3})?[bcdeEfgGioqsuxX])")
_DATE_WORDS = re.compile(r"[A-Za-z0-9 :+@,./-]*")
_SED = re.compile(r"([0-9]{1,9}|\$)(,([0-9]{1,9}|\$))?p(;([0-9]{1,9}|\$)(,([0-9]{1,9}|\$))?p)*")
# These reach the environment and other files; ".env" is a field.
_JQ_FORBIDDEN_WORD = re.compile(r"(?<![A-Za-z0-9_.])(env|ENV|import|include|modulemeta|get_search_list)\b")
_JQ_STRING = re.compile(r'"([^"\\]|\\.)*"')
_SENSITIVE_NAMES = [*SENSITIVE_NAMES, ".env", ".env.local"]


def _matching(pattern: re.Pattern[str], what: str) -> Callable[[str], None]:
    def check(value: str) -> None:
        if not pattern.fullmatch(value):
            raise Denied(f"{value!r}: {what}")

    return check


def _text(value: str) -> None:
    """Anything goes: a pattern to search for, a separator, a name to match."""


def _format(value: str) -> None:
    if _WIDE_FORMAT.search(value):
        raise Denied(f"{value!r}: a width above 999")


def _printf(value: str) -> None:
    if value.startswith("-"):
        raise Denied("printf with a flag")
    if "%" in _PRINTF.sub("", value):
        raise Denied(f"{value!r}: only %s, %d and the like, with widths up to 999")


def _date_format(value: str) -> None:
    if not value.startswith("+"):
        raise Denied(f"{value!r}: an operand without + sets the clock")
    _format(value)


def _jq(value: str) -> None:
    if "\\(" not in value:  # strings without interpolated code are only text
        value = _JQ_STRING.sub('""', value)
    if match := _JQ_FORBIDDEN_WORD.search(value):
        raise Denied(f"a filter with {match[0]}, which reaches the environment or other files")


def _file_wildcard(value: str) -> None:
    """A wildcard that selects files; one that excludes files may name any."""
    value = value.removeprefix("=")  # ripgrep takes -g=X for -g X
    if value.startswith("!"):
        return
    for part in re.split(r"[/{},]", value):
        hit = part[:1] not in ("", "*", "?", "[") and fnmatch.filter(_SENSITIVE_NAMES, fold_name(part))
        if hit or is_sensitive(part):
            raise Denied(f"{value!r} selects files that may hold a secret")


VALUE_CHECKS: dict[str, Callable[[str], None]] = {
    "text": _text,
    "number": _matching(_NUMBER, "not a number"),
    "width": _matching(_WIDTH, "not a number up to 999"),
    "format": _format,
    "printf": _printf,
    "date format": _date_format,
    "date": _matching(_DATE_WORDS, "not a date in plain words"),
    "sed": _matching(_SED, "sed only prints lines by number: sed -n '10,40p' FILE"),
    "jq": _jq,
    "files": _file_wildcard,
}
"""Checks by kind; each raises `Denied`. The kinds "path", "file" and "named" are checked by `paths`."""


def _values(text: str) -> dict[str, str]:
    """Parse "-n --lines=number -t=text" to a table of flags and kinds."""
    table: dict[str, str] = {}
    waiting: list[str] = []
    for word in text.split():
        name, sign, kind = word.partition("=")
        waiting.append(name)
        if sign:
            table.update(dict.fromkeys(waiting, kind))
            waiting = []
    assert not waiting, text
    return table


FIND_TESTS = frozenset({
    "-a", "-and", "-o", "-or", "-not", "!", "(", ")", "-print", "-print0", "-prune", "-quit", "-true", "-false",
    "-empty", "-depth", "-xdev", "-mount", "-ls", "-readable", "-writable", "-executable", "-daystart", "-nouser",
    "-nogroup",
})  # fmt: skip
FIND_TESTS_WITH_VALUE = _values(
    "-name -iname -path -ipath -wholename -lname -ilname -regex -iregex -regextype -type -xtype -perm -size -user "
    "-group -newermt -mtime -atime -ctime -mmin -amin -cmin -links -inum=text -maxdepth -mindepth=width "
    "-newer -anewer -cnewer -samefile=path -printf=format"
)


def find_arguments(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    """Judge the words after `find`: starting points inside the folders, then tests that only look; else `Denied`."""
    left = list(words)
    starts: list[str] = []
    while left and not left[0].text.startswith("-") and left[0].text not in ("!", "("):
        starts += scope.operands(left.pop(0))
    expression: list[str] = []
    while left:
        test = scope.literal(left.pop(0))
        expression.append(test)
        if test in FIND_TESTS:
            continue
        if test not in FIND_TESTS_WITH_VALUE:
            raise Denied(f"find with {test}")
        if not left:
            raise Denied(f"find {test} without a value")
        value = scope.literal(left.pop(0))
        if FIND_TESTS_WITH_VALUE[test] == "path":
            scope.place(value)
        else:
            VALUE_CHECKS[FIND_TESTS_WITH_VALUE[test]](value)
        expression.append(value)
    return [*starts, *expression]


_FILE_TESTS = ("-e", "-f", "-d", "-s", "-r", "-h", "-L")


def _echo(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    return [scope.literal(word) for word in words]


def _printf_arguments(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    if not words:
        raise Denied("printf without a format")
    values = [scope.literal(word) for word in words]
    VALUE_CHECKS["printf"](values[0])
    return values


def _test(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    """Only whether a file exists and of which kind; the rest of `test` is a language of its own."""
    values = [scope.literal(word) for word in words]
    negated = values[:1] == ["!"]
    rest = values[negated:]
    if len(rest) != 2 or rest[0] not in _FILE_TESTS:
        raise Denied("test is understood as: test [!] -f FILE, with -e, -f, -d, -s, -r, -h or -L")
    scope.place(rest[1])
    return values


SPECIAL_COMMANDS: dict[str, Callable[[Sequence[Word], AllowedFolders], list[str]]] = {
    "echo": _echo,
    "printf": _printf_arguments,
    "test": _test,
    "find": find_arguments,
}
"""Commands with a language of their own: each turns the words after the name into arguments, or raises `Denied`."""


class CommandRules(Struct, frozen=True):
    """How the words after a command's name are read."""

    flags: frozenset[str] = frozenset()  # without a value: "-l", "--lines"
    values: Mapping[str, str] = field(default_factory=dict)  # with a value of this kind: of `VALUE_CHECKS`, or "path"
    doubles: frozenset[str] = frozenset()  # flags with two values, which are text
    maybe: Mapping[str, str] = field(default_factory=dict)  # flags with an optional value, attached: "--color=auto"
    first: tuple[str, ...] = ()  # kinds of the first operands
    rest: str = "path"  # kind of all others, "" for none; "file": a path that is no folder, "named": one that isn't "-"
    least: int = 0  # operands there have to be
    most: int = 10_000
    instead: frozenset[str] = frozenset()  # replace the `first` operands ("-e PATTERN") or need none ("--files")
    need: frozenset[str] = frozenset()  # flags of which one is required
    count: bool = False  # whether "-5" is a number of lines
    ends: bool = True  # whether "--" ends the flags
    glued: bool = True  # whether "-n5" and "-an 5" mean "-n 5"; some programs read on for more flags instead
    always: tuple[str, ...] = ()  # arguments put before everything else
    last: tuple[str, ...] = ()  # arguments put behind the flags, which they override
    last_if: frozenset[str] = frozenset()  # flags of which one is required for `last`; none: always


def _flags(short: str, long: str = "") -> frozenset[str]:
    return frozenset([*("-" + letter for letter in short), *("--" + word for word in long.split())])


def _rules(short: str = "", long: str = "", values: str = "", **others: Any) -> CommandRules:
    """The rules of a command: letters of short flags, words of long ones, flags with values as in `_values`."""
    return CommandRules(_flags(short, long), _values(values), **others)


def _any_case(text: str) -> str:
    return "".join(f"[{char}{char.upper()}]" if char.isalpha() else char for char in text)


# A recursive search also meets files that may not be named as an operand.
_SECRETS = [*sorted(SENSITIVE_NAMES), *SENSITIVE_GLOBS, *BACKUP_GLOBS]
_GREP_EXCLUDES = tuple(f"--{flag}={_any_case(name)}" for name in _SECRETS for flag in ("exclude-dir", "exclude"))
_RG_EXCLUDES = tuple(f"--iglob=!{name}" for name in _SECRETS)
SECRET_EXCLUDES = frozenset((*_GREP_EXCLUDES, *_RG_EXCLUDES))  # arguments added to `grep -r` and `rg`
_GREP = _rules(
    "abcFEGHhIiLlnoPqrsTUvwxyZz",
    "recursive ignore-case no-ignore-case line-number files-with-matches files-without-match count only-matching "
    "word-regexp line-regexp extended-regexp fixed-strings basic-regexp perl-regexp invert-match no-messages quiet "
    "silent with-filename no-filename text null initial-tab line-buffered byte-offset null-data",
    values=(
        "-e --regexp=text -A -B -C -m --after-context --before-context --context --max-count=number --label=text "
        "--include=files --exclude --exclude-dir=text --binary-files=text"
    ),
    maybe={"--color": "text", "--colour": "text"},
    first=("text",),
    least=1,
    instead=frozenset({"-e", "--regexp"}),
    count=True,
    last=_GREP_EXCLUDES,
    last_if=frozenset({"-r", "--recursive"}),
)
_RG = _rules(
    "abcFHIilNnopPqSsUvwx0",
    "ignore-case case-sensitive smart-case line-number no-line-number files-with-matches files-without-match count "
    "count-matches only-matching word-regexp line-regexp fixed-strings pcre2 invert-match no-messages quiet text "
    "with-filename no-filename heading no-heading null multiline multiline-dotall json files type-list trim stats "
    "vimgrep column no-ignore passthru no-config no-unicode crlf byte-offset line-buffered pretty include-zero",
    values=(
        "-e --regexp=text -g --glob --iglob=files -t --type -T --type-not -r --replace -E --encoding=text "
        "-A -B -C -m -M --after-context --before-context --context --max-count --max-columns --max-depth=number "
        "-j --threads=width --color --colors --sort --sortr --engine=text --max-filesize=number"
    ),
    first=("text",),
    instead=frozenset({"-e", "--regexp", "--files", "--type-list"}),
    least=1,
    always=("--no-config",),
    last=_RG_EXCLUDES,
)
_JQ = _rules(
    "rcsneaSMCjR",
    "raw-output compact-output slurp null-input exit-status ascii-output sort-keys monochrome-output color-output "
    "join-output raw-input tab stream seq unbuffered",
    values="--indent=width",
    doubles=frozenset({"--arg", "--argjson"}),
    first=("jq",),
    least=1,
    ends=False,
    glued=False,
)
COMMAND_RULES: dict[str, CommandRules] = {
    "ls": _rules(
        "aABbCcdFfGghiklmnopQqRrSstUuvXx1",
        "all almost-all directory human-readable si inode size recursive reverse full-time no-group "
        "group-directories-first numeric-uid-gid file-type escape quote-name",
        values="-w --width=width -I --ignore --hide=text --sort --time --format=text --time-style=format",
        maybe={"--color": "text", "--classify": "text"},
    ),
    "cat": _rules("AbeEnstTuv", "number number-nonblank show-all show-ends show-tabs show-nonprinting squeeze-blank"),
    "head": _rules("qvz", "quiet silent verbose", values="-n -c --lines --bytes=number", count=True),
    "tail": _rules("qvz", "quiet silent verbose", values="-n -c --lines --bytes=number", count=True),
    "wc": _rules("clLmw", "bytes chars lines words max-line-length"),
    "nl": _rules("p", values="-b -h -f -n -s -d=text -w=width -v -i -l=width"),
    # `tac` and `file` copy their standard input to a temporary file.
    "tac": _rules("br", "before regex", values="-s --separator=text", rest="named", least=1),
    "file": _rules("bhi", "brief mime mime-type mime-encoding", rest="named", least=1),
    "rev": _rules(),
    "grep": _GREP,
    "rg": _RG,
    "jq": _JQ,
    "sed": _rules(
        "n",
        "quiet silent",
        values="-e --expression=sed",
        first=("sed",),
        least=1,
        instead=frozenset({"-e", "--expression"}),
        need=_flags("n", "quiet silent"),
    ),
    "sort": _rules(
        "bcCdfghiMmnRrsuVz",
        "reverse numeric-sort unique ignore-case human-numeric-sort version-sort general-numeric-sort month-sort "
        "dictionary-order ignore-leading-blanks stable zero-terminated random-sort",
        values="-k --key -t --field-separator=text",
    ),
    "uniq": _rules(
        "cdDiuz",
        "count repeated unique ignore-case",
        values="-f -s -w --skip-fields --skip-chars --check-chars=number",
        most=1,
    ),
    "cut": _rules(
        "nsz",
        "complement only-delimited",
        values="-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter=text",
    ),
    "tr": _rules("cCdst", "complement delete squeeze-repeats truncate-set1", first=("text", "text"), rest="", least=1),
    "column": _rules("tx", values="-s -o -N -H -R=text -c=width"),
    "paste": _rules("sz", values="-d --delimiters=text"),
    "fold": _rules("bs", values="-w --width=width"),
    "fmt": _rules("csu", values="-w --width=width"),
    "expand": _rules("i", values="-t --tabs=width"),
    "unexpand": _rules("a", values="-t --tabs=width"),
    "comm": _rules("123", least=2, most=2),
    "join": _rules("i", values="-1 -2=width -t -a -v -e=text", least=2, most=2),
    "diff": _rules(
        "aBbdeiNqsuwy",
        "brief unified ignore-case ignore-all-space ignore-space-change side-by-side",
        values="-U -C -W --width=width --label -L=text",
        rest="file",
        least=2,
        most=2,
    ),
    "cmp": _rules("bls", "silent quiet", values="-n --bytes=number", rest="file", least=2, most=2),
    "du": _rules(
        "abchklmsSx",
        "all apparent-size bytes human-readable si summarize total separate-dirs",
        values="-d --max-depth=width --exclude=text",
    ),
    "stat": _rules("t", "terse", values="-c --format --printf=format", least=1),
    "readlink": _rules("efmnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline", least=1),
    "realpath": _rules(
        "eLmPqsz", "canonicalize-existing canonicalize-missing logical physical strip no-symlinks", least=1
    ),
    "basename": _rules("az", "multiple zero", values="-s --suffix=text", first=("text",), rest="text", least=1),
    "dirname": _rules("z", "zero", first=("text",), rest="text", least=1),
    "pwd": _rules("LP", rest=""),
    "true": _rules(rest="", ends=False),
    "false": _rules(rest="", ends=False),
    "date": _rules(
        "uR",
        "utc universal rfc-email",
        values="-d --date=date --rfc-3339=text -r --reference=path",
        maybe={"-I": "text", "--iso-8601": "text"},
        first=("date format",),
        rest="",
        ends=False,
    ),
    **dict.fromkeys(("md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum"), _rules("btz", "binary text tag zero")),
    "cksum": _rules(),
    "xxd": _rules("bpu", values="-c -g=width -l -s=number", most=1, ends=False, glued=False),
    "od": _rules("abcdox", values="-A -t=text -N -j=number"),
    "hexdump": _rules("bCcdox", values="-n -s=number"),
    "tree": _rules("adDfhinpsu", "noreport dirsfirst du", values="-L=width -I -P=text", ends=False, glued=False),
}
"""Commands whose words are flags and operands; the others are in `SPECIAL_COMMANDS`."""
