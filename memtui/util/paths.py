"""Words that name a file or a directory."""

import os
import pwd
from contextlib import suppress

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4095


def can_exist(path: str) -> bool:
    """Whether a file system could hold a path: text may have a NUL or half a surrogate pair, or be too long."""
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return b"\0" not in name and len(name) <= MAX_PATH_BYTES and max(map(len, name.split(b"/"))) <= MAX_NAME_BYTES


def expand_tilde(word: str, home: str | os.PathLike[str] | None = None, *, users: bool = False) -> str:
    """Expand "~" and a leading "~/" to the home folder; never raises, and any other word is a name as it stands.

    `home` is the process's own if left out. With `users`, for where a directory is wanted, "~name" is the home of a
    user that exists.
    """
    name, slash, rest = word.partition("/")
    if name == "~":
        own = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where nobody has a home
        return (own if home is None else os.fspath(home)) + slash + rest
    if users and name.startswith("~"):
        with suppress(KeyError, ValueError):
            return pwd.getpwnam(name[1:]).pw_dir + slash + rest
    return word
