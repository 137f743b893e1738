"""Expected errors, shown to the user with a hint. Anything else is a bug and propagates."""


class MemtuiError(Exception):
    """An expected error: what happened, as one sentence without a full stop, and a command or key as hint, or "".

    `code` is the word that scripts see, `exit_code` the exit code of the process.
    """

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(MemtuiError):
    """The arguments are wrong, or exclude each other."""

    code = "usage"
    exit_code = 2


class NotFound(MemtuiError):
    """No such project, memory, version or session."""

    code = "not_found"
    exit_code = 3


class Conflict(MemtuiError):
    """Another program changed it meanwhile, or holds the lock."""

    code = "conflict"
    exit_code = 4


class Refused(MemtuiError):
    """Not done, for safety: outside the folder, a secret, read-only mode."""

    code = "refused"
    exit_code = 5


class Unsupported(MemtuiError):
    """This machine lacks what the command needs: a terminal, a program, room on the disk."""

    code = "environment"
    exit_code = 6


class OutputFailed(MemtuiError):
    """All was done, but the answer could not be written: standard output has no room, or is broken."""

    code = "output"
    exit_code = 8
