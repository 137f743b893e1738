"""SHA-256 and BLAKE2b without OpenSSL, as the standard library's own `random` does it.

`hashlib` brings OpenSSL's tables: 5 ms and 1 MB in every process, to read files of a few KB five times as fast as the
interpreter's own 250 MB a second. What may be large is hashed with `hashlib` (`fs.copy`).
"""

import sys

TYPE_CHECKING = False  # as in typing, which the start does without
if TYPE_CHECKING:
    from hashlib import blake2b, sha256
else:
    try:
        from _blake2 import blake2b

        if sys.version_info >= (3, 12):
            from _sha2 import sha256
        else:
            from _sha256 import sha256
    except ImportError:  # an interpreter built without them
        from hashlib import blake2b, sha256

__all__ = ["blake2b", "sha256"]
