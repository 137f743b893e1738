"""Which commands there are, with which flags: what isn't here is denied.

Flags are those of GNU and of the BSDs that only read: none that writes a file, runs a program, reads a list of files or
patterns from a file, follows links out of a folder, or never ends. A flag that both spell the same but mean otherwise
is left out if one of the meanings is more than reading; so is one whose value may be left out where we'd take the next
word for it, because that word would then be an operand that nobody judged. No `strings`: it reads more arguments from
a file that is named with an @.

Source: SAFETY.md 3.2; manuals of coreutils 9.1, findutils 4.9, grep 3.8, ripgrep 13, jq 1.6, diffutils 3.8, xxd.

Commands whose words are neither flags nor operands: `echo`, `printf`, `test`.

`find`: where it starts, and an expression of tests that only look.

Source: manual of findutils 4.9. Not here: -delete, -exec and its kin, -fprint and its kin, -fls, -files0-from, -L, -H,
-follow, -D; nothing is matched by its beginning.

Values of flags and operands that are no paths: which ones are harmless.

A kind is a short name that the command table uses. What a value may do is the question, not whether it is right: a
program that gets nonsense says so itself.
"""

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from memtui.agent.shell.grammar import Word
from memtui.agent.shell.paths import AllowedFolders
from memtui.agent.shell.plan import Denied
from memtui.fs.boundary import SENSITIVE_NAMES, SENSITIVE_SUFFIXES, fold_name, is_sensitive

_NUMBER = re.compile(r"[+-]?[0-9]{1,12}[bkKMG]?B?")
_WIDTH = re.compile(r"[0-9]{1,3}")
# A width that is a number of four digits, or comes from an operand, prints as many blanks as one likes.
_FLOOD = re.compile(r"%[^A-Za-z%]*?([0-9]{4}|\*)")
_PRINTF = re.compile(r"%(%|[-+ 0#']*[0-9]{0,3}(\.[0-9]{1,3})?[bcdeEfgGioqsuxX])")
_MOMENT = re.compile(r"[A-Za-z0-9 :+@,./-]*")
_SED = re.compile(r"([0-9]{1,9}|\$)(,([0-9]{1,9}|\$))?p(;([0-9]{1,9}|\$)(,([0-9]{1,9}|\$))?p)*")
# What reaches the environment and other files; ".env" is a field.
_JQ_FORBIDDEN_WORD = re.compile(r"(?<![A-Za-z0-9_.])(env|ENV|import|include|modulemeta|get_search_list)\b")
_JQ_STRING = re.compile(r'"([^"\\]|\\.)*"')


_NAMES = [*SENSITIVE_NAMES, ".env", ".env.local"]


def _matching(pattern: re.Pattern[str], what: str) -> Callable[[str], None]:
    def check(value: str) -> None:
        if not pattern.fullmatch(value):
            raise Denied(f"{value!r}: {what}")

    return check


def _text(value: str) -> None:
    """Anything: a pattern to search for, a separator, a name to match."""


def _format(value: str) -> None:
    if _FLOOD.search(value):
        raise Denied(f"{value!r}: a width above 999")


def _printf(value: str) -> None:
    if value.startswith("-"):
        raise Denied("printf with a flag")
    if "%" in _PRINTF.sub("", value):
        raise Denied(f"{value!r}: only %s, %d and their like, with widths up to 999")


def _today(value: str) -> None:
    if not value.startswith("+"):
        raise Denied(f"{value!r}: an operand without + sets the clock")
    _format(value)


def _jq(value: str) -> None:
    if "\\(" not in value:  # a string without code in it is only text
        value = _JQ_STRING.sub('""', value)
    if match := _JQ_FORBIDDEN_WORD.search(value):
        raise Denied(f"a filter with {match[0]}, which reaches the environment or other files")


def _chosen(value: str) -> None:
    """A wildcard that chooses files; one that leaves files out may name what it likes."""
    value = value.removeprefix("=")  # ripgrep takes -g=X for -g X
    if value.startswith("!"):
        return
    for part in re.split(r"[/{},]", value):
        hit = part[:1] not in ("", "*", "?", "[") and fnmatch.filter(_NAMES, fold_name(part))
        if hit or is_sensitive(part):
            raise Denied(f"{value!r} chooses files that may hold a secret")


KINDS: dict[str, Callable[[str], None]] = {
    "text": _text,
    "number": _matching(_NUMBER, "not a number"),
    "width": _matching(_WIDTH, "not a number up to 999"),
    "format": _format,
    "printf": _printf,
    "today": _today,
    "moment": _matching(_MOMENT, "not a date in plain words"),
    "sed": _matching(_SED, "sed only prints lines by number: sed -n '10,40p' FILE"),
    "jq": _jq,
    "chosen": _chosen,
}
"""Checks by name; each raises `Denied`. "path", "file" and "named" are left to the scope."""
ALONE = frozenset({
    "-a", "-and", "-o", "-or", "-not", "!", "(", ")", "-print", "-print0", "-prune", "-quit", "-true", "-false",
    "-empty", "-depth", "-xdev", "-mount", "-ls", "-readable", "-writable", "-executable", "-daystart", "-nouser",
    "-nogroup",
})  # fmt: skip
VALUES = {
    "-name": "text", "-iname": "text", "-path": "text", "-ipath": "text", "-wholename": "text", "-lname": "text",
    "-ilname": "text", "-regex": "text", "-iregex": "text", "-regextype": "text", "-type": "text", "-xtype": "text",
    "-perm": "text", "-size": "text", "-user": "text", "-group": "text", "-newermt": "text", "-mtime": "text",
    "-atime": "text", "-ctime": "text", "-mmin": "text", "-amin": "text", "-cmin": "text", "-links": "text",
    "-inum": "text", "-maxdepth": "width", "-mindepth": "width", "-newer": "path", "-anewer": "path",
    "-cnewer": "path", "-samefile": "path", "-printf": "format",
}  # fmt: skip


def find_arguments(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    """Judge the words behind `find`.

    Raises:
        Denied: If one of them isn't a start inside the folders or a test that only looks.
    """
    left = list(words)
    starts: list[str] = []
    while left and not left[0].text.startswith("-") and left[0].text not in ("!", "("):
        starts += scope.operands(left.pop(0))
    expression: list[str] = []
    while left:
        test = scope.literal(left.pop(0))
        expression.append(test)
        if test in ALONE:
            continue
        if test not in VALUES:
            raise Denied(f"find with {test}")
        if not left:
            raise Denied(f"find {test} without a value")
        value = scope.literal(left.pop(0))
        if VALUES[test] == "path":
            scope.place(value)
        else:
            KINDS[VALUES[test]](value)
        expression.append(value)
    return [*starts, *expression]


_FILE_TESTS = ("-e", "-f", "-d", "-s", "-r", "-h", "-L")


def _echo(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    """Every word is text; what is no flag of it is printed."""
    return [scope.literal(word) for word in words]


def _printf_arguments(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    if not words:
        raise Denied("printf without a format")
    values = [scope.literal(word) for word in words]
    KINDS["printf"](values[0])
    return values


def _test(words: Sequence[Word], scope: AllowedFolders) -> list[str]:
    """Only whether a file is there and of which kind: `test` of numbers and variables is a shell's own language."""
    values = [scope.literal(word) for word in words]
    turned = values[:1] == ["!"]
    rest = values[turned:]
    if len(rest) != 2 or rest[0] not in _FILE_TESTS:
        raise Denied("test is understood as: test [!] -f FILE, with -e, -f, -d, -s, -r, -h or -L")
    scope.place(rest[1])
    return values


SPECIAL: dict[str, Callable[[Sequence[Word], AllowedFolders], list[str]]] = {
    "echo": _echo,
    "printf": _printf_arguments,
    "test": _test,
    "find": find_arguments,
}
"""Commands with rules of their own: the words behind the name to the arguments; each raises `Denied`."""


class Rules(Struct, frozen=True):
    """How the words after a command's name are read.

    Args:
        flags: Flags without a value: "-l", "--lines".
        values: Flags with one, to the kind of the value. Kinds: see `kinds`, and "path" for a file or folder that may
            be read.
        doubles: Flags with two values, which are text.
        maybe: Flags whose value may be left out, and is glued if not: "--color=auto".
        first: Kinds of the first operands.
        rest: Kind of all others, or "" for none. "file" is a path that is no folder, "named" one that isn't "-".
        least, most: How many operands.
        instead: Flags that bring what `first` would be ("-e PATTERN"), or need none ("--files").
        need: Flags without which the command isn't run.
        count: Whether "-5" is a number of lines.
        ends: Whether "--" ends the flags.
        glued: Whether "-n5" and "-an 5" are read as "-n 5"; some programs read on for more flags instead.
        always: Arguments that are put before everything else.
        last: Arguments that are put behind the flags, where they win over them.
        last_if: Flags of which one has to be there for `last`; none: always.
    """

    flags: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)
    doubles: frozenset[str] = frozenset()
    maybe: Mapping[str, str] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    rest: str = "path"
    least: int = 0
    most: int = 10_000
    instead: frozenset[str] = frozenset()
    need: frozenset[str] = frozenset()
    count: bool = False
    ends: bool = True
    glued: bool = True
    always: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    last_if: frozenset[str] = frozenset()


def _flags(short: str, long: str = "") -> frozenset[str]:
    return frozenset([*("-" + letter for letter in short), *("--" + word for word in long.split())])


def _values(text: str) -> dict[str, str]:
    """From "-n --lines=number -t=text" to a table."""
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


def _any_case(text: str) -> str:
    return "".join(f"[{char}{char.upper()}]" if char.isalpha() else char for char in text)


# Recursion meets names that an operand could not name.
_SECRETS = [*sorted(SENSITIVE_NAMES), ".env*", *("*" + end for end in SENSITIVE_SUFFIXES)]
_GREP_SKIPS = tuple(f"--{flag}={_any_case(name)}" for name in _SECRETS for flag in ("exclude-dir", "exclude"))
_RG_SKIPS = tuple(f"--iglob=!{name}" for name in _SECRETS)
SKIPS = frozenset((*_GREP_SKIPS, *_RG_SKIPS))
"""Arguments that `grep -r` and `rg` always get, so that they leave out what may hold a secret."""
_GREP = Rules(
    flags=_flags(
        "abcFEGHhIiLlnoPqrsTUvwxyZz",
        "recursive ignore-case no-ignore-case line-number files-with-matches files-without-match count only-matching "
        "word-regexp line-regexp extended-regexp fixed-strings basic-regexp perl-regexp invert-match no-messages quiet "
        "silent with-filename no-filename text null initial-tab line-buffered byte-offset null-data",
    ),
    values=_values(
        "-e --regexp=text -A -B -C -m --after-context --before-context --context --max-count=number --label=text "
        "--include=chosen --exclude --exclude-dir=text --binary-files=text"
    ),
    maybe={"--color": "text", "--colour": "text"},
    first=("text",),
    least=1,
    instead=frozenset({"-e", "--regexp"}),
    count=True,
    last=_GREP_SKIPS,
    last_if=frozenset({"-r", "--recursive"}),
)
_RG = Rules(
    flags=_flags(
        "abcFHIilNnopPqSsUvwx0",
        "ignore-case case-sensitive smart-case line-number no-line-number files-with-matches files-without-match count "
        "count-matches only-matching word-regexp line-regexp fixed-strings pcre2 invert-match no-messages quiet text "
        "with-filename no-filename heading no-heading null multiline multiline-dotall json files type-list trim stats "
        "vimgrep column no-ignore passthru no-config no-unicode crlf byte-offset line-buffered pretty include-zero",
    ),
    values=_values(
        "-e --regexp=text -g --glob --iglob=chosen -t --type -T --type-not -r --replace -E --encoding=text "
        "-A -B -C -m -M --after-context --before-context --context --max-count --max-columns --max-depth=number "
        "-j --threads=width --color --colors --sort --sortr --engine=text --max-filesize=number"
    ),
    first=("text",),
    instead=frozenset({"-e", "--regexp", "--files", "--type-list"}),
    least=1,
    always=("--no-config",),
    last=_RG_SKIPS,
)
_JQ = Rules(
    flags=_flags(
        "rcsneaSMCjR",
        "raw-output compact-output slurp null-input exit-status ascii-output sort-keys monochrome-output color-output "
        "join-output raw-input tab stream seq unbuffered",
    ),
    values={"--indent": "width"},
    doubles=frozenset({"--arg", "--argjson"}),
    first=("jq",),
    least=1,
    ends=False,
    glued=False,
)
_SUM = Rules(flags=_flags("btz", "binary text tag zero"))
RULES: dict[str, Rules] = {
    "ls": Rules(
        flags=_flags(
            "aABbCcdFfGghiklmnopQqRrSstUuvXx1",
            "all almost-all directory human-readable si inode size recursive reverse full-time no-group "
            "group-directories-first numeric-uid-gid file-type escape quote-name",
        ),
        values=_values("-w --width=width -I --ignore --hide=text --sort --time --format=text --time-style=format"),
        maybe={"--color": "text", "--classify": "text"},
    ),
    "cat": Rules(
        flags=_flags("AbeEnstTuv", "number number-nonblank show-all show-ends show-tabs show-nonprinting squeeze-blank")
    ),
    "head": Rules(
        flags=_flags("qvz", "quiet silent verbose"), values=_values("-n -c --lines --bytes=number"), count=True
    ),
    "tail": Rules(
        flags=_flags("qvz", "quiet silent verbose"), values=_values("-n -c --lines --bytes=number"), count=True
    ),
    "wc": Rules(flags=_flags("clLmw", "bytes chars lines words max-line-length")),
    "nl": Rules(flags=_flags("p"), values=_values("-b -h -f -n -s -d=text -w=width -v -i -l=width")),
    # These two copy what comes through a pipe into a file.
    "tac": Rules(flags=_flags("br", "before regex"), values=_values("-s --separator=text"), rest="named", least=1),
    "file": Rules(flags=_flags("bhi", "brief mime mime-type mime-encoding"), rest="named", least=1),
    "rev": Rules(),
    "grep": _GREP,
    "rg": _RG,
    "jq": _JQ,
    "sed": Rules(
        flags=_flags("n", "quiet silent"),
        values={"-e": "sed", "--expression": "sed"},
        first=("sed",),
        least=1,
        instead=frozenset({"-e", "--expression"}),
        need=_flags("n", "quiet silent"),
    ),
    "sort": Rules(
        flags=_flags(
            "bcCdfghiMmnRrsuVz",
            "reverse numeric-sort unique ignore-case human-numeric-sort version-sort general-numeric-sort month-sort "
            "dictionary-order ignore-leading-blanks stable zero-terminated random-sort",
        ),
        values=_values("-k --key -t --field-separator=text"),
    ),
    "uniq": Rules(
        flags=_flags("cdDiuz", "count repeated unique ignore-case"),
        values=_values("-f -s -w --skip-fields --skip-chars --check-chars=number"),
        most=1,
    ),
    "cut": Rules(
        flags=_flags("nsz", "complement only-delimited"),
        values=_values("-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter=text"),
    ),
    "tr": Rules(
        flags=_flags("cCdst", "complement delete squeeze-repeats truncate-set1"),
        first=("text", "text"),
        rest="",
        least=1,
    ),
    "column": Rules(flags=_flags("tx"), values=_values("-s -o -N -H -R=text -c=width")),
    "paste": Rules(flags=_flags("sz"), values=_values("-d --delimiters=text")),
    "fold": Rules(flags=_flags("bs"), values=_values("-w --width=width")),
    "fmt": Rules(flags=_flags("csu"), values=_values("-w --width=width")),
    "expand": Rules(flags=_flags("i"), values=_values("-t --tabs=width")),
    "unexpand": Rules(flags=_flags("a"), values=_values("-t --tabs=width")),
    "comm": Rules(flags=_flags("123"), least=2, most=2),
    "join": Rules(flags=_flags("i"), values=_values("-1 -2=width -t -a -v -e=text"), least=2, most=2),
    "diff": Rules(
        flags=_flags("aBbdeiNqsuwy", "brief unified ignore-case ignore-all-space ignore-space-change side-by-side"),
        values=_values("-U -C -W --width=width --label -L=text"),
        rest="file",
        least=2,
        most=2,
    ),
    "cmp": Rules(
        flags=_flags("bls", "silent quiet"), values=_values("-n --bytes=number"), rest="file", least=2, most=2
    ),
    "du": Rules(
        flags=_flags("abchklmsSx", "all apparent-size bytes human-readable si summarize total separate-dirs"),
        values=_values("-d --max-depth=width --exclude=text"),
    ),
    "stat": Rules(flags=_flags("t", "terse"), values=_values("-c --format --printf=format"), least=1),
    "readlink": Rules(
        flags=_flags("efmnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline"), least=1
    ),
    "realpath": Rules(
        flags=_flags("eLmPqsz", "canonicalize-existing canonicalize-missing logical physical strip no-symlinks"),
        least=1,
    ),
    "basename": Rules(
        flags=_flags("az", "multiple zero"), values=_values("-s --suffix=text"), first=("text",), rest="text", least=1
    ),
    "dirname": Rules(flags=_flags("z", "zero"), first=("text",), rest="text", least=1),
    "pwd": Rules(flags=_flags("LP"), rest=""),
    "true": Rules(rest="", ends=False),
    "false": Rules(rest="", ends=False),
    "date": Rules(
        flags=_flags("uR", "utc universal rfc-email"),
        values=_values("-d --date=moment --rfc-3339=text -r --reference=path"),
        maybe={"-I": "text", "--iso-8601": "text"},
        first=("today",),
        rest="",
        ends=False,
    ),
    "md5sum": _SUM,
    "sha1sum": _SUM,
    "sha256sum": _SUM,
    "sha512sum": _SUM,
    "b2sum": _SUM,
    "cksum": Rules(),
    "xxd": Rules(flags=_flags("bpu"), values=_values("-c -g=width -l -s=number"), most=1, ends=False, glued=False),
    "od": Rules(flags=_flags("abcdox"), values=_values("-A -t=text -N -j=number")),
    "hexdump": Rules(flags=_flags("bCcdox"), values=_values("-n -s=number")),
    "tree": Rules(
        flags=_flags("adDfhinpsu", "noreport dirsfirst du"),
        values=_values("-L=width -I -P=text"),
        ends=False,
        glued=False,
    ),
}
"""Commands whose words are flags and operands; `special` and `find` hold the others."""
