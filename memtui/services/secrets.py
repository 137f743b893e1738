"""The question about a secret: one rule for every text that is saved.

Only what is new is asked about: a secret that the file held before is a finding of `check`, not a reason to stop a
save. What a person always allows is kept by fingerprint (SHA-256 of the value) in the state folder.
"""

import json
from collections.abc import Collection
from pathlib import Path

from memtui.fs.atomic import make_folders, replace_file, to_error
from memtui.fs.lock import file_lock
from memtui.secrets.scanner import redact, scan
from memtui.services.questions import Allow, SecretFound
from memtui.util.app_dirs import Dirs
from memtui.util.json_object import read_json_object


def _always_allowed(path: Path) -> set[str]:
    listed = read_json_object(path).get("fingerprints")
    return {one for one in listed if isinstance(one, str)} if isinstance(listed, list) else set()


def _always_allow(path: Path, fingerprints: Collection[str]) -> None:
    try:
        make_folders(path.parent)
        with file_lock(path.with_suffix(".lock")):
            listed = sorted(_always_allowed(path).union(fingerprints))
            replace_file(path, json.dumps({"fingerprints": listed}).encode("ascii"), mode=0o600)
    except OSError as error:
        raise to_error(error, path.name) from error


def check_text(
    dirs: Dirs, name: str, before: Collection[bytes | None], after: bytes, allow: Allow
) -> bytes | SecretFound:
    """What of a text may be written, or the question to ask first; what looks like a secret in `before` is known."""
    allowed = dirs.state / "allowed_secrets.json"
    found = scan(_text(after))
    if found:
        known = {one.fingerprint for data in before if data for one in scan(_text(data))}
        known |= _always_allowed(allowed)
        found = [one for one in found if one.fingerprint not in known]
    if not found or allow.secret == "keep":
        return after
    if allow.secret == "redact":
        return redact(_text(after), found).encode("utf-8", "surrogateescape")
    if allow.secret == "always":
        _always_allow(allowed, [one.fingerprint for one in found])
        return after
    return SecretFound(name, tuple(found))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
