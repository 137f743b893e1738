"""Copies that sync tools, file managers and office programs leave beside a file.

The agent takes such a copy for a topic of its own, so it is told from one by its name: the stem is that of another file
with a known tail (or head) around it, and its front matter has the same name. The patterns are those of Dropbox,
Syncthing, OneDrive, iCloud, Google Drive, Nextcloud and ownCloud, Obsidian Sync, Seafile, remotely-save, Resilio and
Synology Drive, and of "copy" in the file managers of macOS, Windows and GNOME, in the languages that were found.
"""

import re
from collections.abc import Mapping

from memtui.memory.index import INDEX_NAME
from memtui.memory.topic import MemoryFile, stem_of
from memtui.util.text import nfc

_CONFLICT = (
    r"sfconflict|sync[ -]?conflict|conflicts?|conflicted|konflikt(?:kopie|kopia|eksemplar)?|konflikti\w*|conflit"
    r"|conflicto|conflitto|conflito|conflictueuze?|ütközés\w*|çakışma\w*|конфликт\w*|конфлікт\w*|충돌\w*|競合\w*|コンフリクト|冲突\w*|衝突\w*"
)  # fmt: skip
_COPY = (
    r"copy|kopie|kopia|kopi|kopio|copie|copia|cópia|cópia|копия|копія|kopya|másolat|복사본|사본|コピー|副本|拷贝|拷貝"
)  # fmt: skip
_INSIDE = r"(?:[^()\[\]（）【】]|\(\d+\))*"
_BRACKETED = re.compile(rf"[ ._-]*[(\[（【]{_INSIDE}(?:{_CONFLICT}){_INSIDE}[)\]）】]", re.IGNORECASE)
_MARKED = re.compile(
    rf"\.sync-conflict-\d{{8}}-\d{{6}}(?:-\w+)?|[ ._-](?:\S*[ ._-])?(?:{_CONFLICT})(?:[ ._-][\w@.:-]+)*|\.dup",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r" \d{1,3}| ?\(\d{1,3}\)")
_COPIED = re.compile(
    rf"(?:[ _]*[-–][ _]*|[ _.]| ?の)(?:{_COPY})(?:[ _]?\(?\d{{1,3}}\)?)?|[ _-]*\((?:\w+ )?(?:{_COPY})(?: \d+)?\)",
    re.IGNORECASE,
)
_HOST = re.compile(r"(?:-[\w’']+){1,6}(?:\.local)?")
_SURE_HOST = re.compile(
    r"-[A-Z0-9]*[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+(?:-\d+)?|-\S*(?:MacBook|iMac|Laptop|LAPTOP|DESKTOP)\S*"
)
_COPY_OF = re.compile(rf"(?:{_COPY}) (?:of|von|de|di|van|av|af|из|z) (?:\(\d+\) )?", re.IGNORECASE)
_OFFICE_LOCKS = ("~$", ".~lock.")

_SURE = (
    re.compile(r"\.sync-conflict-", re.IGNORECASE),
    re.compile(r"\([^()]*conflicted copy[^()]*\)\Z", re.IGNORECASE),
)
"""Tails that nobody gives a file by hand: known even where the other file is gone."""


def is_office_lock(name: str) -> bool:
    """Whether an office program made this file while it had another one open."""
    return name.rpartition("/")[2].startswith(_OFFICE_LOCKS)


def is_surely_a_copy(name: str) -> bool:
    """Whether a name alone tells that a sync tool or an office program made the file."""
    stem = stem_of(name)
    return is_office_lock(name) or any(pattern.search(stem) for pattern in _SURE)


def original_of(file: MemoryFile, files: Mapping[str, MemoryFile]) -> MemoryFile | None:
    """The file that another is a copy of, if it is one; `files` are those of the folder by their composed names."""
    folder, _, leaf = file.name.rpartition("/")
    prefix = f"{folder}/" if folder else ""
    stem = nfc(leaf.removesuffix(".md"))
    for base, is_host in _bases(stem):
        other = files.get(f"{prefix}{base}.md")
        if other is None or other.name == file.name or is_surely_a_copy(other.name):
            continue
        is_told = not is_host or _SURE_HOST.fullmatch(stem[len(base) :]) is not None
        if other.name == INDEX_NAME:
            if is_told and not file.front.block:
                return other
        elif _has_its_name(file, other, by_heading=is_told):
            return other
    return None


def _bases(stem: str) -> list[tuple[str, bool]]:
    """The stems that a name may be a copy of, and whether a computer's name would be its tail; the longest first."""
    found: list[tuple[str, bool]] = []
    head = _COPY_OF.match(stem)
    if head is not None:
        found.append((stem[head.end() :], False))
    for at in range(len(stem) - 1, 0, -1):
        if stem[at] not in " ._-–([（【の":
            continue
        tail = stem[at:]
        if any(pattern.fullmatch(tail) for pattern in (_BRACKETED, _MARKED, _NUMBERED, _COPIED)):
            found.append((stem[:at], False))
        elif _HOST.fullmatch(tail):
            found.append((stem[:at], True))
    return found


def _has_its_name(file: MemoryFile, other: MemoryFile, *, by_heading: bool) -> bool:
    """Whether both have one name; where neither has front matter, one heading."""
    if file.front.name or other.front.name:
        return file.front.name == other.front.name
    return by_heading and file.title == other.title
