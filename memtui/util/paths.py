"""Words that name a file or a directory."""

import os
import pwd
from contextlib import suppress


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
