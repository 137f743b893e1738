"""Which commands there are, with which flags: what isn't here is denied.

Flags are those of GNU and of the BSDs that only read: none that writes a file, runs a program, reads a list of files or
patterns from a file, follows links out of a folder, or never ends. A flag that both spell the same but mean otherwise
is left out if one of the meanings is more than reading; so is one whose value may be left out where we'd take the next
word for it, because that word would then be an operand that nobody judged. No `strings`: it reads more arguments from
a file that is named with an @.

Source: SAFETY.md 3.2; manuals of coreutils 9.1, findutils 4.9, grep 3.8, ripgrep 13, jq 1.6, diffutils 3.8, xxd.
"""

from collections.abc import Mapping

from msgspec import Struct, field

from memtui.base.boundary import SENSITIVE_ENDS, SENSITIVE_NAMES


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
_SECRETS = [*sorted(SENSITIVE_NAMES), ".env*", *("*" + end for end in SENSITIVE_ENDS)]
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
