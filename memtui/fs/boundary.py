"""Decide whether an actor may read or write a path: one answer for the editor, the store, agents and command line.

A path is checked as text first (nothing that another program, platform or shell would understand differently), then
against the folders it may lie in, then against the disk: parents are walked by directory descriptor, following no
link. The answer names the file relative to its folder, in the spelling that is on the disk. Opening it later walks the
same way again (`open_parent`, `open_file`), so a link swapped in after the check leads nowhere.

A write goes to a regular .md file below the memory folder, at most 8 folders deep, with a name that is no device, not
hidden and not loaded as instructions; a name that differs from an existing one in case only is refused, one that
differs in composition only means the existing one. A read may follow links as long as they end in a folder that may be
read; names that may hold a secret are never read, nor is a file with more than one hard link. The catalogue
`tests/data/cases/paths.json` has each rule with examples.
"""

# ruff: noqa: PTH100, PTH116, PTH118
# pathlib has no dir_fd, and resolves links where only the text is meant.

import errno
import fnmatch
import os
import re
import stat
import unicodedata
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memtui.fs.filesystem import REAL, FileSystem, open_regular
from memtui.util.errors import NotFound, Refused
from memtui.util.text import nfc

AccessMode = Literal["read", "write"]
Actor = Literal["agent", "dream", "user"]

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
MAX_FOLDER_DEPTH = 8

INDEX = "MEMORY.md"

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_HEX = re.compile(r"%[0-9A-Fa-f]{2}")
_DRIVE_OR_URL = re.compile(r"[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]*://|file:", re.IGNORECASE)
_PUNCTUATION = re.compile(r'[:*?"<>|${}]')
_SLASH_LIKE = re.compile(r"[\u2044\u2215\u2216\u29f5\u29f8\u29f9\u2571\u2572\u27cb\u27cd\ufe68\uff0f\uff3c]")
# Drawn as nothing though Unicode calls them letters or marks: two names that look the same.
_INVISIBLE = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0]")
_TILDE = re.compile(r"~[\w+-]*\Z")
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\Z", re.IGNORECASE)
_INSTRUCTIONS = ("claude.md", "claude.local.md")
SENSITIVE_NAMES = {
    ".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".netrc", "_netrc", ".npmrc",
    ".yarnrc.yml", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd", "htpasswd", ".htdigest",
    ".git-credentials", ".gitcookies", ".credentials.json", ".claude.json", ".vault-token", "credentials",
    ".secrets", "auth.json", "kubeconfig", "rclone.conf", ".boto", ".s3cfg", ".passwd-s3fs", ".dockercfg",
    ".dockerconfigjson", ".terraformrc", "terraform.rc", "wp-config.php", "local.settings.json", "logins.json",
    "key4.db", "cookies.sqlite", ".viminfo", ".lesshst", ".dbshell", ".irb-history", ".histfile", ".history",
    ".zhistory", ".sh_history", "fish_history", "consolehost_history.txt",
}  # fmt: skip
_KEY_KINDS = ("rsa", "dsa", "ecdsa", "ed25519", "ecdsa_sk", "ed25519_sk")
_DATA_SUFFIXES = (".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".xml", ".csv", ".txt", ".properties")
SENSITIVE_GLOBS = (
    ".env*", "*.env", "*.env.local", "*.env.prod*", "*.env.stag*", "*.env.dev*", "*.env.test*", ".*_history",
    "*.pem", "*.key", "*.p8", "*.pk8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore", "*.kdb", "*.kdbx", "*.keytab",
    "*.agekey", "*.ovpn", "*.keychain", "*.keychain-db", "*.tfstate", "*.tfvars", "*.tfvars.json", "*.tfrc.json",
    "*.kubeconfig", "kubeconfig.y*ml", "*-kubeconfig", "krb5cc_*", "ssh_host_*_key", ".authinfo*", ".vault_pass*",
    "client_secret*.json", "service[-_]account*.json", "*serviceaccount*.json",
    *(form.format(kind) for kind in _KEY_KINDS for form in ("*_{}", "id_{}[-_]*")),
    *(f"*{word}{suffix}" for word in ("credentials", "secrets") for suffix in _DATA_SUFFIXES),
)  # fmt: skip
"""Files and folders that may hold a secret, by families, as `fold_name` spells them: a copy that an editor or a person
leaves (`BACKUP_GLOBS`) is as its original, and a name that ends in .pub is a public key."""
BACKUP_GLOBS = ("*~", "#*#", ".*.sw?", "*.bak*", "*.backup*", "*.old", "*.orig*", "*.save")
_COPY_MARK = re.compile(r" (?:\([0-9]+\)|-? ?copy(?: \(?[0-9]+\)?)?)(?=\.[a-z0-9]+\Z|\Z)")
_COPY_OF = re.compile(
    r"#(.+)#|\.(.+)\.sw[a-z]|(.+?)(?:~|[-._ ](?:bak|backup|old|orig|save|copy|prev|previous|tmp|[0-9]{1,14}))+"
)


class PathVerdict(Struct, frozen=True):
    """The answer; name and base are set when it is allowed."""

    allowed: bool
    reason: str  # for the user
    name: str | None = None  # below `base`, with slashes, as the disk spells it; "." is the folder itself (reading)
    base: Path | None = None  # the links in its own path are resolved


class _Denied(Exception):
    pass


def check_path(
    root: Path,  # the memory folder, where relative paths start and nothing else is written; need not exist yet
    path: object,  # of any type, as a model gives it
    *,
    op: AccessMode,
    actor: Actor,
    reads: Sequence[Path] = (),  # more folders that may be read
    casefold: bool = False,  # the file system ignores case, so that two spellings of the root are one folder
    only: frozenset[str] | None = None,  # exact relative names instead of the rule for memory files
    leaving: Container[str] = (),  # names that go away in the same step and so can't clash
    follow: bool = False,  # the file to write may be a link; whoever sets it judges the target (`fs.links`)
) -> PathVerdict:
    """Decide whether `actor` may read or write `path`; no path and no state of the disk makes it raise."""
    try:
        base, parts = _split_root(root, _check_text(path, op), reads if op == "read" else (), casefold)
        if op == "read":
            return _check_read(base, parts, [root, *reads])
        if only is None:
            _check_names(parts, actor)
        elif "/".join(parts) not in only:
            raise _Denied("not one of the files that may be written here")
        name = _resolve(base, parts, leaving, spelling=only is None, follow=follow)
    except _Denied as denied:
        return PathVerdict(False, str(denied))
    except OSError as error:
        return PathVerdict(False, f"the disk says: {os.strerror(error.errno or 0)}")
    return PathVerdict(True, "inside the folder", name, Path(os.path.realpath(base)))


def _check_text(path: object, op: AccessMode) -> str:
    """The path, if every program reads it alike."""
    if not isinstance(path, str):
        raise _Denied("not a text")
    if not path.strip():
        raise _Denied("empty")
    if len(path) > MAX_PATH_BYTES:
        raise _Denied(f"longer than {MAX_PATH_BYTES} bytes")
    for char in path:
        if char != " " and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Zs"):
            raise _Denied(f"holds a control, format or blank character (U+{ord(char):04X})")
    parts = path.split("/")
    folded = unicodedata.normalize("NFKC", path)
    gains = any(folded.count(sign) > path.count(sign) for sign in ("..", "/", "\\"))
    punctuation = _PUNCTUATION.search(path) if op == "write" else None
    _deny_first(
        (_INVISIBLE.search(path), "holds an invisible character"),
        (len(path.encode()) > MAX_PATH_BYTES, f"longer than {MAX_PATH_BYTES} bytes"),
        ("\\" in path or "`" in path, "holds a backslash or backtick"),
        (path.startswith(("//", "~")), "starts with // or ~"),
        (_DRIVE_OR_URL.match(path), "a URL or a drive, not a path"),
        (_HEX.search(path), "holds a percent escape"),
        (_SLASH_LIKE.search(path), "holds a look-alike of a slash"),
        (gains, "its compatibility form gains a slash or two dots"),
        (punctuation, f"holds {punctuation and punctuation[0]}"),
        (".." in parts, "steps to a parent folder"),
        (any(map(_TILDE.match, parts)), "holds a part that a shell would expand"),
        (any(len(part.encode()) > MAX_NAME_BYTES for part in parts), f"a part is longer than {MAX_NAME_BYTES} bytes"),
        (op == "write" and parts[-1] in ("", "."), "names a folder"),
    )
    return path


def _deny_first(*rules: tuple[object, str]) -> None:
    for broken, reason in rules:
        if broken:
            raise _Denied(reason)


def _split_root(root: Path, path: str, reads: Sequence[Path], casefold: bool) -> tuple[Path, list[str]]:
    """The folder that the path lies in, and the parts below it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/"):
        return root, parts
    for base in (root, *reads):
        for spelling in (os.path.abspath(base), os.path.realpath(base)):
            lead = [part for part in spelling.split("/") if part]
            head = parts[: len(lead)]
            if head == lead or (casefold and [*map(fold_name, head)] == [*map(fold_name, lead)]):
                return base, parts[len(lead) :]
    raise _Denied("outside the folder")


def fold_name(name: str) -> str:
    """Equal for two names that differ in case or in composed and decomposed spelling only."""
    if name.isascii():
        return name.lower()
    return nfc(unicodedata.normalize("NFD", name).casefold())


def is_instructions(leaf: str) -> bool:
    """Whether a file of this name loads as instructions."""
    return unicodedata.normalize("NFKC", leaf).casefold() in _INSTRUCTIONS


def _check_names(parts: list[str], actor: Actor) -> None:
    if not parts:
        raise _Denied("the folder itself")
    if len(parts) - 1 > MAX_FOLDER_DEPTH:
        raise _Denied(f"deeper than {MAX_FOLDER_DEPTH} folders")
    for part in parts:
        _deny_first(
            (part.startswith(".") and not part.startswith(".."), "a hidden or protected name"),
            (part.endswith((".", " ")), "ends in a dot or blank, which some systems drop"),
            (_RESERVED.match(part.split(".")[0].rstrip(" ")), "a device name on some systems"),
            (is_instructions(part), "loads as instructions, not memory"),
        )
    _deny_first(
        (not parts[-1].endswith(".md"), "not a .md file"),
        (not parts[-1][:-3].strip(". "), "no name before .md"),
        (actor != "user" and fold_name(parts[0]) == "team", "an agent doesn't write what the team shares"),
    )


def _resolve(base: Path, parts: list[str], leaving: Container[str], *, spelling: bool, follow: bool) -> str:
    """Walk to the target without following a link, but the last part if `follow`; its name as the disk spells it.

    Without `spelling` the name is taken as it is.
    """
    try:
        fd = os.open(base, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return "/".join([_match(parts[0], [INDEX]) if spelling else parts[0], *parts[1:]])
    except NotADirectoryError:
        raise _Denied("the memory folder is not a folder") from None
    done: list[str] = []
    try:
        for number, part in enumerate(parts):
            name = _spelled(fd, done, part, leaving) if spelling else part
            try:
                info = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except FileNotFoundError:
                return "/".join([*done, *parts[number:]])
            done.append(name)
            if stat.S_ISLNK(info.st_mode):
                if follow and number == len(parts) - 1:
                    break
                raise _Denied(f"{name} is a link")
            if number == len(parts) - 1:
                if not stat.S_ISREG(info.st_mode):
                    raise _Denied(f"{name} is not a regular file")
                break
            if not stat.S_ISDIR(info.st_mode):
                raise _Denied(f"{name} is not a folder")
            deeper = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
            os.close(fd)
            fd = deeper
    finally:
        os.close(fd)
    return "/".join(done)


def _spelled(fd: int, above: list[str], name: str, leaving: Container[str]) -> str:
    """The spelling of `name` in an open folder: its own, or that of a file whose accents are composed differently."""
    here = [other for other in os.listdir(fd) if "/".join([*above, other]) not in leaving]
    return name if name in here else _match(name, here if above else [*here, INDEX])


def _match(name: str, here: Sequence[str]) -> str:
    """The spelling of a name that doesn't exist as it stands; the index counts as existing."""
    key, form = fold_name(name), nfc(name)
    similar = sorted(other for other in here if fold_name(other) == key)
    found = next((other for other in similar if nfc(other) == form), None)
    if found is None and similar:
        raise _Denied(f"differs only in case from {similar[0]}")
    return found or name


def _check_read(base: Path, parts: list[str], scopes: Sequence[Path]) -> PathVerdict:
    """Links are fine for reading as long as what they lead to lies in one of the folders, too."""
    _deny_sensitive(parts)
    real = os.path.realpath(os.path.join(os.path.realpath(base), *parts))
    for scope in scopes:
        lead = os.path.realpath(scope)
        if real != lead and not real.startswith(lead.rstrip("/") + "/"):
            continue
        below = [part for part in real[len(lead) :].split("/") if part]
        _deny_sensitive(below)
        with suppress(FileNotFoundError):
            info = os.stat(real, follow_symlinks=False)
            if not (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)):
                raise _Denied("not a file or folder")
            if has_more_names(info):
                raise _Denied("the file has a second name (a hard link), which may lie outside")
        return PathVerdict(True, "inside a folder that may be read", "/".join(below) or ".", Path(lead))
    raise _Denied("a link leads outside")


def has_more_names(info: os.stat_result) -> bool:
    """Whether a file has more than one hard link: then it counts as lying outside, for one may lie there."""
    return stat.S_ISREG(info.st_mode) and info.st_nlink > 1


def _deny_sensitive(parts: Sequence[str]) -> None:
    _deny_first(*((is_sensitive(part), f"{part} may hold a secret") for part in parts))


def is_sensitive(part: str) -> bool:
    """Whether a file or folder of this name, or what it is a copy of, may hold a secret and is never read."""
    name = _COPY_MARK.sub("", fold_name(part))
    copied = _COPY_OF.fullmatch(name)
    forms = [name, *filter(None, copied.groups() if copied else ())]
    return any(form in SENSITIVE_NAMES or (_globs().match(form) and not form.endswith(".pub")) for form in forms)


@cache
def _globs() -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, SENSITIVE_GLOBS)))  # 5 ms, at the first question


def open_parent(root: Path, name: str, *, create: bool = False, fs: FileSystem = REAL) -> tuple[int, str]:
    """Open the folder of a file below `root`, step by step, following no link; the caller closes it.

    The last part of `root` is no link (`PathVerdict.base` is such a path); `name` is relative, with slashes, as
    `check_path` gave it. With `create`, missing folders are made, the root included. Returns the open folder and the
    last part of the name.

    Raises `Refused` if a part on the way is a link or not a folder, `NotFound` if a folder is missing and `create` is
    off, `OSError` for anything else that the system refuses.
    """
    *folders, leaf = name.split("/")
    if leaf in ("", ".", "..") or any(part in ("", ".", "..") for part in folders):
        raise Refused(f"{name} is not a plain relative name")
    if create and not root.is_dir():
        missing = [root, *root.parents]
        for folder in reversed(missing[: next(i for i, one in enumerate(missing) if one.is_dir())]):
            with suppress(FileExistsError):
                fs.mkdir(folder)
    fd = _open_folder(root, None, str(root), str(root), fs)
    try:
        for part in folders:
            if create:
                with suppress(FileExistsError):
                    fs.mkdir(part, dir_fd=fd)
                    fs.fsync(fd)
            above, fd = fd, _open_folder(part, fd, f"the folder of {name}", f"{name}: {part}", fs)
            fs.close(above)
    except BaseException:
        fs.close(fd)
        raise
    return fd, leaf


def _open_folder(path: str | Path, above: int | None, gone: str, refused: str, fs: FileSystem) -> int:
    try:
        return fs.open(path, _FOLDER_FLAGS, dir_fd=above)
    except FileNotFoundError:
        raise NotFound(f"{gone} is gone") from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise Refused(f"{refused} is a link or not a folder") from error
        raise


@contextmanager
def closing_fd(file: int, fs: FileSystem = REAL) -> Iterator[None]:
    """Close a descriptor that was only read, or is synced: an error of close means nothing then."""
    try:
        yield
    finally:
        with suppress(OSError):
            fs.close(file)


@contextmanager
def parent_folder(root: Path, name: str, *, create: bool = False, fs: FileSystem = REAL) -> Iterator[tuple[int, str]]:
    """As `open_parent`, for the time of a block."""
    parent, leaf = open_parent(root, name, create=create, fs=fs)
    with closing_fd(parent, fs):
        yield parent, leaf


def open_file(base: Path, name: str, *, fs: FileSystem = REAL) -> int:
    """Open a regular file that `check_path` allowed for reading, by walking from `base` without following a link.

    Raises as `open_parent`, and `Refused` if the file is a link or not what it was.
    """
    with parent_folder(base, name, fs=fs) as (parent, leaf):
        try:
            return open_regular(leaf, name, fs, dir_fd=parent)
        except FileNotFoundError:
            raise NotFound(f"{name} is gone") from None
