"""What a run changed in its stage, always read from disk."""

import stat
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from memtui.dream.run.stage import Stage, why_not_memory
from memtui.fs.atomic import digest, read_once
from memtui.history.snapshot import walk
from memtui.history.versions import count_lines
from memtui.memory.frontmatter import read_frontmatter
from memtui.util.errors import MemtuiError

ChangeKind = Literal["added", "changed", "removed", "renamed"]

RENAME_SIMILARITY = 0.6  # share of bytes in common, line by line, from which a new file counts as a removed one renamed

_MAX_COMPARED_PAIRS = 2500
_MAX_BLANK_BYTES = 64  # a larger file is not read to find out whether it is blank


class StagedChange(Struct, frozen=True):
    """One file that differs: digests before and after, lines added and removed; `emptied`: it has no text left."""

    name: str
    kind: ChangeKind
    added: int = 0
    removed: int = 0
    old: str | None = None
    before: str | None = None
    after: str | None = None
    emptied: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Its names, the old one first."""
        return (self.name,) if self.old is None else (self.old, self.name)


class StageChanges(Struct, frozen=True):
    """All that differs, by name; `odd` is what a stage must not hold, with the reason: it is never adopted."""

    touched: tuple[StagedChange, ...]
    odd: Mapping[str, str]

    @property
    def gone(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.touched if one.kind == "removed" or one.emptied)


def read_stage_changes(stage: Stage, *, quick: bool = False) -> StageChanges:
    """Compare a stage with its manifest; a blanked file counts as removed. `quick` trusts size and mtime."""
    now, odd = _scan(stage, quick)
    changed = [name for name, found in now.items() if name in stage.files and found != stage.files[name].digest]
    added = [name for name in now if name not in stage.files]
    removed = [name for name in stage.files if name not in now and name not in odd]
    pairs = _renamed(stage, removed, added, now)
    touched = [_touched(stage, name, "changed", name) for name in changed]
    touched += [_touched(stage, new, "renamed", old) for new, old in pairs.items()]
    touched += [_touched(stage, name, "added", None) for name in added if name not in pairs]
    touched += [_touched(stage, name, "removed", name) for name in removed if name not in pairs.values()]
    return StageChanges(tuple(sorted(touched, key=lambda one: one.name)), odd)


def read_staged(stage: Stage, name: str) -> bytes | None:
    """A file as the stage has it now; `None` if there is none."""
    try:
        return read_once(stage.root / name).data
    except (OSError, MemtuiError):
        return None


def _scan(stage: Stage, quick: bool) -> tuple[dict[str, str], dict[str, str]]:
    now: dict[str, str] = {}
    odd: dict[str, str] = {}
    for above, _, entries in walk(stage.root, hidden=True):
        for entry in entries:
            name = above + entry.name
            with suppress(FileNotFoundError):  # the run is still writing
                info = entry.stat(follow_symlinks=False)
                reason = why_not_memory(entry.name, info)
                if reason is not None:
                    odd[name] = reason
                elif stat.S_ISREG(info.st_mode):
                    copied = stage.files.get(name) if quick else None
                    if copied is not None and (info.st_mtime_ns, info.st_size) == (copied.mtime_ns, copied.size):
                        found = copied.digest
                    else:
                        found = digest((stage.root / name).read_bytes())
                    if not _is_deleted(stage, name, found, info.st_size):
                        now[name] = found
    return now, odd


def _is_deleted(stage: Stage, name: str, found: str, size: int) -> bool:
    """Whether a file with text was blanked: a model's tools can't delete, so that is how it deletes a file."""
    if size > _MAX_BLANK_BYTES or (name in stage.files and stage.files[name].digest == found):
        return False
    return not (read_staged(stage, name) or b"").strip() and (stage.base(name) or b"x").strip() != b""


def _touched(stage: Stage, name: str, kind: ChangeKind, old: str | None) -> StagedChange:
    before = stage.base(old) if old is not None else None
    after = read_staged(stage, name) if kind != "removed" else None
    plus, minus = count_lines(before or b"", after or b"")
    return StagedChange(
        name, kind, plus, minus, old if kind == "renamed" else None,
        stage.files[old].digest if old is not None else None, None if after is None else digest(after),
        before is not None and after is not None and _has_body(before) and not _has_body(after),
    )  # fmt: skip


def _has_body(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    return bool(text[read_frontmatter(text).body_start :].strip())


def _renamed(stage: Stage, removed: list[str], added: list[str], now: Mapping[str, str]) -> dict[str, str]:
    """Map new names to old ones: identical files first, then the most similar."""
    pairs: dict[str, str] = {}
    old_names, new_names = list(removed), list(added)
    for new in list(new_names):
        same = next((old for old in old_names if stage.files[old].digest == now[new]), None)
        if same is not None:
            pairs[new] = same
            old_names.remove(same)
            new_names.remove(new)
    if not old_names or not new_names or len(old_names) * len(new_names) > _MAX_COMPARED_PAIRS:
        return pairs
    before = {name: stage.base(name) or b"" for name in old_names}
    after = {name: read_staged(stage, name) or b"" for name in new_names}
    scores = [(line_similarity(before[old], after[new]), old, new) for old in old_names for new in new_names]
    for score, old, new in sorted(scores, key=lambda one: (-one[0], one[1], one[2])):
        if score >= RENAME_SIMILARITY and new not in pairs and old not in pairs.values():
            pairs[new] = old
    return pairs


def line_similarity(one: bytes, other: bytes) -> float:
    """The bytes of the lines that two texts have in common, as a share of the longer text."""
    if not one or not other:
        return 0.0
    both = Counter(one.splitlines(keepends=True)) & Counter(other.splitlines(keepends=True))
    return sum(len(line) * count for line, count in both.items()) / max(len(one), len(other))
