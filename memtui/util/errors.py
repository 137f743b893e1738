"""Faults that we foresee. Anything else stays loud: it is our bug."""


class MemtuiError(Exception):
    """A fault with a message for the user.

    Args:
        message: What happened, as one sentence without a full stop.
        hint: What to do about it: a command or a key. May be empty.

    `code` is the word that scripts see, `exit_code` what the process ends with (UX: exit codes).
    """

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(MemtuiError):
    """The call makes no sense: wrong words, options that exclude each other."""

    code = "usage"
    exit_code = 2


class NotFound(MemtuiError):
    """No such project, memory, version or session."""

    code = "not_found"
    exit_code = 3


class Conflict(MemtuiError):
    """Somebody else changed it meanwhile, or holds the lock."""

    code = "conflict"
    exit_code = 4


class Refused(MemtuiError):
    """Not done, for safety: outside the folder, a secret, read only."""

    code = "refused"
    exit_code = 5


class Unsupported(MemtuiError):
    """This machine lacks what the wish needs: a terminal, a program, room on the disk."""

    code = "environment"
    exit_code = 6
