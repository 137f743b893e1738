"""A transcript held open: what is deleted or replaced meanwhile can be read on as it was."""

import os
from pathlib import Path

from memtui.base.errors import NotFound
from memtui.base.files import fault


class HeldFile:
    """What every source that reads one file does with it.

    Raises:
        NotFound: If there is no such file.
        MemtuiError: If it can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError as error:
            raise NotFound(f"No transcript at {path}") from error
        except OSError as error:
            raise fault(error, str(path), outcome="not read") from error

    def close(self) -> None:
        """Let go of the file; twice does no harm."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    @property
    def size(self) -> int:
        """Bytes of the file as it is now."""
        return os.fstat(self._file).st_size

    def _pread(self, size: int, offset: int) -> bytes:
        """At most `size` bytes from a place; fewer, or none, behind the end.

        Raises:
            MemtuiError: If the disk refuses.
        """
        try:
            return os.pread(self._file, size, offset)
        except OSError as error:
            raise fault(error, str(self.path), outcome="not read") from error
