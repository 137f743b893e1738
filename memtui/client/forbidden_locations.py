"""Folders that are refused as a memory folder, because a background agent would rewrite what is no memory.

Checked twice: the text as it stands in the settings, and the folder that it leads to, links followed. Claude Code
itself refuses only a few of them (`client_memory_folder`).
"""

# ruff: noqa: PTH110, PTH112
# What may not be looked at counts as not there; pathlib raises PermissionError.

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from msgspec import Struct

from memtui.client.paths import real_path
from memtui.util.text import nfc, visible

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
MIN_PATH_CHARS = 4  # shorter paths are slips: "/x", "/ab"
MAX_LINKS = 40  # as many as Linux follows in one path
_BAD_PATTERNS = (
    (re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:"), "it is a URL"),
    (re.compile(r"^[A-Za-z]:"), "it is a path on a Windows drive"),
    (re.compile(r"\\"), "it is a Windows or network path"),
    (re.compile(r"\$|%\w+%"), "a variable is not expanded here"),
    (re.compile(r"%[0-9A-Fa-f]{2}"), "an escape is not decoded here"),
    (re.compile(r"`"), "a command is not run here"),
    (re.compile(r"[*?{}]"), "a pattern is not expanded here"),
    (re.compile(r'[<>|"]'), "it looks like a shell command"),
    (re.compile(r":"), "it is a list of paths"),
)
_SLASH_LIKE = frozenset("\u2044\u2215\u2216\u2571\u2572\u29f5\u29f8\u29f9\u3033\u3035")  # no compatibility form


def _names(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


_SYSTEM_FOLDERS = _names(
    "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys /usr /lost+found /snap /nix "
    "/var/adm /var/backups /var/cache /var/crash /var/db /var/empty /var/lib /var/lock /var/log /var/mail /var/opt "
    "/var/root /var/run /var/spool /var/vm /private/etc /private/var/db /private/var/log /private/var/root "
    "/private/var/run /root /System /Library /Applications /Network /cores /Windows"
)
"""Refused with all that is in them, unless the user's home is there."""
_SHARED_FOLDERS = _names(
    "/home /Users /var /tmp /var/tmp /opt /srv /mnt /media /Volumes /private /private/var /private/tmp /var/home "
    "/var/folders /Users/Shared"
)
"""Shared by many users: refused themselves; what lies in them may be a memory folder."""
_FORBIDDEN_NAMES = _names(
    ".git .hg .svn .jj .bzr .ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .pki .keychain keyrings "
    "keychains .oci .terraform.d .mozilla .vault-token .1password .secrets node_modules .trash"
)
"""Keys, version control, other programs' stores: refused wherever they stand in the path."""
_HOME_FOLDERS = _names(
    ".config .local .local/share .local/state .local/bin .cache .config/git .config/gh .config/gcloud .config/systemd "
    ".config/autostart Library bin"
)
"""Below the home folder, used by many programs: refused themselves."""
_CONFIG_FOLDERS = _names(
    "agents commands skills rules plugins hooks sessions session-env file-history shell-snapshots todos tasks plans "
    "ide statsig debug backups paste-cache image-cache output-styles"
)
"""Below Claude Code's folder, used for other things: refused with all that is in them."""


class ProtectedPaths(Struct, frozen=True):
    """Folders that a memory folder must not be or contain: home, Claude Code's, working directory, project."""

    home: Path
    config: Path
    projects: tuple[Path, ...]


def check_memory_folder(value: str, protected: ProtectedPaths, *, tilde: bool = True) -> Path | str:
    """The folder that a setting (with `tilde`) or a variable names, absolute and composed, or why it is refused."""
    reason = _text_problem(value, protected.home)
    if not reason and value.startswith("~") and not tilde:
        reason = "it is relative"
    if reason:
        return reason
    path = Path(nfc(os.path.normpath(protected.home / value[2:] if value.startswith("~/") else value)))
    return _location_problem(path, protected) or path


def client_memory_folder(value: str, home: Path, *, tilde: bool = True) -> Path | None:
    """Return the folder that Claude Code would use for a value, or `None` where it refuses it too.

    Source: Claude Code 2.1.332, recorded: an absolute path of three characters or more without NUL, or "~/" and a path
    that stays below the home; "." and ".." are worked out, a path that is the home itself is taken if it is spelled
    out.
    """
    text = value
    if tilde and value[:2] in ("~/", "~\\"):
        inner = os.path.normpath(value[2:])
        if inner in (".", "..") or inner.startswith("../"):
            return None
        text = str(home / inner)
    path = os.path.normpath(text)
    if not path.startswith("/") or len(path) < 3 or "\0" in path:
        return None
    return Path(nfc(path if not path.startswith("//") else path[1:]))


def _text_problem(value: str, home: Path) -> str:
    shown = value.removeprefix(f"{home}/")  # the home may be called what it likes
    parts = value.split("/")[1:]
    problems = (
        (not value.strip(), "it is empty"),
        (visible(value, keep="") != value, "it holds a control or hidden character"),
        (value.startswith(("//", "\\\\")), "it is a network path"),
        *((pattern.search(shown) is not None, reason) for pattern, reason in _BAD_PATTERNS),
        (value == "~", "it is the home folder"),
        (value.startswith("~") and not value.startswith("~/"), "another user's home is not looked up"),
        (not value.startswith(("/", "~/")), "it is relative"),
        (".." in parts, "it steps up with .."),
        ("~" in parts, "a ~ in the middle is not expanded"),
    )
    if reason := next((reason for is_bad, reason in problems if is_bad), ""):
        return reason
    if len(os.fsencode(value)) > MAX_PATH_BYTES or any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts):
        return "it is too long"
    return next((reason for part in parts if (reason := _name_problem(part))), "")


def _name_problem(part: str) -> str:
    plain = unicodedata.normalize("NFKC", part)
    if "/" in plain or "\\" in plain or not _SLASH_LIKE.isdisjoint(part) or plain.strip(".") == "" != part.strip("."):
        return "it holds a character that looks like a slash or dots"
    if part != part.strip() or (part.endswith(".") and part != "."):
        return "a name in it begins or ends with a blank, or ends with a dot"
    return ""


def _location_problem(path: Path, protected: ProtectedPaths) -> str:
    """Why the place can't be a memory folder, as it is written or as links lead to it, or ""."""
    if len(str(path)) < MIN_PATH_CHARS:
        return "it is the root of the file system" if str(path) == "/" else "it is too short to be meant"
    if reason := _one_location_problem(path, protected):
        return reason
    last = path
    for step in _link_targets(path):
        if step is None:
            return "its links run in a circle"
        last = step
        if reason := _system_problem(step, protected):
            return f"a link in it leads to {step}: {reason}"
    if last != path:
        reason = "it is the root of the file system" if str(last) == "/" else _one_location_problem(last, protected)
        if reason:
            return f"it leads to {last}: {reason}"
    try:
        mode = path.stat().st_mode
    except NotADirectoryError:
        return "a part of it is a file"
    except (OSError, ValueError):
        return ""  # not there yet: the client makes it
    if not stat.S_ISDIR(mode):
        return "it is not a folder"
    bare = os.path.exists(path / "HEAD") and os.path.isdir(path / "objects") and os.path.isdir(path / "refs")
    return "it is a git repository's own folder" if bare else ""


def _one_location_problem(path: Path, protected: ProtectedPaths) -> str:
    place = _fold(path)
    homes = _spellings(protected.home)
    for home in homes:
        if place == home:
            return "it is the home folder"
        if _within(home, place):
            return "it lies above the home folder"
    if reason := _system_problem(path, protected):
        return reason
    for part in place.parts:
        if part in _FORBIDDEN_NAMES or part.endswith(".git"):
            return f"{part} is not a place for memory"
    for project in (name for folder in protected.projects for name in _spellings(folder)):
        if place == project:
            return "it is the project itself"
        if _within(project, place):
            return "it lies above the project"
    if any(place == home / name for home in homes for name in _HOME_FOLDERS):
        return "many programs keep files there"
    return _config_problem(place, protected)


def _system_problem(path: Path, protected: ProtectedPaths) -> str:
    place = _fold(path)
    if str(place) in _SHARED_FOLDERS:
        return "it is shared by many"
    if any(str(home) != "/" and _within(place, home) for home in _spellings(protected.home)):
        return ""  # whatever lies below the user's own home is the user's
    if any(_within(place, PurePosixPath(tree)) for tree in _SYSTEM_FOLDERS):
        return "it belongs to the system"
    return ""


def _config_problem(place: PurePosixPath, protected: ProtectedPaths) -> str:
    for config in _spellings(protected.config):
        if place == config or _within(config, place):
            return "Claude Code keeps its settings there"
        if _within(place, config):
            inner = place.relative_to(config).parts
            if inner[0] in _CONFIG_FOLDERS:
                return "Claude Code keeps other things there"
            if inner[0] == "projects" and len(inner) < 3:
                return "Claude Code keeps transcripts there"
    if place.name == ".claude" or (place.parent.name == ".claude" and place.name in _CONFIG_FOLDERS):
        return "Claude Code keeps its settings there"
    return ""


def _link_targets(path: Path) -> Iterator[Path | None]:
    """Every place that the links in a path lead to, in order, the last one without links; `None` for a circle.

    Each is seen on the way: a link through /proc/self/root ends anywhere, but where it passes gives it away.
    """
    todo = list(path.parts[1:])
    place = Path("/")
    links = 0
    while todo:
        part = todo.pop(0)
        place = place.parent if part == ".." else place / part
        try:
            target = str(place.readlink())
        except (OSError, ValueError):
            continue
        links += 1
        if links > MAX_LINKS:
            yield None
            return
        place = Path(target) if target.startswith("/") else place.parent / target
        yield Path(os.path.normpath(place.joinpath(*todo)))
        todo = [*place.parts[1:], *todo]
        place = Path("/")
    if links:
        yield place


def _fold(path: Path) -> PurePosixPath:
    """For comparing: some file systems take /Users/Ana and /users/ana for one."""
    return PurePosixPath(nfc(str(path)).casefold())


def _spellings(path: Path) -> Sequence[PurePosixPath]:
    written, followed = _fold(path), _fold(real_path(path))
    return (written,) if written == followed else (written, followed)


def _within(place: PurePosixPath, folder: PurePosixPath) -> bool:
    return place == folder or folder in place.parents
