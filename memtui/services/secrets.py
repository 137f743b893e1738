"""The question about a secret: one rule for every text that is saved.

Only what is new is asked about: a secret that the file held before is a finding of `check`, not a reason to stop a
save. What a person always allows is kept by fingerprint (SHA-256 of the value) in the state folder.
"""

import json
from collections.abc import Collection

from memtui.fs.atomic import make_folders, replace_file, to_error
from memtui.fs.lock import file_lock
from memtui.secrets.scanner import redact, scan
from memtui.services.questions import Allow, SecretFound
from memtui.util.app_dirs import Dirs

MAX_FILE_BYTES = 4 << 20
"""Bytes of our own file that we read; a larger one isn't ours."""


class AllowedSecrets:
    """The fingerprints that a person always allows."""

    def __init__(self, dirs: Dirs) -> None:
        self._path = dirs.state / "allowed_secrets.json"

    def load(self) -> frozenset[str]:
        """All of them; none if the file isn't there or can't be used."""
        try:
            if not self._path.is_file() or self._path.stat().st_size > MAX_FILE_BYTES:
                return frozenset()
            listed = json.loads(self._path.read_bytes())["fingerprints"]
            return frozenset(one for one in listed if isinstance(one, str))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return frozenset()

    def add(self, fingerprints: Collection[str]) -> None:
        """Allow some more; `MemtuiError` if that can't be written down."""
        try:
            make_folders(self._path.parent)
            with file_lock(self._path.with_suffix(".lock")):
                listed = sorted(self.load() | set(fingerprints))
                replace_file(self._path, json.dumps({"fingerprints": listed}).encode("ascii"), mode=0o600)
        except OSError as error:
            raise to_error(error, self._path.name) from error


def check_text(
    dirs: Dirs, name: str, before: Collection[bytes | None], after: bytes, allow: Allow
) -> bytes | SecretFound:
    """What of a text may be written, or the question to ask first.

    Args:
        name: What the file is called.
        before: Texts whose secrets are known: the file on disk, and what the person started from.
        after: What is to be written.
        allow: The person's answer, if there is one.
    """
    found = scan(_text(after))
    if found:
        known = {one.fingerprint for data in before if data for one in scan(_text(data))}
        known |= AllowedSecrets(dirs).load()
        found = [one for one in found if one.fingerprint not in known]
    if not found or allow.secret == "keep":
        return after
    if allow.secret == "redact":
        return redact(_text(after), found).encode("utf-8", "surrogateescape")
    if allow.secret == "always":
        AllowedSecrets(dirs).add([one.fingerprint for one in found])
        return after
    return SecretFound(name, tuple(found))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
