"""Values that are refused as a memory folder: each would let a background agent rewrite what is no memory.

Two looks: at the text as it stands in the settings, and at the place that it leads to, links followed. The client
itself refuses only a few of them (`client_memory_folder`); the rest is ours.
"""

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
MIN_PATH_CHARS = 4
"""Characters of a path that can be meant: "/x" and "/ab" are slips."""
MAX_LINKS = 40
"""As many as Linux follows in one path."""

_SHELL = (
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
_SLASHES = frozenset("\u2044\u2215\u2216\u2571\u2572\u29f5\u29f8\u29f9\u3033\u3035")
"""Look like a slash and have no compatibility form that says so."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


_TREES = _names(
    "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys /usr /lost+found /snap /nix "
    "/var/adm /var/backups /var/cache /var/crash /var/db /var/empty /var/lib /var/lock /var/log /var/mail /var/opt "
    "/var/root /var/run /var/spool /var/vm /private/etc /private/var/db /private/var/log /private/var/root "
    "/private/var/run /root /System /Library /Applications /Network /cores /Windows"
)
"""The system's own: refused with all that is in them, unless the user's home is there."""
_TOPS = _names(
    "/home /Users /var /tmp /var/tmp /opt /srv /mnt /media /Volumes /private /private/var /private/tmp /var/home "
    "/var/folders /Users/Shared"
)
"""Shared by many: refused themselves; what lies in them may be a memory folder."""
_ANYWHERE = _names(
    ".git .hg .svn .jj .bzr .ssh .gnupg .aws .azure .gcloud .kube .docker .password-store .pki .keychain keyrings "
    "keychains .oci .terraform.d .mozilla .vault-token .1password .secrets node_modules .trash"
)
"""Keys, version control, other programs' stores: refused wherever they stand in the path."""
_IN_HOME = _names(
    ".config .local .local/share .local/state .local/bin .cache .config/git .config/gh .config/gcloud .config/systemd "
    ".config/autostart Library bin"
)
"""Of the home: folders of many programs, refused themselves."""
_IN_CONFIG = _names(
    "agents commands skills rules plugins hooks sessions session-env file-history shell-snapshots todos tasks plans "
    "ide statsig debug backups paste-cache image-cache output-styles"
)
"""Of the agent client's folder: what it or the user keeps there for other ends."""


class ProtectedPaths(Struct, frozen=True):
    """What a memory folder must not be or hold: the home, the client's folder, the working directory, the project."""

    home: Path
    config: Path
    projects: tuple[Path, ...]


def check_memory_folder(value: str, around: ProtectedPaths, *, tilde: bool = True) -> Path | str:
    """The folder that a setting or variable names, or why it is refused.

    Args:
        value: The text as it was found.
        around: What the folder must keep away from.
        tilde: Whether "~/" is the home: in settings it is, in a variable the client takes it for a relative path.

    Returns:
        An absolute path, composed, without "." and a closing slash; or the reason, as half a sentence.
    """
    reason = _bad_text(value, around.home)
    if not reason and value.startswith("~") and not tilde:
        reason = "it is relative"
    if reason:
        return reason
    path = Path(nfc(os.path.normpath(around.home / value[2:] if value.startswith("~/") else value)))
    return _bad_place(path, around) or path


def client_memory_folder(value: str, home: Path, *, tilde: bool = True) -> Path | None:
    """The folder that the client itself would use for a value, or `None` where it refuses it too.

    Source:
        Claude Code 2.1.332, recorded: an absolute path of three characters or more without NUL, or "~/" and a path that
        stays below the home; "." and ".." are worked out, a path that is the home itself is taken if it is spelled out.
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


def _bad_text(value: str, home: Path) -> str:
    """Why the text alone can't be meant, or ""."""
    if not value.strip():
        return "it is empty"
    if visible(value, keep="") != value:
        return "it holds a control or hidden character"
    if value.startswith(("//", "\\\\")):
        return "it is a network path"
    own = f"{home}/"
    shown = value.removeprefix(own) if value.startswith(own) else value  # the home may be called what it likes
    for pattern, reason in _SHELL:
        if pattern.search(shown):
            return reason
    if value.startswith("~") and value != "~" and not value.startswith("~/"):
        return "another user's home is not looked up"
    if value == "~":
        return "it is the home folder"
    if not value.startswith(("/", "~/")):
        return "it is relative"
    parts = value.split("/")[1:]
    if ".." in parts:
        return "it steps up with .."
    if "~" in parts:
        return "a ~ in the middle is not expanded"
    if len(os.fsencode(value)) > MAX_PATH_BYTES or any(len(os.fsencode(part)) > MAX_NAME_BYTES for part in parts):
        return "it is too long"
    return next((reason for part in parts if (reason := _bad_name(part))), "")


def _bad_name(part: str) -> str:
    plain = unicodedata.normalize("NFKC", part)
    if "/" in plain or "\\" in plain or not _SLASHES.isdisjoint(part) or plain.strip(".") == "" != part.strip("."):
        return "it holds a character that looks like a slash or dots"
    if part != part.strip() or (part.endswith(".") and part != "."):
        return "a name in it begins or ends with a blank, or ends with a dot"
    return ""


def _bad_place(path: Path, around: ProtectedPaths) -> str:
    """Why the place can't be a memory folder, as it is written or as links lead to it, or ""."""
    if len(str(path)) < MIN_PATH_CHARS:
        return "it is the root of the file system" if str(path) == "/" else "it is too short to be meant"
    written = _bad_spot(path, around)
    if written:
        return written
    last = path
    for step in _links(path):
        if step is None:
            return "its links run in a circle"
        last = step
        reason = _system(step, around)
        if reason:
            return f"a link in it leads to {step}: {reason}"
    if last != path:
        reason = "it is the root of the file system" if str(last) == "/" else _bad_spot(last, around)
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
    bare = (path / "HEAD").exists() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return "it is a git repository's own folder" if bare else ""


def _bad_spot(path: Path, around: ProtectedPaths) -> str:
    place = _fold(path)
    homes = _both(around.home)
    for home in homes:
        if place == home:
            return "it is the home folder"
        if _within(home, place):
            return "it lies above the home folder"
    reason = _system(path, around)
    if reason:
        return reason
    for part in place.parts:
        if part in _ANYWHERE or part.endswith(".git"):
            return f"{part} is not a place for memory"
    for project in (name for folder in around.projects for name in _both(folder)):
        if place == project:
            return "it is the project itself"
        if _within(project, place):
            return "it lies above the project"
    if any(place == home / name for home in homes for name in _IN_HOME):
        return "many programs keep their files there"
    return _in_config(place, around)


def _system(path: Path, around: ProtectedPaths) -> str:
    place = _fold(path)
    if str(place) in _TOPS:
        return "it is shared by many"
    if any(str(home) != "/" and _within(place, home) for home in _both(around.home)):
        return ""  # whatever lies below the user's own home is the user's
    if any(_within(place, PurePosixPath(tree)) for tree in _TREES):
        return "it belongs to the system"
    return ""


def _in_config(place: PurePosixPath, around: ProtectedPaths) -> str:
    for config in _both(around.config):
        if place == config or _within(config, place):
            return "the agent client keeps its settings there"
        if _within(place, config):
            inner = place.relative_to(config).parts
            if inner[0] in _IN_CONFIG:
                return "the agent client keeps other things there"
            if inner[0] == "projects" and len(inner) < 3:
                return "the agent client keeps transcripts there"
    if place.name == ".claude" or (place.parent.name == ".claude" and place.name in _IN_CONFIG):
        return "the agent client keeps its settings there"
    return ""


def _links(path: Path) -> Iterator[Path | None]:
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


def _both(path: Path) -> Sequence[PurePosixPath]:
    written, followed = _fold(path), _fold(real_path(path))
    return (written,) if written == followed else (written, followed)


def _within(place: PurePosixPath, folder: PurePosixPath) -> bool:
    return place == folder or folder in place.parents
